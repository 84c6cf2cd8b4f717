package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// builtInAccessRules are the rules on indices into built-ins and on values stored
// to them. Only constant indices and values are checked; the rest is known only
// at run time.
var builtInAccessRules = func() []Rule {
	out := []Rule{
		{Code: vuid.PositionPerViewNV_04326, Section: builtInSection, Words: "an index into PositionPerViewNV is a constant"},
		{Code: vuid.ViewportMaskPerViewNV_04417, Section: builtInSection, Words: "an index into ViewportMaskPerViewNV is a constant"},
		{Code: vuid.PrimitiveShadingRateKHR_04487, Section: builtInSection, Words: "a value stored to PrimitiveShadingRateKHR has at most one vertical rate"},
		{Code: vuid.PrimitiveShadingRateKHR_04488, Section: builtInSection, Words: "a value stored to PrimitiveShadingRateKHR has at most one horizontal rate"},
		{Code: vuid.PrimitiveShadingRateKHR_04489, Section: builtInSection, Words: "a value stored to PrimitiveShadingRateKHR has only bits of fragment shading rates"},
	}
	for _, r := range indexRows {
		out = append(out,
			Rule{Code: r.atCode, Section: builtInSection, Words: r.builtIn.String() + " has indices below the primitive count of OpSetMeshOutputsEXT"},
			Rule{Code: r.valueCode, Section: builtInSection, Words: "the indices in " + r.builtIn.String() + " are below the vertex count of OpSetMeshOutputsEXT"})
	}
	return out
}()

// accessed is a pointer into a built-in: the indices from the decorated variable
// or member to the pointee.
type accessed struct {
	note *builtInNote
	path []spirv.ID
}

// watched reports whether a built-in has rules on accesses.
func watched(b spirv.BuiltIn) bool {
	switch b {
	case spirv.BuiltInPositionPerViewNV, spirv.BuiltInViewportMaskPerViewNV, spirv.BuiltInPrimitiveShadingRateKHR,
		spirv.BuiltInPrimitivePointIndicesEXT, spirv.BuiltInPrimitiveLineIndicesEXT, spirv.BuiltInPrimitiveTriangleIndicesEXT:
		return true
	}
	return false
}

// builtInAccesses checks the accesses to the few built-ins with such rules. It
// scans the functions only if the module has one of them.
func (c *builtIns) builtInAccesses() {
	var direct, members map[spirv.ID][]*builtInNote // by variable: decorated itself, or a block with decorated members
	for k := range c.noted {
		n := &c.noted[k]
		if !watched(n.builtIn) {
			continue
		}
		if direct == nil {
			direct, members = map[spirv.ID][]*builtInNote{}, map[spirv.ID][]*builtInNote{}
		}
		if n.member < 0 {
			direct[n.target] = append(direct[n.target], n)
		} else if s := c.m.Type(n.target); s != nil {
			for _, v := range c.blocks[s] {
				members[v.ID] = append(members[v.ID], n)
			}
		}
	}
	if direct == nil {
		return
	}
	for i := range c.m.Functions {
		c.accessesIn(&c.m.Functions[i], direct, members)
	}
}

// accessesIn checks the accesses of a function.
func (c *builtIns) accessesIn(f *facts.Function, direct, members map[spirv.ID][]*builtInNote) {
	chains := map[spirv.ID]accessed{}
	outputs := c.meshOutputs(f)
	for i := f.Index; i < f.End; i++ {
		in := c.code.Inst(i)
		switch in.Op() {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			v := inst.AccessChain(in)
			if a, ok := c.accessOf(v.Base(), v.Indexes(), direct, members); ok {
				chains[v.Result()] = a
				c.indexed(i, a, outputs)
			}
		case spirv.OpStore:
			v := inst.Store(in)
			a, ok := chains[v.Pointer()]
			if !ok {
				for _, n := range direct[v.Pointer()] {
					a, ok = accessed{note: n}, true
				}
			}
			if k := c.m.Const(v.Object()); ok && k != nil && k.Known && !k.Undef {
				c.written(i, a, k, outputs)
			}
		}
	}
}

// accessOf returns the built-in that an access chain from a variable reaches.
func (c *builtIns) accessOf(base spirv.ID, path []spirv.ID, direct, members map[spirv.ID][]*builtInNote) (accessed, bool) {
	for _, n := range direct[base] {
		return accessed{n, path}, true
	}
	list := members[base]
	if len(list) == 0 {
		return accessed{}, false
	}
	t := c.m.Variable(base).Type
	for t != nil && len(path) > 0 && (t.IsArray() || t.IsRuntimeArray()) {
		t, path = t.Elem, path[1:]
	}
	if t == nil || len(path) == 0 {
		return accessed{}, false
	}
	k := c.m.Const(path[0])
	if k == nil {
		return accessed{}, false
	}
	for _, n := range list {
		if n.target == t.ID && uint64(n.member) == k.Bits {
			return accessed{n, path[1:]}, true
		}
	}
	return accessed{}, false
}

