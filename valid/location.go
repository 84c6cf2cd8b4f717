package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// locationFamily checks the locations of inputs and outputs (Vulkan, Shader
// Interfaces, Location and Component Assignment).
var locationFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_Location_06672, Section: environment, Words: "Location and Component are on variables of storage classes with locations"},
		{Code: vuid.StandaloneSpirv_Location_04915, Section: environment, Words: "a built-in or a block of built-ins has no Location and no Component"},
		{Code: vuid.StandaloneSpirv_Location_04916, Section: environment, Words: "a user-defined input or output has a Location, and a block of built-ins is no array without vertices"},
		{Code: vuid.StandaloneSpirv_Location_04917, Section: environment, Words: "a user-defined input or output that is a struct but no Block has a Location"},
		{Code: vuid.StandaloneSpirv_Location_04918, Section: environment, Words: "if an input or output has a Location, its members and the members of nested structs have none"},
		{Code: vuid.StandaloneSpirv_Location_04919, Section: environment, Words: "each member of an input or output Block without a Location has one"},
		{Code: vuid.StandaloneSpirv_OpEntryPoint_08721, Section: environment, Words: "no two inputs of an entry point have the same component of a location"},
		{Code: vuid.StandaloneSpirv_OpEntryPoint_08722, Section: environment, Words: "no two outputs of an entry point have the same component of a location"},
		{Code: vuid.StandaloneSpirv_Output_10586, Section: environment, Words: "no two outputs before the fragment shader overlap in Location and Component"},
		{Code: vuid.StandaloneSpirv_Output_10587, Section: environment, Words: "no two outputs of a fragment shader with the same Index overlap in Location and Component"},
		{Code: vuid.StandaloneSpirv_Input_10588, Section: environment, Words: "no two inputs after the vertex shader overlap in Location and Component"},
		{Code: vuid.StandaloneSpirv_Input_10604, Section: environment, Words: "inputs of a fragment shader that share a location have the same interpolation"},
		{Code: vuid.RuntimeSpirv_Location_06272, Section: "Vulkan, Shader Input and Output Locations", Words: "the locations of an input or output are within the limits of the device", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).locations},
}

// locations checks the variables by themselves and then entry point by entry
// point.
func (c *checker) locations() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		c.locatedVariable(&c.m.Variables[n])
	}
	for n := range c.m.EntryPoints {
		c.locatedEntry(&c.m.EntryPoints[n])
	}
}

// locatedModels are the models with locations on inputs or outputs.
const locatedModels = inVertex | inTessellationControl | inTessellationEvaluation | inGeometry | inFragment | inMesh

