package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Instrument makes a program count the executions of its basic blocks (Muchnick 1997, 8.1: a maximal sequence of operations
// that control enters at the first and leaves at the last): each begins with an atomic addition of 1 to a counter of 64
// bits in the storage buffer of a set and a binding. Block n, in the order of the functions and of their code, has
// counter n. Helper invocations do not count, since their atomics have no effect. A texture function, whose body is not
// known, has no blocks. Instrument is no optimization: it is the last pass of a program that is to be observed.
func Instrument(p *ir.Program, set, binding uint32) {
	r := uint64(len(p.Res))
	p.Res = append(p.Res, ir.Resource{Set: set, Binding: binding, Kind: ir.StorageBuffer, Count: 1})
	n := uint64(0)
	for _, f := range p.Funcs {
		if f.Texture != nil {
			continue
		}
		b, code := ir.Edit(f)
		begins := false
		var handle ir.V
		for i, v := range code {
			op := f.Val(v).Op
			if begins && !op.Is(ir.Control) {
				b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Aux: 8 * n, Args: [4]ir.V{handle, b.I32(0), b.Const(ir.I64, 1)}})
				begins = false
				n++
			}
			b.Keep(v)
			begins = begins || divides(op)
			if i == 0 { // the outermost block
				handle = b.OpAux(ir.Res, ir.H, r, b.I32(0))
			}
		}
	}
	p.StateEffects()
}

// divides reports whether a basic block ends with an operation: after it other lanes are active, or count.
func divides(op ir.Op) bool { return op.Is(ir.Control) || op == ir.Call || op == ir.Demote }

// Blocks returns the number of operations of each basic block of a program of Instrument, without those that it added; nil
// for any other program.
func Blocks(p *ir.Program, set, binding uint32) (sizes []uint64) {
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			own := func(v ir.V) bool {
				r := f.Val(v)
				return r.Op == ir.Res && p.Res[r.Aux].Set == set && p.Res[r.Aux].Binding == binding
			}
			switch {
			case x.Op == ir.AtomAdd && own(x.Args[0]):
				sizes = append(sizes, 0)
			case x.Op.Is(ir.Control) || own(v) || len(sizes) == 0:
			case f.Texture == nil:
				sizes[len(sizes)-1]++
			}
		}
	}
	return sizes
}
