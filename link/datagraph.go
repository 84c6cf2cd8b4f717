package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Graph describes a data graph pipeline: VkDataGraphPipelineCreateInfoARM with
// VkDataGraphPipelineShaderModuleCreateInfoARM.
type Graph struct {
	Shader                     // its module; it has no entry point of a stage
	Name      string           // of the entry point of the graph, "" for the only one
	Constants *[]GraphConstant // nil if they are not known
	Resources *[]GraphResource // nil if they are not known
}

// GraphConstant is VkDataGraphPipelineConstantARM.
type GraphConstant struct {
	ID     uint32  `yaml:"id"`     // GraphConstantID
	Tensor *Tensor `yaml:"tensor"` // nil if its chain has none
}

// GraphResource is VkDataGraphPipelineResourceInfoARM.
type GraphResource struct {
	Set     uint32  `yaml:"set"`
	Binding uint32  `yaml:"binding"`
	Element uint32  `yaml:"array_element"`
	Tensor  *Tensor `yaml:"tensor"` // nil if its chain has none
}

// Tensor is a VkTensorDescriptionARM as far as shaders ask for it.
type Tensor struct {
	Format     Format   `yaml:"format"`
	Dimensions []uint64 `yaml:"dimensions"` // elements of each
}

// dataGraphRules are the rules of data graph pipelines (Vulkan, Runtime SPIR-V
// Validation).
var dataGraphRules = []Rule{
	{"SPV-DataGraph-Entry", "a data graph pipeline is of an entry point of a graph in its module"},
	{vuid.RuntimeSpirv_pNext_09919, "the inputs and outputs of the graph of a data graph pipeline have a shape"},
	{vuid.RuntimeSpirv_pNext_09920, "the constants that the graph of a data graph pipeline uses have a shape"},
	{vuid.RuntimeSpirv_pNext_09921, "each constant that the graph of a data graph pipeline uses is described once, as a tensor of its dimensions and its type"},
	{vuid.RuntimeSpirv_pNext_09923, "each resource of the graph of a data graph pipeline is described once, as a tensor of its dimensions and its type"},
}

// graphBody is a graph in a module.
type graphBody struct {
	g         *Graph
	m         *facts.Module
	entry     inst.GraphEntryPointARM
	typ       inst.TypeGraphARM // nil if it is not known
	at        int               // the instruction of its type
	constants []int             // the instructions of the constants that it uses
}

// dataGraph checks a data graph pipeline.
func (l *linker) dataGraph() {
	b := l.graphBody()
	if b == nil {
		return
	}
	if b.typ != nil {
		for n, id := range b.typ.InOutTypes() {
			if t := tensorType(b.m, b.m.Type(id)); t != nil && !shaped(b.m, t) {
				l.fail(vuid.RuntimeSpirv_pNext_09919, []Side{b.side(b.at)}, "input or output %d of the graph is a tensor without a shape; must have one", n)
			}
		}
	}
	for _, i := range b.constants {
		if t := b.m.Type(b.m.Code.Inst(i).Type()); t != nil && t.Op == spirv.OpTypeTensorARM {
			l.graphConstant(b, i, t)
		}
	}
	if b.g.Resources == nil {
		return
	}
	seen := map[spirv.ID]bool{}
	for _, id := range b.entry.Interface() {
		v := b.m.Variable(id)
		if v == nil || seen[id] {
			continue
		}
		seen[id] = true
		if t := tensorType(b.m, v.Type); t != nil {
			l.graphResource(b, v, t)
		}
	}
}

