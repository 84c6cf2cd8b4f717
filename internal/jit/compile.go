package jit

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// maxMergedCode is the largest number of operations of a program that is compiled for merged strips:
// values of longer ones do not stay in registers. It does not limit programs whose strips are one vector because of
// their switches.
const maxMergedCode = 4000

// maxMergedLists is the largest length of all operand lists of such a program, and of one that is compiled
// as one strip per workgroup. Each argument of a branch becomes a copy for each part, so that lists may
// outweigh the operations.
const maxMergedLists = 8 * maxMergedCode

// Largest shares of vector operands in memory (spills) for merged strips: of two vectors, of more, of more if
// their loops wait for square roots or divisions, and of more than wideLanes lanes. Wider strips gain less from
// merging, unless the machine is idle while it waits for a vector; the widest ones wait for memory anyway.
//
// With few vectors most loops spill, even with one vector for each value. More vectors then hide more latency at the same
// price, up to the share at which the spills of two take longer than the waits of one.
const (
	maxSpilled         = 0.15
	maxSpilledWide     = 0.08
	maxSpilledWaiting  = 0.5
	maxSpilledVeryWide = 0.12

	maxSpilledFew     = 0.12 // of two vectors, on a machine with fewVectors
	maxSpilledFewFour = 0.15 // of three or four

	wideLanes  = 64
	fewVectors = 16
)

// spillLimit returns the largest share of vector operands in memory for a merged strip of so many lanes.
func spillLimit(form vcode.Form, lanes uint32, waits bool) float32 {
	few := form.Vectors < fewVectors
	switch {
	case lanes > wideLanes:
		return maxSpilledVeryWide
	case form.Parts(lanes) > 2 && waits:
		return maxSpilledWaiting
	case form.Parts(lanes) > 2 && form.Parts(lanes) <= 4 && few:
		return maxSpilledFewFour
	case form.Parts(lanes) > 2:
		return maxSpilledWide
	case few:
		return maxSpilledFew
	}
	return maxSpilled
}

// codeLength returns the number of operations of the IR, not of machine code: it must be known before any
// compilation.
func codeLength(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Code)
	}
	return n
}

// listLength returns the length of all operand lists.
func listLength(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Extra)
	}
	return n
}

// compiled is the code of a program for one strip width.
type compiled struct {
	source  *ir.Program // with the strip as the subgroup
	code    *target.Code
	written []int // of the merge that made the strip; vectorize.Merge.Written
}

// compile makes the program's code executable, and adds it to the cache.
func (p *program) compile(exact bool, stop func() error) (*variant, error) {
	c, err := p.generate(exact, stop)
	if err != nil {
		return nil, err
	}
	v, err := newVariant(c)
	if err == nil && p.cache != nil {
		p.cache.put(p.cacheKey(exact), v)
	}
	return v, err
}

// generate compiles the program, for the widest strips that pay unless it must be exact. It polls stop, if
// not nil, and returns its error. It tries the forms of code from the fastest to the most general:
//
//	form            one stream runs              conditions
//	part-major      a strip, part after part     short, no service
//	merged          several subgroups            no barrier or group operation, few spills
//	phases          all subgroups, by phase      uniform barriers, no service
//	exact           one subgroup                 none
func (p *program) generate(exact bool, stop func() error) (c *compiled, err error) {
	order, err := callOrder(p.source)
	if err != nil {
		return nil, err
	}
	form := p.back.Form(p.level)
	// The arena has all vcode of this compilation. Nothing of it survives: target.Code has copies of
	// everything that it needs.
	form.Arena = vcode.AcquireArena()
	defer form.Arena.Release()
	form.Arena.StopWith(stop)
	defer catchStop(&err)
	merges := !exact && listLength(p.source) <= maxMergedLists
	if merges && (codeLength(p.source) <= maxMergedCode || vectorize.ManyCases(p.source, form)) {
		c = p.compileMerged(form, order)
	}
	if c == nil && merges {
		c = p.compilePhases(form)
	}
	if c == nil {
		code, ok := p.newBuilder(p.source, vectorize.Program(p.source, form, order)...).Code()
		if !ok {
			// The program is rejected, not run on a larger stack: each worker has such a stack for
			// every subgroup of a workgroup.
			return nil, &exec.LimitError{Quantity: "bytes of stack of a subgroup", Value: target.MaxStack + 1, Max: target.MaxStack}
		}
		c = &compiled{source: p.source, code: code}
	}
	return c, nil
}

// catchStop makes the panic of a stopped compilation an error. The passes of the compiler have no
// error results. A panic ends them from any depth, and the arena's deferred release runs.
func catchStop(err *error) {
	switch x := recover().(type) {
	case nil:
	case *vcode.Stopped:
		*err = x.Err
	default:
		panic(x)
	}
}

