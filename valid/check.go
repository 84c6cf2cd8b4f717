package valid

import (
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Options are the choices of Check beside the environment. The zero value is
// what a user expects.
type Options struct {
	// MaxFindings is how many findings are kept; 0 is 10,000. A report never
	// has more, so that a hostile module cannot fill the memory.
	MaxFindings int

	// Limits are the universal limits (SPIR-V §2.17).
	Limits Limits

	// Asked, where it is not nil, is called with each feature that a rule finds
	// the module to need beyond what its capabilities say, and the rule's code.
	Asked func(code, feature string)

	// Named, where it is not nil, says what a message calls an id, "%name"; ""
	// leaves it at what OpName says, else its number. Check asks it for what
	// stands in findings alone, from its own goroutine.
	Named func(spirv.ID) string
}

// defaultFindings is MaxFindings where it is 0.
const defaultFindings = 10_000

// Check judges a module in an environment. It returns an error only where ctx
// ends before it does. It may be called from several goroutines at once, also
// for the same module. Time and memory grow in proportion to the module.
func Check(ctx context.Context, m *facts.Module, env *Env, o Options) (*Report, error) {
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultFindings
	}
	o.Limits.fill()
	c := &checker{m: m, code: m.Code, env: env, opts: o}
	c.prepare()
	for _, f := range families {
		for _, j := range f.before {
			j(c)
		}
	}
	if err := c.walk(ctx); err != nil {
		return nil, err
	}
	for _, f := range families {
		for _, j := range f.after {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			j(c)
		}
	}
	return c.report(), nil
}

// checker is a module that is being judged.
type checker struct {
	m    *facts.Module
	code *spirv.Module
	env  *Env
	opts Options

	vulkan  bool          // whether env is Vulkan's
	version spirv.Version // of the module

	room scratch

	// Where the walk is.
	fn     *facts.Function // the function, nil outside
	block  *facts.Block    // the block, nil outside
	params int             // of fn, judged so far

	literals []uint64         // scratch: those of an OpSwitch
	places   []int            // scratch: the words of an instruction that are ids
	forward  map[spirv.ID]int // OpTypeForwardPointer of each pointer; nil before it is asked for
	blockOf  []int32          // of each instruction, as far as the walk came: the OpLabel of its block + 1; 0 outside of blocks
	labelAt  int32            // the OpLabel of block + 1; 0 outside
	marks    []int32          // scratch for judges, of each instruction: the last one that marked it
	marked   int32            // the last mark that a judge of the whole module took
	layout   layoutState
	caps     capabilityState
	types    typeState
	builtIn  builtInState
	content  contentState
	pointers pointerState

	descriptor descriptorState
	rowMajors  []int // access chains that lead into a row-major matrix
	flow       *flow // see values; nil before it is asked for

	views   []typing.View         // scratch: what an instruction's operands show of their types
	viewed  []*facts.Type         // those types
	models  []modelSet            // of each function: by which models it is called
	entries [][]*facts.EntryPoint // of each function: those that call it; nil before callersOf

	globalsOf [][]*facts.Variable // of each function; see globals
	steps     int
	selfUse   int // 1 + the last instruction that uses its own result before it is there

	shader   interfaceState
	entryOf  [][]int32            // entry points of each function; nil before they are asked for
	entryOdd map[spirv.ID][]int32 // those of what is no function

	graph graphState

	handleWidth   uint32 // of addresses of images and samplers, in bits; 0 before the module says it
	sampledImages []int  // instructions OpSampledImage so far

	grouped int                  // decorations judged by way of groups
	texts   map[spirv.ID][]int32 // lengths of the lines of each DebugSource, as far as they were asked for
	rounded []rounding           // values decorated FPRoundingMode

	found     []*Finding
	count     int // findings so far, the omitted ones included
	omitted   int
	unchecked map[string]int
}

// scratch is what the scratch lists of a checker begin with. Most instructions
// fit in.
type scratch struct {
	places [16]int
	views  [8]typing.View
	viewed [8]*facts.Type
}

func (c *checker) prepare() {
	c.vulkan = c.env.API == Vulkan
	c.version = c.code.Version
	tables := make([]int32, 3*c.code.Len())
	c.blockOf, tables = tables[:c.code.Len():c.code.Len()], tables[c.code.Len():]
	c.marks, c.pointers.origin = tables[:c.code.Len():c.code.Len()], tables[c.code.Len():]
	c.places, c.views, c.viewed = c.room.places[:0], c.room.views[:0], c.room.viewed[:0]
	c.caps.fine = slices.Clone(freeRows)
	c.layout.open, c.layout.block, c.layout.merge = -1, -1, -1
	c.callers()
}

// mark returns a mark for marks that no other judge uses: the judges of an
// instruction take such as begin at its number, which are above 0, and these are
// below.
func (c *checker) mark() int32 {
	c.marked--
	return c.marked - int32(c.code.Len())
}

// patience is how many instructions the walk takes before it asks whether the
// context has ended.
const patience = 1 << 12

// walk judges each instruction in order.
func (c *checker) walk(ctx context.Context) error {
	for i := range c.code.Len() {
		if i%patience == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if !c.code.Known(i) {
			continue
		}
		in := c.code.Inst(i)
		op := in.Op()
		o := opcodes[op]
		c.enter(i, op, in)
		if o.plain && c.layout.block >= 0 && c.layout.merge < 0 {
			c.layout.phis, c.layout.vars = false, false
		} else {
			c.place(i, o, in)
		}
		if c.caps.fine[o.number/64]>>(o.number%64)&1 == 0 {
			c.usable(i, o)
		}
		c.operands(i, o, in)
		if c.selfUse != i+1 {
			for _, j := range dispatch[op] {
				j(c, i, in)
			}
		}
		if o.ends {
			c.leave(op)
		}
	}
	c.placeEnd()
	return nil
}

// enter keeps fn and block up to date before instruction i is judged.
func (c *checker) enter(i int, op spirv.Op, in spirv.Inst) {
	switch op {
	case spirv.OpFunction:
		if f := c.m.Function(in.Result()); f != nil {
			c.fn, c.block, c.labelAt, c.params = f, nil, 0, 0
		}
	case spirv.OpLabel:
		if c.block = c.m.Block(in.Result()); c.block != nil {
			c.labelAt = int32(i) + 1
		} else {
			c.labelAt = 0
		}
	}
	c.blockOf[i] = c.labelAt
}

// leave does so behind an instruction that ends a function or a block.
func (c *checker) leave(op spirv.Op) {
	if op == spirv.OpFunctionEnd {
		c.fn = nil
	}
	c.block, c.labelAt = nil, 0
}
