package cache

// The window is the first of two segments, as in S3-FIFO (Yang et al., "FIFO queues
// are all you need for cache eviction", SOSP 2023): what is read while it is there
// goes on to main, and what is read once and never again does not get that far. Its
// third queue, of the keys that left unread, is not there: on the traces of
// test/bench it decided little, and it takes memory from the entries.

// put makes room for a record and writes it. The caller holds the lock of s; old is
// what find returned for its key, and had whether it returned anything.
func (c *Cache) put(w *workspace, s *stripe, key, payload []byte, t trailer, old stored, had bool, now int64) {
	replaced := uint64(none)
	if had {
		replaced = old.position
	}
	moves := uint64(movesPerWrite)
	if t.kind == partRecord {
		moves = movesPerPart
	}
	s.makeRoom(w, ringSize(len(key), len(payload)+t.size()), moves, logCost(len(key)), replaced, now)
	c.promote(w, s, now)
	if !had {
		s.index.added()
		s.index.revived(key)
	}
	s.moves.Add(1)
	// The new record first: a reader finds either it or the one it replaces.
	if a := s.write(w, key, payload, t); !s.ledger.add(a) && a.entry {
		s.tally.expirations++
	}
	s.move(w)
	s.moves.Add(1)
	s.fresh.Store(min(s.end.Load()-s.log.first, s.ringBytes) / freshShare)
}

// promote writes to main what makeRoom left for it in w, and then deletes it in the
// window: a reader who looks in main, in the window, and in main again, finds it.
// The caller holds the window's lock.
func (c *Cache) promote(w *workspace, from *stripe, now int64) {
	if len(w.promoted) == 0 {
		return
	}
	v := c.workspace()
	defer c.workspaces.Put(v)
	var buf placeKey
	for _, at := range w.promoted {
		key := w.bytes[at.key:at.record]
		payload, t, _ := splitRecord(w.bytes[at.record:at.end], from.end.Load())
		r := stored{payload: payload, trailer: t, bytes: ringSize(len(key), at.end-at.record)}
		if from.ledger.remove(r.account()) { // or it has been counted as expired
			to, mainKey := c.place(main, callersKey(key), &buf)
			to.mu.Lock()
			c.put(v, to, mainKey, payload, t, stored{}, false, now)
			to.tally.promotions++
			to.mu.Unlock()
		}
		from.ring.Del(key)
	}
}
