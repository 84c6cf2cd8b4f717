package debug

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// view is a frame of a thread at a step.
type view struct {
	*hook
	at *exec.Step
	Frame
}

// Variable is a named value, or a part of one.
type Variable struct {
	Name  string
	Type  string
	Value string // of a scalar, vector or matrix; a summary of other composites

	Parts uint64 // the number of its parts; 0 for a scalar

	of     *view
	id     spirv.ID
	symbol *lower.KernelSymbol // of a kernel, which has no ids
	path   []uint64
	t      *facts.Type // nil for a built-in, and for a part of an image with several texels

	image     *imagePart // of an image, or a part of one
	component int        // of a texel, from 1; 0 for all of it

	numbers []number    // of a built-in, or of a part of a ray
	kind    kind        // of numbers
	fixed   []*Variable // the parts of a ray
	ofRay   bool        // it is a part of a ray, which no expression has
}

// Scope is a group of variables of a frame.
type Scope struct {
	Name string
	of   *view
	has  func(*view, spirv.ID) bool // nil for the built-ins of the invocation
	kind lower.SymbolKind           // of a kernel, whose scopes have no function
}

// invocationScope is the scope of the built-ins of the invocation.
const invocationScope = "Invocation"

// scopes are the scopes of all frames.
var scopes = []Scope{
	{Name: "Locals", has: (*view).isLocal},
	{Name: invocationScope},
	{Name: "Inputs", has: storedIn(spirv.StorageClassInput)},
	{Name: "Rays", has: (*view).isOfRay},
	{Name: "Outputs", has: storedIn(spirv.StorageClassOutput)},
	{Name: "Globals", has: (*view).isGlobal},
	{Name: "Resources", has: (*view).isResource},
	{Name: attachmentScope},
	{Name: "Values", has: (*view).isResult},
}

// Scopes returns the scopes of a frame that have variables.
func (s *Session) Scopes(f Frame) (list []Scope) {
	s.state.RLock()
	defer s.state.RUnlock()
	x := s.view(f)
	if x == nil {
		return nil
	}
	if x.kernel() != nil {
		return x.kernelScopes()
	}
	for _, c := range scopes {
		if c.of = x; c.Name == attachmentScope && len(x.attachments()) == 0 {
			continue
		}
		if c.has == nil || slices.ContainsFunc(x.namesOf().ids, func(id spirv.ID) bool { return c.has(x, id) }) {
			list = append(list, c)
		}
	}
	return list
}

// Variables returns the variables of a scope, in the order of the module; nil if the shader has gone on.
func (s *Session) Variables(c Scope) (list []*Variable) {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.hook == nil || s.hook.step != c.of.at {
		return nil
	}
	if c.of.kernel() != nil && c.Name != invocationScope {
		return c.of.kernelVariables(c.kind)
	}
	if c.Name == attachmentScope {
		for _, v := range c.of.attachments() {
			v.fill()
			list = append(list, v)
		}
		return list
	}
	if c.has == nil {
		return c.of.builtins()
	}
	for _, id := range c.of.namesOf().ids {
		if c.has(c.of, id) {
			v := c.of.variable(id)
			v.fill()
			list = append(list, v)
		}
	}
	return list
}

// own returns the function of a stage that the function of the frame is a copy of.
func (x *view) own() *part { return &x.parts[x.fn] }

// placesOf returns the places of a part of a value, as the stage has them.
func (x *view) placesOf(id spirv.ID, path []uint64) (*facts.Type, []lower.Place, error) {
	of := x.own()
	return of.stage.Symbols.Places(of.fn, id, path...)
}

// view returns a frame at the stop; nil if the session is not stopped, or the function is of no stage. The caller holds the state.
func (s *Session) view(f Frame) *view {
	h := s.hook
	if h == nil || h.step == nil || h.parts[f.fn].stage == nil {
		return nil
	}
	return &view{h, h.step, f}
}

// isLocal reports whether an id is a variable or a parameter of the function, or a value to which debug information gives a name.
func (x *view) isLocal(id spirv.ID) bool {
	m := x.own().stage.Facts
	if v := m.Variable(id); v != nil {
		return v.Func != nil
	}
	in := m.Code.DefInst(id)
	return in != nil && (in.Op() == spirv.OpFunctionParameter || x.debugName(id) != "" && m.Const(id) == nil)
}

