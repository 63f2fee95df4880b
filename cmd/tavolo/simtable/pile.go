package simtable

import (
	"cmp"
	"slices"

	"tavolo/calibration"
	"tavolo/engine"
)

// disc is one chip: what it is worth, and its tag, "" for one without.
type disc struct {
	value engine.Chips
	tag   string
}

// pile is chips that lie together.
type pile []disc

// worth is what they are worth together.
func (p pile) worth() (sum engine.Chips) {
	for _, d := range p {
		sum += d.value
	}
	return sum
}

// last is what the chip is worth that was laid last; there must be one.
func (p pile) last() engine.Chips { return p[len(p)-1].value }

// tags are the tags of those that have one.
func (p pile) tags() (out []string) {
	for _, d := range p {
		if d.tag != "" {
			out = append(out, d.tag)
		}
	}
	return out
}

// take takes the largest chips that are worth no more than n together out of a pile.
func (p *pile) take(n engine.Chips) (out pile) {
	slices.SortStableFunc(*p, func(a, b disc) int { return cmp.Compare(b.value, a.value) })
	*p = slices.DeleteFunc(*p, func(d disc) bool {
		if d.value > n {
			return false
		}
		n -= d.value
		out = append(out, d)
		return true
	})
	return out
}

// takeOne takes the smallest chip that is worth n at least, false if there is none.
func (p *pile) takeOne(n engine.Chips) (disc, bool) {
	best := -1
	for i, d := range *p {
		if d.value >= n && (best < 0 || d.value < (*p)[best].value) {
			best = i
		}
	}
	if best < 0 {
		return disc{}, false
	}
	d := (*p)[best]
	*p = slices.Delete(*p, best, best+1)
	return d, true
}

// most is how many chips of a kind a player keeps, before they are changed for larger ones.
const most = 12

// cage is where chips come from and are changed: those of a set with their tags, and as many as are wanted without.
type cage struct {
	kinds []engine.Chips // what chips are worth, the largest first
	tags  map[engine.Chips][]string
}

// newCage has the chips of a set, or where there is none those that scales are to weigh.
func newCage(set *calibration.ChipSet, scales []Scale) *cage {
	c := &cage{tags: map[engine.Chips][]string{}}
	if set != nil {
		for v := range set.Pieces() {
			c.kinds = append(c.kinds, v)
			c.tags[v] = set.Tags(v)
		}
	} else {
		for _, s := range scales {
			for _, k := range s.Kinds {
				c.kinds = append(c.kinds, k.Value)
			}
		}
	}
	slices.SortFunc(c.kinds, func(a, b engine.Chips) int { return cmp.Compare(b, a) })
	c.kinds = slices.Compact(c.kinds)
	return c
}

// give gives as few chips as can be, each worth less than below. What they are short of n no chips make up.
func (c *cage) give(n, below engine.Chips) (out pile) {
	for _, v := range c.kinds {
		for ; v < below && v <= n; n -= v {
			d := disc{value: v}
			if tags := c.tags[v]; len(tags) > 0 {
				d.tag, c.tags[v] = tags[len(tags)-1], tags[:len(tags)-1]
			}
			out = append(out, d)
		}
	}
	return out
}

// back takes chips back.
func (c *cage) back(p pile) {
	for _, d := range p {
		if d.tag != "" {
			c.tags[d.value] = append(c.tags[d.value], d.tag)
		}
	}
}

// change changes the smallest chip of a pile that is worth n at least for smaller ones, and reports whether it could.
func (c *cage) change(p *pile, n engine.Chips) bool {
	d, ok := p.takeOne(n)
	if !ok {
		return false
	}
	small := c.give(d.value, d.value)
	if small.worth() != d.value {
		c.back(small)
		*p = append(*p, d)
		return false
	}
	c.back(pile{d})
	*p = append(*p, small...)
	return true
}

// colourUp changes chips of which a pile has many for larger ones.
func (c *cage) colourUp(p *pile) {
	for i := len(c.kinds) - 1; i > 0; i-- {
		small, large := c.kinds[i], c.kinds[i-1]
		var few, many pile
		for _, d := range *p {
			if d.value == small {
				many = append(many, d)
			} else {
				few = append(few, d)
			}
		}
		per := int(large / small)
		for large%small == 0 && len(many) >= most+per {
			c.back(many[len(many)-per:])
			many = many[:len(many)-per]
			few = append(few, c.give(large, large+1)...)
		}
		*p = append(few, many...)
	}
}
