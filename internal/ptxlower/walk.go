package ptxlower

import "github.com/chiaro-gpu/chiaro/ptx"

// forVariables calls yield for the variables that a body declares.
func forVariables(b *ptx.Block, yield func(*ptx.Variable)) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *ptx.Variable:
			yield(x)
		case *ptx.Block:
			forVariables(x, yield)
		}
	}
}

// forInstrs calls yield for the instructions of a body.
func forInstrs(b *ptx.Block, yield func(*ptx.Instr)) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *ptx.Instr:
			yield(x)
		case *ptx.Block:
			forInstrs(x, yield)
		}
	}
}

// forSymbols calls yield for the operands that are names, those in other operands included.
func forSymbols(list []*ptx.Operand, yield func(*ptx.Operand)) {
	for _, o := range list {
		if o.Kind == ptx.Symbol {
			yield(o)
		}
		forSymbols(o.Elems, yield)
	}
}

// forNames calls yield for the names in the operands of a body.
func forNames(b *ptx.Block, yield func(string)) {
	forInstrs(b, func(i *ptx.Instr) {
		forSymbols(i.Operands, func(o *ptx.Operand) { yield(o.Name) })
	})
}