// counts is the operands of the only OpSetMeshOutputsEXT of a function, as far as
// they are constant.
type counts struct {
	at                     int // −1 if there is none, or several
	vertices, primitives   uint64
	hasVertices, hasPrimit bool
}

// meshOutputs returns the counts of a function.
func (c *subject) meshOutputs(f *facts.Function) counts {
	out := counts{at: -1}
	for i := f.Index; i < f.End; i++ {
		if c.code.Inst(i).Op() != spirv.OpSetMeshOutputsEXT {
			continue
		}
		if out.at >= 0 {
			return counts{at: -1}
		}
		v := inst.SetMeshOutputsEXT(c.code.Inst(i))
		out.at = i
		if k := c.m.Const(v.VertexCount()); k != nil && k.Known && !k.Spec {
			out.vertices, out.hasVertices = k.Bits, true
		}
		if k := c.m.Const(v.PrimitiveCount()); k != nil && k.Known && !k.Spec {
			out.primitives, out.hasPrimit = k.Bits, true
		}
	}
	return out
}

// indexed checks the index of an access.
func (c *builtIns) indexed(i int, a accessed, out counts) {
	if len(a.path) == 0 {
		return
	}
	k := c.m.Const(a.path[0])
	switch a.note.builtIn {
	case spirv.BuiltInPositionPerViewNV, spirv.BuiltInViewportMaskPerViewNV:
		last := c.m.Const(a.path[len(a.path)-1])
		if k == nil || last == nil {
			code := vuid.PositionPerViewNV_04326
			if a.note.builtIn == spirv.BuiltInViewportMaskPerViewNV {
				code = vuid.ViewportMaskPerViewNV_04417
			}
			c.fail(i, code, "%s is indexed by %s; must be a constant", a.note.builtIn, c.name(a.path[0])).also(c, a.note.at, "the decoration")
		}
		return
	}
	for _, r := range indexRows {
		if r.builtIn == a.note.builtIn && k != nil && k.Known && out.hasPrimit && k.Bits >= out.primitives {
			c.fail(i, r.atCode, "element %d of %s; must be below %d, the number of primitives", k.Bits, r.builtIn, out.primitives).also(c, out.at, "OpSetMeshOutputsEXT")
		}
	}
}

// The bits of a fragment shading rate (SPIR-V §3.2.32).
const (
	verticalRates   = 1 | 2
	horizontalRates = 4 | 8
)

// written checks a constant that is stored to a built-in.
func (c *builtIns) written(i int, a accessed, k *facts.Const, out counts) {
	if a.note.builtIn == spirv.BuiltInPrimitiveShadingRateKHR {
		if !k.Type.IsInt() {
			return
		}
		if k.Bits&verticalRates == verticalRates {
			c.fail(i, vuid.PrimitiveShadingRateKHR_04487, "%d, with Vertical2Pixels and Vertical4Pixels, is written to PrimitiveShadingRateKHR; must have at most one of them", k.Bits)
		}
		if k.Bits&horizontalRates == horizontalRates {
			c.fail(i, vuid.PrimitiveShadingRateKHR_04488, "%d, with Horizontal2Pixels and Horizontal4Pixels, is written to PrimitiveShadingRateKHR; must have at most one of them", k.Bits)
		}
		if k.Bits&^(verticalRates|horizontalRates) != 0 {
			c.fail(i, vuid.PrimitiveShadingRateKHR_04489, "%#x is written to PrimitiveShadingRateKHR; must have only bits of fragment shading rates", k.Bits)
		}
		return
	}
	for _, r := range indexRows {
		if r.builtIn != a.note.builtIn || !out.hasVertices {
			continue
		}
		parts := []*facts.Const{k}
		if k.Type.IsVector() {
			parts = parts[:0]
			for p := range k.Type.Components() {
				parts = append(parts, k.Elem(p))
			}
		}
		for _, p := range parts {
			if p != nil && p.Known && p.Type != nil && p.Type.IsInt() && p.Bits >= out.vertices {
				c.fail(i, r.valueCode, "the index %d is written to %s; must be below %d, the number of vertices", p.Bits, r.builtIn, out.vertices).also(c, out.at, "OpSetMeshOutputsEXT")
				return
			}
		}
	}
}
