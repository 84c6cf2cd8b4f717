package jit

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
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
	Level target.Level // level of the code; the zero value is the best one of the processor
	Cache *Cache       // code cache; nil for none

	disabled target.Feature // for tests: features that are not used
}

// Name returns "jit".
func (Engine) Name() string { return name }

// Lanes returns the number of 32-bit lanes of a vector.
func (p *program) Lanes() int { return p.back.Form(p.level).Lanes }

// Compile verifies p and compiles it, or finds its code in the cache. It returns an
// *exec.UnsupportedError for recursion, stages other than compute, and unsupported operations; and
// another error if the processor lacks the level or the system provides no memory for code. The
// order of the checks is an order of costs: a hit in the cache skips Verify, because an equal
// program passed it when its code was compiled.
func (e Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	level, err := Choose(e.Level)
	if err != nil {
		return nil, err
	}
	if err := exec.CheckRunnable(name, p); err != nil {
		return nil, err
	}
	// The limits are not part of the key. They do not change the code, and install tests them for
	// code from the cache too.
	back := targetOf(level)
	out := &program{original: p, level: level, back: back, extras: back.Features() &^ e.disabled, limits: o.Limits, cache: e.Cache}
	if out.cache != nil {
		out.hash = hashOf(p)
		if v := out.cache.get(out.cacheKey(false), p); v != nil {
			out.deriveForms()
			return out.install(v)
		}
	}
	if err := out.check(o); err != nil {
		return nil, err
	}
	v, err := out.compile(false, o.Stop)
	if err != nil {
		return nil, err
	}
	return out.install(v)
}

// deriveForms makes the other forms of the original program, which must be valid.
func (p *program) deriveForms() {
	p.counted, p.entry = vectorize.TakeEntryCounter(p.original)
	p.counted, p.base = target.WithBase(p.counted)
	p.source = vectorize.ExpandCounts(p.counted, p.counted.SubgroupSize)
}

// check verifies the original program, derives the other forms, and checks that they can be compiled within the limits.
func (p *program) check(o exec.Options) error {
	if err := p.original.Verify(); err != nil {
		return err
	}
	p.deriveForms()
	if err := o.Stopped(); err != nil {
		return err
	}
	if err := o.Limits.Check(p.source, 0); err != nil {
		return err
	}
	if n := uint64(p.source.PrivateSlots()); n > maxSlots {
		return &exec.LimitError{Quantity: "slots of private memory", Value: n, Max: maxSlots}
	}
	_, err := supported(p.source, p.level)
	return err
}

// Assemble returns the machine code of a program for a level, of most jobs, and its disassembly. This
// machine need not run the level.
func Assemble(p *ir.Program, l target.Level) (code *target.Code, lines []target.Line, err error) {
	if l == target.Best {
		if l, err = Choose(l); err != nil {
			return nil, nil, err
		}
	}
	back := targetOf(l)
	x := &program{original: p, level: l, back: back, extras: back.Features()}
	if err := x.check(exec.Options{}); err != nil {
		return nil, nil, err
	}
	c, err := x.generate(false, nil)
	if err != nil {
		return nil, nil, err
	}
	return c.code, c.code.Lines(back), nil
}

// program is a compiled program, in up to two variants.
type program struct {
	original *ir.Program // as it was given
	counted  *ir.Program // without the counter of the entry block
	source   *ir.Program // with atomics for the other counters
	entry    *vectorize.EntryCounter
	base     *target.Base // of the last resource, or nil
	level    target.Level
	back     target.Target // of level
	extras   target.Feature
	limits   exec.Limits
	cache    *Cache            // or nil
	hash     [sha256.Size]byte // of source, if there is a cache
	exits    atomic.Uint64
	merges   bool // a workgroup is several of another program

	// For each resource the one atomic operation that accesses it, a candidate for private
	// accumulation (tally.go).
	tallies []target.Tally // target.PrivatizableAtomics

	forcePolling     bool // for tests: poll even if the runtime needs no polling
	forceNonTemporal bool // for tests: all stores are nontemporal

	layout target.HandleLayout

	// mu guards the variants. exact is compiled with mu held, so that jobs which need it at the
	// same time share one compilation.
	mu    sync.Mutex
	main  *variant // for most jobs: the widest strips that pay
	exact *variant // each strip is a subgroup; compiled on demand
	merge groupMerge

	workers  exec.FreeList[worker]
	prepared exec.FreeList[prepared]
}

// cacheKey returns the key of the program's code in the cache.
func (p *program) cacheKey(exact bool) store.Key {
	return p.cache.keyOf(p.hash, p.level, p.extras, exact)
}

// checkLimits checks code against the limits, which count bytes per lane: private memory plus a lane's share of the stack and of the
// record.
func (p *program) checkLimits(v *variant) error {
	lanes := uint64(v.code.Record.Lanes)
	return p.limits.Check(p.source, uint64(v.code.StackBytes)/lanes+uint64(v.code.Record.Size)/lanes)
}

// install makes v the program's code; the program then owns its reference. After an error the program
// has no code, and the reference is dropped here.
func (p *program) install(v *variant) (exec.Program, error) {
	if err := p.checkLimits(v); err != nil {
		v.release()
		return nil, err
	}
	p.main, p.tallies, p.layout = v, target.PrivatizableAtomics(p.source), target.HandleLayoutOf(p.source)
	return p, nil
}

// selectVariant selects the code for a job, with a reference for x: merged strips if the
// resources that the program writes share no byte with other bound resources. Vulkan permits several
// descriptors with the same memory. Then a store through one of them can change a later load of
// another subgroup through the other, and the order of subgroups, which the interpreter defines,
// becomes visible. If merge is set, workgroups may be merged, on the same condition.
func (p *program) selectVariant(x *prepared, job *exec.Job, merge bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return errClosed
	}
	x.variant, x.merged, x.waits, x.written, x.aliased = p.main, false, false, p.main.written, false
	if !merge || !p.selectMerged(x, job) {
		if written := p.main.written; len(written) > 0 && x.aliases(job, written) {
			v, err := p.exactVariant()
			if err != nil {
				return err
			}
			x.variant, x.aliased = v, true
		}
	}
	// The reference is acquired under the lock, because Close could otherwise release the last one
	// in between.
	x.variant.retain()
	return nil
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
func (p *program) IR() *ir.Program { return p.original }

// Level returns the level of the program's code.
func (p *program) Level() target.Level { return p.level }

// Code returns the machine code of most jobs; it is position independent. It is nil after Close.
func (p *program) Code() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return nil
	}
	return slices.Clone(p.main.code.Bytes)
}

// Close releases the code. It is freed when no run and no cache refers to it.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range []*variant{p.main, p.exact, p.merge.variant} {
		if v != nil {
			v.release()
		}
	}
	p.main, p.exact, p.merge.variant = nil, nil, nil
	for x := p.prepared.Get(); x != nil; x = p.prepared.Get() {
		x.table.release(0)
	}
	for w := p.workers.Get(); w != nil; w = p.workers.Get() {
		w.ownTable.release(0)
	}
	return nil
}

// Listing returns the vcode of p for a strip, for tests and diagnostics. It is for AVX-512 on every
// machine.
func Listing(p *ir.Program) (string, error) {
	order, err := supported(p, target.AVX512)
	if err != nil {
		return "", err
	}
	text := ""
	for _, f := range vectorize.Program(p, targetOf(target.AVX512).Form(target.AVX512), order) {
		text += f.String()
	}
	return text, nil
}
