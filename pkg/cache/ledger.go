package cache

import "maps"

// ledger counts the living entries of one ring and their bytes. Expired ones
// are subtracted without being read: for every second in which something
// expires it knows how much. It does no locking of its own.
type ledger struct {
	entries, bytes uint64
	// due is keyed by the second of expiry, rounded up. A map never shrinks: most
	// is how large it has been, which is what it takes memory for.
	due  map[uint32]due
	most int
	// purged is the last second that has been subtracted.
	purged uint32
}

// due is what expires in one second. No ring has 4 GiB.
type due struct{ entries, bytes uint32 }

// account is what the ledger needs to know of a record.
type account struct {
	bytes uint64
	at    uint32 // second of expiry, 0 = none
	entry bool   // false for parts, which are bytes but no entries
}

// count is the number of entries, 0 or 1.
func (a account) count() uint32 {
	if a.entry {
		return 1
	}
	return 0
}

// add counts a record just written. One whose second has already been purged
// is not counted; the caller gets false and treats it as expired.
func (l *ledger) add(a account) bool {
	if a.at != 0 {
		if a.at <= l.purged {
			return false
		}
		if l.due == nil {
			l.due = map[uint32]due{}
		}
		d := l.due[a.at]
		l.due[a.at] = due{d.entries + a.count(), d.bytes + uint32(a.bytes)}
		l.most = max(l.most, len(l.due))
	}
	l.entries += uint64(a.count())
	l.bytes += a.bytes
	return true
}

// remove takes out a record that was overwritten, deleted or evicted. It reports
// false when the record had already left as expired.
func (l *ledger) remove(a account) bool {
	if a.at != 0 {
		if a.at <= l.purged {
			return false
		}
		d := l.due[a.at]
		if d = (due{d.entries - a.count(), d.bytes - uint32(a.bytes)}); d.bytes == 0 {
			delete(l.due, a.at)
		} else {
			l.due[a.at] = d
		}
	}
	l.entries -= uint64(a.count())
	l.bytes -= a.bytes
	return true
}

// purge subtracts everything whose second has passed and returns how many
// entries that were.
func (l *ledger) purge(nowSecond uint32) (expired uint64) {
	if nowSecond <= l.purged {
		return 0
	}
	l.purged = nowSecond
	for at, d := range l.due {
		if at > nowSecond {
			continue
		}
		expired += uint64(d.entries)
		l.entries -= uint64(d.entries)
		l.bytes -= uint64(d.bytes)
		delete(l.due, at)
	}
	l.shrink()
	return expired
}

// shrink makes the map of deadlines anew when most of it is empty.
func (l *ledger) shrink() {
	if len(l.due) > l.most/4 {
		return
	}
	l.most = len(l.due)
	l.due = maps.Clone(l.due)
}

// reset forgets what is counted and returns how many entries that were.
func (l *ledger) reset() (entries uint64) {
	entries = l.entries
	*l = ledger{purged: l.purged}
	return entries
}
