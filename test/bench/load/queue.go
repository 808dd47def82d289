package load

import "time"

// queue holds the moments of requests that wait for a connection, oldest first.
type queue struct {
	moments []time.Time
	first   int
}

func (q *queue) length() int { return len(q.moments) - q.first }

func (q *queue) push(t time.Time) { q.moments = append(q.moments, t) }

func (q *queue) pop() time.Time {
	t := q.moments[q.first]
	q.first++
	if q.first == len(q.moments) {
		q.moments, q.first = q.moments[:0], 0
	}
	return t
}
