package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var functionRules = rules{
	spirv.OpFunctionCall: functionCall,
}

// function is the state of one function.
type function struct {
	*unit
	b      *ir.Builder
	fn     *facts.Function
	number int          // in Program.Funcs
	block  *facts.Block // the current block: its instructions or out-edges are being lowered

	constants map[spirv.ID]*facts.Const // the variables that are constant tables
	sums      sums                      // of Options.Profile
	loops     []pathLoop                // of SanitizeUniform
	used      map[spirv.ID]int          // number of uses of each id; nil until it is needed

	unmarked bool // stores do not count as values of a variable

	answers map[spirv.BuiltIn][]ir.V // the built-ins of ray tracing stages that are requests

	exit     ir.V // entry point of a graphics stage: the block after which outputs are written
	returned bool // some block returns

	tree tree
	todo []task
	open []region
	phi  map[*facts.Block][]ir.V // label parameters of blocks that are not lowered yet
}

// function lowers one function, or the variant as of it unless as is nil.
func (u *unit) function(fn *facts.Function, number int, as *variant) *ir.Func {
	u.at = fn.Index
	if fn.Recursive {
		u.malformed("the function is recursive")
	}
	if len(fn.Blocks) == 0 {
		u.unsupported("a function without a body")
	}
	f := &function{unit: u, fn: fn, number: number, phi: map[*facts.Block][]ir.V{}}
	f.begin(as)
	f.constants = f.constantTables()
	if f.options.Profile {
		f.openSums()
	}
	f.tree = u.newTree(fn)
	f.blocks()
	f.closeExit()
	out := f.b.Finish()
	u.values += len(out.Vals)
	return out
}

// name returns the function's name for messages and the IR: its OpName, the entry
// point's name, or its id.
func (f *function) name() string {
	switch name := f.facts.Name(f.fn.ID); {
	case name != "":
		return name
	case f.fn == f.entry.Func:
		return f.entry.Name
	}
	return fmt.Sprintf("%%%d", f.fn.ID)
}

// begin opens the function: its arguments, and the module-scope variables it uses.
func (f *function) begin(as *variant) {
	params := make([]*facts.Type, len(f.fn.Params))
	var args []ir.Type
	for i, p := range f.fn.Params {
		params[i] = p.Type
		if i == 0 && as != nil {
			params[i] = as.from
		}
		if !f.inMemory(params[i]) {
			args = append(args, f.flat(params[i])...)
		}
	}
	var results []ir.Type
	if !f.inMemory(f.fn.Return) {
		results = f.flat(f.fn.Return)
	}
	if f.number == 0 && len(args)+len(results) > 0 {
		f.malformed("an entry point with arguments or a result")
	}
	f.b = ir.NewFunc(f.name(), args, results)
	f.b.Origin = int32(f.at + 1)
	rest := f.b.Func.Args
	for i, p := range f.fn.Params {
		if f.inMemory(params[i]) {
			f.put(p.ID, value{typ: p.Type, ptr: f.passedIn(f.number, i, p.Type), fixed: true})
			continue
		}
		n := len(f.flat(params[i]))
		v := value{typ: p.Type, parts: rest[:n:n]}
		if p.Type.IsPointer() {
			v.ptr = f.pointerFrom(params[i], v.parts)
			v.ptr.flags |= f.variableFlags(p.ID)
		}
		if i == 0 && as != nil {
			v.parts, v.ptr.class, v.ptr.natural = nil, p.Type.Storage, false // an address; decorations lay out a block
		}
		f.put(p.ID, v)
		rest = rest[n:]
	}
	if f.number == 0 && f.prog.Observed { // a debugger shows the inputs at the first instruction
		at := f.b.Origin
		f.b.Origin = 0
		f.copyInputs()
		f.b.Origin = at
	}
	f.variables()
	if f.number == 0 {
		if f.ofMeshNV() {
			f.beginMeshNV()
		}
		f.privates()
		if !f.prog.Observed {
			f.copyInputs()
		}
		f.openExit()
		f.tracePrimitive()
	}
}

