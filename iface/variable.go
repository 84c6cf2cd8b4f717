package iface

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Variable is a user-defined input or output. A struct becomes one Variable per
// member: the interface is flat, as in Location Assignment.
type Variable struct {
	Name      string `json:"name"` // with the members that lead to it: "block.normal"
	Type      Type   `json:"type"` // without the arrays with an element for each vertex, primitive or view
	Location  uint32 `json:"location"`
	Component uint32 `json:"component"`
	Slots     uint64 `json:"locations"` // the number of Locations
	Index     uint32 `json:"index,omitempty"`

	// Missing is set if neither the variable nor its block has a Location.
	Missing bool `json:"missingLocation,omitempty"`

	Interpolation
	Arrayed bool `json:"arrayed,omitempty"` // there is one for each vertex or primitive
	Used    bool `json:"used"`              // the entry point uses the variable statically

	Xfb   *Xfb   `json:"xfb,omitempty"`
	Block string `json:"block,omitempty"` // the name of the block's type

	ID     spirv.ID `json:"-"`                // of the variable
	Member []int    `json:"member,omitempty"` // the members that lead to it
	Inst   int      `json:"-"`                // the instruction that declares the variable
}

// Interpolation is how a value goes from stage to stage (Vulkan, Interpolation
// Decorations), and how it may differ from others of its name.
type Interpolation struct {
	Flat          bool `json:"flat,omitempty"`
	NoPerspective bool `json:"noPerspective,omitempty"`
	Centroid      bool `json:"centroid,omitempty"`
	Sample        bool `json:"sample,omitempty"`
	Patch         bool `json:"patch,omitempty"`
	PerPrimitive  bool `json:"perPrimitive,omitempty"`
	PerVertex     bool `json:"perVertex,omitempty"`
	PerView       bool `json:"perView,omitempty"`
	PerTask       bool `json:"perTask,omitempty"`
	Explicit      bool `json:"explicitInterp,omitempty"`
	Invariant     bool `json:"invariant,omitempty"`
	Relaxed       bool `json:"relaxedPrecision,omitempty"`
}

// Xfb is the place of an output in transform feedback buffers.
type Xfb struct {
	Buffer uint32 `json:"buffer"`
	Stride uint32 `json:"stride"`
	Offset uint32 `json:"offset"`
	Stream uint32 `json:"stream"`
}

// BuiltIn is a built-in that an entry point reads or writes.
type BuiltIn struct {
	BuiltIn spirv.BuiltIn      `json:"builtIn"`
	Name    string             `json:"name"`
	Type    Type               `json:"type"`
	Class   spirv.StorageClass `json:"storageClass"`
	Arrayed bool               `json:"arrayed,omitempty"`
	Used    bool               `json:"used"` // the entry point uses it statically; of a block, this member
	Interpolation

	ID     spirv.ID `json:"-"`
	Member int      `json:"-"` // of a block, −1 of a variable
	Inst   int      `json:"-"`
}

// decorations tells of one target: a variable, or a member of a struct.
type decorations struct {
	m      *facts.Module
	id     spirv.ID
	member int
}

func (d decorations) find(kind spirv.Decoration) (facts.Decoration, bool) {
	if d.member < 0 {
		return d.m.Decoration(d.id, kind)
	}
	return d.m.MemberDecoration(d.id, d.member, kind)
}

func (d decorations) has(kind spirv.Decoration) bool {
	_, ok := d.find(kind)
	return ok
}

func (d decorations) literal(kind spirv.Decoration) (uint32, bool) {
	f, ok := d.find(kind)
	return f.Literal(), ok
}

