package ir

// Consts finds constants by what they hold. The zero Consts knows none.
type Consts struct {
	heads []int32 // by hash: the last that was added, from 1 on
	known []known
}

// known is a constant, and the one before it whose hash has the same place.
type known struct {
	t    Type
	next int32
	v    V
	bits uint64
}

// maxChain bounds how many constants Find compares: more are in one place only where
// somebody chose them so, and one that is not found is made again.
const maxChain = 64

// Find returns the constant of type t with the given bits, or 0.
func (c *Consts) Find(t Type, bits uint64) V {
	if len(c.heads) == 0 {
		return 0
	}
	i := c.heads[c.place(t, bits)]
	for n := 0; i != 0 && n < maxChain; n++ {
		k := &c.known[i-1]
		if k.bits == bits && k.t == t {
			return k.v
		}
		i = k.next
	}
	return 0
}

// Add adds v, which is the constant of type t with the given bits and the first one.
func (c *Consts) Add(t Type, bits uint64, v V) {
	if len(c.known) == len(c.heads) {
		c.heads = make([]int32, max(16, 2*len(c.heads)))
		for i := range c.known {
			c.link(i)
		}
	}
	c.known = append(c.known, known{t: t, v: v, bits: bits})
	c.link(len(c.known) - 1)
}

// Reset forgets all, but keeps the memory.
func (c *Consts) Reset() {
	clear(c.heads)
	c.known = c.known[:0]
}

func (c *Consts) link(i int) {
	at := &c.heads[c.place(c.known[i].t, c.known[i].bits)]
	c.known[i].next, *at = *at, int32(i+1)
}

// place is where the list begins that a constant is in: the upper bits of a product
// with an odd number depend on all bits of the other.
func (c *Consts) place(t Type, bits uint64) int {
	const golden = 0x9e3779b97f4a7c15
	h := (bits ^ bits>>32 ^ uint64(t)<<56) * golden
	return int(h >> 33 & uint64(len(c.heads)-1))
}