// instructions lowers the instructions of a block, without its phis, its merge
// instruction and its terminator.
func (f *function) instructions(b *facts.Block) {
	if b.Term < 0 {
		f.at = b.Index
		f.malformed("the block has no terminator")
	}
	if f.options.Profile {
		f.countPart(b.Index)
	}
	for i := b.Index + 1; i < b.Term; i++ {
		if i == b.Merge {
			continue
		}
		in := f.facts.Code.Inst(i)
		op := in.Op()
		f.at, f.b.Origin = i, int32(i+1)
		switch op {
		case spirv.OpPhi:
			continue
		case spirv.OpVariable:
			f.local(in)
			continue
		}
		f.instruction(op, in)
		if f.options.Profile && splits(op) {
			f.countPart(i)
		}
		f.checkSize()
	}
	f.at, f.b.Origin = b.Term, int32(b.Term+1)
}

// stopInterval is the number of instructions for each call of Options.Stop.
const stopInterval = 1 << 8

// checkSize ends lowering if the program exceeds Options.MaxValues, or at Options.Stop.
func (f *function) checkSize() {
	if f.polls++; f.options.Stop != nil && f.polls%stopInterval == 0 {
		if err := f.options.Stop(); err != nil {
			panic(fault{err})
		}
	}
	if len(f.b.Func.Vals)+f.values > f.options.MaxValues {
		f.tooLarge("a program of more than %d values", f.options.MaxValues)
	}
}

// instruction lowers one instruction.
func (f *function) instruction(op spirv.Op, in spirv.Inst) {
	if f.options.Sanitize != 0 {
		f.sanitize(op, in)
		return
	}
	f.lower(op, in)
}

// lower lowers an instruction without checks.
func (f *function) lower(op spirv.Op, in spirv.Inst) {
	switch rule, row := ruleOf[op], f.row(op); {
	case rule != nil:
		rule(f, in)
	case row != nil:
		f.componentwise(in, *row)
	case ignored(op):
	default:
		f.unsupported("")
	}
}

func functionCall(f *function, in spirv.Inst) {
	v := inst.FunctionCall(in)
	defer f.enterCall()()
	callee, n := f.callee(v.Function(), len(v.Arguments()))
	var flat []ir.V
	for i, id := range v.Arguments() {
		if t := callee.Params[i].Type; f.inMemory(t) {
			if f.typeOf(id) != t {
				f.malformed("argument %d has another type than the parameter; must have the same", i+1)
			}
			if !f.forwards(callee, passing{n, i}, id) {
				f.assign(f.passTo(n, i, t), id)
			}
			continue
		}
		parts := f.scalars(id)
		f.checkType(callee.Params[i].Type, parts)
		flat = append(flat, parts...)
	}
	if !f.inMemory(callee.Return) {
		results := f.b.Call(n, f.flat(callee.Return), flat...)
		f.unwind(callee)
		f.define(in, results...)
		return
	}
	if f.facts.Type(in.Type()) != callee.Return {
		f.malformed("the result has another type than the function returns; must have the same")
	}
	result := f.passedIn(n, -1, callee.Return)
	f.b.Call(n, nil, flat...)
	f.unwind(callee)
	switch { // the next call overwrites the result
	case f.stays(in.Result(), ofResult):
		f.put(in.Result(), value{typ: callee.Return, ptr: result, block: f.block})
	case !f.loadCopy(in, result):
		f.define(in, f.load(result)...)
	}
}

// callee returns a function of the module, and its number, for a call with so many arguments.
func (f *function) callee(id spirv.ID, args int) (*facts.Function, int) {
	callee := f.facts.Function(id)
	n, ok := f.numbers[callee]
	if callee == nil || !ok || n == 0 {
		f.malformed("the callee is not a function with a body")
	}
	if args != len(callee.Params) {
		f.malformed("the call has %d arguments; must have %d", args, len(callee.Params))
	}
	return callee, n
}

// call appends a call of a function of the module with the scalars of each argument,
// and returns the scalars of the result.
func (f *function) call(id spirv.ID, args ...[]ir.V) []ir.V {
	callee, n := f.callee(id, len(args))
	var flat []ir.V
	for i, parts := range args {
		t := callee.Params[i].Type
		f.checkType(t, parts)
		if f.inMemory(t) {
			f.store(f.passTo(n, i, t), parts)
			continue
		}
		flat = append(flat, parts...)
	}
	if f.inMemory(callee.Return) {
		f.unsupported("of a function that returns %d scalars", callee.Return.Leaves)
	}
	results := f.b.Call(n, f.flat(callee.Return), flat...)
	f.unwind(callee)
	return results
}

// emit appends an operation that Builder.Op cannot express.
func (f *function) emit(v ir.Val) ir.V { return f.b.Emit(v) }