// with adds the decorations of a target to the inherited ones.
func (i Interpolation) with(d decorations) Interpolation {
	for _, k := range [...]struct {
		on   *bool
		kind spirv.Decoration
	}{
		{&i.Flat, spirv.DecorationFlat}, {&i.NoPerspective, spirv.DecorationNoPerspective},
		{&i.Centroid, spirv.DecorationCentroid}, {&i.Sample, spirv.DecorationSample}, {&i.Patch, spirv.DecorationPatch},
		{&i.PerPrimitive, spirv.DecorationPerPrimitiveEXT}, {&i.PerVertex, spirv.DecorationPerVertexKHR},
		{&i.PerView, spirv.DecorationPerViewNV}, {&i.PerTask, spirv.DecorationPerTaskNV},
		{&i.Explicit, spirv.DecorationExplicitInterpAMD}, {&i.Invariant, spirv.DecorationInvariant},
		{&i.Relaxed, spirv.DecorationRelaxedPrecision},
	} {
		*k.on = *k.on || d.has(k.kind)
	}
	return i
}

// with replaces inherited values by the decorations of a target.
func (x Xfb) with(d decorations) (Xfb, bool) {
	got := false
	for _, k := range [...]struct {
		to   *uint32
		kind spirv.Decoration
	}{
		{&x.Buffer, spirv.DecorationXfbBuffer}, {&x.Stride, spirv.DecorationXfbStride},
		{&x.Offset, spirv.DecorationOffset}, {&x.Stream, spirv.DecorationStream},
	} {
		if v, ok := d.literal(k.kind); ok {
			*k.to, got = v, got || k.kind != spirv.DecorationOffset
		}
	}
	return x, got
}

// arrayed reports whether a variable has an array around it with an element for
// each vertex or primitive.
func arrayed(model spirv.ExecutionModel, class spirv.StorageClass, i Interpolation) bool {
	switch model {
	case spirv.ExecutionModelTessellationControl:
		return !i.Patch
	case spirv.ExecutionModelTessellationEvaluation:
		return class == spirv.StorageClassInput && !i.Patch
	case spirv.ExecutionModelGeometry:
		return class == spirv.StorageClassInput
	case spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV:
		return class == spirv.StorageClassOutput && !i.PerTask
	case spirv.ExecutionModelFragment:
		return class == spirv.StorageClassInput && i.PerVertex
	}
	return false
}

// maxLeaves is how many members and elements of one interface variable are looked
// at; no device has as many Locations.
const maxLeaves = 4096

// flattening is the state of flattening one variable.
type flattening struct {
	m    *facts.Module
	e    *Entry
	v    *facts.Variable
	out  *[]Variable
	next uint32 // the next Location that follows from order
	set  bool   // whether next is known
	left int
	rest Variable // the properties that all leaves share

	// uses tells which members of the variable's block are used; nil means
	// all.
	uses []bool
}

// stage adds an input or output variable to the entry point.
func (e *Entry) stage(m *facts.Module, v *facts.Variable, used bool, members []bool) {
	d := decorations{m, v.ID, -1}
	how := Interpolation{}.with(d)
	if t := blockOf(v.Type); t != nil { // if a whole block is per patch or per primitive, each member has the decoration
		how.Patch = how.Patch || allMembers(m, t, spirv.DecorationPatch)
		how.PerPrimitive = how.PerPrimitive || allMembers(m, t, spirv.DecorationPerPrimitiveEXT)
	}
	t := v.Type
	outer := arrayed(e.Model, v.Storage, how) && t.IsArray()
	if outer {
		t = t.Elem
	}
	name := nameOf(m, v.ID)
	if b, ok := m.BuiltIn(v.ID); ok {
		e.BuiltIns = append(e.BuiltIns, BuiltIn{b, name, typeOf(m, t), v.Storage, outer, used, how, v.ID, -1, v.Index})
		return
	}
	out := &e.Inputs
	if v.Storage == spirv.StorageClassOutput {
		out = &e.Outputs
	}
	f := flattening{m: m, e: e, v: v, out: out, left: maxLeaves, uses: members}
	f.rest = Variable{Interpolation: how, Arrayed: outer, Used: used, ID: v.ID, Inst: v.Index}
	f.next, f.set = d.literal(spirv.DecorationLocation)
	f.rest.Component, _ = d.literal(spirv.DecorationComponent)
	f.rest.Index, _ = d.literal(spirv.DecorationIndex)
	x, has := Xfb{}.with(d)
	if s := blockOf(t); s != nil && m.Has(s.ID, spirv.DecorationBlock) {
		f.rest.Block = nameOf(m, s.ID)
	}
	f.any(oneView(t, d), name, how, x, has, nil, 0)
}