// graphBody finds the graph of the pipeline, or nil if there is none.
func (l *linker) graphBody() *graphBody {
	g := l.d.Graph
	if g == nil {
		return nil
	}
	m := g.facts()
	if m == nil {
		return nil
	}
	b := &graphBody{g: g, m: m}
	found := 0
	for _, in := range m.Code.All() {
		if in.Op() == spirv.OpGraphEntryPointARM {
			if e := inst.GraphEntryPointARM(in); g.Name == "" || e.Name() == g.Name {
				b.entry = e
				found++
			}
		}
	}
	if found != 1 {
		l.fail("SPV-DataGraph-Entry", []Side{{File: g.File, Stage: "graph", Name: g.Name}}, "the module has %d entry points of graphs%s; must have one, or a name that selects one", found, named(g.Name))
		return nil
	}
	start := m.Code.Def(b.entry.Graph())
	if start < 0 || m.Code.OpAt(start) != spirv.OpGraphARM {
		return b
	}
	if k := m.Code.Def(m.Code.Inst(start).Type()); k >= 0 && m.Code.OpAt(k) == spirv.OpTypeGraphARM {
		b.typ, b.at = inst.TypeGraphARM(m.Code.Inst(k)), k
	}
	var words []int
	for i := start + 1; i < m.Code.Len() && m.Code.OpAt(i) != spirv.OpGraphEndARM; i++ {
		in := m.Code.Inst(i)
		words = m.Code.IDs(i, words[:0])
		for _, w := range words {
			if k := m.Code.Def(spirv.ID(in[w])); k >= 0 && m.Code.OpAt(k) == spirv.OpGraphConstantARM {
				b.constants = append(b.constants, k)
			}
		}
	}
	slices.Sort(b.constants)
	b.constants = slices.Compact(b.constants)
	return b
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" with the name %q", name)
}

// side is the side of an instruction of the graph's module.
func (b *graphBody) side(at int) Side {
	return Side{File: b.g.File, Stage: "graph", Name: b.entry.Name(), shader: &b.g.Shader, inst: at}
}

// graphConstant checks a constant that the graph uses.
func (l *linker) graphConstant(b *graphBody, i int, t *facts.Type) {
	id := inst.GraphConstantARM(b.m.Code.Inst(i)).GraphConstantID()
	side := b.side(i)
	side.Name, side.Slot, side.Type = b.m.Name(b.m.Code.Inst(i).Result()), fmt.Sprintf("constant %d", id), tensorWords(b.m, t)
	if !shaped(b.m, t) {
		l.fail(vuid.RuntimeSpirv_pNext_09920, []Side{side}, "constant %d of the graph is a tensor without a shape; must have one", id)
		return
	}
	if b.g.Constants == nil {
		return
	}
	var why []string
	fits := 0
	for i := range *b.g.Constants {
		k := &(*b.g.Constants)[i]
		if k.ID != id {
			continue
		}
		if w := k.Tensor.unlike(b.m, t); w != "" {
			why = append(why, w)
		} else {
			fits++
		}
	}
	if fits != 1 {
		l.fail(vuid.RuntimeSpirv_pNext_09921, []Side{side, {Stage: "pipeline", Slot: fmt.Sprintf("constant %d", id)}}, "constant %d of the graph is %s%s; must be described once", id, count(fits, "described"), because(why))
	}
}

// graphResource checks a variable of the graph's interface.
func (l *linker) graphResource(b *graphBody, v *facts.Variable, t *facts.Type) {
	set, ok1 := b.m.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, ok2 := b.m.Decoration(v.ID, spirv.DecorationBinding)
	if !ok1 || !ok2 || len(set.Operands) == 0 || len(binding.Operands) == 0 {
		return
	}
	inputSlot := fmt.Sprintf("set %d binding %d", set.Operands[0], binding.Operands[0])
	side := b.side(v.Index)
	side.Name, side.Slot, side.Type = b.m.Name(v.ID), inputSlot, tensorWords(b.m, t)
	var why []string
	fits := 0
	for i := range *b.g.Resources {
		r := &(*b.g.Resources)[i]
		if r.Set != set.Operands[0] || r.Binding != binding.Operands[0] {
			continue
		}
		if w := r.Tensor.unlike(b.m, t); w != "" {
			why = append(why, w)
		} else if r.Element != 0 {
			why = append(why, fmt.Sprintf("one is of the element %d", r.Element))
		} else {
			fits++
		}
	}
	if fits != 1 {
		l.fail(vuid.RuntimeSpirv_pNext_09923, []Side{side, {Stage: "pipeline", Slot: inputSlot}}, "the tensor at %s is %s%s; must be described once, as the element 0", inputSlot, count(fits, "described"), because(why))
	}
}

// count returns the words for how often something is done.
func count(n int, done string) string {
	if n == 0 {
		return "not " + done
	}
	return fmt.Sprintf("%s %d times", done, n)
}

// because returns the reasons of a mismatch: at most the first three.
func because(why []string) string {
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why[:min(len(why), 3)], ", ")
}