// locatedVariable checks Location and Component on a variable.
func (c *checker) locatedVariable(v *facts.Variable) {
	at := -1
	kind := spirv.DecorationLocation
	if d, ok := c.m.Decoration(v.ID, spirv.DecorationLocation); ok {
		at = d.Index
	} else if d, ok := c.m.Decoration(v.ID, spirv.DecorationComponent); ok {
		at, kind = d.Index, spirv.DecorationComponent
	}
	if at < 0 {
		return
	}
	switch {
	case v.Storage == spirv.StorageClassInput, v.Storage == spirv.StorageClassOutput, isRayStorage(v.Storage):
	case v.Storage == spirv.StorageClassTileImageEXT && kind == spirv.DecorationLocation:
		return
	default:
		c.fail(at, vuid.StandaloneSpirv_Location_06672, "%s on %s in %s; must be on an input or output", kind, c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
		return
	}
	if b, ok := c.m.BuiltIn(v.ID); ok {
		c.fail(at, vuid.StandaloneSpirv_Location_04915, "%s on the built-in %s; must have none", kind, b).also(c, v.Index, "the variable")
	} else if v.Type != nil && c.builtInBlock(v) {
		c.fail(at, vuid.StandaloneSpirv_Location_04915, "%s on %s, a block of built-ins; must be on a user-defined variable", kind, c.name(v.ID)).also(c, core(v.Type).Index, "the block")
	}
}

// slot is the owner of one component of a location.
type slot struct {
	v      *facts.Variable
	member int // of the block that v is, −1 of v itself
}

// run is components that lie side by side, from first to before last.
type run struct {
	first, last uint64
	slot
}

// slots are the components in use of one kind of locations: few of them as runs,
// of more each component by itself.
type slots struct {
	runs []run
	of   map[uint64]slot
}

// maxRuns is how many runs are looked at one by one.
const maxRuns = 48

// at returns the owner of a component.
func (m *slots) at(n uint64) (slot, bool) {
	if m.of != nil {
		s, ok := m.of[n]
		return s, ok
	}
	for k := range m.runs {
		if r := &m.runs[k]; r.first <= n && n < r.last {
			return r.slot, true
		}
	}
	return slot{}, false
}

// add inserts components. If one of them is in use, it returns the owner and the
// number of this component instead.
func (m *slots) add(r run) (old slot, at uint64, ok bool) {
	if m.of == nil && len(m.runs) < maxRuns {
		at = r.last
		for k := range m.runs {
			if x := &m.runs[k]; x.first < r.last && r.first < x.last && max(x.first, r.first) < at {
				old, at = x.slot, max(x.first, r.first)
			}
		}
		if at < r.last {
			return old, at, false
		}
		m.runs = append(m.runs, r)
		return slot{}, 0, true
	}
	if m.of == nil {
		m.of = map[uint64]slot{}
		for _, x := range m.runs {
			for n := x.first; n < x.last; n++ {
				m.of[n] = x.slot
			}
		}
	}
	for n := r.first; n < r.last; n++ {
		if old, has := m.of[n]; has {
			return old, n, false
		}
		m.of[n] = r.slot
	}
	return slot{}, 0, true
}

// located is the state of one entry point in the check of locations.
type located struct {
	c *checker
	e *facts.EntryPoint

	// inputs and outputs are by component; the second of each is of patches, and
	// the third of outputs with Index 1.
	inputs, outputs [3]slots
	told            [2]bool // of inputs and outputs: that two of them overlap
}

// locatedEntry checks the interface of an entry point. The variables of other models than
// locatedModels are all built-ins or blocks of them.
func (c *checker) locatedEntry(e *facts.EntryPoint) {
	l := located{c: c, e: e}
	bare := modelOf(e.Model)&locatedModels == 0
	mark := c.mark()
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || c.marks[v.Index] == mark || v.Type == nil {
			continue
		}
		c.marks[v.Index] = mark
		in := v.Storage == spirv.StorageClassInput
		switch {
		case !in && v.Storage != spirv.StorageClassOutput:
		case bare, in && modelOf(e.Model)&inMesh != 0:
			if c.builtInBlock(v) {
				c.unblocked(v)
			}
		default:
			l.variable(v)
		}
	}
}

// arrayed reports whether a variable of an entry point is an array of one element
// for each vertex or primitive, which is no part of its locations (Vulkan,
// Interface Matching).
func (c *checker) arrayed(e *facts.EntryPoint, v *facts.Variable) bool {
	out := v.Storage == spirv.StorageClassOutput
	patch := c.decorated(v, spirv.DecorationPatch)
	switch e.Model {
	case spirv.ExecutionModelTessellationControl:
		return !patch
	case spirv.ExecutionModelTessellationEvaluation, spirv.ExecutionModelGeometry:
		return !out && !patch
	case spirv.ExecutionModelFragment:
		return !out && c.decorated(v, spirv.DecorationPerVertexKHR)
	case spirv.ExecutionModelMeshEXT:
		return out
	case spirv.ExecutionModelMeshNV:
		return out && !c.decorated(v, spirv.DecorationPerTaskNV)
	}
	return false
}

