package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// row is one value in all lanes of the widest subgroup.
type row [128]uint64

func (v *visit) size() int { return int(v.p.p.SubgroupSize) }

// operand returns the i-th operand in the active lanes and rest in the others.
func (v *visit) operand(i int, rest uint64) (x row) {
	for lane := range x {
		x[lane] = rest
	}
	for lane := range v.set.All {
		x[lane] = v.use(i, lane)
	}
	return x
}

// truths returns the active lanes in which the first operand is 1.
func (v *visit) truths() (set exec.Lanes) {
	for lane := range v.set.All {
		set[lane>>6] |= v.use(0, lane) << (lane & 63)
	}
	return set
}

func (v *visit) defineBool(b bool) {
	bits := uint64(0)
	if b {
		bits = 1
	}
	v.defineAll(bits)
}

func (v *visit) elect() {
	first := int(v.set.First())
	v.defineAll(0)
	v.define(first, 1)
}

func (v *visit) any() { v.defineBool(!v.truths().Empty()) }
func (v *visit) all() { v.defineBool(v.truths() == v.set) }

// allEqual compares floats as floats, so that a NaN is equal to nothing.
func (v *visit) allEqual() {
	equal := ir.Eq
	if v.site.Key.From.IsFloat() {
		equal = ir.FEq
	}
	first, same := v.use(0, int(v.set.First())), true
	for lane := range v.set.All {
		same = same && equal.Row().Eval(v.site.Key, first, v.use(0, lane), 0) != 0
	}
	v.defineBool(same)
}

func (v *visit) ballot() {
	word := v.site.Key.Aux
	v.defineAll(v.truths()[word/2] >> (32 * (word % 2)) & 0xffffffff)
}

func (v *visit) shuffle() {
	x, from := v.operand(0, 0), v.operand(1, 0)
	for lane := range v.set.All {
		if from[lane] < uint64(len(x)) {
			v.define(lane, x[from[lane]])
		} else {
			v.define(lane, 0)
		}
	}
}

func (v *visit) quadSwap() {
	x := v.operand(0, 0)
	across := int(v.p.p.QuadLane(v.site.Key.Aux))
	for lane := range v.set.All {
		from := lane ^ across
		if !v.set.Has(uint32(from)) {
			from = lane
		}
		v.define(lane, x[from])
	}
}

// combination returns the operator of a reduction or scan, the operand with
// the identity in the lanes that are not active, that, and the cluster's size.
func (v *visit) combination() (op ir.Eval, x row, identity uint64, cluster int) {
	operator := ir.Op(v.site.Key.Aux & 0xff)
	identity = ir.Identity(operator, v.site.Key.Type)
	cluster = int(v.site.Key.Aux >> 8)
	if cluster == 0 {
		cluster = v.size()
	}
	return operator.Row().Eval, v.operand(0, identity), identity, cluster
}

func (v *visit) reduce() {
	op, x, _, cluster := v.combination()
	for k := 1; k < cluster; k *= 2 {
		for i := 0; i < v.size(); i += 2 * k {
			x[i] = op(v.site.Key, x[i], x[i+k], 0)
		}
	}
	if cluster == v.size() {
		v.defineAll(x[0])
		return
	}
	for lane := range v.set.All {
		v.define(lane, x[lane/cluster*cluster])
	}
}

// scan returns the inclusive scan of each cluster.
func (v *visit) scan() (x row, identity uint64, cluster int) {
	op, x, identity, cluster := v.combination()
	for k := 1; k < cluster; k *= 2 {
		before := x
		for i := range v.size() {
			if i%cluster >= k {
				x[i] = op(v.site.Key, before[i-k], before[i], 0)
			}
		}
	}
	return x, identity, cluster
}

func (v *visit) scanInclusive() {
	x, _, _ := v.scan()
	for lane := range v.set.All {
		v.define(lane, x[lane])
	}
}

// scanExclusive gives each active lane the scan up to the active lane before it
// in its cluster, the first one the identity.
func (v *visit) scanExclusive() {
	x, identity, cluster := v.scan()
	before := -1
	for lane := range v.set.All {
		if before < 0 || before/cluster != lane/cluster {
			v.define(lane, identity)
		} else {
			v.define(lane, x[before])
		}
		before = lane
	}
}

func (v *visit) demote() {
	part := v.form().Lanes
	for lane := range v.set.All {
		v.helpers()[2*(lane/part)] |= 1 << (lane % part)
	}
}

func (v *visit) helper() {
	for lane := range v.set.All {
		bits := uint64(0)
		if v.isHelper(lane) {
			bits = 1
		}
		v.define(lane, bits)
	}
}
