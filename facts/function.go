package facts

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Function is an OpFunction with its body.
type Function struct {
	ID     spirv.ID
	Number int   // in Module.Functions
	Index  int   // OpFunction
	End    int   // behind OpFunctionEnd, or behind the last instruction where that is missing
	Type   *Type // OpTypeFunction
	Return *Type // its result type
	Params []Param

	// Blocks are in order of the module; the first is the entry block. There
	// is none in a declaration without a body.
	Blocks []Block

	Calls     []*Function // the functions it calls, each once, in order of the first call
	Globals   []*Variable // the variables of module scope that it names itself, each once, in order
	Recursive bool        // whether it can come to call itself

	// Constructs are the structured constructs, each after its parent.
	Constructs []Construct
}

// Param is one parameter of a function.
type Param struct {
	ID    spirv.ID
	Index int
	Type  *Type
}

// Entry returns the entry block, nil where there is none.
func (f *Function) Entry() *Block {
	if len(f.Blocks) == 0 {
		return nil
	}
	return &f.Blocks[0]
}

// Block is a block of a function. The End of a block without a terminator is
// the next label or the end of the function.
type Block struct {
	ID     spirv.ID
	Func   *Function
	Number int // in Func.Blocks
	Index  int // OpLabel
	End    int // behind the terminator
	Term   int // the terminator; −1 where it is missing
	Merge  int // OpSelectionMerge or OpLoopMerge; −1 where there is none

	Succs []*Block // where the terminator leads, each once, in order
	Preds []*Block // the blocks that lead here, each once, in order of the module

	MergeBlock *Block // of a header; nil where there is none
	Continue   *Block // of a loop header: the continue target; nil where there is none

	Reachable bool // from the entry block, by branches alone

	// Construct is the innermost construct that contains the block, nil where
	// none does. A header is in the construct that it begins.
	Construct *Construct

	dom, structural, post node
}

// IsLoopHeader reports whether the block has an OpLoopMerge.
func (b *Block) IsLoopHeader() bool { return b.Continue != nil }

// IsTerminator reports whether an instruction ends a block (SPIR-V §2.2.4).
func IsTerminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue,
		spirv.OpKill, spirv.OpUnreachable, spirv.OpTerminateInvocation, spirv.OpIgnoreIntersectionKHR,
		spirv.OpTerminateRayKHR, spirv.OpEmitMeshTasksEXT, spirv.OpAbortKHR:
		return true
	}
	return false
}

// functions states the functions, their control flow and their calls.
func (g *gatherer) functions() {
	w := walker{g: g, seen: make([]int32, len(g.Variables)), called: make([]int32, len(g.Functions))}
	for i, f := range g.fact {
		if f.kind() == funcFact {
			w.function(&g.Functions[f>>factBits], i)
		}
	}
	for i := range g.Functions {
		g.flow(&g.Functions[i])
	}
	g.recursion()
}

// walker goes through the instructions of functions.
type walker struct {
	g      *gatherer
	f      *Function
	number int32   // of f, from 1
	seen   []int32 // number of the last function that named each variable
	called []int32 // number of the last function that called each function
	block  int     // of the next label
	open   *Block
	places []int // scratch
}

// function fills in a function and its blocks.
func (w *walker) function(f *Function, i int) {
	g := w.g
	v := inst.Function(g.Code.Inst(i))
	w.f, w.open = f, nil
	w.number++
	*f = Function{ID: v.Result(), Number: int(g.fact[i] >> factBits), Index: i, Return: g.Type(v.Type()), Type: g.Type(v.FunctionType())}
	first := w.block
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
	f.Blocks = g.blocks[first:w.block:w.block]
}

// instruction takes in one instruction of a function and reports whether it is
// the last.
func (w *walker) instruction(i int, in spirv.Inst) bool {
	g, op := w.g, in.Op()
	switch {
	case !g.Code.Known(i):
		return false
	case op == spirv.OpFunctionEnd:
		w.close(i)
		return true
	case op == spirv.OpLabel && g.fact[i].kind() == blockFact:
		w.close(i)
		w.label(i, in.Result())
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
	default:
		w.uses(i, op, in)
		return false
	}
	if op == spirv.OpBranchConditional || op == spirv.OpSwitch || op == spirv.OpReturnValue {
		w.uses(i, op, in)
	}
	return false
}

func (w *walker) label(i int, id spirv.ID) {
	b := &w.g.blocks[w.block] // survey has counted the same labels
	*b = Block{ID: id, Func: w.f, Index: i, Term: -1, Merge: -1}
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

// uses takes note of the functions and variables that an instruction names.
func (w *walker) uses(i int, op spirv.Op, in spirv.Inst) {
	g := w.g
	switch op.Class() {
	case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical, spirv.ClassDerivative:
		if op != spirv.OpSelect {
			return
		}
	case spirv.ClassDebug:
		return
	}
	switch op {
	case spirv.OpLoad:
		w.use(inst.Load(in).Pointer())
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		w.use(inst.AccessChain(in).Base())
	case spirv.OpStore:
		w.use(inst.Store(in).Pointer())
		w.use(inst.Store(in).Object())
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		if g.fact[i].kind() == varFact {
			g.Variables[g.fact[i]>>factBits].Func = w.f
		}
		w.walk(i)
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		if !g.ExtSet(inst.ExtInst(in).Set()).NonSemantic() {
			w.walk(i)
		}
	case spirv.OpFunctionCall:
		w.call(inst.FunctionCall(in).Function())
		w.walk(i)
	case spirv.OpCooperativeMatrixPerElementOpEXT:
		w.call(inst.CooperativeMatrixPerElementOpEXT(in).Func())
		w.walk(i)
	case spirv.OpCooperativeMatrixLoadTensorNV:
		for _, word := range inst.CooperativeMatrixLoadTensorNV(in).TensorAddressingOperandsWords() {
			w.call(spirv.ID(word)) // where it is a function
		}
		w.walk(i)
	case spirv.OpCooperativeMatrixReduceEXT:
		w.call(inst.CooperativeMatrixReduceEXT(in).CombineFunc())
		w.walk(i)
	default:
		w.walk(i)
	}
}

// walk takes note of the variables among all operands of an instruction.
func (w *walker) walk(i int) {
	in := w.g.Code.Inst(i)
	w.places = w.g.Code.IDs(i, w.places[:0])
	for _, at := range w.places {
		w.use(spirv.ID(in[at]))
	}
	o, ok := w.g.Code.Tail(i)
	for ok && o.Next() {
		if o.Kind == spirv.KindIdRef {
			w.use(spirv.ID(o.Words[0]))
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
		w.f.Globals = append(w.f.Globals, v)
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
