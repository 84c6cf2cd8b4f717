package valid

import (
	"context"
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/scratch"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Options are the options of Check beside the environment. The zero value is the
// default.
type Options struct {
	// MaxFindings is the maximum number of findings in a report; 0 means 10,000.
	// It bounds the memory that a hostile module can occupy.
	MaxFindings int

	// Limits are the universal limits (SPIR-V §2.17).
	Limits Limits

	// Asked, if not nil, is called with each feature that a rule finds the module
	// to need beyond the features of its capabilities, and with the rule's code.
	Asked func(code, feature string)

	// Named, if not nil, returns the name of an id in messages, "%name"; if it
	// returns "", the name is the OpName, else the number. Check calls it only for
	// ids in findings, from its own goroutine.
	Named func(spirv.ID) string
}

// defaultFindings is the default of MaxFindings.
const defaultFindings = 10_000

// Check validates a module for an environment. It returns an error only if ctx
// ends first. It may be called from several goroutines at once, also for the
// same module. Time and memory are proportional to the module's size.
//
//	before  every family's setup
//	walk    one pass over the instructions: module layout, capabilities,
//	        operands, then the checks of the opcode
//	after   every family's checks of the module as a whole
//	report  findings sorted by position
func Check(ctx context.Context, m *facts.Module, env *Env, o Options) (*Report, error) {
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultFindings
	}
	o.Limits.fill()
	c := checkers.Get().(*checker)
	defer c.release()
	c.subject = newSubject(m, env, o)
	c.prepare()
	for _, j := range before {
		j(c)
	}
	if err := c.walk(ctx); err != nil {
		return nil, err
	}
	for _, j := range after {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j(c)
	}
	return c.report(), nil
}

// checkers are idle checkers without a module, whose memory the next check reuses.
var checkers = sync.Pool{New: func() any { return new(checker) }}

// memory is the memory of a checker that the report does not refer to.
type memory struct {
	numbers  scratch.Slab[int32]
	flags    scratch.Slab[bool]
	bytes    scratch.Slab[uint8]
	words    scratch.Slab[uint16]
	contents scratch.Slab[content]
	search   flowSearch
	rows     []uint64
	sorted   []facts.Decoration
	noted    []builtInNote
	text     []byte
}

// maxRetained is the number of elements of a list that the next check reuses.
const maxRetained = 1 << 9

// emptied returns the list without elements, with its memory zeroed, or without memory if that is large.
func emptied[T any](list []T) []T {
	if cap(list) > maxRetained {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}

// release makes the checker idle.
func (c *checker) release() {
	c.memory.numbers.Reset()
	c.memory.flags.Reset()
	c.memory.bytes.Reset()
	c.memory.words.Reset()
	c.memory.contents.Reset()
	c.memory.search.forget()
	c.memory.sorted, c.memory.noted, c.memory.text = emptied(c.sortedDecorations), emptied(c.builtIn.noted), emptied(c.text)
	*c = checker{memory: c.memory}
	checkers.Put(c)
}

// checker is the check of one module: its subject, the position of the walk, and
// the state of the families.
type checker struct {
	subject
	callGraph
	position

	memory memory
	lists  lists
	params int // number of parameters of fn seen

	cases             []switchCase       // scratch: cases of an OpSwitch
	idPositions       []int              // scratch: word positions of an instruction's ids
	sortedDecorations []facts.Decoration // scratch: the decorations of a target
	text              []byte             // scratch: a literal string
	carriers          map[carrier]bool   // payloads and callable data by their locations; nil until first used
	forward           map[spirv.ID]int   // OpTypeForwardPointer of each pointer; nil until first used
	marks             []int32            // scratch for checks, by instruction: the last mark set on it
	marked            int32              // the last mark allocated by mark
	layout            layoutState
	caps              capabilityState
	types             typeState
	builtIn           builtIns
	pointers          pointerState

	descriptor descriptorState
	rowMajors  []int // access chains into a row-major matrix
	flow       *flow // see values; nil until first used
	quads      []int // instructions with operands that are uniform for a quad

	views  []typing.View // scratch: types of an instruction's operands, as the typing table reads them
	viewed []*facts.Type // these types

	selfUse int // 1 + the last instruction that uses its own result before its definition

	shader interfaceState

	graph       graphs
	cooperative cooperatives
	debugInfo   debugInfo
	scopes      scopes

	image       images
	handleWidth uint32 // width of image and sampler handles, in bits; 0 until declared
	handleSeen  bool   // whether a width was declared, right or wrong

	rawChains []int       // instructions OpRawAccessChainNV
	tileMode  *facts.Mode // NonCoherentColorAttachmentReadEXT of an entry point, with Index −1 if none has it; nil until first used

	grouped int        // decorations checked through groups
	rounded []rounding // values decorated FPRoundingMode
}

// position is the position of the walk. Its methods check by the models of the
// entry points that call the function.
type position struct {
	*callGraph
	fn      *facts.Function // the function, nil outside
	block   *facts.Block    // the block, nil outside
	blockOf []int32         // by instruction, up to the walk: OpLabel of its block + 1; 0 outside of blocks
	labelAt int32           // OpLabel of block + 1; 0 outside
}

// lists is the initial memory of a checker's scratch lists; most instructions
// fit.
type lists struct {
	idPositions [16]int
	views       [8]typing.View
	viewed      [8]*facts.Type
}

// prepare initializes the checker: the tables by instruction, and the models that
// call each function.
func (c *checker) prepare() {
	n := c.code.Len()
	c.blockOf, c.marks, c.pointers.origin = c.memory.numbers.Alloc(n), c.memory.numbers.Alloc(n), c.memory.numbers.Alloc(n)
	c.idPositions, c.views, c.viewed = c.lists.idPositions[:0], c.lists.views[:0], c.lists.viewed[:0]
	c.sortedDecorations, c.builtIn.noted, c.text = c.memory.sorted, c.memory.noted, c.memory.text
	c.memory.rows = append(c.memory.rows[:0], freeRows...)
	c.caps.fine = c.memory.rows
	c.layout.open, c.layout.block, c.layout.merge = -1, -1, -1
	c.callGraph.subject, c.graph.subject, c.debugInfo.subject = &c.subject, &c.subject, &c.subject
	c.position.callGraph, c.builtIn.callGraph = &c.callGraph, &c.callGraph
	c.image.position, c.scopes.position = &c.position, &c.position
	c.cooperative = cooperatives{subject: &c.subject, accesses: c.accesses}
	c.callers()
}

// mark returns a mark for marks that no other judge uses. The checks of an
// instruction i use 2·i+1 and 2·i+2, which are positive; these are negative.
func (c *checker) mark() int32 {
	c.marked--
	return c.marked - int32(c.code.Len())
}

// patience is the number of instructions between two tests whether the context
// has ended.
const patience = 1 << 12

// walk checks each instruction in order.
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
			c.checkLayout(i, o, in)
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
	c.layoutEnd()
	return nil
}

// enter updates fn and block before instruction i is checked.
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

// leave updates them after an instruction that ends a function or a block.
func (c *checker) leave(op spirv.Op) {
	if op == spirv.OpFunctionEnd {
		c.fn = nil
	}
	c.block, c.labelAt = nil, 0
}
