package ir

import "slices"

// V is the number of a value in its function. 0 is no value.
type V int32

// Val is one value or control operation. The row of the operation defines the
// meaning of Args and Aux; see Listed for operations with more operands.
type Val struct {
	Op     Op
	Type   Type // of the result; without a result, of the stored operand
	Flags  Flags
	Args   [4]V
	Origin int32 // number of the SPIR-V instruction, from 1; 0 is none
	Aux    uint64
}

// Func is a function: its values, and the order of those in the code.
type Func struct {
	Name  string
	Vals  []Val // Vals[0] is no value
	Code  []V
	Extra []V // operand lists
	Args  []V // the Arg values, in order

	// Texture is not nil if the body depends on the bound image view.
	Texture *Texture
}

// Clone returns a copy of f. The copy shares only data that no pass changes.
func (f *Func) Clone() *Func {
	g := *f
	g.Vals, g.Code = slices.Clone(f.Vals), slices.Clone(f.Code)
	g.Extra, g.Args = slices.Clone(f.Extra), slices.Clone(f.Args)
	return &g
}

// Body returns the label of the outermost block.
func (f *Func) Body() V { return f.Code[0] }

// Val returns the value with number v.
func (f *Func) Val(v V) *Val { return &f.Vals[v] }

// Type returns the type of v.
func (f *Func) Type(v V) Type { return f.Vals[v].Type }

// Results returns the parameters of the outermost block: one for each result.
func (f *Func) Results() []V { return f.Params(f.Body()) }

// list returns n values of the operand list of v, from its i-th on.
func (f *Func) list(v V, i, n uint64) []V {
	at := uint64(f.Vals[v].Args[3]) + i
	return f.Extra[at : at+n : at+n]
}

// Params returns the parameters of a block or loop.
func (f *Func) Params(label V) []V { return f.list(label, 0, f.Vals[label].Aux) }

// Inits returns the initial values of a loop's parameters.
func (f *Func) Inits(loop V) []V { return f.list(loop, f.Vals[loop].Aux, f.Vals[loop].Aux) }

// BrArgs returns the arguments of a br.
func (f *Func) BrArgs(br V) []V { return f.list(br, 0, f.Vals[br].Aux) }

// Cases returns the pairs (constant, label) of a switch, flat.
func (f *Func) Cases(sw V) []V { return f.list(sw, 0, 2*f.Vals[sw].Aux) }

// Callee returns the number of the function that a call calls.
func (f *Func) Callee(call V) int { return int(uint32(f.Vals[call].Aux)) }

// CallArgs returns the arguments of a call.
func (f *Func) CallArgs(call V) []V { return f.list(call, 0, uint64(f.Vals[call].Args[0])) }

// CallResults returns the Result values of a call.
func (f *Func) CallResults(call V) []V {
	c := &f.Vals[call]
	return f.list(call, uint64(c.Args[0]), uint64(c.Args[1]))
}

// Key returns all that the value of v depends on besides its operands. From is None if the first operand is no value: it is
// a number, or unused.
func (f *Func) Key(v V) Key {
	x := &f.Vals[v]
	k := Key{Type: x.Type, Flags: x.Flags, Aux: x.Aux}
	if a := x.Args[0]; uint(a) < uint(len(f.Vals)) {
		k.From = f.Vals[a].Type
	}
	return k
}

// Operands calls yield for every value that v reads, its list included; v does
// not read labels and parameters.
func (f *Func) Operands(v V, yield func(V)) {
	x := &f.Vals[v]
	for i := range x.Op.Args() {
		yield(x.Args[i])
	}
	for _, a := range f.Listed(v) {
		yield(a)
	}
}

// Listed returns the values that v reads besides the operands in Args.
func (f *Func) Listed(v V) []V {
	switch f.Vals[v].Op {
	case Loop:
		return f.Inits(v)
	case Br:
		return f.BrArgs(v)
	case Call:
		return f.CallArgs(v)
	}
	return nil
}
