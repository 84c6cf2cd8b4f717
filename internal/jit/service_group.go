package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// laneValues is one value in all lanes of the widest subgroup.
type laneValues [128]uint64

func (c *serviceCall) subgroupSize() int { return int(c.variant.source.SubgroupSize) }

// operand returns the i-th operand in the active lanes, and inactive in the others. Combinations
// need the identity in inactive lanes; a shuffle needs 0 there, its defined result for an inactive
// source.
func (c *serviceCall) operand(i int, inactive uint64) (x laneValues) {
	for lane := range x {
		x[lane] = inactive
	}
	for lane := range c.active.All {
		x[lane] = c.use(i, lane)
	}
	return x
}

// trueLanes returns the active lanes in which the first operand is 1. Bools are 0 or 1 in all
// registers, so that the bit needs no test.
func (c *serviceCall) trueLanes() (set exec.Lanes) {
	for lane := range c.active.All {
		set[lane>>6] |= c.use(0, lane) << (lane & 63)
	}
	return set
}

func (c *serviceCall) defineBool(b bool) {
	bits := uint64(0)
	if b {
		bits = 1
	}
	c.defineAll(bits)
}

func (c *serviceCall) elect() {
	first := int(c.active.First())
	// OpGroupNonUniformElect: true in the active lane with the lowest ID, and false in all others.
	c.defineAll(0)
	c.define(first, 1)
}

func (c *serviceCall) any() { c.defineBool(!c.trueLanes().Empty()) }
func (c *serviceCall) all() { c.defineBool(c.trueLanes() == c.active) }

// allEqual compares floats as floats, so that a NaN is equal to nothing. SPIR-V demands an ordered
// comparison for OpGroupNonUniformAllEqual. −0 and +0 are equal.
func (c *serviceCall) allEqual() {
	equal := ir.Eq
	if c.site.Key.From.IsFloat() {
		equal = ir.FEq
	}
	first, same := c.use(0, int(c.active.First())), true
	for lane := range c.active.All {
		same = same && equal.Row().Eval(c.site.Key, first, c.use(0, lane), 0) != 0
	}
	c.defineBool(same)
}

func (c *serviceCall) ballot() {
	// Word 0 has lanes 0 to 31. A set has words of 64 bits, a ballot components of 32.
	word := c.site.Key.Aux
	c.defineAll(c.trueLanes()[word/2] >> (32 * (word % 2)) & 0xffffffff)
}

func (c *serviceCall) shuffle() {
	x, from := c.operand(0, 0), c.operand(1, 0)
	for lane := range c.active.All {
		// Vulkan leaves the result of a shuffle from an inactive lane, or from one that does not
		// exist, undefined. Here it is 0.
		if from[lane] < uint64(len(x)) {
			c.define(lane, x[from[lane]])
		} else {
			c.define(lane, 0)
		}
	}
}

func (c *serviceCall) quadSwap() {
	x := c.operand(0, 0)
	across := int(c.variant.source.QuadLane(c.site.Key.Aux))
	for lane := range c.active.All {
		from := lane ^ across
		if !c.active.Has(uint32(from)) {
			// The neighbour is inactive: a swap with itself is defined, and the interpreter does the
			// same.
			from = lane
		}
		c.define(lane, x[from])
	}
}

// combination returns the operator of a reduction or scan, the operand with the identity in inactive
// lanes, the identity, and the cluster size.
func (c *serviceCall) combination() (op ir.Eval, x laneValues, identity uint64, cluster int) {
	operator := ir.Op(c.site.Key.Aux & 0xff)
	identity = ir.Identity(operator, c.site.Key.Type)
	cluster = int(c.site.Key.Aux >> 8)
	if cluster == 0 {
		cluster = c.subgroupSize()
	}
	return operator.Row().Eval, c.operand(0, identity), identity, cluster
}

// It combines a balanced tree, as the machine code does: float addition is not associative, so that
// another order would yield other bits. For four lanes: (a+b) + (c+d).
func (c *serviceCall) reduce() {
	op, x, _, cluster := c.combination()
	for k := 1; k < cluster; k *= 2 {
		for i := 0; i < c.subgroupSize(); i += 2 * k {
			x[i] = op(c.site.Key, x[i], x[i+k], 0)
		}
	}
	if cluster == c.subgroupSize() {
		c.defineAll(x[0])
		return
	}
	for lane := range c.active.All {
		c.define(lane, x[lane/cluster*cluster])
	}
}

// scan returns the inclusive scan of each cluster (Hillis & Steele 1986).
func (c *serviceCall) scan() (x laneValues, identity uint64, cluster int) {
	op, x, identity, cluster := c.combination()
	for k := 1; k < cluster; k *= 2 {
		// All lanes of a step read the values of the previous step.
		before := x
		for i := range c.subgroupSize() {
			if i%cluster >= k {
				x[i] = op(c.site.Key, before[i-k], before[i], 0)
			}
		}
	}
	return x, identity, cluster
}

func (c *serviceCall) scanInclusive() {
	x, _, _ := c.scan()
	for lane := range c.active.All {
		c.define(lane, x[lane])
	}
}

// scanExclusive returns in each active lane the scan up to the previous active lane in its cluster,
// or the identity if there is none. It must skip inactive lanes: the previous lane's result is
// undefined if it is inactive, and the sum up to the previous active lane is the correct one.
func (c *serviceCall) scanExclusive() {
	x, identity, cluster := c.scan()
	before := -1
	for lane := range c.active.All {
		if before < 0 || before/cluster != lane/cluster {
			c.define(lane, identity)
		} else {
			c.define(lane, x[before])
		}
		before = lane
	}
}

func (c *serviceCall) demote() {
	part := c.form().Lanes
	for lane := range c.active.All {
		c.demotedLanes()[2*(lane/part)] |= 1 << (lane % part)
	}
}

func (c *serviceCall) helper() {
	for lane := range c.active.All {
		bits := uint64(0)
		if c.isHelper(lane) {
			bits = 1
		}
		c.define(lane, bits)
	}
}
