package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// The stages by their bits in VkShaderStageFlags.
const (
	vertexBit     = 1
	controlBit    = 2
	evaluationBit = 4
	geometryBit   = 8
	fragmentBit   = 16
	computeBit    = 32
)

// models are the execution models by those bits.
var models = map[uint32]string{
	vertexBit: "Vertex", controlBit: "TessellationControl", evaluationBit: "TessellationEvaluation",
	geometryBit: "Geometry", fragmentBit: "Fragment", computeBit: "GLCompute",
}

// numeric is a type of components: a letter (f, i, u, d for 64 bits) and how many.
type numeric struct {
	kind byte
	rows int
}

// variable is a variable of an interface.
type variable struct {
	location, component uint32
	of                  numeric
	flat, patch         bool
	builtIn             string // instead of a location
	array               int    // elements, of a built-in
}

// resource is a variable with a binding.
type resource struct {
	set, binding uint32
	kind         uint32 // VkDescriptorType
	count        uint32
	index        uint32 // of an input attachment
}

// shader is the source of a module: the module uses all of its parts.
type shader struct {
	stage           uint32
	capabilities    []string
	modes           []string // execution modes after the entry point
	inputs, outputs []variable
	sizeIn, sizeOut int // elements of arrayed interfaces, 0 for none
	resources       []resource
	push            uint32   // bytes of push constants from offset 0, a multiple of 4
	constants       []string // types of the specialization constants 0, 1, …: int, bool, wide
	width           bool     // constant 0 is the width of the workgroup
	shared          uint32   // bytes of workgroup memory
}

// writer writes the text of a module.
type writer struct {
	capabilities, decorations, types, body strings.Builder
	seen                                   map[string]bool
	inOut                                  []string
	next                                   int
}

// once writes a declaration, if it is not there yet.
func (w *writer) once(id, format string, args ...any) string {
	if !w.seen[id] {
		w.seen[id] = true
		fmt.Fprintf(&w.types, "%s = %s\n", id, fmt.Sprintf(format, args...))
	}
	return id
}

func (w *writer) capability(name string) {
	if !w.seen["cap "+name] {
		w.seen["cap "+name] = true
		fmt.Fprintf(&w.capabilities, "OpCapability %s\n", name)
	}
}

func (w *writer) decorate(format string, args ...any) {
	fmt.Fprintf(&w.decorations, "OpDecorate "+format+"\n", args...)
}

func (w *writer) emit(format string, args ...any) { fmt.Fprintf(&w.body, format+"\n", args...) }

func (w *writer) id() string {
	w.next++
	return fmt.Sprintf("%%t%d", w.next)
}

// number declares a type and returns its id.
func (w *writer) number(t numeric) string {
	id := "%" + string(t.kind)
	switch t.kind {
	case 'f':
		w.once(id, "OpTypeFloat 32")
	case 'i':
		w.once(id, "OpTypeInt 32 1")
	case 'u':
		w.once(id, "OpTypeInt 32 0")
	case 'd':
		w.capability("Float64")
		w.once(id, "OpTypeFloat 64")
	}
	if t.rows == 1 {
		return id
	}
	return w.once(fmt.Sprintf("%s%d", id, t.rows), "OpTypeVector %s %d", id, t.rows)
}

func (w *writer) constant(n uint32) string {
	w.number(numeric{'u', 1})
	return w.once(fmt.Sprintf("%%u_%d", n), "OpConstant %%u %d", n)
}

func (w *writer) pointer(class, to string) string {
	return w.once("%p"+class+"_"+to[1:], "OpTypePointer %s %s", class, to)
}

