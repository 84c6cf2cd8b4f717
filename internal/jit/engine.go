package jit

import (
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// name is the engine's name in messages.
const name = "jit"

// errClosed is the error of a run of a closed program.
var errClosed = errors.New("jit: the program was closed")

// maxSlots bounds the private memory of a lane in addition to the limits, so that 32-bit offsets
// reach all private memory of a subgroup. For a subgroup of 128 lanes this is 1 GiB: 2²¹ slots · 4
// bytes · 128 lanes. Displacements of x86 addresses are signed.
const maxSlots = 2 << 20

// Engine compiles programs to machine code. It runs compute programs.
type Engine struct {
	Level amd64.Level // level of the code; the zero value is the best one of the processor
	Cache *Cache      // code cache; nil for none

	disabled amd64.Feature // for tests: features that are not used
}

// Name returns "jit".
func (Engine) Name() string { return name }

// Compile verifies p and compiles it, or finds its code in the cache. It returns an
// *exec.UnsupportedError for recursion, stages other than compute, and unsupported operations; and
// another error if the processor lacks the level or the system provides no memory for code. The
// order of the checks is an order of costs: a hit in the cache skips Verify, because an equal
// program passed it when its code was compiled.
func (e Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	level, err := amd64.Choose(e.Level)
	if err != nil {
		return nil, err
	}
	if err := exec.CheckRunnable(name, p); err != nil {
		return nil, err
	}
	// The limits are not part of the key. They do not change the code, and install tests them for
	// code from the cache too.
	out := &program{source: p, level: level, extras: amd64.Features() &^ e.disabled, limits: o.Limits, cache: e.Cache}
	if out.cache != nil {
		out.hash = hashOf(p)
		if v := out.cache.get(out.cacheKey(false), p); v != nil {
			return out.install(v)
		}
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if err := o.Stopped(); err != nil {
		return nil, err
	}
	if err := o.Limits.Check(p, 0); err != nil {
		return nil, err
	}
	if n := uint64(p.PrivateSlots()); n > maxSlots {
		return nil, &exec.LimitError{Quantity: "slots of private memory", Value: n, Max: maxSlots}
	}
	if _, err := supported(p, level); err != nil {
		return nil, err
	}
	v, err := out.compile(false, o.Stop)
	if err != nil {
		return nil, err
	}
	return out.install(v)
}

// program is a compiled program, in up to two variants.
type program struct {
	source *ir.Program
	level  amd64.Level
	extras amd64.Feature
	limits exec.Limits
	cache  *Cache            // or nil
	hash   [sha256.Size]byte // of source, if there is a cache
	exits  atomic.Uint64

	// For each resource the one atomic operation that accesses it, a candidate for private
	// accumulation (tally.go).
	tallies []ir.Op // amd64.PrivatizableAtomics

	forcePolling     bool // for tests: poll even if the runtime needs no polling
	forceNonTemporal bool // for tests: all stores are nontemporal

	layout amd64.HandleLayout

	// mu guards the two variants. exact is compiled with mu held, so that jobs which need it at the
	// same time share one compilation.
	mu    sync.Mutex
	main  *variant // for most jobs: the widest strips that pay
	exact *variant // each strip is a subgroup; compiled on demand

	workers  exec.FreeList[worker]
	prepared exec.FreeList[prepared]
}

// maxMergedCode is the largest number of operations of a program that is compiled for merged strips:
// values of longer ones do not stay in registers.
const maxMergedCode = 4000

// maxMergedLists is the largest length of all operand lists of such a program, and of one that is compiled
// as one strip per workgroup. Each argument of a branch becomes a copy for each part, so that lists may
// outweigh the operations.
const maxMergedLists = 8 * maxMergedCode

// Largest shares of vector operands in memory (spills) for merged strips: of two vectors, of more, and
// of more than wideLanes lanes. Wider strips gain less from merging; the widest ones wait for memory
// anyway.
const (
	maxSpilled         = 0.15
	maxSpilledWide     = 0.08
	maxSpilledVeryWide = 0.12

	wideLanes = 64
)

// cacheKey returns the key of the program's code in the cache.
func (p *program) cacheKey(exact bool) store.Key {
	return p.cache.keyOf(p.hash, p.level, p.extras, exact)
}

// It counts operations of the IR, not of machine code: it must be known before any compilation.
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

// install makes v the program's code; the program then owns its reference. The limits count bytes per
// lane: private memory plus a lane's share of the stack and of the record. After an error the program
// has no code, and the reference is dropped here.
func (p *program) install(v *variant) (exec.Program, error) {
	lanes := uint64(v.code.Record.Lanes)
	if err := p.limits.Check(p.source, uint64(v.code.StackBytes)/lanes+uint64(v.code.Record.Size)/lanes); err != nil {
		v.release()
		return nil, err
	}
	p.main, p.tallies, p.layout = v, amd64.PrivatizableAtomics(p.source), amd64.HandleLayoutOf(p.source)
	return p, nil
}

// compile compiles the program, for the widest strips that pay unless it must be exact, and adds the
// code to the cache. It polls stop, if not nil, and returns its error. It tries the forms of code
// from the fastest to the most general:
//
//	form            one stream runs              conditions
//	part-major      a strip, part after part     short, no service
//	merged          several subgroups            no barrier or group operation, few spills
//	phases          all subgroups, by phase      uniform barriers, no service
//	exact           one subgroup                 none
func (p *program) compile(exact bool, stop func() error) (_ *variant, err error) {
	order, err := callOrder(p.source)
	if err != nil {
		return nil, err
	}
	form := p.level.Form()
	// The arena has all vcode of this compilation. Nothing of it survives: amd64.Code has copies of
	// everything that a variant needs.
	form.Arena = vcode.AcquireArena()
	defer form.Arena.Release()
	form.Arena.StopWith(stop)
	defer catchStop(&err)
	var v *variant
	merges := !exact && listLength(p.source) <= maxMergedLists
	if merges && codeLength(p.source) <= maxMergedCode {
		if v, err = p.compileMerged(form, order); err != nil {
			return nil, err
		}
	}
	if v == nil && merges {
		if v, err = p.compilePhases(form); err != nil {
			return nil, err
		}
	}
	if v == nil {
		code, ok := p.newBuilder(p.source, vectorize.Program(p.source, form, order)...).Code()
		if !ok {
			// The program is rejected, not run on a larger stack: each worker has such a stack for
			// every subgroup of a workgroup.
			return nil, &exec.LimitError{Quantity: "bytes of stack of a subgroup", Value: amd64.MaxStack + 1, Max: amd64.MaxStack}
		}
		if v, err = newVariant(p.source, code); err != nil {
			return nil, err
		}
	}
	if p.cache != nil {
		p.cache.put(p.cacheKey(exact), v)
	}
	return v, nil
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
func (p *program) newBuilder(strip *ir.Program, funcs ...*vcode.Func) *amd64.Builder {
	d := amd64.NewBuilder(strip, p.level, p.extras)
	d.Add(funcs...)
	return d
}

// compileMerged compiles the widest strips with few spills. It returns nil if none is wider than a
// subgroup. The width is a matter of registers: a value of a strip of n lanes needs n/16 (AVX2: n/8)
// of them. So it compiles the entry point first, counts its spilled operands, and halves the strip
// until they are few. Callees are compiled for the final width alone.
func (p *program) compileMerged(form vcode.Form, order []int) (*variant, error) {
	merge := vectorize.MergeOf(p.source, form)
	if v, err := p.compilePartMajor(form, merge); v != nil || err != nil {
		return v, err
	}
	for lanes := merge.Widest; lanes > p.source.SubgroupSize; lanes /= 2 {
		// Later passes regard the strip as a subgroup. No result depends on this, because MergeOf
		// rejects programs with group operations and programs that read the subgroup built-ins.
		strip := *p.source
		strip.SubgroupSize = lanes
		first, rest := vectorize.Entry(&strip, form, order)
		d := p.newBuilder(&strip, first)
		limit := float32(maxSpilled)
		switch {
		case lanes > wideLanes:
			limit = maxSpilledVeryWide
		case form.Parts(lanes) > 2:
			limit = maxSpilledWide
		}
		// A strip of one part is not rejected: half of it would leave lanes unused.
		if spilled, ok := d.Spilled(); !ok || spilled > limit && form.Parts(lanes) > 1 {
			continue
		}
		d.Add(rest()...)
		code, ok := d.Code()
		if !ok {
			continue
		}
		v, err := newVariant(&strip, code)
		if err == nil {
			v.written = merge.Written
		}
		return v, err
	}
	return nil, nil
}

// compilePartMajor compiles in part-major order. It returns nil if that is impossible. Part-major
// code finishes one vector of lanes before it begins the next, so that it reads memory in long runs.
// It suits short programs that copy or combine buffers.
func (p *program) compilePartMajor(form vcode.Form, merge vectorize.Merge) (*variant, error) {
	if merge.PartMajor == 0 {
		return nil, nil
	}
	strip := *p.source
	strip.SubgroupSize = merge.PartMajor
	funcs := vectorize.PartMajor(&strip, form)
	if funcs == nil {
		return nil, nil
	}
	code, ok := p.newBuilder(&strip, funcs...).Code() // services do not know part-major order
	if !ok || code.CallsServices() {                  // Go does not know of turns
		return nil, nil
	}
	v, err := newVariant(&strip, code)
	if err == nil {
		v.written = merge.Written
	}
	return v, err
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
func (p *program) compilePhases(form vcode.Form) (*variant, error) {
	// Group operations are permitted: vectorize.Workgroup emits the instructions of each subgroup by
	// itself, and only the strip consists of all of them.
	if !p.source.Effects.Barrier && p.source.SharedBytes == 0 || codeLength(p.source)*int(p.source.Subgroups()) > maxPhasedCode {
		return nil, nil
	}
	f, written, ok := vectorize.Workgroup(p.source, form)
	if !ok {
		return nil, nil
	}
	strip := *p.source
	strip.SubgroupSize *= p.source.Subgroups()
	code, ok := p.newBuilder(&strip, f).Code()
	if !ok || code.CallsServices() {
		return nil, nil
	}
	v, err := newVariant(&strip, code)
	if err == nil {
		v.written = written
	}
	return v, err
}

// selectVariant returns the code for a job, with a reference for the caller: merged strips if the
// resources that the program writes share no byte with other bound resources. Vulkan permits several
// descriptors with the same memory. Then a store through one of them can change a later load of
// another subgroup through the other, and the order of subgroups, which the interpreter defines,
// becomes visible.
func (p *program) selectVariant(job *exec.Job, h *handles) (*variant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.main
	if v == nil {
		return nil, errClosed
	}
	if len(v.written) > 0 && h.aliases(job, v.written) {
		var err error
		if v, err = p.exactVariant(); err != nil {
			return nil, err
		}
	}
	// The reference is acquired under the lock, because Close could otherwise release the last one
	// in between.
	v.retain()
	return v, nil
}

// exactVariant returns the code with one subgroup per strip.
func (p *program) exactVariant() (*variant, error) {
	if p.exact == nil && p.cache != nil {
		p.exact = p.cache.get(p.cacheKey(true), p.source)
	}
	if p.exact == nil {
		// There is no stop function here: the caller's context belongs to one job, but the code to
		// all later jobs.
		v, err := p.compile(true, nil)
		if err != nil {
			return nil, err
		}
		p.exact = v
	}
	return p.exact, nil
}

// Exits returns the number of exits to Go so far for operations without machine code.
func (p *program) Exits() uint64 { return p.exits.Load() }

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.source }

// Level returns the level of the program's code.
func (p *program) Level() amd64.Level { return p.level }

// Code returns the machine code of most jobs; it is position independent. It is nil after Close.
func (p *program) Code() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return nil
	}
	return p.main.code.Bytes
}

// Lines returns the disassembled machine code of most jobs, and the names of its functions.
func (p *program) Lines() (lines []amd64.Line, funcs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return nil, nil
	}
	return p.main.code.Lines(), p.main.code.Funcs
}

// Close releases the code. It is freed when no run and no cache refers to it.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range []*variant{p.main, p.exact} {
		if v != nil {
			v.release()
		}
	}
	p.main, p.exact = nil, nil
	return nil
}

// Listing returns the vcode of p for a strip, for tests and diagnostics. It is for AVX-512 on every
// machine.
func Listing(p *ir.Program) (string, error) {
	order, err := supported(p, amd64.AVX512)
	if err != nil {
		return "", err
	}
	text := ""
	for _, f := range vectorize.Program(p, amd64.AVX512.Form(), order) {
		text += f.String()
	}
	return text, nil
}