func (x *view) isGlobal(id spirv.ID) bool {
	return x.storage(id) == spirv.StorageClassPrivate || x.storage(id) == spirv.StorageClassWorkgroup
}

// isOfRay reports whether an id is a payload, callable data, hit attributes, or the data of the shader record.
func (x *view) isOfRay(id spirv.ID) bool {
	switch x.storage(id) {
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassHitAttributeKHR, spirv.StorageClassCallableDataKHR,
		spirv.StorageClassIncomingCallableDataKHR, spirv.StorageClassShaderRecordBufferKHR, spirv.StorageClassHitObjectAttributeNV, spirv.StorageClassHitObjectAttributeEXT:
		return true
	}
	return false
}

func (x *view) isResource(id spirv.ID) bool {
	switch x.storage(id) {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform, spirv.StorageClassPushConstant:
		return true
	}
	return x.isImageVariable(id)
}

// storedIn returns the function that finds the inputs or outputs of a stage of a draw. In a dispatch and in a node they are built-ins of the invocation.
func storedIn(c spirv.StorageClass) func(*view, spirv.ID) bool {
	return func(x *view, id spirv.ID) bool {
		return x.command.Kind != vk.DebugDispatch && x.command.Kind != vk.DebugNode && x.storage(id) == c
	}
}

// storage returns the storage class of a variable at module scope; ^0 if the id is none.
func (x *view) storage(id spirv.ID) spirv.StorageClass {
	if v := x.own().stage.Facts.Variable(id); v != nil && v.Func == nil {
		return v.Storage
	}
	return ^spirv.StorageClass(0)
}

// isResult reports whether an id is the result of an instruction of the function before the position, without a name of its own.
func (x *view) isResult(id spirv.ID) bool {
	m := x.own().stage.Facts
	in := m.Code.DefInst(id)
	if in == nil || m.Const(id) != nil || m.Variable(id) != nil || in.Op() == spirv.OpFunctionParameter || x.debugName(id) != "" {
		return false
	}
	t := m.Type(spirv.ID(in[1]))
	return t != nil && !t.IsVoid() && !t.IsPointer() && m.Code.Def(id)+1 < x.Instruction
}

// variable returns a variable or value, without its text.
func (x *view) variable(id spirv.ID) *Variable {
	v := &Variable{of: x, id: id, Name: x.name(id), t: x.own().stage.Symbols.Type(x.own().fn, id)}
	switch {
	case !isImage(v.t):
	case x.isImageVariable(id):
		v.showImage()
	default:
		v.image = x.loadedImage(id)
	}
	return v
}

// places returns the places of the scalars of the variable.
func (v *Variable) places() ([]lower.Place, error) {
	if v.symbol != nil {
		return v.kernelPlaces()
	}
	if len(v.path) > 0 {
		_, list, err := v.of.placesOf(v.id, v.path)
		return list, err
	}
	key := placesKey{v.of.fn, v.id}
	if list, ok := v.of.marks.places[key]; ok {
		return list, nil
	}
	_, list, err := v.of.placesOf(v.id, nil)
	if err == nil {
		v.of.marks.places[key] = list
	}
	return list, err
}

// count returns the number of parts.
func (v *Variable) count() uint64 {
	switch {
	case v.image != nil && !v.image.isTexel():
		return v.image.parts()
	case v.t.IsRuntimeArray() && v.of.isImageVariable(v.id):
		return v.of.descriptors(v.id)
	case v.t.IsRuntimeArray():
		return v.of.length(v)
	}
	return v.t.Parts()
}

// fill reads the type, the number of parts and the text of the variable.
func (v *Variable) fill() {
	switch {
	case v.image != nil:
		v.fillImage()
		return
	case v.t == nil:
		return
	}
	if v.Parts = v.count(); v.symbol != nil {
		v.Type = v.kernelType()
	} else {
		v.Type = typeName(v.of.own().stage.Facts, v.t)
	}
	if isRay(v.t) {
		v.fillRay()
		return
	}
	if isImage(v.t) {
		v.Value = "<no image with texels>"
		return
	}
	if v.t.Scalar() == nil && v.t.IsComposite() {
		v.Value = summary(v.t, v.Parts)
		return
	}
	bits, err := v.bits()
	if err != nil {
		v.Value, v.Parts = "<"+err.Error()+">", 0
		return
	}
	v.Value = format(v.t, bits)
}