// text returns the module.
func (s *shader) text() string {
	w := &writer{seen: map[string]bool{}}
	w.capability("Shader")
	for _, c := range s.capabilities {
		w.capability(c)
	}
	w.once("%void", "OpTypeVoid")
	w.once("%fn", "OpTypeFunction %%void")
	for i := range s.constants {
		s.specConstant(w, i)
	}
	for i := range s.inputs {
		s.variable(w, &s.inputs[i], "Input", i, s.sizeIn)
	}
	for i := range s.outputs {
		s.variable(w, &s.outputs[i], "Output", i, s.sizeOut)
	}
	for i := range s.resources {
		s.resource(w, &s.resources[i], i)
	}
	s.pushBlock(w)
	if s.shared > 0 {
		a := w.once("%shared_t", "OpTypeArray %s %s", w.number(numeric{'u', 1}), w.constant(s.shared/4))
		w.once("%shared", "OpVariable %s Workgroup", w.pointer("Workgroup", a))
		w.emit("%%sp = OpAccessChain %s %%shared %s\nOpStore %%sp %s", w.pointer("Workgroup", "%u"), w.constant(0), w.constant(1))
	}
	if s.stage == geometryBit {
		w.emit("OpEmitVertex\nOpEndPrimitive")
	}
	var b strings.Builder
	b.WriteString(w.capabilities.String())
	fmt.Fprintf(&b, "OpMemoryModel Logical GLSL450\nOpEntryPoint %s %%main \"main\" %s\n", models[s.stage], strings.Join(w.inOut, " "))
	for _, m := range s.modes {
		fmt.Fprintf(&b, "OpExecutionMode %%main %s\n", m)
	}
	fmt.Fprintf(&b, "%s%s%%main = OpFunction %%void None %%fn\n%%entry = OpLabel\n%sOpReturn\nOpFunctionEnd\n", w.decorations.String(), w.types.String(), w.body.String())
	return b.String()
}

// words assembles the module.
func (s *shader) words() ([]uint32, error) {
	text := s.text()
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: spirv.Version13})
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text)
	}
	return words, nil
}

// specConstant declares constant i and uses it.
func (s *shader) specConstant(w *writer, i int) {
	id := fmt.Sprintf("%%spec%d", i)
	w.decorate("%s SpecId %d", id, i)
	switch s.constants[i] {
	case "bool":
		w.once("%bool", "OpTypeBool")
		w.once(id, "OpSpecConstantTrue %%bool")
		w.emit("%s = OpLogicalNot %%bool %s", w.id(), id)
	case "wide":
		w.number(numeric{'d', 1})
		w.once(id, "OpSpecConstant %%d 1")
		w.emit("%s = OpFAdd %%d %s %s", w.id(), id, id)
	default:
		w.number(numeric{'u', 1})
		w.once(id, "OpSpecConstant %%u 4")
		w.emit("%s = OpIAdd %%u %s %s", w.id(), id, id)
	}
	if i == 0 && s.width {
		t := w.number(numeric{'u', 3})
		w.decorate("%%size BuiltIn WorkgroupSize")
		w.once("%size", "OpSpecConstantComposite %s %s %s %s", t, id, w.constant(1), w.constant(1))
	}
}

// variable declares a variable of an interface, and reads or writes it.
func (s *shader) variable(w *writer, v *variable, class string, i, size int) {
	id := fmt.Sprintf("%%%s%d", strings.ToLower(class), i)
	t := w.number(v.of)
	if v.array > 0 {
		t = w.once(fmt.Sprintf("%s_%d", t, v.array), "OpTypeArray %s %s", t, w.constant(uint32(v.array)))
	}
	whole := t
	if size > 0 && !v.patch {
		whole = w.once(fmt.Sprintf("%s_by%d", t, size), "OpTypeArray %s %s", t, w.constant(uint32(size)))
	}
	w.inOut = append(w.inOut, id)
	if v.builtIn != "" {
		w.decorate("%s BuiltIn %s", id, v.builtIn)
	} else {
		w.decorate("%s Location %d", id, v.location)
		if v.component > 0 {
			w.decorate("%s Component %d", id, v.component)
		}
	}
	if v.flat {
		w.decorate("%s Flat", id)
	}
	if v.patch {
		w.decorate("%s Patch", id)
	}
	w.once(id, "OpVariable %s %s", w.pointer(class, whole), class)
	at := id
	if whole != t {
		at = w.id()
		index := w.constant(0)
		if class == "Output" {
			index = s.invocation(w)
		}
		w.emit("%s = OpAccessChain %s %s %s", at, w.pointer(class, t), id, index)
	}
	if class == "Input" {
		w.emit("%s = OpLoad %s %s", w.id(), t, at)
	} else {
		w.emit("OpStore %s %s", at, w.once("%null"+t[1:], "OpConstantNull %s", t))
	}
}

// invocation reads which vertex of a patch is written.
func (s *shader) invocation(w *writer) string {
	if !w.seen["%invocation"] {
		i := w.number(numeric{'i', 1})
		w.decorate("%%invocation BuiltIn InvocationId")
		w.once("%invocation", "OpVariable %s Input", w.pointer("Input", i))
		w.inOut = append(w.inOut, "%invocation")
		w.emit("%%inv = OpLoad %s %%invocation", i)
	}
	return "%inv"
}

