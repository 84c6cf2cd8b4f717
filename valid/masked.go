package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// maskedFamily checks gathers and scatters through vectors of pointers
// (SPV_INTEL_masked_gather_scatter). The extension lets conversions, comparisons and
// access chains work on such vectors lane by lane; laneTypes is for their rules.
var maskedFamily = family{
	rules: []Rule{
		{Code: "SPV-Masked-Type", Section: "SPIR-V, SPV_INTEL_masked_gather_scatter", Words: "a masked gather or scatter has a vector of pointers to the components of its value, a vector of Booleans as long as the value, and an alignment of 0 or a power of two"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpMaskedGatherINTEL:  (*checker).maskedGather,
		spirv.OpMaskedScatterINTEL: (*checker).maskedScatter,
	},
}

// laneTypes returns the types of one lane, if an instruction works on vectors of
// pointers: the components of both types, if both are vectors of one length and
// the components of one are pointers and the other ones known. Otherwise it returns the types themselves.
func laneTypes(t, x *facts.Type) (*facts.Type, *facts.Type) {
	if pointersOf(t) == nil && pointersOf(x) == nil || !x.IsVector() || !t.IsVector() || x.Components() != t.Components() || t.Elem == nil || x.Elem == nil {
		return t, x
	}
	return t.Elem, x.Elem
}

// pointersOf returns the type of the components of a vector of pointers, nil for any
// other type.
func pointersOf(t *facts.Type) *facts.Type {
	if t == nil || !t.IsVector() || !t.Elem.IsPointer() {
		return nil
	}
	return t.Elem
}

func (c *checker) maskedGather(i int, in spirv.Inst) {
	v := inst.MaskedGatherINTEL(in)
	t := c.m.Type(v.Type())
	c.masked(i, in.Op(), t, c.m.TypeOf(v.PtrVector()), c.m.TypeOf(v.Mask()), v.Alignment())
	// The text has a component here; compilers pass a vector.
	if f := c.m.TypeOf(v.FillEmpty()); t != nil && t.IsVector() && f != nil && f != t && f != t.Elem {
		c.fail(i, "SPV-Masked-Type", "the fill of %s is %s; must be %s", in.Op(), c.typeName(f), c.typeName(t.Elem))
	}
}

func (c *checker) maskedScatter(i int, in spirv.Inst) {
	v := inst.MaskedScatterINTEL(in)
	c.masked(i, in.Op(), c.m.TypeOf(v.InputVector()), c.m.TypeOf(v.PtrVector()), c.m.TypeOf(v.Mask()), v.Alignment())
}

// masked checks the value, the pointers, the mask and the alignment of an access.
func (c *checker) masked(i int, op spirv.Op, value, pointers, mask *facts.Type, alignment uint32) {
	const code = "SPV-Masked-Type"
	if alignment&(alignment-1) != 0 {
		c.fail(i, code, "the alignment of %s is %d; must be 0 or a power of two", op, alignment)
	}
	if value == nil || pointers == nil || mask == nil {
		return
	}
	p := pointersOf(pointers)
	switch {
	case !value.IsVector():
		c.fail(i, code, "the value of %s is %s; must be a vector", op, c.typeName(value))
	case p == nil:
		c.fail(i, code, "the addresses of %s are %s; must be a vector of pointers", op, c.typeName(pointers))
	case p.Elem != nil && p.Elem != value.Elem:
		c.fail(i, code, "the addresses of %s point to %s, the value has components of %s; must be the same", op, c.typeName(p.Elem), c.typeName(value.Elem))
	case !mask.IsVector() || !mask.Elem.IsBool() || mask.Components() != value.Components():
		c.fail(i, code, "the mask of %s is %s; must be a vector of %d Booleans", op, c.typeName(mask), value.Components())
	}
}
