package facts

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Function is an OpFunction with its body.
type Function struct {
	ID     spirv.ID
	Number int   // index in Module.Functions
	Index  int   // its OpFunction
	End    int   // index after OpFunctionEnd, or after the last instruction if that is missing
	Type   *Type // its OpTypeFunction
	Return *Type // its result type
	Params []Param

	// Blocks are in order of the module; the first is the entry block. A
	// declaration without a body has none.
	Blocks []Block

	Calls     []*Function // its callees, each once, in order of the first call
	Globals   []*Variable // variables of module scope that its instructions name, each once, in order
	Recursive bool        // on a cycle of the call graph

	// Constructs are the structured constructs, each after its parent.
	Constructs []Construct
}

// Param is one parameter of a function.
type Param struct {
	ID    spirv.ID
	Index int
	Type  *Type
}

// Entry returns the entry block; nil if there is none.
func (f *Function) Entry() *Block {
	if len(f.Blocks) == 0 {
		return nil
	}
	return &f.Blocks[0]
}

// Block is a block of a function. The End of a block without a terminator is the
// next label or the end of the function.
type Block struct {
	ID     spirv.ID
	Func   *Function
	Number int // index in Func.Blocks
	Index  int // its OpLabel
	End    int // index after the terminator
	Term   int // the terminator; −1 if it is missing
	Merge  int // OpSelectionMerge or OpLoopMerge; −1 if there is none

	Succs []*Block // targets of the terminator, each once, in order
	Preds []*Block // blocks with an edge to this one, each once, in order of the module

	MergeBlock *Block // of a header; nil if there is none
	Continue   *Block // of a loop header: the continue target; nil if there is none

	Reachable bool // from the entry block, along branches alone

	// Construct is the innermost construct that contains the block; nil if none
	// does. A header is in the construct that it begins.
	Construct *Construct

	dom, structural, post node
}

// IsLoopHeader reports whether the block has an OpLoopMerge with an existing
// continue target.
func (b *Block) IsLoopHeader() bool { return b.Continue != nil }

// IsTerminator reports whether an instruction terminates a block (SPIR-V §2.2.4).
func IsTerminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue,
		spirv.OpKill, spirv.OpUnreachable, spirv.OpTerminateInvocation, spirv.OpIgnoreIntersectionKHR,
		spirv.OpTerminateRayKHR, spirv.OpEmitMeshTasksEXT, spirv.OpAbortKHR:
		return true
	}
	return false
}

// functions fills in the functions, their control flow and their calls.
func (g *gatherer) functions() {
	w := walker{g: g, seen: g.numbers.Alloc(len(g.Variables)), called: g.numbers.Alloc(len(g.Functions))}
	for i, f := range g.fact {
		if f.kind() == funcFact {
			w.function(&g.Functions[f>>factBits], i)
		}
	}
	g.numbers.Reset()
	for i := range g.Functions {
		g.flow(&g.Functions[i])
	}
	g.recursion()
}

// walker visits the instructions of functions.
type walker struct {
	g      *gatherer
	f      *Function
	number int32   // number of f, from 1
	seen   []int32 // number of the last function that named each variable
	called []int32 // number of the last function that called each function
	block  int     // index of the next label's block
	open   *Block
}

// function fills in a function and its blocks.
func (w *walker) function(f *Function, i int) {
	g := w.g
	v := inst.Function(g.Code.Inst(i))
	w.f, w.open = f, nil
	w.number++
	f.ID, f.Number, f.Index, f.Return, f.Type = v.Result(), int(g.fact[i]>>factBits), i, g.Type(v.Type()), g.Type(v.FunctionType())
	first, used := w.block, len(g.uses)
	n := i + 1
	for ; n < g.Code.Len(); n++ {
		if g.fact[n].kind() == funcFact {
			break
		}
		if w.instruction(n, g.Code.Inst(n)) {
			n++
			break
		}
	}
	w.close(n)
	f.End = n
	f.Blocks, f.Globals = g.blocks[first:w.block:w.block], g.uses[used:len(g.uses):len(g.uses)]
}

// instruction processes one instruction of a function and reports whether it is
// the last.
func (w *walker) instruction(i int, in spirv.Inst) bool {
	g, op := w.g, in.Op()
	if !g.Code.Known(i) {
		return false
	}
	switch useOps[op] {
	case usesNone:
	case usesBase:
		w.use(spirv.ID(in[3]))
	case usesStore:
		w.use(inst.Store(in).Pointer())
		w.use(inst.Store(in).Object())
	case usesWords:
		w.words(i, in)
	case usesMore:
		w.uses(i, op, in)
	case isFrame:
		return w.frame(i, op, in)
	}
	return false
}

