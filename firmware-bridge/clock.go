package bridge

import "time"

// clock turns a node's time into the host's. It holds one comparison of the two: the best there was.
type clock struct {
	host time.Time     // zero: never compared
	node uint64        // what the node's clock showed at host, in µs
	slop time.Duration // how wrong host may be: half the round trip
}

// drift is how far the two may run apart: 100 parts in a million, a poor crystal on each end.
const drift = 10_000

// compare takes the answer to a question asked at sent and answered at got. Of two comparisons the one is kept that is
// the more exact now, so that a slow round trip does no harm and an old one does not last.
func (c *clock) compare(sent, got time.Time, node uint64) {
	slop := got.Sub(sent) / 2
	if c.host.IsZero() || slop <= c.slop+got.Sub(c.host)/drift {
		*c = clock{host: sent.Add(slop), node: node, slop: slop}
	}
}

// at is the host's time for a time of the node's.
func (c *clock) at(node uint64) time.Time {
	return c.host.Add(time.Duration(int64(node-c.node)) * time.Microsecond)
}
