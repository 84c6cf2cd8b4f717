package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// ioVariable is a scalarized input or output variable of a graphics stage.
type ioVariable struct {
	scalars []ioScalar
	slots   []uint64 // private slot of each scalar, of one vertex
	arrayed bool     // the variable is an array over vertices
	number  uint64   // private variable of an output, or of an input's copy
	copied  bool     // an input: it has a copy
	written []bool   // an output: the program may store to the scalar
	colors  bool     // an output of a fragment shader: a location is an attachment
	name    string   // of an output, for reports
}

// ioScalar is one scalar of such a variable, of one vertex.
type ioScalar struct {
	semantic      ir.Semantic
	index         uint32
	typ           ir.Type // in the program's interface; booleans are i32
	interpolation ir.Interpolation
	sampling      ir.Sampling
	patch         bool
	perPrimitive  bool   // an output of mesh: an array over primitives
	perView       bool   // the type is an array over views (PerViewNV)
	view          uint32 // 1 + the view of an output of mesh with PerViewNV; 0 is all
	passes        bool   // an input of geometry: PassthroughNV
	signed        bool   // ir.Output.Signed
	source        uint32
	stream        uint32
	capture       uint32 // 1 + the transform feedback buffer; 0 is none
	offset        uint32 // byte offset in a vertex of that buffer

	known     spirv.BuiltIn // the built-in, of which index is the component; ofEngines: read by builtIn, as in compute
	ofEngines bool
	ofRay     bool // a built-in of a ray tracing stage, read by readRay
}

// graphics maps the execution models of graphics stages.
var graphics = map[spirv.ExecutionModel]ir.Stage{
	spirv.ExecutionModelVertex:                 ir.Vertex,
	spirv.ExecutionModelTessellationControl:    ir.TessControl,
	spirv.ExecutionModelTessellationEvaluation: ir.TessEval,
	spirv.ExecutionModelGeometry:               ir.Geometry,
	spirv.ExecutionModelFragment:               ir.Fragment,
	spirv.ExecutionModelTaskEXT:                ir.Task,
	spirv.ExecutionModelMeshEXT:                ir.Mesh,
	spirv.ExecutionModelTaskNV:                 ir.Task,
	spirv.ExecutionModelMeshNV:                 ir.Mesh,
}

