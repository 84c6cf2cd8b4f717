package link

import (
	"cmp"
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Node is VkPipelineShaderStageNodeCreateInfoAMDX: the name and index of a shader in an
// execution graph.
type Node struct {
	Name  string `yaml:"name"`  // "" for the name of the entry point
	Index uint32 `yaml:"index"` // in the array of nodes of that name
}

// graphRules are the rules of execution graphs (Vulkan, Execution Graphs).
var graphRules = []Rule{
	{vuid.VkCreateExecutionGraphPipelinesAMDX_shaderEnqueue_09124, "an execution graph needs the feature shaderEnqueue"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_11363, "an execution graph has a layout"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_stage_09128, "the stages of an execution graph are compute stages"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_shaderMeshEnqueue_10182, "an execution graph includes graphics pipelines only with the feature shaderMeshEnqueue"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11271, "the libraries of an execution graph for descriptor heaps are for them too"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11272, "the libraries of an execution graph that is not for descriptor heaps are not for them either"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09134, "no two nodes have the same name and index"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09135, "nodes of the same name have input payloads of the same size"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09136, "nodes of the same name have the same execution model"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_PayloadNodeNameAMDX_09139, "a payload for a node has the size that the node declares"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_10184, "each index of an array of nodes that is not sparse has its node"},
}

// maxNodes bounds how many nodes and payloads of a graph are held against each
// other.
const maxNodes = 4096

// node is a shader of an execution graph.
type node struct {
	s     *Shader
	name  string
	index uint32
	size  uint64 // of its input payload, 0 if it has none
	at    int    // the instruction that declares size
	gives []payload
}

// payload is a payload that a node sends to other nodes.
type payload struct {
	to     string
	size   uint64 // bytes
	at     int    // the instruction that allocates it
	sparse bool
	count  uint32 // of the array of nodes, or 0 if it is not declared
}

// graph checks an execution graph.
func (l *linker) graph() {
	l.off(vuid.VkCreateExecutionGraphPipelinesAMDX_shaderEnqueue_09124, "shaderEnqueue", []Side{{Stage: "pipeline"}}, "there is an execution graph")
	var nodes []*node
	for _, s := range l.stages {
		if k := StageOf(s.Entry.Model); k != compute {
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_stage_09128, []Side{entrySide(s)}, "there is a %s stage in an execution graph; must be a compute stage", stageOrder[k].name)
		}
		nodes = append(nodes, nodeOf(s))
	}
	for i, b := range l.d.Libraries {
		kind := newLinker(b).kind()
		side := []Side{{Stage: "library", Name: cmp.Or(b.Name, fmt.Sprint(i)), Decorations: b.Flags.String(), path: fmt.Sprintf("libraries[%d]", i)}, {Stage: "pipeline", Decorations: l.d.Flags.String()}}
		switch mine, its := l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0, b.Flags&enum.PipelineFlagsDescriptorHeap != 0; {
		case mine && !its:
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11271, side, "the graph is for descriptor heaps and a library is not; must be")
		case its && !mine:
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11272, side, "a library is for descriptor heaps and the graph is not; must not be")
		}
		if kind == Graphics {
			l.off(vuid.VkExecutionGraphPipelineCreateInfoAMDX_shaderMeshEnqueue_10182, "shaderMeshEnqueue", side[:1], "the graph includes a graphics pipeline")
		}
		for _, g := range b.givers(0) { // a library may have taken in others
			for _, s := range newLinker(g).stages {
				if s.Node != nil || StageOf(s.Entry.Model) == compute || StageOf(s.Entry.Model) == mesh {
					nodes = append(nodes, nodeOf(s))
				}
			}
		}
	}
	if len(nodes) <= maxNodes {
		l.nodes(nodes)
		l.handed(nodes)
	}
}

// nodes checks nodes of one name against the first of them.
func (l *linker) nodes(list []*node) {
	type inputSlot struct {
		name  string
		index uint32
	}
	first, at := map[string]*node{}, map[inputSlot]*node{}
	for _, n := range list {
		if o := at[inputSlot{n.name, n.index}]; o != nil {
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09134, []Side{n.side(-1), o.side(-1)}, "two nodes are %s with the index %d; must be one", n.name, n.index)
		}
		at[inputSlot{n.name, n.index}] = n
		o := first[n.name]
		if o == nil {
			first[n.name] = n
			continue
		}
		if n.s.Entry.Model != o.s.Entry.Model {
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09136, []Side{n.side(-1), o.side(-1)}, "of the nodes %s one is %s and one %s; must be alike", n.name, n.s.Entry.Model, o.s.Entry.Model)
		}
		if n.size != 0 && o.size != 0 && n.size != o.size {
			l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_09135, []Side{n.side(n.at), o.side(o.at)}, "of the nodes %s one has an input payload of %d bytes and one of %d; must be the same", n.name, n.size, o.size)
		}
	}
}

