package ir

// Consts is a hash table of constants by type and bits. The zero Consts is empty.
type Consts struct {
	heads []int32 // by bucket: 1 + index in known of the last constant added; 0 if empty
	known []known
}

// known is a constant in the chain of its bucket; next is the one added before it.
type known struct {
	t    Type
	next int32
	v    V
	bits uint64
}

// maxChain bounds the constants that Find compares. Only hostile input makes longer
// chains; a constant that Find misses is created a second time, which is correct.
const maxChain = 64

// Find returns the constant of type t with the given bits, or 0.
func (c *Consts) Find(t Type, bits uint64) V {
	if len(c.heads) == 0 {
		return 0
	}
	i := c.heads[c.bucket(t, bits)]
	for n := 0; i != 0 && n < maxChain; n++ {
		k := &c.known[i-1]
		if k.bits == bits && k.t == t {
			return k.v
		}
		i = k.next
	}
	return 0
}

// Add adds v, the first constant of type t with the given bits.
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

// Reset removes all constants but retains the memory.
func (c *Consts) Reset() {
	clear(c.heads)
	c.known = c.known[:0]
}

func (c *Consts) link(i int) {
	at := &c.heads[c.bucket(c.known[i].t, c.known[i].bits)]
	c.known[i].next, *at = *at, int32(i+1)
}

// bucket hashes a constant (multiplicative hashing, Knuth, TAOCP 3, 6.4): the upper
// bits of a product with an odd number depend on all bits of the other factor.
func (c *Consts) bucket(t Type, bits uint64) int {
	const golden = 0x9e3779b97f4a7c15
	h := (bits ^ bits>>32 ^ uint64(t)<<56) * golden
	return int(h >> 33 & uint64(len(c.heads)-1))
}