// Children returns count parts of a variable of the stop from the first on; all if count is 0. It returns nil if the shader has gone on.
func (s *Session) Children(v *Variable, first, count uint64) (list []*Variable) {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.hook == nil || v.of != nil && s.hook.step != v.of.at {
		return nil
	}
	end := v.Parts
	if count > 0 {
		end = min(end, first+count)
	}
	for i := first; i < end; i++ {
		if v.fixed != nil {
			list = append(list, v.fixed[i])
			continue
		}
		c := v.child(i)
		c.fill()
		list = append(list, c)
	}
	return list
}

// child returns part i, without its text.
func (v *Variable) child(i uint64) *Variable {
	if v.image != nil {
		return v.childOfImage(i)
	}
	c := &Variable{of: v.of, id: v.id, symbol: v.symbol, path: append(slices.Clone(v.path), i), Name: v.part(i), t: v.t.Part(i)}
	if isImage(c.t) && v.of.isImageVariable(v.id) {
		c.showImage()
	}
	return c
}

// part returns the name of part i.
func (v *Variable) part(i uint64) string {
	if v.t.IsStruct() {
		if n := v.of.own().stage.Facts.MemberName(v.t.ID, int(i)); n != "" {
			return n
		}
		return fmt.Sprintf("member%d", i)
	}
	if v.t.IsVector() && i < 4 && v.t.Count <= 4 {
		return "xyzw"[i : i+1]
	}
	return fmt.Sprintf("[%d]", i)
}

// read returns the bits of the scalar at a place.
func (x *view) read(p lower.Place) (uint64, error) {
	switch p.Kind {
	case lower.InRegister:
		return x.at.Read(x.fn, p.Value, x.lane) & p.Type.Mask(), nil
	case lower.InBytes:
		return x.privateBytes(p), nil
	}
	at := x.offset(p)
	switch p.Kind {
	case lower.InLaunch:
		if at < 3 {
			return uint64(x.launchID(x.at, x.lane)[at]), nil
		}
		return uint64(trace.LaunchSize(x.params())[at%3]), nil
	case lower.InVariable, lower.InPrivate, lower.InFrame, lower.InPayload:
		bits := uint64(x.at.ReadPrivate(at, x.lane))
		if p.Type.Bits() > 32 {
			bits |= uint64(x.at.ReadPrivate(at+1, x.lane)) << 32
		}
		return bits & p.Type.Mask(), nil
	}
	b := x.memory(p)
	size := uint64(p.Type.Size())
	if at > uint64(len(b)) || size > uint64(len(b))-at {
		return 0, fmt.Errorf("outside of the range of %d bytes", len(b))
	}
	var word [8]byte
	copy(word[:], b[at:at+size])
	return binary.LittleEndian.Uint64(word[:]) & p.Type.Mask(), nil
}

// offset returns the slot of a place in private memory, or its offset in bytes in other memory.
func (x *view) offset(p lower.Place) uint64 {
	at := p.Offset
	switch {
	case p.Kind == lower.InAddress && p.Value == 0:
		return 0 // Offset is the address
	case p.Value != 0 && p.Kind != lower.InAddress && p.Kind != lower.InTable:
		at += x.at.Read(x.fn, p.Value, x.lane)
	}
	switch p.Kind {
	case lower.InVariable:
		at += uint64(x.at.Bases[p.Variable+x.own().Variables])
	case lower.InFrame:
		at += uint64(x.context(trace.ContextFrame))
	case lower.InPayload:
		at += uint64(x.context(trace.ContextPayload))
	}
	return at
}

// memory returns the bytes of the memory of a place.
func (x *view) memory(p lower.Place) []byte {
	switch p.Kind {
	case lower.InWorkgroup:
		return x.at.Workgroup
	case lower.InPush:
		return x.job.Push
	case lower.InAddress:
		if p.Value == 0 {
			return x.addressed(p.Offset)
		}
		return x.addressed(x.at.Read(x.fn, p.Value, x.lane))
	case lower.InRecord:
		return x.addressed(x.record())
	case lower.InTable:
		if of := x.program.Funcs[x.fn].Val(p.Value); of.Op == ir.Table && of.Aux < uint64(len(x.program.Tables)) {
			return x.program.Tables[of.Aux]
		}
		return nil
	}
	if r := p.Resource + x.own().Resources; r < uint64(len(x.job.Resources)) && len(x.job.Resources[r]) > 0 {
		return x.job.Resources[r][0].Bytes
	}
	return nil
}