// decorated reports whether a variable or a member of the block that it is has a
// decoration.
func (c *checker) decorated(v *facts.Variable, kind spirv.Decoration) bool {
	if c.m.Has(v.ID, kind) {
		return true
	}
	if s := core(v.Type); s.IsStruct() {
		for k := range s.Members {
			if c.m.HasMember(s.ID, k, kind) {
				return true
			}
		}
	}
	return false
}

// variable checks the locations of one variable.
func (l *located) variable(v *facts.Variable) {
	c := l.c
	d, has := c.m.Decoration(v.ID, spirv.DecorationLocation)
	if _, ok := c.m.BuiltIn(v.ID); ok {
		return
	}
	t := v.Type
	if t.IsArray() && c.arrayed(l.e, v) {
		t = t.Elem
	}
	t = oneView(t, c.m.Has(v.ID, spirv.DecorationPerViewNV))
	s := core(t)
	if s == nil {
		return
	}
	c.indexed(l.e, v)
	if c.builtInBlock(v) {
		c.unblocked(v)
		if !has && t.IsArray() {
			c.fail(v.Index, vuid.StandaloneSpirv_Location_04916, "%s is an array of blocks of built-ins in %s, which has no array of vertices; must be one block", c.name(v.ID), v.Storage).also(c, l.e.Index, "the entry point")
		}
		return
	}
	switch {
	case has:
		if s.IsStruct() && c.membersLocated(s, v) {
			return
		}
		component, _ := c.m.Decoration(v.ID, spirv.DecorationComponent)
		l.take(v, -1, t, d.Literal(), component.Literal())
	case t.IsStruct() && c.m.Has(t.ID, spirv.DecorationBlock):
		l.block(v, t)
	default:
		code := vuid.StandaloneSpirv_Location_04916
		if t.IsStruct() {
			code = vuid.StandaloneSpirv_Location_04917
		}
		c.fail(v.Index, code, "%s in %s has no Location and is no Block; must have one", c.name(v.ID), v.Storage).also(c, l.e.Index, "the entry point")
	}
}

// oneView returns the type of a variable or a member without the array of views that PerViewNV adds. The array needs
// no locations: the fragment shader reads the element of its view (Vulkan, Mesh Shader Per-View Outputs).
func oneView(t *facts.Type, perView bool) *facts.Type {
	if perView && t.IsArray() {
		return t.Elem
	}
	return t
}

// memberView returns the type of a member as oneView does.
func (c *checker) memberView(s *facts.Type, member int) *facts.Type {
	return oneView(s.Members[member].Type, c.m.HasMember(s.ID, member, spirv.DecorationPerViewNV))
}

// unblocked reports a variable with a struct of built-ins that is no Block (Vulkan,
// Built-in Interface Block).
func (c *checker) unblocked(v *facts.Variable) {
	if s := core(v.Type); !c.m.Has(s.ID, spirv.DecorationBlock) {
		c.fail(v.Index, vuid.StandaloneSpirv_Location_04919, "%s has members that are built-ins and is no Block, and the members have no Location; must be a Block", c.name(v.ID)).also(c, s.Index, "the struct")
	}
}

// indexed checks that an output with an Index is of a fragment shader.
func (c *checker) indexed(e *facts.EntryPoint, v *facts.Variable) {
	if d, ok := c.m.Decoration(v.ID, spirv.DecorationIndex); ok && v.Storage == spirv.StorageClassOutput && e.Model != spirv.ExecutionModelFragment {
		c.fail(d.Index, "SPV-Decoration-Index", "Index on %s, an output of a %s entry point; must be of a Fragment entry point", c.name(v.ID), e.Model).also(c, e.Index, "the entry point")
	}
}