// handed checks the payloads that nodes hand to others.
func (l *linker) handed(list []*node) {
	named := map[string][]*node{}
	for _, n := range list {
		named[n.name] = append(named[n.name], n)
	}
	for _, n := range list {
		for _, p := range n.gives {
			to := named[p.to]
			if len(to) > 0 && to[0].size != 0 && to[0].size != p.size {
				l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_PayloadNodeNameAMDX_09139, []Side{n.side(p.at), to[0].side(to[0].at)}, "a payload of %d bytes goes to the node %s, which expects %d; must be the same", p.size, p.to, to[0].size)
			}
			if p.sparse || p.count == 0 || l.d.Flags&enum.PipelineFlagsLibrary != 0 {
				continue
			}
			have := map[uint32]bool{}
			for _, o := range to {
				if o.index < p.count {
					have[o.index] = true
				}
			}
			if len(have) < int(p.count) {
				l.fail(vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_10184, []Side{n.side(p.at)}, "a payload goes to %d nodes %s and the graph has %d of them; must have all, or the payload be PayloadNodeSparseArrayAMDX", p.count, p.to, len(have))
			}
		}
	}
}

// side describes a node; at is an instruction, −1 for the whole of it.
func (n *node) side(at int) Side {
	side := n.s.at(at)
	side.Name, side.Slot = n.name, fmt.Sprintf("index %d", n.index)
	return side
}

// nodeOf returns the node of a stage in a graph. If the description has no name, the node
// has the name of the entry point and the index from the module.
func nodeOf(s *Shader) *node {
	n := &node{s: s, name: s.Entry.Name}
	if m, ok := oneOf(s, spirv.ExecutionModeShaderIndexAMDX); ok && len(m.Operands) > 0 {
		n.index = m.Operands[0]
	}
	if s.Node != nil {
		n.name, n.index = cmp.Or(s.Node.Name, n.name), s.Node.Index
	}
	if m := s.facts(); m != nil {
		n.payloads(m)
	}
	return n
}

// payloads reads the input and output payloads of a node.
func (n *node) payloads(m *facts.Module) {
	p := entryPoint(m, n.s.Entry)
	if p == nil {
		return
	}
	for _, id := range p.Interface {
		if v := m.Variable(id); v != nil && v.Storage == spirv.StorageClassNodePayloadAMDX {
			n.size, n.at = payloadSize(m, v.Type), v.Index
		}
	}
	for i, in := range instructions(m, n.s.Entry) {
		if len(n.gives) >= maxNodes {
			return
		}
		if in.Op() == spirv.OpAllocateNodePayloadsAMDX {
			n.give(m, inst.AllocateNodePayloadsAMDX(in), i)
		}
	}
}

// give adds an allocated payload if its type names the receiving nodes.
func (n *node) give(m *facts.Module, in inst.AllocateNodePayloadsAMDX, at int) {
	t := m.Type(in.Type())
	if !t.IsPointer() || t.Elem == nil {
		return
	}
	t = t.Elem
	d, ok := m.Decoration(t.ID, spirv.DecorationPayloadNodeNameAMDX)
	if !ok || len(d.Operands) == 0 {
		return
	}
	p := payload{size: payloadSize(m, t), at: at, sparse: m.Has(t.ID, spirv.DecorationPayloadNodeSparseArrayAMDX)}
	k := m.Code.Def(spirv.ID(d.Operands[0]))
	if k < 0 {
		return
	}
	switch c := m.Code.Inst(k); c.Op() {
	case spirv.OpConstantStringAMDX:
		p.to = inst.ConstantStringAMDX(c).LiteralString()
	case spirv.OpSpecConstantStringAMDX:
		p.to = inst.SpecConstantStringAMDX(c).LiteralString()
	default:
		return
	}
	if d, ok := m.Decoration(t.ID, spirv.DecorationPayloadNodeArraySizeAMDX); ok && len(d.Operands) > 0 {
		if c := m.Const(spirv.ID(d.Operands[0])); c != nil && c.Known {
			p.count = uint32(min(c.Bits, 1<<31))
		}
	}
	n.gives = append(n.gives, p)
}

// payloadSize returns the size in bytes of one element of an array of payloads, or 0 if it
// is not known.
func payloadSize(m *facts.Module, t *facts.Type) uint64 {
	if t == nil || t.Op != spirv.OpTypeNodePayloadArrayAMDX {
		return 0
	}
	s := m.Type(inst.TypeNodePayloadArrayAMDX(m.Code.Inst(t.Index)).PayloadType())
	return s.Size(0, false)
}
