package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// remove drops operations whose value nobody reads and that have no effect,
// and marks atomics whose old value nobody reads.
func remove(_ *ir.Program, f *ir.Func) {
	live := make([]bool, len(f.Vals))
	var work []ir.V
	mark := func(v ir.V) {
		if !live[v] {
			live[v] = true
			work = append(work, v)
		}
	}
	for _, v := range f.Code {
		if needed(f.Val(v)) {
			f.Operands(v, mark)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if op := f.Val(v).Op; !op.Is(ir.Floats) {
			f.Operands(v, mark)
		}
	}
	code := f.Code[:0]
	for _, v := range f.Code {
		x := f.Val(v)
		if x.Op.Is(ir.Atomic) && !live[v] {
			x.Flags |= ir.Unused
		}
		if needed(x) || live[v] {
			code = append(code, v)
		}
	}
	f.Code = code
}

// needed reports whether an operation stays even where nobody reads its value.
func needed(x *ir.Val) bool {
	return x.Op.Row().Traits&(ir.Control|ir.Writes) != 0 || x.Flags&ir.Volatile != 0
}