// membersLocated checks that no member of a struct, at any depth, has a location, because
// the struct has one.
func (c *checker) membersLocated(s *facts.Type, v *facts.Variable) bool {
	located := c.locatedTypes()
	for located[s.Number] {
		for k := range s.Members {
			if d, ok := c.m.MemberDecoration(s.ID, k, spirv.DecorationLocation); ok {
				c.fail(d.Index, vuid.StandaloneSpirv_Location_04918, "member %d of %s has a Location, and so has the variable or struct that contains it; must have none", k, c.name(s.ID)).also(c, v.Index, "the variable")
				return true
			}
		}
		k := slices.IndexFunc(s.Members, func(m facts.Member) bool { t := core(m.Type); return t.IsStruct() && located[t.Number] })
		if k < 0 {
			break
		}
		s = core(s.Members[k].Type)
	}
	return false
}

// locatedTypes returns, by type number, whether a type is a struct with a Location on a
// member at any depth.
func (c *checker) locatedTypes() []bool {
	if c.shader.located == nil {
		c.shader.located = c.memory.flags.Alloc(len(c.m.Types))
		for n := range c.m.Types {
			t := &c.m.Types[n]
			for k := range t.Members { // their types precede
				in := core(t.Members[k].Type)
				if c.m.HasMember(t.ID, k, spirv.DecorationLocation) || in.IsStruct() && in.Index < t.Index && c.shader.located[in.Number] {
					c.shader.located[n] = true
				}
			}
		}
	}
	return c.shader.located
}

// block checks a block with locations on its members.
func (l *located) block(v *facts.Variable, s *facts.Type) {
	c := l.c
	for k := range s.Members {
		m := c.memberView(s, k)
		d, ok := c.m.MemberDecoration(s.ID, k, spirv.DecorationLocation)
		if !ok {
			c.fail(v.Index, vuid.StandaloneSpirv_Location_04919, "member %d of the block %s has no Location, and the variable %s has none; must have one", k, c.name(s.ID), c.name(v.ID)).also(c, s.Index, "the block")
			return
		}
		if in := core(m); in.IsStruct() && c.membersLocated(in, v) {
			return
		}
		component, _ := c.m.MemberDecoration(s.ID, k, spirv.DecorationComponent)
		l.take(v, k, m, d.Literal(), component.Literal())
	}
}

// maxSlots bounds how many components of a variable are looked at: no device has
// locations beyond it.
const maxSlots = 4 * 4096

// take marks the components of a variable or a member.
func (l *located) take(v *facts.Variable, member int, t *facts.Type, location, component uint32) {
	kind := &l.inputs
	if v.Storage == spirv.StorageClassOutput {
		kind = &l.outputs
	}
	set := 0
	if l.c.m.Has(v.ID, spirv.DecorationPatch) || member >= 0 && l.c.m.HasMember(core(v.Type).ID, member, spirv.DecorationPatch) ||
		member < 0 && l.c.decorated(v, spirv.DecorationPatch) {
		set = 1
	} else if d, ok := l.c.m.Decoration(v.ID, spirv.DecorationIndex); ok && d.Literal() == 1 {
		set = 2
	}
	m := &kind[set]
	elem, count := t, uint64(1)
	for elem.IsArray() {
		if elem.Count == 0 || elem.Count > maxSlots {
			return
		}
		if count *= elem.Count; count > maxSlots {
			return
		}
		elem = elem.Elem
	}
	rows, words := l.c.consumed(elem)
	if rows*count > maxSlots/4 {
		return
	}
	l.enough(v, uint64(location)+rows*count, set == 1)
	stream := l.stream(v, member)
	for n := range count {
		first := (uint64(location) + n*rows) * 4
		last := first + rows*4
		if words != 0 {
			first += uint64(component)
			last = first + words
		}
		if old, at, ok := m.add(run{first | stream, last | stream, slot{v, member}}); !ok {
			l.overlap(v, member, old, at&^stream)
			return
		}
		l.alike(m, v, first/4)
	}
}

