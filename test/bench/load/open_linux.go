package load

import (
	"math/rand/v2"
	"time"
)

// Open sends requests at a mean rate, in a Poisson process from a seed, for a time. A request that
// is due while all connections are busy waits its turn, and its time runs: a server that stalls is
// not spared the requests that would have come meanwhile. It never sleeps, for it would wake late.
func (p *Pool) Open(source Source, rate float64, duration time.Duration, seed uint64) (*Result, error) {
	random := rand.New(rand.NewPCG(seed, 0)) // #nosec G404 -- arrivals must repeat
	gap := func() time.Duration { return time.Duration(random.ExpFloat64() / rate * float64(time.Second)) }
	r := &Result{}
	start := time.Now()
	end := start.Add(duration)
	idle := append([]*connection(nil), p.connections...)
	next, lastReply := start.Add(gap()), start
	var due queue
	for {
		now := time.Now()
		for ; next.Before(now) && next.Before(end); next = next.Add(gap()) {
			due.push(next)
		}
		for len(idle) > 0 && due.length() > 0 {
			c := idle[len(idle)-1]
			idle = idle[:len(idle)-1]
			if err := p.request(c, source, due.pop()); err != nil {
				return nil, err
			}
		}
		if !now.Before(end) && len(idle) == len(p.connections) {
			r.Elapsed = now.Sub(start)
			return r, nil
		}
		// With nothing heard for long, wait the patient way: it says so when nothing comes.
		events, err := p.wait(len(idle) < len(p.connections) && now.Sub(lastReply) > silence)
		if err != nil {
			return nil, err
		}
		for i := range events {
			c := p.connections[events[i].Fd]
			reply, complete, err := c.receive(p.protocol)
			if err != nil {
				return nil, err
			}
			if complete {
				lastReply = time.Now()
				p.count(r, c, reply, lastReply)
				idle = append(idle, c)
			}
		}
	}
}
