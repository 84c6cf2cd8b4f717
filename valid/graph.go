package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// graphFamily checks graphs (SPV_ARM_graph). The places of their instructions in
// the module are rules of the layout.
var graphFamily = family{
	rules: []Rule{
		{Code: "SPV-Graph-Type", Section: "SPIR-V, SPV_ARM_graph", Words: "a graph has a graph type: its inputs and outputs are tensors or arrays of tensors, and it has at least one output"},
		{Code: "SPV-Graph-Constant", Section: "SPIR-V, SPV_ARM_graph", Words: "a graph constant is a tensor with a unique id"},
		{Code: "SPV-Graph-EntryPoint", Section: "SPIR-V, SPV_ARM_graph", Words: "a module with graphs has an entry point of one; an entry point refers to a graph and has a unique name"},
		{Code: "SPV-Graph-Interface", Section: "SPIR-V, SPV_ARM_graph", Words: "the interface of a graph entry point has a UniformConstant variable for each input and output, of the same type"},
		{Code: "SPV-Graph-Index", Section: "SPIR-V, SPV_ARM_graph", Words: "an index of an input, an output or an element is a 32-bit integer, and selects an existing one"},
		{Code: "SPV-Graph-Value", Section: "SPIR-V, SPV_ARM_graph", Words: "an input, an output or an element has its type from the graph type"},
		{Code: "SPV-Graph-Twice", Section: "SPIR-V, SPV_ARM_graph", Words: "a graph names no input, output or element twice"},
		{Code: "SPV-Graph-Place", Section: "SPIR-V, SPV_ARM_graph", Words: "a graph sets its outputs last and ends with OpGraphEndARM; no entry point, function or other graph is in a graph; graphs and their entry points are after the functions"},
		{Code: "SPV-Graph-Debug", Section: "NonSemantic.Graph.DebugInfo", Words: "each operand is of the kind that the set defines"},
		{Code: vuid.StandaloneSpirv_OpGraphInputARM_09931, Section: environment, Words: "the indices of OpGraphInputARM are constants"},
		{Code: vuid.StandaloneSpirv_OpGraphSetOutputARM_09932, Section: environment, Words: "the indices of OpGraphSetOutputARM are constants"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeGraphARM:       graphJudge((*graphs).typeGraph),
		spirv.OpGraphConstantARM:   graphJudge((*graphs).graphConstant),
		spirv.OpGraphEntryPointARM: graphJudge((*graphs).graphEntryPoint),
		spirv.OpGraphARM:           graphJudge((*graphs).graphBegin),
		spirv.OpGraphInputARM:      graphJudge((*graphs).graphInput),
		spirv.OpGraphSetOutputARM:  graphJudge((*graphs).graphOutput),
		spirv.OpGraphEndARM:        graphJudge((*graphs).graphEnd),
	},
	after: []func(*checker){(*checker).graphEntered},
}

// graphEntered checks that a module with the capability GraphARM has an entry point of a graph.
func (c *checker) graphEntered() {
	if len(c.graph.names) > 0 || !c.capable(spirv.CapabilityGraphARM) || len(c.m.EntryPoints) == 0 && !c.capable(spirv.CapabilityLinkage) {
		return // without any entry point, a rule of the layout tells
	}
	for i, in := range c.code.All() {
		switch in.Op() {
		case spirv.OpGraphEntryPointARM: // in a graph, or without a name
			return
		case spirv.OpCapability:
			if inst.Capability(in).Capability() != spirv.CapabilityGraphARM {
				continue
			}
			c.fail(i, "SPV-Graph-EntryPoint", "the capability GraphARM without OpGraphEntryPointARM; must have at least one")
			return
		}
	}
}

// graphJudge makes a check of graphs a judge.
func graphJudge(check func(g *graphs, i int, in spirv.Inst)) judge {
	return func(c *checker, i int, in spirv.Inst) { check(&c.graph, i, in) }
}

// graphs checks graphs. It has the state of the walk in the current graph.
type graphs struct {
	*subject
	typ       inst.TypeGraphARM // of the open graph; nil outside a graph or if it is not known
	first     int               // its instruction
	open      bool
	puts      int // outputs so far
	put       int // the last of them
	used      map[graphSlot]int
	constants map[uint32]int
	names     map[string]int
	ends      map[int]int // of the graphs that debug information describes, by their first instruction
}

// graphSlot is an input or an output of a graph, or an element of one.
type graphSlot struct {
	output  bool
	index   uint64
	element int64 // −1 for the whole, anElement for one of the elements
}

// anElement stands for each element of an input or an output.
const anElement = -2

// isGraphValue reports whether a type is a tensor or an array of tensors.
func isGraphValue(t *facts.Type) bool {
	if t.IsArray() {
		t = t.Elem
	}
	return t == nil || t.Op == spirv.OpTypeTensorARM
}

func (g *graphs) typeGraph(i int, in spirv.Inst) {
	v := inst.TypeGraphARM(in)
	if int64(v.NumInputs()) >= int64(len(v.InOutTypes())) {
		g.fail(i, "SPV-Graph-Type", "a graph with %d inputs and at most as many types; must have an output", v.NumInputs())
	}
	for n, id := range v.InOutTypes() {
		switch t := g.m.Type(id); {
		case t != nil && !isGraphValue(t):
			g.fail(i, "SPV-Graph-Type", "input or output %d is %s; must be a tensor or an array of tensors", n, g.typeName(t))
		case t == nil && g.code.DefInst(id) != nil:
			g.fail(i, "SPV-Graph-Type", "input or output %d is %s, the result of %s; must be a tensor or an array of tensors", n, g.name(id), g.code.DefInst(id).Op())
		}
	}
}

func (g *graphs) graphConstant(i int, in spirv.Inst) {
	v := inst.GraphConstantARM(in)
	if t := g.m.Type(v.Type()); t != nil && t.Op != spirv.OpTypeTensorARM {
		g.fail(i, "SPV-Graph-Constant", "the graph constant is %s; must be a tensor", g.typeName(t))
	}
	if g.constants == nil {
		g.constants = map[uint32]int{}
	}
	if first, ok := g.constants[v.GraphConstantID()]; ok {
		g.fail(i, "SPV-Graph-Constant", "the graph constant has the id %d of another; must have its own", v.GraphConstantID()).also(g, first, "the other")
		return
	}
	g.constants[v.GraphConstantID()] = i
}

// graphTypeOf returns the type of a graph, nil if it is not known.
func (g *graphs) graphTypeOf(id spirv.ID) inst.TypeGraphARM {
	d := g.code.DefInst(id)
	if d == nil || d.Op() != spirv.OpGraphARM {
		return nil
	}
	t := g.code.DefInst(d.Type())
	if t == nil || t.Op() != spirv.OpTypeGraphARM {
		return nil
	}
	return inst.TypeGraphARM(t)
}

func (g *graphs) graphEntryPoint(i int, in spirv.Inst) {
	v := inst.GraphEntryPointARM(in)
	if g.open {
		g.fail(i, "SPV-Graph-Place", "OpGraphEntryPointARM in a graph; must be before all graphs")
		return
	}
	if g.names == nil {
		g.names = map[string]int{}
	}
	if first, ok := g.names[v.Name()]; ok {
		g.fail(i, "SPV-Graph-EntryPoint", "the entry point has the name %q of another; must have its own", v.Name()).also(g, first, "the other")
	}
	g.names[v.Name()] = i
	if d := g.code.DefInst(v.Graph()); d != nil && d.Op() != spirv.OpGraphARM && !g.typeless(v.Graph()) {
		g.fail(i, "SPV-Graph-EntryPoint", "the entry point is of %s, the result of %s; must be of a graph", g.name(v.Graph()), d.Op())
		return
	}
	var types []spirv.ID
	t := g.graphTypeOf(v.Graph())
	if t != nil {
		if types = t.InOutTypes(); len(types) != len(v.Interface()) {
			g.fail(i, "SPV-Graph-Interface", "an interface of %d variables; must have %d, one for each input and output", len(v.Interface()), len(types))
			return
		}
	}
	for n, id := range v.Interface() {
		x := g.m.Variable(id)
		switch {
		case g.code.DefInst(id) == nil:
		case x == nil:
			g.fail(i, "SPV-Graph-Interface", "%s of the interface is the result of %s; must be a variable", g.name(id), g.code.DefInst(id).Op())
		case x.Storage != spirv.StorageClassUniformConstant:
			g.fail(i, "SPV-Graph-Interface", "%s of the interface is of the storage class %s; must be UniformConstant", g.name(id), x.Storage).also(g, x.Index, "the variable")
		case t != nil && x.Type != nil && x.Type != g.m.Type(types[n]):
			g.fail(i, "SPV-Graph-Interface", "%s of the interface is %s; must be %s, the type in the graph type", g.name(id), g.typeName(x.Type), g.name(types[n])).also(g, x.Index, "the variable")
		}
	}
}

func (g *graphs) graphBegin(i int, in spirv.Inst) {
	g.open, g.first, g.puts, g.used = true, i, 0, map[graphSlot]int{}
	g.typ = g.graphTypeOf(in.Result())
	if t := g.m.Type(in.Type()); t != nil && t.Op != spirv.OpTypeGraphARM {
		g.fail(i, "SPV-Graph-Type", "the graph is %s; must be of a graph type", g.typeName(t))
	}
}

// slot checks the indices of an input or an output and returns its type according
// to the type of the graph, nil if the type is not known.
func (g *graphs) slot(i int, op spirv.Op, code string, output bool, index spirv.ID, element []spirv.ID) *facts.Type {
	s := graphSlot{output: output, element: -1}
	n, known := g.graphIndex(i, op, code, index)
	s.index = n
	var e uint64
	if len(element) > 0 {
		var ok bool
		if e, ok = g.graphIndex(i, op, code, element[0]); ok {
			s.element = int64(e)
		}
		known = known && ok
	}
	if !known || g.typ == nil {
		return nil
	}
	types := g.typ.InOutTypes()
	cut := min(int(min(g.typ.NumInputs(), 1<<16)), len(types))
	if output {
		types = types[cut:]
	} else {
		types = types[:cut]
	}
	if n >= uint64(len(types)) {
		g.fail(i, "SPV-Graph-Index", "%s of index %d; the graph has %d", op, n, len(types)).also(g, g.first, "the graph")
		return nil
	}
	whole := graphSlot{output, n, -1}
	if first, ok := g.used[s]; ok {
		g.fail(i, "SPV-Graph-Twice", "%s of index %d, which another names; must differ in the element", op, n).also(g, first, "the other")
	} else if first, ok := g.used[whole]; ok {
		g.fail(i, "SPV-Graph-Twice", "%s of an element of index %d, which another names as a whole; must differ in the element", op, n).also(g, first, "the other")
	}
	some := graphSlot{output, n, anElement}
	if first, ok := g.used[some]; ok && s == whole {
		g.fail(i, "SPV-Graph-Twice", "%s of index %d as a whole, of which another names an element; must differ in the element", op, n).also(g, first, "the other")
	}
	g.used[s] = i
	if s != whole {
		g.used[some] = i
	}
	t := g.m.Type(types[n])
	if len(element) == 0 || t == nil {
		return t
	}
	if !t.IsArray() {
		g.fail(i, "SPV-Graph-Index", "%s of an element of %s; must be of an array", op, g.typeName(t))
		return nil
	}
	if !t.IsRuntimeArray() && t.Count != 0 && e >= t.Count {
		g.fail(i, "SPV-Graph-Index", "%s of element %d of %s; must be an existing element", op, e, g.typeName(t))
		return nil
	}
	return t.Elem
}

// graphIndex checks an index and returns it if it is a known constant.
func (g *graphs) graphIndex(i int, op spirv.Op, code string, id spirv.ID) (uint64, bool) {
	t, k := g.m.TypeOf(id), g.declaredConstant(id)
	switch {
	case t == nil:
		return 0, false
	case !isWord(t):
		g.fail(i, "SPV-Graph-Index", "an index of %s is %s; must be an integer of 32 bits", op, g.typeName(t))
		return 0, false
	case g.vulkan && k == nil:
		g.fail(i, code, "an index of %s is %s; must be a constant", op, g.name(id))
		return 0, false
	case k == nil || !k.Known || k.Undef:
		return 0, false
	}
	return k.Bits, true
}

func (g *graphs) graphInput(i int, in spirv.Inst) {
	v := inst.GraphInputARM(in)
	want := g.slot(i, in.Op(), vuid.StandaloneSpirv_OpGraphInputARM_09931, false, v.InputIndex(), v.ElementIndex())
	if t := g.m.Type(v.Type()); t != nil && want != nil && t != want {
		g.fail(i, "SPV-Graph-Value", "the input is %s; must be %s, the type in the graph type", g.typeName(t), g.typeName(want)).also(g, g.first, "the graph")
	}
	g.behindOutput(i, in.Op())
}

func (g *graphs) graphOutput(i int, in spirv.Inst) {
	v := inst.GraphSetOutputARM(in)
	want := g.slot(i, in.Op(), vuid.StandaloneSpirv_OpGraphSetOutputARM_09932, true, v.OutputIndex(), v.ElementIndex())
	if t := g.m.TypeOf(v.Value()); t != nil && want != nil && t != want {
		g.fail(i, "SPV-Graph-Value", "the output is %s; must be %s, the type in the graph type", g.typeName(t), g.typeName(want)).also(g, g.first, "the graph")
	}
	if g.puts++; g.puts > 1 {
		g.betweenOutputs(i)
	}
	g.put = i
}

// betweenOutputs checks the instructions from the last output to the one at end, an
// output or the end of the graph; inputs have a check of their own.
func (g *graphs) betweenOutputs(end int) {
	for i := g.put + 1; i < end; i++ {
		in := g.code.Inst(i)
		switch op := in.Op(); op {
		case spirv.OpGraphInputARM, spirv.OpLine, spirv.OpNoLine:
			continue
		case spirv.OpExtInst:
			if g.m.ExtSet(inst.ExtInst(in).Set()).NonSemantic() {
				continue
			}
		}
		g.fail(i, "SPV-Graph-Place", "%s after the first output of the graph; must be before it", in.Op())
	}
}

// behindOutput checks that an input comes before the outputs.
func (g *graphs) behindOutput(i int, op spirv.Op) {
	if g.open && g.puts > 0 {
		g.fail(i, "SPV-Graph-Place", "%s after the first output of the graph; must be before it", op)
	}
}

func (g *graphs) graphEnd(i int, _ spirv.Inst) {
	if g.open && g.puts == 0 {
		g.fail(i, "SPV-Graph-Place", "the graph ends without an output; must set one").also(g, g.first, "the graph")
	}
	if g.puts > 0 {
		g.betweenOutputs(i)
	}
	g.open, g.typ = false, nil
}

// graphDebug checks the set NonSemantic.Graph.DebugInfo.
func (g *graphs) graphDebug(i int, in spirv.Inst) {
	kind := func(id spirv.ID, what string, ok func(spirv.Inst) bool) {
		if d := g.code.DefInst(id); d != nil && !ok(d) {
			g.fail(i, "SPV-Graph-Debug", "%s is %s, the result of %s; must be another", what, g.name(id), d.Op())
		}
	}
	text := func(d spirv.Inst) bool { return d.Op() == spirv.OpString }
	switch spirv.NonSemanticGraphDebugInfoOp(inst.ExtInst(in).Instruction()) {
	case spirv.NonSemanticGraphDebugInfoDebugGraph:
		v := inst.NonSemanticGraphDebugInfoDebugGraph(in)
		kind(v.Graph(), "the graph", func(d spirv.Inst) bool { return d.Op() == spirv.OpGraphARM })
		kind(v.Name(), "the name", text)
	case spirv.NonSemanticGraphDebugInfoDebugOperation:
		v := inst.NonSemanticGraphDebugInfoDebugOperation(in)
		kind(v.Graph(), "the graph", func(d spirv.Inst) bool {
			return d.Op() == spirv.OpExtInst && g.m.ExtSet(inst.ExtInst(d).Set()) == spirv.ExtSetNonSemanticGraphDebugInfo &&
				spirv.NonSemanticGraphDebugInfoOp(inst.ExtInst(d).Instruction()) == spirv.NonSemanticGraphDebugInfoDebugGraph
		})
		kind(v.Name(), "the name", text)
		for _, id := range v.Instructions() {
			kind(id, "a part of the operation", func(spirv.Inst) bool { return g.within(v.Graph(), g.code.Def(id)) })
		}
	case spirv.NonSemanticGraphDebugInfoDebugTensor:
		v := inst.NonSemanticGraphDebugInfoDebugTensor(in)
		kind(v.Name(), "the name", text)
		kind(v.Tensor(), "the tensor", func(spirv.Inst) bool {
			t := g.m.TypeOf(v.Tensor())
			if t == nil || t.Op == spirv.OpTypeTensorARM {
				return t != nil && len(v.Element()) == 0
			}
			return len(v.Element()) > 0 && ofTensors(t)
		})
		for _, id := range v.Element() {
			kind(id, "the index", func(d spirv.Inst) bool {
				t := g.m.TypeOf(id)
				return d.Op() == spirv.OpConstant && isWord(t) && !t.Signed
			})
		}
	}
}

// within reports whether instruction d is in the graph that a DebugGraph describes. Unknown graphs have every instruction.
func (g *graphs) within(described spirv.ID, d int) bool {
	in := g.code.DefInst(described)
	if in == nil || in.Op() != spirv.OpExtInst || len(in) < 6 {
		return true
	}
	first := g.code.Def(spirv.ID(in[5]))
	if first < 0 || g.code.OpAt(first) != spirv.OpGraphARM {
		return true
	}
	end, ok := g.ends[first]
	if !ok {
		for end = first; end < g.code.Len() && g.code.OpAt(end) != spirv.OpGraphEndARM; end++ {
		}
		if g.ends == nil {
			g.ends = map[int]int{}
		}
		g.ends[first] = end
	}
	return d >= first && d < end
}

// ofTensors reports whether a type is a composite of tensors.
func ofTensors(t *facts.Type) bool {
	if t.IsArray() {
		return t.Elem != nil && t.Elem.Op == spirv.OpTypeTensorARM
	}
	for n := range t.Members {
		if m := t.Members[n].Type; m == nil || m.Op != spirv.OpTypeTensorARM {
			return false
		}
	}
	return t.IsStruct()
}