// stageBuiltIns are the built-ins of graphics stages: semantic and type in the IR.
var stageBuiltIns = map[spirv.BuiltIn]struct {
	semantic ir.Semantic
	typ      ir.Type
}{
	spirv.BuiltInVertexIndex:             {ir.VertexIndex, ir.I32},
	spirv.BuiltInInstanceIndex:           {ir.InstanceIndex, ir.I32},
	spirv.BuiltInBaseVertex:              {ir.BaseVertex, ir.I32},
	spirv.BuiltInBaseInstance:            {ir.BaseInstance, ir.I32},
	spirv.BuiltInDrawIndex:               {ir.DrawIndex, ir.I32},
	spirv.BuiltInViewIndex:               {ir.ViewIndex, ir.I32},
	spirv.BuiltInPrimitiveId:             {ir.PrimitiveId, ir.I32},
	spirv.BuiltInInvocationId:            {ir.InvocationId, ir.I32},
	spirv.BuiltInPatchVertices:           {ir.PatchVertices, ir.I32},
	spirv.BuiltInTessCoord:               {ir.TessCoord, ir.F32},
	spirv.BuiltInTessLevelOuter:          {ir.TessLevelOuter, ir.F32},
	spirv.BuiltInTessLevelInner:          {ir.TessLevelInner, ir.F32},
	spirv.BuiltInPosition:                {ir.Position, ir.F32},
	spirv.BuiltInPointSize:               {ir.PointSize, ir.F32},
	spirv.BuiltInClipDistance:            {ir.ClipDistance, ir.F32},
	spirv.BuiltInCullDistance:            {ir.CullDistance, ir.F32},
	spirv.BuiltInLayer:                   {ir.Layer, ir.I32},
	spirv.BuiltInViewportIndex:           {ir.ViewportIndex, ir.I32},
	spirv.BuiltInViewportMaskNV:          {ir.ViewportMask, ir.I32},
	spirv.BuiltInPositionPerViewNV:       {ir.PositionPerView, ir.F32},
	spirv.BuiltInViewportMaskPerViewNV:   {ir.ViewportMaskPerView, ir.I32},
	spirv.BuiltInFragCoord:               {ir.FragCoord, ir.F32},
	spirv.BuiltInFrontFacing:             {ir.FrontFacing, ir.I32},
	spirv.BuiltInPointCoord:              {ir.PointCoord, ir.F32},
	spirv.BuiltInSampleId:                {ir.SampleId, ir.I32},
	spirv.BuiltInSamplePosition:          {ir.SamplePosition, ir.F32},
	spirv.BuiltInSampleMask:              {ir.SampleMask, ir.I32},
	spirv.BuiltInFragDepth:               {ir.FragDepth, ir.F32},
	spirv.BuiltInFragStencilRefEXT:       {ir.FragStencilRef, ir.I32},
	spirv.BuiltInBaryCoordKHR:            {ir.BaryCoord, ir.F32},
	spirv.BuiltInBaryCoordNoPerspKHR:     {ir.BaryCoordNoPersp, ir.F32},
	spirv.BuiltInPrimitiveShadingRateKHR: {ir.PrimitiveShadingRate, ir.I32},
	spirv.BuiltInShadingRateKHR:          {ir.ShadingRate, ir.I32},
	spirv.BuiltInFullyCoveredEXT:         {ir.FullyCovered, ir.I32},
	spirv.BuiltInFragSizeEXT:             {ir.FragSize, ir.I32},
	spirv.BuiltInFragInvocationCountEXT:  {ir.FragInvocationCount, ir.I32},
	spirv.BuiltInHelperInvocation:        {ir.NoSemantic, ir.B1}, // read by ir.Helper

	spirv.BuiltInPrimitivePointIndicesEXT:    {ir.PrimitiveIndices, ir.I32},
	spirv.BuiltInPrimitiveLineIndicesEXT:     {ir.PrimitiveIndices, ir.I32},
	spirv.BuiltInPrimitiveTriangleIndicesEXT: {ir.PrimitiveIndices, ir.I32},
	spirv.BuiltInCullPrimitiveEXT:            {ir.CullPrimitive, ir.I32},
	spirv.BuiltInTaskCountNV:                 {ir.TaskCount, ir.I32},
	spirv.BuiltInPrimitiveCountNV:            {ir.PrimitiveCount, ir.I32},
	spirv.BuiltInPrimitiveIndicesNV:          {ir.FlatIndices, ir.I32},
	spirv.BuiltInMeshViewCountNV:             {ir.ViewIndex, ir.I32},
	spirv.BuiltInMeshViewIndicesNV:           {ir.ViewIndex, ir.I32},
}

// ioVariableOf scalarizes a variable.
func (u *unit) ioVariableOf(v *facts.Variable) *ioVariable {
	u.checkDepth(v.Type)
	x := &ioVariable{arrayed: u.perVertex(v), colors: u.prog.Stage == ir.Fragment && v.Storage == spirv.StorageClassOutput}
	t := v.Type
	if x.arrayed {
		if t = t.Elem; !v.Type.IsArray() || t == nil {
			u.unsupported("a per-vertex input or output that is not an array")
		}
	}
	u.flat(v.Type) // checks the number of scalars
	like := ioScalar{patch: u.perPatch(v)}
	u.applyDecorations(&like, func(d spirv.Decoration) (uint32, bool) {
		x, ok := u.facts.Decoration(v.ID, d)
		return literal(x, ok), ok
	})
	at := location{}
	if d, ok := u.facts.Decoration(v.ID, spirv.DecorationLocation); ok {
		at.location = d.Literal()
	}
	if d, ok := u.facts.Decoration(v.ID, spirv.DecorationComponent); ok {
		at.component = d.Literal()
	}
	if k, ok := u.facts.BuiltIn(v.ID); ok {
		u.assignBuiltIn(x, t, k, like)
	} else {
		u.assignLocations(x, t, &at, like)
	}
	slot := uint64(0)
	for _, s := range u.flat(t) {
		x.slots = append(x.slots, slot)
		slot += uint64(s.Bits()+31) / 32
	}
	x.written = make([]bool, len(x.scalars))
	u.assignCaptures(x, v, t)
	return x
}

