package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var compositeRules = rules{
	spirv.OpVectorExtractDynamic:           vectorExtractDynamic,
	spirv.OpVectorInsertDynamic:            vectorInsertDynamic,
	spirv.OpVectorShuffle:                  vectorShuffle,
	spirv.OpCompositeConstruct:             compositeConstruct,
	spirv.OpCompositeConstructReplicateEXT: compositeReplicate,
	spirv.OpCompositeExtract:               compositeExtract,
	spirv.OpCompositeInsert:                compositeInsert,
	spirv.OpCopyObject:                     copyObject,
	spirv.OpCopyLogical:                    copyObject,
	spirv.OpUndef:                          undef,
	spirv.OpPoisonKHR:                      undef,
	spirv.OpFreezeKHR:                      freeze,
}

// vectorExtractDynamic selects a component; an index out of range yields 0.
func vectorExtractDynamic(f *function, in spirv.Inst) {
	v := inst.VectorExtractDynamic(in)
	f.define(in, f.selectPart(f.scalars(v.Vector()), f.indexOperand(v.Index())))
}

// selectPart returns part i, by a chain of selects if i is no constant; 0 if i is out of
// range.
func (f *function) selectPart(parts []ir.V, i operand) ir.V {
	if len(parts) == 0 {
		f.malformed("the composite has no components")
	}
	t := f.b.Func.Type(parts[0])
	out := f.b.Const(t, 0)
	if i.v == 0 {
		if i.bits < uint64(len(parts)) {
			out = parts[i.bits]
		}
		return out
	}
	for k, p := range parts {
		out = f.b.Select(f.b.Cmp(ir.Eq, i.v, f.b.I32(uint32(k))), p, out)
	}
	return out
}

// vectorInsertDynamic replaces a component; an index out of range replaces none.
func vectorInsertDynamic(f *function, in spirv.Inst) {
	v := inst.VectorInsertDynamic(in)
	parts := append([]ir.V(nil), f.scalars(v.Vector())...)
	c, i := f.one(v.Component()), f.indexOperand(v.Index())
	for k, p := range parts {
		switch {
		case i.v != 0:
			parts[k] = f.b.Select(f.b.Cmp(ir.Eq, i.v, f.b.I32(uint32(k))), c, p)
		case i.bits == uint64(k):
			parts[k] = c
		}
	}
	f.define(in, parts...)
}

// vectorShuffle selects components of two vectors; an undefined component is 0.
func vectorShuffle(f *function, in spirv.Inst) {
	v := inst.VectorShuffle(in)
	x, y := f.scalars(v.Vector1()), f.scalars(v.Vector2())
	var parts []ir.V
	for _, c := range v.Components() {
		switch n := uint64(c); {
		case n < uint64(len(x)):
			parts = append(parts, x[n])
		case n < uint64(len(x)+len(y)):
			parts = append(parts, y[n-uint64(len(x))])
		case c == undefinedComponent && len(x) > 0:
			parts = append(parts, f.b.Const(f.b.Func.Type(x[0]), 0))
		default:
			f.malformed("component %d of two vectors with %d", c, len(x)+len(y))
		}
	}
	f.define(in, parts...)
}

// undefinedComponent is OpVectorShuffle's literal for a component without a source.
const undefinedComponent = 0xffffffff

func compositeConstruct(f *function, in spirv.Inst) {
	constituents := inst.CompositeConstruct(in).Constituents()
	if f.constructCopy(in, constituents) {
		return
	}
	var parts []ir.V
	for _, id := range constituents {
		parts = append(parts, f.scalars(id)...)
	}
	if t := f.facts.Type(in.Type()); isTile(t) && len(parts) == 1 {
		parts = slices.Repeat(parts, len(f.flat(t)))
	}
	f.define(in, parts...)
}

func compositeReplicate(f *function, in spirv.Inst) {
	one := f.scalars(inst.CompositeConstructReplicateEXT(in).Value())
	n := len(f.flat(f.facts.Type(in.Type())))
	var parts []ir.V
	for len(one) > 0 && len(parts) < n {
		parts = append(parts, one...)
	}
	f.define(in, parts...)
}

func compositeExtract(f *function, in spirv.Inst) {
	v := inst.CompositeExtract(in)
	whole := f.value(v.Composite())
	if whole.ptr != nil && !whole.typ.IsPointer() {
		f.extract(in, whole)
		return
	}
	at, t := f.partOffset(f.typeOf(v.Composite()), v.Indexes())
	n := len(f.flat(t))
	x := f.partsOf(whole)
	switch {
	case at == notHeld:
		f.define(in, f.zeros(t)...)
		return
	case at+n > len(x):
		f.malformed("the index is beyond the composite")
	}
	f.define(in, x[at:at+n:at+n]...)
}

func compositeInsert(f *function, in spirv.Inst) {
	v := inst.CompositeInsert(in)
	if f.insertCopy(in, v) {
		return
	}
	x := f.scalars(v.Composite())
	object := f.scalars(v.Object())
	at, t := f.partOffset(f.typeOf(v.Composite()), v.Indexes())
	f.checkType(t, object)
	parts := append([]ir.V(nil), x...)
	switch {
	case at == notHeld: // none is replaced
	case at+len(object) > len(x):
		f.malformed("the index is beyond the composite")
	default:
		copy(parts[at:], object)
	}
	f.define(in, parts...)
}

// notHeld is the offset of a cooperative matrix component that the lane does not hold;
// a module cannot know how many it holds.
const notHeld = -1

// partOffset returns the index of a part's first scalar in the scalars of a composite, and
// the part's type.
func (f *function) partOffset(t *facts.Type, indexes []uint32) (int, *facts.Type) {
	at := 0
	for n, i := range indexes {
		if isTile(t) && n == len(indexes)-1 {
			if uint64(i) >= f.tile(t).components {
				return notHeld, t.Elem
			}
			return at + int(i), t.Elem
		}
		p := t.Part(uint64(i))
		if p == nil || t.IsRuntimeArray() {
			f.malformed("the composite has no part %d", i)
		}
		if t.IsStruct() {
			for k := range i {
				at += len(f.flat(t.Members[k].Type))
			}
		} else {
			at += int(i) * len(f.flat(p))
		}
		t = p
	}
	return at, t
}

// copyObject lowers OpCopyObject and OpCopyLogical: logically matching types have equal
// scalars.
func copyObject(f *function, in spirv.Inst) { f.copyOf(in, inst.CopyObject(in).Operand()) }

// copyOf defines the result as another value.
func (f *function) copyOf(in spirv.Inst, id spirv.ID) {
	v := f.value(id)
	if v.ptr != nil {
		t := f.facts.Type(in.Type())
		if !v.typ.IsPointer() && !f.matches(t, v.typ, 0) {
			f.malformed("the result has another type than the operand; must match")
		}
		f.put(in.Result(), value{typ: t, ptr: v.ptr, block: f.block, fixed: v.fixed}) // the memory has the layout of its own type
		return
	}
	f.define(in, v.parts...)
	f.setAccessFlags(in, v.flags)
}

// freeze lowers OpFreezeKHR, a copy: no value is poison, because OpPoisonKHR is 0 and
// each operation that SPIR-V lets return poison has a defined result.
func freeze(f *function, in spirv.Inst) { f.copyOf(in, inst.FreezeKHR(in).Value()) }

// undef lowers OpUndef and OpPoisonKHR in a function: facts treats them as null constants.
func undef(*function, spirv.Inst) {}
