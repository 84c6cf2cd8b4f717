package profile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Profile has the counts of stages. Its JSON form has the counts of each instruction.
type Profile struct {
	Stages     []*Stage     `json:"stages"`
	Dispatches []Dispatches `json:"dispatches,omitempty"` // with the counts of invocations

	Pictures []Picture `json:"-"` // for the page
}

// Picture is an image that draws shaded, beside the instructions at each of its pixels.
type Picture struct {
	Width, Height int
	Draws         int
	Total, Most   uint64 // instructions of all pixels, and of the pixel with most
	Image, Heat   []byte // PNG
}

// Stage has the counts of one entry point.
type Stage struct {
	Entry        string      `json:"entryPoint"`
	Model        string      `json:"model"`
	SubgroupSize uint32      `json:"subgroupSize"`
	Functions    []*Function `json:"functions"` // each caller before its callees
}

// Function has the counts of a function.
type Function struct {
	Name string `json:"name"`
	Place
	Calls  uint64  `json:"calls"` // by invocations
	Blocks []Block `json:"blocks"`

	callers []caller
}

// caller is an instruction that calls a function.
type caller struct {
	function *Function
	at       Place
	index    int
}

// Block has the counts of a basic block.
type Block struct {
	Label        uint32        `json:"label"` // its id
	Instructions []Instruction `json:"instructions"`
	Branches     []Branch      `json:"branches,omitempty"` // the out-edges, if there are several
}

// Branch has the invocations that branched to a block.
type Branch struct {
	To    uint32 `json:"to"` // the id of its label
	Taken uint64 `json:"taken"`
}

// Instruction has the counts of an instruction.
type Instruction struct {
	Index int    `json:"instruction"` // in the module, from 0
	Op    string `json:"op"`
	Place
	Count
}

// Count has counts; see the document of the package.
type Count struct {
	Executed  uint64 `json:"executed"`
	Subgroups uint64 `json:"subgroups"`
	Divergent uint64 `json:"divergent,omitempty"`
	Read      uint64 `json:"bytesRead,omitempty"`
	Written   uint64 `json:"bytesWritten,omitempty"`
}

// add adds another count.
func (c *Count) add(o Count) {
	c.Executed += o.Executed
	c.Subgroups += o.Subgroups
	c.Divergent += o.Divergent
	c.Read += o.Read
	c.Written += o.Written
}

// Place is a line of a source; the zero Place is none.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// New returns the counts of an entry point. subgroup is the size of a subgroup, place returns the places of instructions.
func New(m *facts.Module, entry *facts.EntryPoint, subgroup uint32, counters []uint64, place func(instruction int) Place) *Stage {
	r := reader{facts: m, layout: lower.NewCounters(m, entry), words: counters, place: place}
	s := &Stage{Entry: entry.Name, Model: entry.Model.String(), SubgroupSize: subgroup}
	of := map[*facts.Function]*Function{}
	entered := map[*facts.Function]Count{} // by the calls of the functions before
	for _, f := range m.CallTree(entry) {
		if of[f] == nil {
			of[f] = &Function{}
		}
		out := of[f]
		r.entered = entered[f]
		r.function(f, out)
		out.Name, _, _ = strings.Cut(m.Name(f.ID), "(") // compilers append the types of the parameters
		if f == entry.Func {
			out.Name = cmp.Or(out.Name, entry.Name)
		}
		out.Name = cmp.Or(out.Name, fmt.Sprintf("%%%d", f.ID))
		for _, b := range out.Blocks {
			for _, in := range b.Instructions {
				call := m.Code.Inst(in.Index)
				if call.Op() != spirv.OpFunctionCall {
					continue
				}
				callee := m.Function(inst.FunctionCall(call).Function())
				if callee == nil {
					continue
				}
				if of[callee] == nil {
					of[callee] = &Function{}
				}
				n := entered[callee]
				n.Executed += in.Executed
				n.Subgroups += in.Subgroups
				entered[callee] = n
				of[callee].callers = append(of[callee].callers, caller{out, in.Place, in.Index})
			}
		}
		s.Functions = append(s.Functions, out)
	}
	return s
}