func literal(d facts.Decoration, ok bool) uint32 {
	if !ok || len(d.Operands) == 0 {
		return 0
	}
	return d.Literal()
}

// perVertex reports whether a variable is an array over vertices: the inputs and
// outputs of tessellation control, the inputs of tessellation evaluation and geometry,
// except patch inputs and built-ins of the primitive, the outputs of mesh, which are arrays
// over vertices or over primitives, and a fragment shader's inputs decorated PerVertexKHR.
func (u *unit) perVertex(v *facts.Variable) bool {
	input := v.Storage == spirv.StorageClassInput
	switch u.prog.Stage {
	case ir.Fragment:
		return input && u.facts.Has(v.ID, spirv.DecorationPerVertexKHR)
	case ir.Mesh:
		return !input && !u.isMeshCount(v)
	case ir.TessControl:
	case ir.TessEval, ir.Geometry:
		if !input {
			return false
		}
	default:
		return false
	}
	if k, ok := u.facts.BuiltIn(v.ID); ok {
		switch k {
		case spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance,
			spirv.BuiltInPositionPerViewNV, spirv.BuiltInViewportMaskPerViewNV:
			return true
		}
		return false
	}
	return !u.perPatch(v)
}

// perPatch reports whether a variable is shared by all vertices of a patch: decorated
// Patch itself or in its block's members, or a tessellation level.
func (u *unit) perPatch(v *facts.Variable) bool {
	switch u.prog.Stage {
	case ir.TessControl, ir.TessEval:
	default:
		return false
	}
	if k, ok := u.facts.BuiltIn(v.ID); ok && (k == spirv.BuiltInTessLevelInner || k == spirv.BuiltInTessLevelOuter) || u.facts.Has(v.ID, spirv.DecorationPatch) {
		return true
	}
	t := v.Type
	for t.IsArray() && t.Elem != nil {
		t = t.Elem
	}
	for i := range t.Members {
		if t.IsStruct() && u.facts.HasMember(t.ID, i, spirv.DecorationPatch) {
			return true
		}
	}
	return false
}

// applyDecorations sets the properties that decorations of a variable or member give to
// all of its scalars.
func (u *unit) applyDecorations(l *ioScalar, of func(spirv.Decoration) (uint32, bool)) {
	has := func(d spirv.Decoration) bool { _, ok := of(d); return ok }
	switch {
	case has(spirv.DecorationFlat), has(spirv.DecorationPerPrimitiveEXT):
		l.interpolation = ir.Flat
	case has(spirv.DecorationPerVertexKHR), has(spirv.DecorationExplicitInterpAMD):
		l.interpolation = ir.PerVertex
	case has(spirv.DecorationNoPerspective):
		l.interpolation = ir.Linear
	}
	switch {
	case has(spirv.DecorationCentroid):
		l.sampling = ir.Centroid
	case has(spirv.DecorationSample):
		l.sampling = ir.Sample
	}
	l.perPrimitive = l.perPrimitive || u.prog.Stage == ir.Mesh && has(spirv.DecorationPerPrimitiveEXT)
	l.perView = u.prog.Stage == ir.Mesh && has(spirv.DecorationPerViewNV)
	l.passes = l.passes || has(spirv.DecorationPassthroughNV)
	if n, ok := of(spirv.DecorationIndex); ok {
		l.source = n
	}
	if n, ok := of(spirv.DecorationStream); ok {
		l.stream = n
	}
	if l.source > 1 || l.stream > 3 {
		u.unsupported("index %d of stream %d", l.source, l.stream)
	}
}

// location is the location and component of the next scalar.
type location struct{ location, component uint32 }

// maxLocation is the highest supported location, far above every device limit.
const maxLocation = 1 << 16