// The descriptor types.
const (
	samplerType         = 0
	combinedType        = 1
	sampledType         = 2
	storageImageType    = 3
	uniformTexelType    = 4
	storageTexelType    = 5
	uniformType         = 6
	storageType         = 7
	uniformDynamicType  = 8
	storageDynamicType  = 9
	inputAttachmentType = 10
	inlineType          = 1000138000
)

// opaque are the types of resources that are no buffers.
var opaque = map[uint32]struct{ id, image, capability string }{
	samplerType:         {"%sampler", "", ""},
	combinedType:        {"%combined", "2D 0 0 0 1 Unknown", ""},
	sampledType:         {"%sampled", "2D 0 0 0 1 Unknown", ""},
	storageImageType:    {"%stored", "2D 0 0 0 2 Rgba8", ""},
	uniformTexelType:    {"%texels", "Buffer 0 0 0 1 Unknown", "SampledBuffer"},
	storageTexelType:    {"%texelstore", "Buffer 0 0 0 2 Rgba8", "ImageBuffer"},
	inputAttachmentType: {"%attachment", "SubpassData 0 0 0 2 Unknown", "InputAttachment"},
}

// resource declares a resource and reads it.
func (s *shader) resource(w *writer, r *resource, i int) {
	id, class, t := fmt.Sprintf("%%res%d", i), "UniformConstant", ""
	f := w.number(numeric{'f', 1})
	block := slices.Contains([]uint32{uniformType, storageType, uniformDynamicType, storageDynamicType, inlineType}, r.kind)
	switch o := opaque[r.kind]; {
	case block:
		class, t = "Uniform", "%ublock"
		if r.kind == storageType || r.kind == storageDynamicType {
			class, t = "StorageBuffer", "%sblock"
		}
		v := w.number(numeric{'f', 4})
		if !w.seen[t] {
			w.decorate("%s Block", t)
			fmt.Fprintf(&w.decorations, "OpMemberDecorate %s 0 Offset 0\n", t)
		}
		w.once(t, "OpTypeStruct %s", v)
	case r.kind == samplerType:
		t = w.once("%sampler", "OpTypeSampler")
	default:
		if o.capability != "" {
			w.capability(o.capability)
		}
		t = o.id
		if r.kind == combinedType {
			w.once("%sampled", "OpTypeImage %s %s", f, o.image)
			w.once(t, "OpTypeSampledImage %%sampled")
		} else {
			w.once(t, "OpTypeImage %s %s", f, o.image)
		}
	}
	whole := t
	if r.count > 1 {
		whole = w.once(fmt.Sprintf("%s_x%d", t, r.count), "OpTypeArray %s %s", t, w.constant(r.count))
	}
	w.decorate("%s DescriptorSet %d", id, r.set)
	w.decorate("%s Binding %d", id, r.binding)
	if r.kind == inputAttachmentType {
		w.decorate("%s InputAttachmentIndex %d", id, r.index)
	}
	w.once(id, "OpVariable %s %s", w.pointer(class, whole), class)
	at, indices := id, ""
	if r.count > 1 {
		indices = " " + w.constant(0)
	}
	if block {
		indices += " " + w.constant(0)
		t = "%f4"
	}
	if indices != "" {
		at = w.id()
		w.emit("%s = OpAccessChain %s %s%s", at, w.pointer(class, t), id, indices)
	}
	w.emit("%s = OpLoad %s %s", w.id(), t, at)
}

// pushBlock declares push constants and reads the last word.
func (s *shader) pushBlock(w *writer) {
	if s.push == 0 {
		return
	}
	u := w.number(numeric{'u', 1})
	members := strings.Repeat(" "+u, int(s.push/4))
	w.decorate("%%push_t Block")
	for i := range s.push / 4 {
		fmt.Fprintf(&w.decorations, "OpMemberDecorate %%push_t %d Offset %d\n", i, 4*i)
	}
	w.once("%push_t", "OpTypeStruct%s", members)
	w.once("%push", "OpVariable %s PushConstant", w.pointer("PushConstant", "%push_t"))
	at := w.id()
	w.emit("%s = OpAccessChain %s %%push %s", at, w.pointer("PushConstant", u), w.constant(s.push/4-1))
	w.emit("%s = OpLoad %s %s", w.id(), u, at)
}
