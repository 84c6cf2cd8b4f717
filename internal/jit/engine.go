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
type Engine struct{}

// Name returns "jit".
func (Engine) Name() string { return name }

// Compile verifies p and makes its code. It gives an *exec.UnsupportedError for
// recursion, for stages other than compute, and for an operation that is not
// compiled yet; and an error of its own where the machine has no AVX-512 or the
// system gives no memory for code.
func (Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	if err := amd64.Supported(); err != nil {
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
	order, err := supported(p)
	if err != nil {
		return nil, err
	}
	made, ok := amd64.Compile(p, widen.Program(p, order))
	if !ok {
		return nil, &exec.LimitError{What: "bytes of stack of a subgroup", Have: amd64.MaxStack + 1, Most: amd64.MaxStack}
	}
	lanes := uint64(made.Record.Lanes)
	if err := o.Limits.Check(p, uint64(made.StackBytes)/lanes+uint64(made.Record.Size)/lanes); err != nil {
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
	return &program{p: p, code: made, heap: heap, block: block}, nil
}

// program is a compiled program.
type program struct {
	p     *ir.Program
	code  *amd64.Code
	heap  *codemem.Heap
	block codemem.Block
	exits atomic.Uint64
}

// Exits returns how often code has left for Go so far, for operations that have
// no machine code.
func (p *program) Exits() uint64 { return p.exits.Load() }

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.p }

// Close frees the code.
func (p *program) Close() error {
	p.heap.Free(p.block)
	p.block = codemem.Block{}
	return nil
}

// Listing returns the code of p for a strip before the machine is chosen, for
// tests and for people.
func Listing(p *ir.Program) (string, error) {
	order, err := supported(p)
	if err != nil {
		return "", err
	}
	text := ""
	for _, f := range widen.Program(p, order) {
		text += f.String()
	}
	return text, nil
}