// stream returns an offset that separates the locations of a geometry shader's
// vertex streams.
func (l *located) stream(v *facts.Variable, member int) uint64 {
	if l.e.Model != spirv.ExecutionModelGeometry {
		return 0
	}
	d, ok := l.c.m.Decoration(v.ID, spirv.DecorationStream)
	if !ok && member >= 0 {
		d, _ = l.c.m.MemberDecoration(core(v.Type).ID, member, spirv.DecorationStream)
	}
	return uint64(d.Literal()) << 36
}

// consumed returns the number of locations of a type, and the number of components
// if they are contiguous within the locations, otherwise 0. Each composite is counted once: a
// struct that contains another one twice, and so on, has 2ⁿ parts.
func (c *checker) consumed(t *facts.Type) (rows, words uint64) {
	switch {
	case t == nil || t.Leaves == 0:
		return 0, 0
	case t.IsPointer():
		return 1, 2
	case t.IsScalar():
		return 1, min(max(uint64(t.Width)/32, 1), 2)
	case t.IsVector():
		_, one := c.consumed(t.Elem)
		if words = one * t.Count; words <= 4 {
			return 1, words
		}
		if t.Count <= 4 {
			return 2, words
		}
		return min((words+3)/4, maxSlots), 0
	case t.IsStruct(), t.IsMatrix(), t.IsArray():
		if c.shader.rows == nil {
			c.shader.rows = make([]uint16, len(c.m.Types))
		}
		known := &c.shader.rows[t.Number]
		if *known == 0 {
			*known = uint16(c.compositeRows(t))
		}
		return uint64(*known), 0
	}
	return 1, 0
}

// compositeRows returns the number of locations of a composite that has any, at most maxSlots.
func (c *checker) compositeRows(t *facts.Type) (rows uint64) {
	if !t.IsStruct() {
		n, _ := c.consumed(t.Elem)
		return min(n*min(t.Count, maxSlots), maxSlots)
	}
	for k := range t.Members {
		n, _ := c.consumed(c.memberView(t, k))
		rows = min(rows+n, maxSlots)
	}
	return rows
}

// overlap reports that two variables or members have the same component.
func (l *located) overlap(v *facts.Variable, member int, old slot, at uint64) {
	k, code, other := 0, vuid.StandaloneSpirv_OpEntryPoint_08721, ""
	switch {
	case v.Storage == spirv.StorageClassOutput:
		k, code, other = 1, vuid.StandaloneSpirv_OpEntryPoint_08722, vuid.StandaloneSpirv_Output_10586
		if l.e.Model == spirv.ExecutionModelFragment {
			other = vuid.StandaloneSpirv_Output_10587
		} else if modelOf(l.e.Model)&inMesh != 0 {
			other = ""
		}
	case l.e.Model != spirv.ExecutionModelVertex:
		other = vuid.StandaloneSpirv_Input_10588
	}
	if l.told[k] {
		return
	}
	l.told[k] = true
	c := l.c
	c.fail(l.e.Index, code, "%s and %s of %s both have component %d of location %d; must not overlap", l.slotName(old), l.slotName(slot{v, member}), v.Storage, at%4, at/4).
		also(c, old.v.Index, "the first").also(c, v.Index, "the second")
	if other != "" && v != old.v && c.m.Has(v.ID, spirv.DecorationComponent) && c.m.Has(old.v.ID, spirv.DecorationComponent) {
		c.fail(l.e.Index, other, "Location and Component of %s and %s overlap; must not", c.name(old.v.ID), c.name(v.ID)).
			also(c, old.v.Index, "the first").also(c, v.Index, "the second")
	}
}

// slotName names a variable or a member of one.
func (l *located) slotName(s slot) string {
	if s.member < 0 {
		return l.c.name(s.v.ID)
	}
	return "member " + itoa(uint64(s.member)) + " of " + l.c.name(s.v.ID)
}