// tensorType returns the type of a tensor or of the elements of an array of tensors, or nil
// if t is neither.
func tensorType(m *facts.Module, t *facts.Type) *facts.Type {
	if t != nil && t.IsArray() {
		t = t.Elem
	}
	if t == nil || t.Op != spirv.OpTypeTensorARM {
		return nil
	}
	return t
}

// shaped reports whether the type of a tensor has a shape.
func shaped(m *facts.Module, t *facts.Type) bool {
	_, ok := inst.TypeTensorARM(m.Code.Inst(t.Index)).Shape()
	return ok
}

// unlike describes the difference between a tensor and a tensor type, or returns "" if they
// agree or the type is not known.
func (d *Tensor) unlike(m *facts.Module, t *facts.Type) string {
	if d == nil {
		return "one has no description of a tensor"
	}
	v := inst.TypeTensorARM(m.Code.Inst(t.Index))
	if id, ok := v.Rank(); ok {
		if k := m.Const(id); k != nil && k.Known && !k.Undef && k.Bits != uint64(len(d.Dimensions)) {
			return fmt.Sprintf("one has %d dimensions, the type %d", len(d.Dimensions), k.Bits)
		}
	}
	if id, ok := v.Shape(); ok {
		shape := m.Const(id)
		for n, size := range d.Dimensions {
			if e := shape.Elem(n); e != nil && e.Known && !e.Undef && e.Bits != size {
				return fmt.Sprintf("dimension %d of one is %d, of the type %d", n, size, e.Bits)
			}
		}
	}
	if e := m.Type(v.ElementType()); e != nil && !holds(d.Format, e) {
		return fmt.Sprintf("one is %s, the elements of the type %s", d.Format, scalarWords(e))
	}
	return ""
}

// encoded are the formats of floats in encodings of their own.
var encoded = map[string]spirv.FPEncoding{
	"R16_SFLOAT_FPENCODING_BFLOAT16_ARM":  spirv.FPEncodingBFloat16KHR,
	"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM": spirv.FPEncodingFloat8E4M3EXT,
	"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM": spirv.FPEncodingFloat8E5M2EXT,
}

// holds reports whether the elements of a tensor in a format are compatible with a
// type (Vulkan, Compatibility Between SPIR-V Tensor Element Types and Vulkan
// Formats): of one component, of its width, and Boolean, integer or float as it
// is. Operations on tensors give integers their sign, so that it is not asked.
func holds(f Format, t *facts.Type) bool {
	i := format.ByID(uint32(f))
	if i == nil || len(i.Components) != 1 || i.Aspects != format.Color {
		return false
	}
	e, special := encoded[i.Name]
	switch {
	case t.IsBool():
		return i.Numeric == "BOOL"
	case t.IsInt():
		return (i.Numeric == "UINT" || i.Numeric == "SINT") && i.Bytes*8 == int(t.Width)
	case t.IsFloat():
		return i.Numeric == "SFLOAT" && i.Bytes*8 == int(t.Width) && special == t.Encoded && (!special || e == t.Encoding)
	}
	return true // no tensor has this type; package valid reports it
}

// scalarWords describes a scalar type in words.
func scalarWords(t *facts.Type) string {
	switch {
	case t.IsBool():
		return "bool"
	case t.IsInt():
		return fmt.Sprintf("int%d", t.Width)
	case t.IsFloat() && t.Encoded:
		return t.Encoding.String()
	case t.IsFloat():
		return fmt.Sprintf("float%d", t.Width)
	}
	return t.Op.String()
}

// maxDimensions bounds how many dimensions of a tensor are shown.
const maxDimensions = 8

// tensorWords describes a tensor type in words.
func tensorWords(m *facts.Module, t *facts.Type) string {
	v := inst.TypeTensorARM(m.Code.Inst(t.Index))
	elem := "tensor"
	if e := m.Type(v.ElementType()); e != nil {
		elem = scalarWords(e)
	}
	id, ok := v.Shape()
	if !ok {
		return elem + " tensor"
	}
	shape := m.Const(id)
	if shape == nil || shape.Type == nil {
		return elem + " tensor"
	}
	var dims []string
	for n := range min(shape.Type.Count, maxDimensions) {
		d := "?"
		if e := shape.Elem(int(n)); e != nil && e.Known {
			d = fmt.Sprint(e.Bits)
		}
		dims = append(dims, d)
	}
	return elem + " tensor " + strings.Join(dims, "x")
}
