package jit

import (
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/codemem"
	"github.com/chiaro-gpu/chiaro/internal/jit/widen"
)

// name is the engine's name in messages.
const name = "jit"

// codeBytes is how many addresses are reserved for code, of all programs.
const codeBytes = 256 << 20

// maxSlots bounds the private memory of a lane beyond what limits say, so that
// offsets of 32 bits reach all of a subgroup's.
const maxSlots = 2 << 20

// code is where the code of all programs lies. There is one for the process,
// as there is one handler of the machine's signals, which must know the range.
var code = sync.OnceValues(func() (*codemem.Heap, error) {
	h, err := codemem.New(codeBytes)
	if err != nil {
		return nil, err
	}
	return h, amd64.CatchFaults(h.Range())
})

// Engine compiles programs to machine code. It runs compute programs.
type Engine struct {
	Level amd64.Level // of the code; the zero one is the best that the machine has
}

// Name returns "jit".
func (Engine) Name() string { return name }

// Compile verifies p and makes its code. It gives an *exec.UnsupportedError for
// recursion, for stages other than compute, and for an operation that is not
// compiled yet; and an error of its own where the machine does not run code of the
// level or the system gives no memory for code.
func (e Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	level, err := amd64.Choose(e.Level)
	if err != nil {
		return nil, err
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if err := o.Limits.Check(p, 0); err != nil {
		return nil, err
	}
	if n := uint64(p.PrivateSlots()); n > maxSlots {
		return nil, &exec.LimitError{What: "slots of private memory", Have: n, Most: maxSlots}
	}
	order, err := supported(p, level)
	if err != nil {
		return nil, err
	}
	out := &program{p: p, level: level, order: order, limits: o.Limits}
	if codeLength(p) <= maxMergedCode {
		out.merge = widen.MergeOf(p, level.Form())
		if err := out.compileMerged(); err != nil {
			return nil, err
		}
	}
	if out.merged == nil {
		_, err = out.exact()
	}
	return out, err
}

// program is a compiled program: as it is, and with several subgroups as one
// strip where no result can tell.
type program struct {
	p      *ir.Program
	level  amd64.Level
	order  []int // of the functions
	limits exec.Limits
	merge  widen.Merge
	exits  atomic.Uint64
	merged *variant // or nil

	mu   sync.Mutex
	once *variant // made when it is wanted
}

// variant is the code of a program for one width of strips.
type variant struct {
	p     *ir.Program // with the strip as the subgroup
	code  *amd64.Code
	heap  *codemem.Heap
	block codemem.Block
	exits *atomic.Uint64
}

// maxMergedCode bounds the operations of a program that is compiled for merged
// strips: in longer ones values do not stay in registers.
const maxMergedCode = 4000

// maxSpilled is how much of the work on vectors may be with memory where strips
// are merged.
const maxSpilled = 0.15

func codeLength(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Code)
	}
	return n
}

// compileMerged makes the widest strips whose values stay in registers, if
// there are any wider than a subgroup.
func (p *program) compileMerged() error {
	for lanes := p.merge.Widest; lanes > p.p.SubgroupSize; lanes /= 2 {
		strip := *p.p
		strip.SubgroupSize = lanes
		made, ok := amd64.Compile(&strip, widen.Program(&strip, p.level.Form(), p.order), p.level)
		if !ok || made.Spilled > maxSpilled && lanes > uint32(p.level.Form().Lanes) {
			continue
		}
		v, err := p.load(&strip, made)
		p.merged = v
		return err
	}
	return nil
}

// exact returns the code whose strips are subgroups.
func (p *program) exact() (*variant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.once != nil {
		return p.once, nil
	}
	made, ok := amd64.Compile(p.p, widen.Program(p.p, p.level.Form(), p.order), p.level)
	if !ok {
		return nil, &exec.LimitError{What: "bytes of stack of a subgroup", Have: amd64.MaxStack + 1, Most: amd64.MaxStack}
	}
	v, err := p.load(p.p, made)
	p.once = v
	return v, err
}

// load puts code where it can run.
func (p *program) load(strip *ir.Program, made *amd64.Code) (*variant, error) {
	lanes := uint64(made.Record.Lanes)
	if err := p.limits.Check(p.p, uint64(made.StackBytes)/lanes+uint64(made.Record.Size)/lanes); err != nil {
		return nil, err
	}
	heap, err := code()
	if err != nil {
		return nil, err
	}
	block, err := heap.Add(made.Bytes)
	if err != nil {
		return nil, err
	}
	return &variant{p: strip, code: made, heap: heap, block: block, exits: &p.exits}, nil
}

// choose returns the code for a job: merged strips where what the program
// stores to shares no byte with anything else that is bound.
func (p *program) choose(job *exec.Job) (*variant, error) {
	if p.merged == nil {
		return p.exact()
	}
	for _, r := range p.merge.Written {
		if r < len(job.Resources) && shared(job, r) {
			return p.exact()
		}
	}
	return p.merged, nil
}

// shared reports whether a descriptor of resource r overlaps another one.
func shared(job *exec.Job, r int) bool {
	for i, b := range job.Resources[r] {
		begin := addressOf(b.Bytes)
		end := begin + uintptr(len(b.Bytes))
		for s, list := range job.Resources {
			for k, c := range list {
				at := addressOf(c.Bytes)
				if (s != r || k != i) && at < end && begin < at+uintptr(len(c.Bytes)) {
					return true
				}
			}
		}
	}
	return false
}

// Exits returns how often code has left for Go so far, for operations that have
// no machine code.
func (p *program) Exits() uint64 { return p.exits.Load() }

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.p }

// Close frees the code.
func (p *program) Close() error {
	for _, v := range []*variant{p.merged, p.once} {
		if v != nil {
			v.heap.Free(v.block)
		}
	}
	p.merged, p.once = nil, nil
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
	for _, f := range widen.Program(p, amd64.AVX512.Form(), order) {
		text += f.String()
	}
	return text, nil
}