// oneView returns the type of a variable or a member without the array of views that PerViewNV adds. A fragment shader
// reads the element of its view (Vulkan, Mesh Shader Per-View Outputs).
func oneView(t *facts.Type, d decorations) *facts.Type {
	if t.IsArray() && d.has(spirv.DecorationPerViewNV) {
		return t.Elem
	}
	return t
}

// blockOf returns the struct that a variable or the elements of its array are.
func blockOf(t *facts.Type) *facts.Type {
	for t != nil && t.IsArray() {
		t = t.Elem
	}
	if t != nil && t.IsStruct() {
		return t
	}
	return nil
}

func allMembers(m *facts.Module, t *facts.Type, kind spirv.Decoration) bool {
	for k := range t.Members {
		if !m.HasMember(t.ID, k, kind) {
			return false
		}
	}
	return len(t.Members) > 0
}

// members flattens a struct, member by member.
func (f *flattening) members(t *facts.Type, name string, how Interpolation, x Xfb, hasXfb bool, path []int, depth int) {
	if depth > maxArrays {
		return
	}
	for k := range t.Members {
		if f.left--; f.left < 0 {
			return
		}
		d := decorations{f.m, t.ID, k}
		member := name + "." + orElse(f.m.MemberName(t.ID, k), "_"+itoa(k))
		here := append(path[:len(path):len(path)], k)
		i := how.with(d)
		y, has := x.with(d)
		has = has || hasXfb
		if b, ok := f.m.MemberBuiltIn(t.ID, k); ok {
			used := f.rest.Used && (depth > 1 || k >= len(f.uses) || f.uses[k])
			f.e.BuiltIns = append(f.e.BuiltIns, BuiltIn{b, member, typeOf(f.m, t.Members[k].Type), f.v.Storage, f.rest.Arrayed, used, i, f.v.ID, k, f.v.Index})
			continue
		}
		if at, ok := d.literal(spirv.DecorationLocation); ok {
			f.next, f.set = at, true
		}
		component := f.rest.Component
		if at, ok := d.literal(spirv.DecorationComponent); ok {
			f.rest.Component = at
		}
		f.any(oneView(t.Members[k].Type, d), member, i, y, has, here, depth)
		f.rest.Component = component
	}
}

// any flattens a member of any type: structs, arrays of structs, or a leaf.
func (f *flattening) any(t *facts.Type, name string, how Interpolation, x Xfb, hasXfb bool, path []int, depth int) {
	switch {
	case t == nil || f.left < 0:
	case t.IsStruct():
		f.members(t, name, how, x, hasXfb, path, depth+1)
	case t.IsArray() && blockOf(t) != nil && depth <= maxArrays:
		for n := range t.Count {
			if f.left--; f.left < 0 {
				return
			}
			f.any(t.Elem, name+"["+itoa(int(n))+"]", how, x, hasXfb, path, depth+1)
		}
	default:
		f.leaf(t, name, how, x, hasXfb, path)
	}
}

// leaf adds a variable that is made of numbers.
func (f *flattening) leaf(t *facts.Type, name string, how Interpolation, x Xfb, hasXfb bool, path []int) {
	if t == nil {
		return
	}
	v := f.rest
	v.Name, v.Type, v.Interpolation, v.Member = name, typeOf(f.m, t), how, path
	v.Location, v.Missing, v.Slots = f.next, !f.set, v.Type.Slots()
	if hasXfb {
		v.Xfb = &x
	}
	f.next += uint32(min(v.Slots, maxLeaves))
	*f.out = append(*f.out, v)
}
