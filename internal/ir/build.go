package ir

import "slices"

// Builder appends to a function. The zero Builder is not ready: use NewFunc.
// It checks nothing; Program.Verify does.
type Builder struct {
	Func   *Func
	Origin int32 // given to every value appended

	consts Consts
	open   []V // openers, outermost first
}

// NewFunc begins a function with the given argument and result types. Its
// outermost block is open.
func NewFunc(name string, args, results []Type) *Builder {
	b := &Builder{Func: &Func{Name: name, Vals: make([]Val, 1, 64)}}
	for i, t := range args {
		b.Func.Args = append(b.Func.Args, b.detached(Val{Op: Arg, Type: t, Aux: uint64(i)}))
	}
	b.Block(results...)
	return b
}

// detached adds a value without a position in the code.
func (b *Builder) detached(v Val) V {
	v.Origin = b.Origin
	if n := len(b.Func.Vals); n == cap(b.Func.Vals) {
		b.Func.Vals = slices.Grow(b.Func.Vals, max(n, 64)) // append reserves less
	}
	b.Func.Vals = append(b.Func.Vals, v)
	return V(len(b.Func.Vals) - 1)
}

// Emit appends an operation.
func (b *Builder) Emit(v Val) V {
	n := b.detached(v)
	b.Func.Code = append(b.Func.Code, n)
	return n
}

// Const returns the constant of type t with the given bits.
func (b *Builder) Const(t Type, bits uint64) V {
	bits &= t.Mask()
	v := b.consts.Find(t, bits)
	if v == 0 {
		v = b.detached(Val{Op: Const, Type: t, Aux: bits})
		b.Func.Vals[v].Origin = 0
		b.consts.Add(t, bits, v)
	}
	return v
}

// I32 returns the 32-bit constant x.
func (b *Builder) I32(x uint32) V { return b.Const(I32, uint64(x)) }

// Bool returns the constant true or false.
func (b *Builder) Bool(x bool) V {
	if x {
		return b.Const(B1, 1)
	}
	return b.Const(B1, 0)
}

// Op appends an operation that yields type t, or has t for its own type.
func (b *Builder) Op(op Op, t Type, args ...V) V { return b.OpAux(op, t, 0, args...) }

// OpAux is Op with an immediate.
func (b *Builder) OpAux(op Op, t Type, aux uint64, args ...V) V {
	v := Val{Op: op, Type: t, Aux: aux}
	copy(v.Args[:], args)
	return b.Emit(v)
}

// Cmp appends a comparison, which yields a B1.
func (b *Builder) Cmp(op Op, x, y V) V { return b.Op(op, B1, x, y) }

// Select appends c ? x : y.
func (b *Builder) Select(c, x, y V) V { return b.Op(Select, b.Func.Type(x), c, x, y) }

// list stores an operand list and returns its index in Extra.
func (b *Builder) list(lists ...[]V) V {
	at := len(b.Func.Extra)
	for _, l := range lists {
		b.Func.Extra = append(b.Func.Extra, l...)
	}
	return V(at)
}

// Block opens a block with parameters of the given types.
func (b *Builder) Block(types ...Type) V { return b.region(Block, types, nil) }

// Loop opens a loop with a parameter for each initial value.
func (b *Builder) Loop(inits ...V) V {
	types := make([]Type, len(inits))
	for i, v := range inits {
		types[i] = b.Func.Type(v)
	}
	return b.region(Loop, types, inits)
}

func (b *Builder) region(op Op, types []Type, inits []V) V {
	label := b.Emit(Val{Op: op, Aux: uint64(len(types))})
	params := make([]V, len(types))
	for i, t := range types {
		params[i] = b.detached(Val{Op: Param, Type: t, Args: [4]V{label}, Aux: uint64(i)})
	}
	b.Func.Vals[label].Args[3] = b.list(params, inits)
	b.open = append(b.open, label)
	return label
}

// Param returns the i-th parameter of a block or loop.
func (b *Builder) Param(label V, i int) V { return b.Func.Params(label)[i] }

// If opens the arm for the lanes whose c is 1.
func (b *Builder) If(c V) V {
	v := b.Emit(Val{Op: If, Args: [4]V{c}})
	b.open = append(b.open, v)
	return v
}

// Else closes the first arm of the innermost region, an if, and opens the second.
func (b *Builder) Else() { b.Emit(Val{Op: Else, Args: [4]V{b.open[len(b.open)-1]}}) }

// End closes the innermost region.
func (b *Builder) End() {
	n := len(b.open) - 1
	b.Emit(Val{Op: End, Args: [4]V{b.open[n]}})
	b.open = b.open[:n]
}

// Br appends a branch to an enclosing label.
func (b *Builder) Br(label V, args ...V) {
	at := b.list(args)
	b.Emit(Val{Op: Br, Args: [4]V{label, 0, 0, at}, Aux: uint64(len(args))})
}

// Return appends a branch out of the function, with its results.
func (b *Builder) Return(results ...V) { b.Br(b.Func.Body(), results...) }

// Case is one case of a switch.
type Case struct {
	Value uint64
	Label V
}

// Switch appends a switch over x.
func (b *Builder) Switch(x, deflt V, cases []Case) {
	t := b.Func.Type(x)
	flat := make([]V, 0, 2*len(cases))
	for _, c := range cases {
		flat = append(flat, b.Const(t, c.Value), c.Label)
	}
	at := b.list(flat)
	b.Emit(Val{Op: Switch, Type: t, Args: [4]V{x, deflt, 0, at}, Aux: uint64(len(cases))})
}

// Call appends a call of the function with number callee and returns its results.
func (b *Builder) Call(callee int, results []Type, args ...V) []V {
	call := b.Emit(Val{Op: Call, Aux: uint64(callee)})
	out := make([]V, len(results))
	for i, t := range results {
		out[i] = b.detached(Val{Op: Result, Type: t, Args: [4]V{call}, Aux: uint64(i)})
	}
	c := &b.Func.Vals[call]
	c.Args = [4]V{V(len(args)), V(len(results)), 0, b.list(args, out)}
	return out
}

// Finish closes all open regions and returns the function.
func (b *Builder) Finish() *Func {
	for len(b.open) > 0 {
		b.End()
	}
	return b.Func
}