// assignLocations scalarizes a type (Vulkan, Location Assignment and Component
// Assignment): each vector has a location, or two if it is longer than 16 bytes;
// elements, columns and members follow in order.
func (u *unit) assignLocations(x *ioVariable, t *facts.Type, at *location, like ioScalar) {
	if at.location > maxLocation || at.component > 3 {
		u.unsupported("location %d, component %d", at.location, at.component)
	}
	switch {
	case t == nil:
		u.malformed("a type is missing")
	case like.perView:
		u.assignViews(x, t, at, like)
	case t.IsScalar(), t.IsVector():
		u.assignVector(x, t, at, like)
	case t.IsStruct():
		for i := range t.Members {
			u.assignMember(x, t, i, at, like)
		}
	case t.IsComposite() && t.Elem != nil && !t.IsRuntimeArray():
		first := at.component
		for n := t.Count; n > 0 && len(u.flat(t.Elem)) > 0; n-- {
			at.component = first
			u.assignLocations(x, t.Elem, at, like)
		}
	default:
		u.unsupported("of %s", t.Op)
	}
}

// assignMember scalarizes a member of a block or struct.
func (u *unit) assignMember(x *ioVariable, t *facts.Type, i int, at *location, like ioScalar) {
	of := func(d spirv.Decoration) (uint32, bool) {
		m, ok := u.facts.MemberDecoration(t.ID, i, d)
		return literal(m, ok), ok
	}
	u.applyDecorations(&like, of)
	if k, ok := u.facts.MemberBuiltIn(t.ID, i); ok {
		u.assignBuiltIn(x, t.Members[i].Type, k, like)
		return
	}
	if n, ok := of(spirv.DecorationLocation); ok {
		at.location = n
	}
	at.component, _ = of(spirv.DecorationComponent)
	u.assignLocations(x, t.Members[i].Type, at, like)
}

// assignVector assigns locations to a scalar, or to the components of a vector.
func (u *unit) assignVector(x *ioVariable, t *facts.Type, at *location, like ioScalar) {
	like.semantic, like.typ = ir.Location, u.scalar(t.Scalar())
	like.signed = x.colors && t.Scalar().Signed && u.sanitizes(ir.SanitizeUndefined)
	if like.typ == ir.B1 {
		u.unsupported("a boolean")
	}
	if u.prog.Stage == ir.Fragment && like.interpolation <= ir.Linear && (!like.typ.IsFloat() || like.typ == ir.F64) {
		like.interpolation = ir.Flat // integers and 64-bit floats cannot be interpolated
	}
	wide := uint32(1)
	if like.typ.Bits() == 64 && !x.colors { // a component of an attachment is one of any width
		wide = 2
	}
	n := uint32(1)
	if t.IsVector() {
		n = uint32(min(t.Count, 4)) // interfaces have no longer vectors
		if uint64(n) != t.Count {
			u.unsupported("a vector of %d components", t.Count)
		}
	}
	for i := range n {
		like.index = 4*at.location + at.component + wide*i
		x.scalars = append(x.scalars, like)
	}
	at.location += (at.component + wide*n + 3) / 4
}

// assignBuiltIn assigns semantics to the scalars of a built-in.
func (u *unit) assignBuiltIn(x *ioVariable, t *facts.Type, k spirv.BuiltIn, like ioScalar) {
	if pair, ok := weightPairs[k]; ok {
		u.assignPair(x, t, k, pair, like)
		return
	}
	if r, ok := u.rayBuiltIn(k); ok {
		u.assignRayBuiltIn(x, t, k, r, like)
		return
	}
	if common, ok := perViewForms[k]; ok && u.prog.Stage == ir.Mesh {
		u.assignViewsOfBuiltIn(x, t, common, like)
		return
	}
	row, ok := stageBuiltIns[k]
	if !ok && components(k) == 0 {
		u.unsupported("%s", k)
	}
	if u.prog.Stage == ir.Fragment && (row.typ == ir.I32 || k == spirv.BuiltInSamplePosition) {
		like.interpolation = ir.Perspective // built-ins are not interpolated; the decoration has no meaning
	}
	like.semantic, like.typ, like.known, like.ofEngines = row.semantic, row.typ, k, !ok
	like.perPrimitive = like.perPrimitive || u.prog.Stage == ir.Mesh && ofPrimitive[k]
	for i, s := range u.flat(t) {
		fits := s == row.typ || s == ir.B1 && row.typ == ir.I32 || like.firstText(s)
		if !ok {
			fits = s == ir.I32 && i < components(k)
		}
		if !fits {
			u.malformed("the type of %s differs from its required type", k)
		}
		like.index = uint32(i)
		x.scalars = append(x.scalars, like)
	}
}
