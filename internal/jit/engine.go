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

// errClosed is what a run of a program gives that was closed.
var errClosed = errors.New("jit: the program was closed")

// maxSlots bounds the private memory of a lane beyond what limits say, so that
// offsets of 32 bits reach all of a subgroup's.
const maxSlots = 2 << 20

// Engine compiles programs to machine code. It runs compute programs.
type Engine struct {
	Level amd64.Level // of the code; the zero one is the best that the machine has
	Cache *Cache      // of code; nil for none

	disabled amd64.Feature // for tests: what the machine is taken to lack
}

// Name returns "jit".
func (Engine) Name() string { return name }

// Compile verifies p and makes its code, or finds it in the cache. It gives an
// *exec.UnsupportedError for recursion, for stages other than compute, and for
// an operation that is not compiled yet; and an error of its own where the
// machine has not the level or the system gives no memory for code.
func (e Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	level, err := amd64.Choose(e.Level)
	if err != nil {
		return nil, err
	}
	if err := exec.CheckRunnable(name, p); err != nil {
		return nil, err
	}
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
	if err := o.Limits.Check(p, 0); err != nil {
		return nil, err
	}
	if n := uint64(p.PrivateSlots()); n > maxSlots {
		return nil, &exec.LimitError{Quantity: "slots of private memory", Value: n, Max: maxSlots}
	}
	if _, err := supported(p, level); err != nil {
		return nil, err
	}
	v, err := out.compile(false)
	if err != nil {
		return nil, err
	}
	return out.install(v)
}

// program is a compiled program: as it is, and with several subgroups as one
// strip where no result can tell.
type program struct {
	source *ir.Program
	level  amd64.Level
	extras amd64.Feature
	limits exec.Limits
	cache  *Cache            // or nil
	hash   [sha256.Size]byte // of p, where there is a cache
	exits  atomic.Uint64

	tallies []ir.Op // amd64.PrivatizableAtomics

	forcePolling     bool // for tests: code polls though it need not
	forceNonTemporal bool // for tests: stores go past the cache, however few there are

	layout amd64.HandleLayout

	mu    sync.Mutex
	main  *variant // for most jobs: strips as wide as they may be
	exact *variant // whose strips are subgroups; made when it is wanted

	workers  exec.FreeList[worker]
	prepared exec.FreeList[prepared]
}

// maxMergedCode bounds the operations of a program that is compiled for merged
// strips: in longer ones values do not stay in registers.
const maxMergedCode = 4000

// maxSpilled is how much of the work on vectors may be with memory where strips
// are merged to two vectors, maxSpilledWide where to more, which gain less, and
// maxSpilledVeryWide where to more than wideLanes lanes, which the code waits for
// anyway.
const (
	maxSpilled         = 0.15
	maxSpilledWide     = 0.08
	maxSpilledVeryWide = 0.12

	wideLanes = 64
)

// cacheKey is that of the program's code in the cache.
func (p *program) cacheKey(exact bool) store.Key {
	return p.cache.keyOf(p.hash, p.level, p.extras, exact)
}

func codeLength(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Code)
	}
	return n
}

// install makes v, of which the program takes the reference, its code.
func (p *program) install(v *variant) (exec.Program, error) {
	lanes := uint64(v.code.Record.Lanes)
	if err := p.limits.Check(p.source, uint64(v.code.StackBytes)/lanes+uint64(v.code.Record.Size)/lanes); err != nil {
		v.release()
		return nil, err
	}
	p.main, p.tallies, p.layout = v, amd64.PrivatizableAtomics(p.source), amd64.HandleLayoutOf(p.source)
	return p, nil
}

// compile makes code, for the widest strips that pay unless it must be exact,
// and keeps it in the cache.
func (p *program) compile(exact bool) (*variant, error) {
	order, err := callOrder(p.source)
	if err != nil {
		return nil, err
	}
	form := p.level.Form()
	form.Arena = vcode.AcquireArena()
	defer form.Arena.Release()
	var v *variant
	if !exact && codeLength(p.source) <= maxMergedCode {
		if v, err = p.compileMerged(form, order); err != nil {
			return nil, err
		}
	}
	if v == nil && !exact {
		if v, err = p.compilePhases(form); err != nil {
			return nil, err
		}
	}
	if v == nil {
		code, ok := p.newBuilder(p.source, vectorize.Program(p.source, form, order)...).Code()
		if !ok {
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

// draft returns that of a program for its level, with functions that it was widened to.
func (p *program) newBuilder(strip *ir.Program, funcs ...*vcode.Func) *amd64.Builder {
	d := amd64.NewBuilder(strip, p.level, p.extras)
	d.Add(funcs...)
	return d
}

// compileMerged makes the widest strips whose values stay in registers. It
// returns nil where there are none wider than a subgroup.
func (p *program) compileMerged(form vcode.Form, order []int) (*variant, error) {
	merge := vectorize.MergeOf(p.source, form)
	if v, err := p.compilePartMajor(form, merge); v != nil || err != nil {
		return v, err
	}
	for lanes := merge.Widest; lanes > p.source.SubgroupSize; lanes /= 2 {
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

// compilePartMajor makes code by columns. It returns nil where that cannot be.
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
	code, ok := p.newBuilder(&strip, funcs...).Code()
	if !ok || code.CallsServices() { // Go does not know of turns
		return nil, nil
	}
	v, err := newVariant(&strip, code)
	if err == nil {
		v.written = merge.Written
	}
	return v, err
}

// maxPhasedCode bounds the operations of all subgroups of a workgroup that are
// compiled as one stream.
const maxPhasedCode = 8000

// compilePhases makes one stream of all subgroups of a workgroup. It returns nil
// where they do not meet, or that cannot be.
func (p *program) compilePhases(form vcode.Form) (*variant, error) {
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

// selectVariant returns the code for a job, with a reference for the caller: merged
// strips where what the program stores to shares no byte with anything else
// that is bound.
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
	v.retain()
	return v, nil
}

// exactVariant returns the code whose strips are subgroups.
func (p *program) exactVariant() (*variant, error) {
	if p.exact == nil && p.cache != nil {
		p.exact = p.cache.get(p.cacheKey(true), p.source)
	}
	if p.exact == nil {
		v, err := p.compile(true)
		if err != nil {
			return nil, err
		}
		p.exact = v
	}
	return p.exact, nil
}

// Exits returns how often code has left for Go so far, for operations that have
// no machine code.
func (p *program) Exits() uint64 { return p.exits.Load() }

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.source }

// Level returns the level of the program's code.
func (p *program) Level() amd64.Level { return p.level }

// Code returns the machine code that most jobs run; it runs at any address. It
// is nil where the program was closed.
func (p *program) Code() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return nil
	}
	return p.main.code.Bytes
}

// Lines returns the machine code that most jobs run as text, and the names of
// its functions.
func (p *program) Lines() (lines []amd64.Line, funcs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.main == nil {
		return nil, nil
	}
	return p.main.code.Lines(), p.main.code.Funcs
}

// Close lets go of the code, which is freed when no run and no cache holds it.
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

// Listing returns the code of p for a strip before the machine is chosen, for
// tests and for people. It is that of AVX-512, whatever the machine.
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