// newBuilder returns a builder for vectorized functions of a program.
func (p *program) newBuilder(strip *ir.Program, funcs ...*vcode.Func) target.Builder {
	d := p.back.NewBuilder(strip, p.level, p.extras)
	d.Add(funcs...)
	return d
}

// compileMerged compiles the widest strips with few spills. It returns nil if strips must be
// subgroups. The width is a matter of registers: a value of a strip of n lanes needs n/16 (AVX2: n/8)
// of them. So it compiles the entry point first, counts its spilled operands, and halves the strip
// until they are few. Callees are compiled for the final width alone.
func (p *program) compileMerged(form vcode.Form, order []int) *compiled {
	merge := vectorize.MergeOf(p.counted, form)
	if p.merges {
		merge.PartMajor = merge.LongMajor
	}
	if codeLength(p.source) > maxMergedCode && merge.Widest > uint32(form.Lanes) {
		return nil
	}
	if c := p.compilePartMajor(form, merge); c != nil {
		return c
	}
	for lanes := merge.Widest; lanes >= merge.Narrowest; lanes /= 2 {
		if lanes%merge.Multiple != 0 {
			continue
		}
		// Later passes regard the strip as a subgroup. No result depends on this, because MergeOf
		// rejects programs with group operations and programs that read the subgroup built-ins.
		strip := *vectorize.ExpandCounts(p.counted, lanes)
		first, rest := vectorize.Entry(&strip, form, order)
		d := p.newBuilder(&strip, first)
		if form.Parts(lanes) == 1 { // the last width: no count rejects it
			d.Add(rest()...)
			rest = nil
		}
		// A wider strip pays only if its values have registers to spare. The last one that hides latency is
		// given up only if they do not fit anyhow. A strip of one part is not rejected: half of it would
		// leave lanes unused.
		spilled, least, ok := d.Spilled()
		if lanes <= p.source.SubgroupSize {
			spilled = least
		}
		// Twice the least share counts as well: other registers than the usual ones are often free in loops, where it matters.
		if !ok || min(spilled, 2*least) > spillLimit(form, lanes, merge.Waits) && form.Parts(lanes) > 1 {
			continue
		}
		if rest != nil {
			d.Add(rest()...)
		}
		code, ok := d.Code()
		if !ok {
			continue
		}
		c := &compiled{source: &strip, code: code}
		if lanes != p.source.SubgroupSize {
			c.written = merge.Written
		}
		return c
	}
	return nil
}

// compilePartMajor compiles in part-major order. It returns nil if that is impossible. Part-major
// code finishes one vector of lanes before it begins the next, so that it reads memory in long runs.
// It suits short programs that copy or combine buffers.
func (p *program) compilePartMajor(form vcode.Form, merge vectorize.Merge) *compiled {
	if merge.PartMajor == 0 {
		return nil
	}
	strip := *p.source
	strip.SubgroupSize = merge.PartMajor
	funcs := vectorize.PartMajor(&strip, form)
	if funcs == nil {
		return nil
	}
	code, ok := p.newBuilder(&strip, funcs...).Code() // services do not know part-major order
	if !ok || code.CallsServices() {                  // Go does not know of turns
		return nil
	}
	return &compiled{source: &strip, code: code, written: merge.Written}
}

// maxPhasedCode is the largest number of operations, times subgroups, of a workgroup that is
// compiled as one strip. The code of each phase exists once per subgroup, so that this product is
// its length.
const maxPhasedCode = 8000

// compilePhases compiles all subgroups of a workgroup as one strip. It returns nil if there is no
// barrier and no workgroup memory, or if that is impossible. Without barriers and workgroup memory
// the subgroups are independent, and this form saves nothing. Otherwise it saves the stack switches
// at barriers, and values live across a barrier in registers. lavapipe and SwiftShader suspend a
// coroutine at each barrier instead.
func (p *program) compilePhases(form vcode.Form) *compiled {
	// Group operations are permitted: vectorize.Workgroup emits the instructions of each subgroup by
	// itself, and only the strip consists of all of them.
	if !p.source.Effects.Barrier && p.source.SharedBytes == 0 || codeLength(p.source)*int(p.source.Subgroups()) > maxPhasedCode {
		return nil
	}
	funcs, written, rows := vectorize.Workgroup(p.source, form)
	if funcs == nil {
		return nil
	}
	strip := *p.source
	strip.SubgroupSize *= p.source.Subgroups()
	if rows > 0 {
		strip.Vars = append(slices.Clip(strip.Vars), ir.Var{Name: "contexts", Slots: rows})
	}
	code, ok := p.newBuilder(&strip, funcs...).Code()
	if !ok || code.CallsServices() {
		return nil
	}
	return &compiled{source: &strip, code: code, written: written}
}