// alike checks that the inputs of a fragment shader that share a location have the
// same interpolation. If both are Flat, the other decorations have no effect.
func (l *located) alike(m *slots, v *facts.Variable, location uint64) {
	if l.e.Model != spirv.ExecutionModelFragment || v.Storage != spirv.StorageClassInput {
		return
	}
	c := l.c
	for at := location * 4; at < location*4+4; at++ {
		old, ok := m.at(at)
		if !ok || old.v == v {
			continue
		}
		for _, kind := range [...]spirv.Decoration{spirv.DecorationPerVertexKHR, spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationSample, spirv.DecorationCentroid} {
			if c.m.Has(v.ID, kind) != c.m.Has(old.v.ID, kind) {
				c.fail(l.e.Index, vuid.StandaloneSpirv_Input_10604, "%s and %s share location %d, and only one of them is %s; must have the same interpolation", c.name(old.v.ID), c.name(v.ID), location, kind).
					also(c, old.v.Index, "the first").also(c, v.Index, "the second")
				return
			}
			if kind == spirv.DecorationFlat && c.m.Has(v.ID, kind) {
				break
			}
		}
	}
}

// locationLimits are the limits of locations: in locations if whole is true,
// otherwise in components.
var locationLimits = [...]struct {
	model   spirv.ExecutionModel
	storage spirv.StorageClass
	patch   bool
	limit   string
	whole   bool
}{
	{spirv.ExecutionModelVertex, spirv.StorageClassInput, false, "maxVertexInputAttributes", true},
	{spirv.ExecutionModelVertex, spirv.StorageClassOutput, false, "maxVertexOutputComponents", false},
	{spirv.ExecutionModelTessellationControl, spirv.StorageClassInput, false, "maxTessellationControlPerVertexInputComponents", false},
	{spirv.ExecutionModelTessellationControl, spirv.StorageClassOutput, false, "maxTessellationControlPerVertexOutputComponents", false},
	{spirv.ExecutionModelTessellationControl, spirv.StorageClassOutput, true, "maxTessellationControlPerPatchOutputComponents", false},
	{spirv.ExecutionModelTessellationEvaluation, spirv.StorageClassInput, false, "maxTessellationEvaluationInputComponents", false},
	{spirv.ExecutionModelTessellationEvaluation, spirv.StorageClassInput, true, "maxTessellationControlPerPatchOutputComponents", false},
	{spirv.ExecutionModelTessellationEvaluation, spirv.StorageClassOutput, false, "maxTessellationEvaluationOutputComponents", false},
	{spirv.ExecutionModelGeometry, spirv.StorageClassInput, false, "maxGeometryInputComponents", false},
	{spirv.ExecutionModelGeometry, spirv.StorageClassOutput, false, "maxGeometryOutputComponents", false},
	{spirv.ExecutionModelFragment, spirv.StorageClassInput, false, "maxFragmentInputComponents", false},
	{spirv.ExecutionModelFragment, spirv.StorageClassOutput, false, "maxFragmentOutputAttachments", true},
	{spirv.ExecutionModelMeshEXT, spirv.StorageClassOutput, false, meshProperty + "maxMeshOutputComponents", false},
}

// enough checks that a device has as many locations as a variable needs; end is
// the first location after the variable.
func (l *located) enough(v *facts.Variable, end uint64, patch bool) {
	for k := range locationLimits {
		r := &locationLimits[k]
		if r.model != l.e.Model || r.storage != v.Storage || r.patch != patch {
			continue
		}
		have, ok := l.c.limit(vuid.RuntimeSpirv_Location_06272, r.limit)
		if !ok {
			return
		}
		if !r.whole {
			have /= 4
		}
		if end > have {
			l.c.fail(v.Index, vuid.RuntimeSpirv_Location_06272, "%s in %s reaches to location %d; must be below %d, the value of %s", l.c.name(v.ID), v.Storage, end-1, have, r.limit).also(l.c, l.e.Index, "the entry point")
		}
		return
	}
}