// reader reads the counters of an entry point.
type reader struct {
	facts  *facts.Module
	layout *lower.Counters
	words  []uint64
	place  func(instruction int) Place

	entered Count                  // of the first block of a function that is called
	ends    map[*facts.Block]Count // of the terminators of the function's blocks
}

// word returns a counter; 0 if it does not exist.
func (r *reader) word(n int) uint64 {
	if n < len(r.words) {
		return r.words[n]
	}
	return 0
}

// label returns the counts of a block's label.
func (r *reader) label(b *facts.Block) Count {
	if at, ok := r.layout.At(b.Index); ok {
		return Count{Executed: r.word(at), Subgroups: r.word(at + 1)}
	}
	o, ok := r.layout.Origin(b)
	switch {
	case !ok:
		return r.entered
	case o.Edge < 0:
		return r.ends[o.Block]
	}
	return r.edge(o.Block, o.Edge)
}

// edge returns the counts of an out-edge of a block with two successors.
func (r *reader) edge(b *facts.Block, k int) Count {
	at, _ := r.layout.At(b.Term)
	divergent, lanes, all := r.word(at), r.word(at+1), r.word(at+2)
	if k == lower.Counted(b) {
		return Count{Executed: lanes, Subgroups: all + divergent}
	}
	end := r.ends[b]
	return Count{Executed: end.Executed - min(end.Executed, lanes), Subgroups: end.Subgroups - min(end.Subgroups, all)}
}

// function reads the counts of a function.
func (r *reader) function(f *facts.Function, out *Function) {
	out.Blocks = []Block{}
	r.ends = map[*facts.Block]Count{}
	for i := range f.Blocks {
		b := r.block(&f.Blocks[i])
		if i == 0 {
			out.Calls = r.label(&f.Blocks[0]).Executed
		}
		out.Blocks = append(out.Blocks, b)
	}
	out.Place = r.place(f.Index)
	for _, b := range out.Blocks { // some compilers state the lines of bodies alone
		for _, in := range b.Instructions {
			if out.Line > 0 {
				return
			}
			out.Place = in.Place
		}
	}
}

// block reads the counts of a block.
func (r *reader) block(b *facts.Block) Block {
	out := Block{Label: uint32(b.ID), Instructions: []Instruction{}}
	if b.Term < 0 {
		return out
	}
	now := r.label(b)
	for i := b.Index + 1; i <= b.Term; i++ {
		in := r.facts.Code.Inst(i)
		op := in.Op()
		if executes(r.facts, in) {
			c := now
			read, written := bytesOf(r.facts, in)
			c.Read, c.Written = read*c.Executed, written*c.Executed
			out.Instructions = append(out.Instructions, Instruction{i, op.String(), r.place(i), c})
		}
		if at, ok := r.layout.At(i); ok && i < b.Term {
			now = Count{Executed: r.word(at), Subgroups: r.word(at + 1)}
		}
	}
	r.ends[b] = now
	at, ok := r.layout.At(b.Term)
	if !ok {
		return out
	}
	if n := len(out.Instructions); n > 0 {
		out.Instructions[n-1].Divergent = r.word(at)
	}
	if len(b.Succs) == 2 {
		for k, to := range b.Succs {
			out.Branches = append(out.Branches, Branch{uint32(to.ID), r.edge(b, k).Executed})
		}
		return out
	}
	first := now.Executed
	for k, to := range b.Succs {
		x := Branch{To: uint32(to.ID)}
		if k > 0 {
			x.Taken = r.word(at + k)
			first -= min(first, x.Taken)
		}
		out.Branches = append(out.Branches, x)
	}
	out.Branches[0].Taken = first
	return out
}

// executes reports whether an instruction of a block does something when control reaches it.
func executes(m *facts.Module, in spirv.Inst) bool {
	switch in.Op() {
	case spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpLabel, spirv.OpVariable, spirv.OpUntypedVariableKHR,
		spirv.OpSelectionMerge, spirv.OpLoopMerge, spirv.OpUndef:
		return false
	case spirv.OpExtInst:
		set := m.ExtSet(inst.ExtInst(in).Set())
		return set != spirv.ExtSetNonSemanticShaderDebugInfo
	}
	return true
}
