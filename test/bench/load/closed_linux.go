package load

import "time"

// Closed keeps one request on its way on every connection for a time, and then waits for the last
// replies. They count too, for the server has worked for them.
func (p *Pool) Closed(source Source, duration time.Duration) (*Result, error) {
	r := &Result{}
	start := time.Now()
	end := start.Add(duration)
	for _, c := range p.connections {
		if err := p.request(c, source, time.Now()); err != nil {
			return nil, err
		}
	}
	for onTheirWay := len(p.connections); onTheirWay > 0; {
		events, err := p.wait(true)
		if err != nil {
			return nil, err
		}
		for i := range events {
			c := p.connections[events[i].Fd]
			reply, complete, err := c.receive(p.protocol)
			if err != nil {
				return nil, err
			}
			if !complete {
				continue
			}
			now := time.Now()
			p.count(r, c, reply, now)
			if now.After(end) {
				onTheirWay--
				continue
			}
			if err := p.request(c, source, now); err != nil {
				return nil, err
			}
		}
	}
	r.Elapsed = time.Since(start)
	return r, nil
}
