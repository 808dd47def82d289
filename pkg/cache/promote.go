package cache

// promote moves a value that was just read to the writing end of its ring,
// unless it has been replaced, deleted or moved since: then whoever did that
// has had the last word.
func (c *Cache) promote(s *stripe, key []byte, position uint64, now int64) {
	buf := c.getScratch()
	defer c.scratch.Put(buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	r, b, ok := s.find(*buf, key)
	*buf = b
	if !ok || r.position != position {
		return
	}
	*buf = s.replace(key, r, b, r.payload, now)
}

// promoteLarge writes a large value's parts anew and then turns the head to
// them, if the head is still the one that was read.
func (c *Cache) promoteLarge(s *stripe, key []byte, e entryMeta, value []byte, now int64) {
	head := c.writeParts(value, e.trailer, now)
	buf := c.getScratch()
	defer c.scratch.Put(buf)

	s.mu.Lock()
	r, b, ok := s.find(*buf, key)
	*buf = b
	orphan := head
	if ok && r.position == e.position {
		orphan, _ = r.head()
		*buf = s.replace(key, r, b, head.encode(), now)
	}
	s.mu.Unlock()
	c.dropParts(orphan, now)
}

// replace writes payload as the new record of the entry that r is, with r's
// times. The caller holds mu. payload may lie in buf.
func (s *stripe) replace(key []byte, r stored, buf, payload []byte, now int64) []byte {
	s.ledger.remove(r.account())
	s.tally.promotions++
	return s.put(buf, key, payload, r.trailer, r, true, now)
}