// frame processes an instruction that delimits functions and blocks.
func (w *walker) frame(i int, op spirv.Op, in spirv.Inst) bool {
	g := w.g
	switch {
	case op == spirv.OpFunctionEnd:
		w.close(i)
		return true
	case op == spirv.OpLabel:
		if g.fact[i].kind() == blockFact {
			w.close(i)
			w.label(i, in.Result())
		}
	case op == spirv.OpFunctionParameter:
		w.f.Params = append(w.f.Params, Param{in.Result(), i, g.Type(in.Type())})
	case op == spirv.OpSelectionMerge, op == spirv.OpLoopMerge:
		if w.open != nil && w.open.Merge < 0 {
			w.open.Merge = i
		}
	case IsTerminator(op):
		if w.open != nil {
			w.open.Term = i
			w.close(i + 1)
		}
		switch op {
		case spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturnValue, spirv.OpEmitMeshTasksEXT, spirv.OpAbortKHR:
			w.words(i, in)
		}
	}
	return false
}

func (w *walker) label(i int, id spirv.ID) {
	b := &w.g.blocks[w.block] // survey has counted the same labels
	b.ID, b.Func, b.Index, b.Term, b.Merge = id, w.f, i, -1, -1
	w.block++
	w.open = b
}

// close ends the open block before instruction i.
func (w *walker) close(i int) {
	if w.open != nil {
		w.open.End = i
		w.open = nil
	}
}

// The operands of an instruction that may be variables or functions.
const (
	usesNone  uint8 = iota // none
	usesBase               // the first operand is a pointer (loads, access chains)
	usesStore              // OpStore: pointer and object
	usesWords              // any id operand may be a variable
	usesMore               // walker.uses handles the opcode
	isFrame                // the instruction delimits functions or blocks
)

// useOps maps each opcode to one of these classes.
var useOps = func() []uint8 {
	rows := spirv.Ops()
	t := make([]uint8, rows[len(rows)-1].Value()+1)
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		t[op] = useOf(op)
	}
	return t
}()

func useOf(op spirv.Op) uint8 {
	switch op {
	case spirv.OpFunctionEnd, spirv.OpLabel, spirv.OpFunctionParameter, spirv.OpSelectionMerge, spirv.OpLoopMerge:
		return isFrame
	case spirv.OpLoad, spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		return usesBase
	case spirv.OpStore:
		return usesStore
	case spirv.OpSelect:
		return usesWords
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR, spirv.OpFunctionCall,
		spirv.OpCooperativeMatrixPerElementOpEXT, spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpCooperativeMatrixReduceEXT:
		return usesMore
	}
	if IsTerminator(op) {
		return isFrame
	}
	switch op.Class() {
	case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical, spirv.ClassDerivative, spirv.ClassDebug:
		return usesNone
	}
	return usesWords
}

// uses records the functions and variables that an instruction names.
func (w *walker) uses(i int, op spirv.Op, in spirv.Inst) {
	g := w.g
	switch op {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		if g.fact[i].kind() == varFact {
			g.Variables[g.fact[i]>>factBits].Func = w.f
		}
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		switch set := g.ExtSet(inst.ExtInst(in).Set()); {
		case set == spirv.ExtSetGLSL: // all operands are ids
			for _, id := range in[5:] {
				w.use(spirv.ID(id))
			}
			return
		case set.NonSemantic():
			return
		}
	case spirv.OpFunctionCall:
		w.call(inst.FunctionCall(in).Function())
	case spirv.OpCooperativeMatrixPerElementOpEXT:
		w.call(inst.CooperativeMatrixPerElementOpEXT(in).Func())
	case spirv.OpCooperativeMatrixLoadTensorNV:
		for _, word := range inst.CooperativeMatrixLoadTensorNV(in).TensorAddressingOperandsWords() {
			w.call(spirv.ID(word)) // only some of the operands are functions
		}
	case spirv.OpCooperativeMatrixReduceEXT:
		w.call(inst.CooperativeMatrixReduceEXT(in).CombineFunc())
	}
	w.words(i, in)
}

// layouts holds the positions of the id operands of each opcode.
var layouts = func() []spirv.Layout {
	rows := spirv.Ops()
	t := make([]spirv.Layout, rows[len(rows)-1].Value()+1)
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		t[op] = op.Layout()
	}
	return t
}()

// words records the variables among all operands of an instruction.
func (w *walker) words(i int, in spirv.Inst) {
	l := &layouts[in.Op()]
	for ids := l.IDs; ids != 0; ids &= ids - 1 {
		w.use(spirv.ID(in[1+bits.TrailingZeros32(ids)]))
	}
	switch {
	case len(in) <= l.Fixed:
	case l.Rest:
		for _, id := range in[l.Fixed:] {
			w.use(spirv.ID(id))
		}
	case len(l.Tail) > 0:
		o, ok := w.g.Code.Tail(i)
		for ok && o.Next() {
			if o.Kind == spirv.KindIdRef {
				w.use(spirv.ID(o.Words[0]))
			}
		}
	}
}

func (w *walker) use(id spirv.ID) {
	n := w.g.at(id, varFact)
	if n < 0 || w.seen[n] == w.number {
		return
	}
	w.seen[n] = w.number
	if v := &w.g.Variables[n]; v.Func == nil && v.Storage != spirv.StorageClassFunction {
		g := w.g
		g.uses = append(g.uses, v)
	}
}

func (w *walker) call(id spirv.ID) {
	n := w.g.at(id, funcFact)
	if n < 0 || w.called[n] == w.number {
		return
	}
	w.called[n] = w.number
	w.f.Calls = append(w.f.Calls, &w.g.Functions[n])
}