// length returns the number of elements of a runtime array in a buffer.
func (x *view) length(v *Variable) uint64 {
	stride := uint64(v.t.ArrayStride)
	path := append(slices.Clone(v.path), 0)
	for t := v.t.Elem; ; t = t.Part(0) { // the first scalar of the first element has a place
		_, list, err := x.placesOf(v.id, path)
		if err != nil || stride == 0 {
			return 0
		}
		if len(list) > 0 {
			n := uint64(len(x.memory(list[0])))
			if at := list[0].Offset; at < n {
				return (n - at) / stride
			}
			return 0
		}
		if t == nil || t.Parts() == 0 {
			return 0
		}
		path = append(path, 0)
	}
}

// builtins returns the built-in values of the invocation that do not depend on the program.
func (x *view) builtins() (list []*Variable) {
	table := x.builtinTable()
	if table == nil {
		return append(x.invocation(), knownWords("SubgroupLocalInvocationId", "uint", x.lane))
	}
	for i := range table {
		b := &table[i]
		words := make([]uint32, b.count)
		for n := range words {
			words[n] = b.word(x, n)
		}
		list = append(list, knownWords(b.name, b.kind, words...))
	}
	return list
}

// builtinTable returns the built-in values that do not depend on the shader; nil for a draw.
func (x *view) builtinTable() []builtinWords {
	switch x.command.Kind {
	case vk.DebugDispatch:
		if x.stage.Kernel != nil {
			return kernelBuiltins
		}
		return dispatchBuiltins
	case vk.DebugLaunch:
		return launchBuiltins
	case vk.DebugNode: // the numbers of its workgroups begin again with each payload, and are inputs
		return slices.DeleteFunc(slices.Clone(dispatchBuiltins), func(b builtinWords) bool {
			return b.name == "GlobalInvocationId" || b.name == "WorkgroupId" || b.name == "NumWorkgroups"
		})
	}
	return nil
}

// builtinWords is a built-in value of the invocations of a dispatch or a launch.
type builtinWords struct {
	name, kind string
	count      int
	word       func(x *view, i int) uint32
}

var dispatchBuiltins = []builtinWords{
	{"GlobalInvocationId", "uvec3", 3, func(x *view, i int) uint32 {
		return x.at.Group[i]*x.program.LocalSize[i] + x.local(x.thread(x.at, x.lane))[i]
	}},
	{"LocalInvocationId", "uvec3", 3, func(x *view, i int) uint32 { return x.local(x.thread(x.at, x.lane))[i] }},
	{"WorkgroupId", "uvec3", 3, func(x *view, i int) uint32 { return x.at.Group[i] }},
	{"LocalInvocationIndex", "uint", 1, func(x *view, _ int) uint32 { return x.thread(x.at, x.lane).Local }},
	{"SubgroupId", "uint", 1, func(x *view, _ int) uint32 { return x.at.Subgroup }},
	{"SubgroupLocalInvocationId", "uint", 1, func(x *view, _ int) uint32 { return x.lane }},
	{"NumWorkgroups", "uvec3", 3, func(x *view, i int) uint32 { return x.job.Groups[i] }},
	{"WorkgroupSize", "uvec3", 3, func(x *view, i int) uint32 { return x.program.LocalSize[i] }},
	{"SubgroupSize", "uint", 1, func(x *view, _ int) uint32 { return x.program.SubgroupSize }},
	{"NumSubgroups", "uint", 1, func(x *view, _ int) uint32 { return uint32(x.program.Subgroups()) }},
}

// builtinNamed returns the built-in value with a name that does not depend on the shader; nil if there is none.
func (x *view) builtinNamed(name string) *builtinWords {
	list := x.builtinTable()
	for i := range list {
		if b := &list[i]; b.name == name {
			return b
		}
	}
	return nil
}

// knownWords returns a built-in value.
func knownWords(name, kind string, values ...uint32) *Variable {
	r := result{kind: unsigned}
	for _, n := range values {
		r.numbers = append(r.numbers, number{i: int64(n)})
	}
	return &Variable{Name: name, Type: kind, Value: r.String(), numbers: r.numbers, kind: unsigned}
}

// idNames are the names of the words of an invocation's identity.
var idNames = map[ir.Semantic]string{
	ir.PrimitiveId: "PrimitiveId", ir.Layer: "Layer", ir.SampleId: "SampleId", ir.VertexIndex: "VertexIndex", ir.InstanceIndex: "InstanceIndex",
	ir.BaseVertex: "BaseVertex", ir.BaseInstance: "BaseInstance", ir.DrawIndex: "DrawIndex",
	ir.InvocationId: "InvocationId", ir.PatchVertices: "PatchVertices", ir.LocalInvocationIndex: "LocalInvocationIndex",
}

// idVectors are the names of the words of an invocation's identity that are the first components of vectors of three.
var idVectors = map[ir.Semantic]string{
	ir.WorkgroupIdX: "WorkgroupId", ir.GlobalInvocationIdX: "GlobalInvocationId", ir.NumWorkgroupsX: "NumWorkgroups", ir.LocalInvocationIdX: "LocalInvocationId",
}

// invocation returns what tells the invocation of a draw apart, the pixel and the primitive, or the vertex and the instance, and further
// built-ins of its stage.
func (x *view) invocation() (list []*Variable) {
	for _, v := range x.program.IDs {
		switch word, _ := x.id(v.Semantic, v.Index); {
		case v.Semantic == ir.Location || v.Semantic == ir.NoSemantic:
		case v.Semantic == ir.FrontFacing:
			r := truthOf(word != 0)
			list = append(list, &Variable{Name: "FrontFacing", Type: "bool", Value: r.String(), numbers: r.numbers, kind: r.kind})
		case v.Semantic == ir.Position:
			if v.Index == 0 {
				list = append(list, x.floats("FragCoord", ir.Position, 4))
			}
		case v.Semantic == ir.TessCoord:
			if v.Index == 0 {
				list = append(list, x.floats("TessCoord", ir.TessCoord, 3))
			}
		case idVectors[v.Semantic] != "":
			y, _ := x.id(v.Semantic+1, 0)
			z, _ := x.id(v.Semantic+2, 0)
			list = append(list, knownWords(idVectors[v.Semantic], "uvec3", word, y, z))
		case v.Semantic != ir.FragCoord && idNames[v.Semantic] == "": // another component
		case v.Semantic != ir.FragCoord:
			list = append(list, knownWords(idNames[v.Semantic], "uint", word))
		case v.Index == 1:
			column, _ := x.id(ir.FragCoord, 0)
			list = append(list, knownWords("pixel", "uvec2", column, word))
		}
	}
	return list
}

// floats returns a built-in vector of n floats.
func (x *view) floats(name string, s ir.Semantic, n uint32) *Variable {
	r := result{kind: float}
	for i := range n {
		word, _ := x.id(s, i)
		r.numbers = append(r.numbers, number{f: float64(math.Float32frombits(word))})
	}
	return &Variable{Name: name, Type: r.typeName(), Value: r.String(), numbers: r.numbers, kind: float}
}

// Frame returns the frame of the variable, which has parts.
func (v *Variable) Frame() Frame { return v.of.Frame }

// Frame returns the frame of the scope.
func (c Scope) Frame() Frame { return c.of.Frame }

// Named reports whether the parts have names.
func (v *Variable) Named() bool { return v.t.IsStruct() || v.t.IsVector() }

// Path returns the expression of the variable in the syntax of GLSL.
func (v *Variable) Path() string {
	if v.ofRay {
		return ""
	}
	if v.of == nil {
		if strings.HasPrefix(v.Name, "%") {
			return v.Name
		}
		return "gl_" + v.Name
	}
	if v.image != nil {
		return v.imagePath()
	}
	if v.symbol != nil {
		text := v.symbol.Name
		for _, i := range v.path {
			text += fmt.Sprintf("[%d]", i)
		}
		return text
	}
	at := &Variable{of: v.of, id: v.id, t: v.of.own().stage.Symbols.Type(v.of.own().fn, v.id)}
	text := v.of.name(v.id)
	if n, ok := v.of.innermost(text); ok && n.id != v.id { // another variable hides it
		text = idText(v.id)
	}
	for _, i := range v.path {
		text += joined(at.part(i))
		if at.t = at.t.Part(i); at.t == nil {
			break
		}
	}
	return text
}

// PathOf returns the expression of the part with a name.
func (v *Variable) PathOf(part string) string { return v.Path() + joined(part) }

// joined returns the text that selects a part.
func joined(part string) string {
	if strings.HasPrefix(part, "[") {
		return part
	}
	return "." + part
}
