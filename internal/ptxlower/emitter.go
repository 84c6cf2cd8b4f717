package ptxlower

import (
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// emitter emits one instruction.
type emitter struct {
	*function
	in    *ptx.Instr
	item  *item
	scope *scope
	types []string // the types among the modifiers, in order
	// completes: the access is that of st.async or red.async to its mbarrier object
	completes bool
}

// instruction emits an instruction, under its guard.
func (f *function) instruction(it *item) {
	in := it.in
	if f.b.Origin = int32(in.Pos.Line); f.ofHeap(f.f) {
		f.b.Origin = 0 // no line of the module
	}
	if len(f.b.Func.Vals) > maxOperations {
		unsupported(in.Pos, "a function with more than %d operations", maxOperations)
	}
	if n := len(in.Operands); in.Has(".L2::cache_hint") && n > 0 {
		hinted := *in
		hinted.Operands, hinted.Mods = in.Operands[:n-1], slices.DeleteFunc(slices.Clone(in.Mods), func(m string) bool { return m == ".L2::cache_hint" })
		in = &hinted
	}
	row, ok := table[in.Op]
	if !ok {
		unsupported(in.Pos, "the instruction %s", in.Name())
	}
	e := &emitter{function: f, in: in, item: it, scope: it.at}
	for _, m := range in.Mods {
		switch {
		case ptx.TypeSize(m) > 0:
			e.types = append(e.types, m)
		case !row.permits(m):
			unsupported(in.Pos, "%s of %s", m, in.Name())
		}
	}
	if len(e.types) > max(mostTypes[in.Op], 1) && !isVideo(in.Op) {
		unsupported(in.Pos, "%s", in.Name())
	}
	if n := len(in.Operands); n < row.least || n > row.most {
		malformed(in.Pos, "%s has %d operands; must have %d to %d", in.Name(), n, row.least, row.most)
	}
	if synchronous[in.Op] && !in.Has(".sync") {
		malformed(in.Pos, "%s has no .sync; must have it", in.Name())
	}
	f.sure, f.bits, f.copied, f.guarded = 0, 0, 0, in.Guard != ""
	if in.Guard == "" {
		e.checkWarp()
		e.checkFloat(row.do)
		return
	}
	f.b.If(f.guard(it))
	e.checkWarp()
	e.checkFloat(row.do)
	f.b.End()
}

// guard returns the guard of an instruction.
func (f *function) guard(it *item) ir.V {
	r := f.register(it.at, it.in.Guard)
	if r == nil || r.size != 0 {
		malformed(it.in.Pos, "%s is no predicate register; must be one", it.in.Guard)
	}
	var v ir.V
	sure := f.separately(func() { v = f.get(r) })
	e := &emitter{function: f, in: it.in, item: it, scope: it.at}
	e.checkSure(sure, "the guard "+it.in.Guard)
	if it.in.Not {
		v = f.b.Op(ir.Not, ir.B1, v)
	}
	return v
}

// get returns the value of a register in its type.
func (f *function) get(r *register) ir.V {
	f.followRead(r)
	return f.b.OpAux(ir.PLd, r.typ, r.number, f.b.I32(0))
}

// set makes v the value of a register: its bits, extended with zeros or cut off.
func (f *function) set(r *register, v ir.V) {
	f.followWrite(r)
	f.b.OpAux(ir.PSt, r.typ, r.number, f.b.I32(0), f.as(v, r.typ))
}

// as returns the bits of v as type t.
func (f *function) as(v ir.V, t ir.Type) ir.V {
	from := f.b.Func.Type(v)
	switch {
	case from == t:
		return v
	case from.IsFloat():
		return f.as(f.b.Op(ir.Bitcast, bitsType(int(from.Bits()/8)), v), t)
	case t.IsFloat():
		return f.b.Op(ir.Bitcast, t, f.as(v, bitsType(int(t.Bits()/8))))
	case t == ir.B1:
		return f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, v, f.b.Const(from, 0)))
	case from == ir.B1 || from.Bits() < t.Bits():
		return f.b.Op(ir.ZExt, t, v)
	}
	return f.b.Op(ir.Trunc, t, v)
}

// operand returns operand i.
func (e *emitter) operand(i int) *ptx.Operand { return e.in.Operands[i] }

// typ returns type i of the instruction, the last one if it has fewer.
func (e *emitter) typ(i int) string {
	if len(e.types) == 0 {
		malformed(e.in.Pos, "%s has no type; must have one", e.in.Name())
	}
	return e.types[min(i, len(e.types)-1)]
}

// irType returns the IR's type for a type of PTX.
func irType(t string) ir.Type {
	switch t {
	case ".pred":
		return ir.B1
	case ".f16", ".f32", ".f64":
		return floatType(ptx.TypeSize(t))
	}
	return bitsType(ptx.TypeSize(t))
}

func isSigned(t string) bool { return strings.HasPrefix(t, ".s") }
func isFloat(t string) bool  { return t == ".f16" || t == ".f32" || t == ".f64" }

// read returns the value of an operand as type t.
func (e *emitter) read(o *ptx.Operand, t ir.Type) ir.V {
	v := e.value(o, t)
	if o.Not {
		v = e.b.Op(ir.Not, ir.B1, e.as(v, ir.B1))
	}
	if v = e.as(v, t); o.Neg {
		if t == ir.B1 {
			malformed(o.Pos, "the predicate of %s has a minus; must have none", e.in.Name())
		}
		if t.IsFloat() {
			return e.b.Op(ir.FNeg, t, v)
		}
		return e.b.Op(ir.Sub, t, e.b.Const(t, 0), v)
	}
	return v
}

// value returns the value of an operand, in the type of its register.
func (e *emitter) value(o *ptx.Operand, t ir.Type) ir.V {
	switch o.Kind {
	case ptx.Immediate:
		return e.immediate(o, t)
	case ptx.Symbol:
	default:
		malformed(o.Pos, "this operand of %s is no register and no constant; must be one", e.in.Name())
	}
	if r := e.register(e.scope, o.Name+o.Part); r != nil {
		v := e.get(r)
		if o.Expr != nil {
			n := e.constant(o.Expr)
			v = e.b.Op(ir.Add, bitsType(r.size), e.as(v, bitsType(r.size)), e.b.Const(bitsType(r.size), n))
		}
		return v
	}
	if strings.HasPrefix(o.Name, "%") && e.symbol(e.scope, o.Name) == nil {
		return e.special(o)
	}
	return e.addressConstant(o, t)
}

// constant returns the value of an integer constant.
func (e *emitter) constant(x *ptx.Expr) uint64 {
	n, ok := x.Int()
	if !ok {
		malformed(x.Pos, "this is no integer constant; must be one")
	}
	return n
}

// constantOperand returns the value of operand i, which must be an integer constant.
func (e *emitter) constantOperand(i int) uint64 {
	o := e.operand(i)
	if o.Kind != ptx.Immediate {
		malformed(o.Pos, "operand %d of %s is no constant; must be one", i, e.in.Name())
	}
	return e.constant(o.Expr)
}

// immediate returns a constant.
func (e *emitter) immediate(o *ptx.Operand, t ir.Type) ir.V {
	x := o.Expr
	switch {
	case t == ir.F32 || t == ir.I32 && x.IsFloat():
		if x.IsFloat() {
			bits, ok := f32Bits(x)
			if !ok {
				malformed(o.Pos, "this is no constant; must be one")
			}
			return e.b.Const(t, bits)
		}
		return e.b.Const(t, uint64(math.Float32bits(float32(int64(e.constant(x))))))
	case t == ir.F64 || t == ir.I64 && x.IsFloat():
		v, ok := x.Float()
		if !ok {
			malformed(o.Pos, "this is no constant; must be one")
		}
		return e.b.Const(t, math.Float64bits(v))
	case t == ir.F16:
		v, ok := x.Float()
		if !ok {
			malformed(o.Pos, "this is no constant; must be one")
		}
		return e.b.Op(ir.FCvt, ir.F16, e.b.Const(ir.F64, math.Float64bits(v)))
	case t == ir.B1:
		return e.b.Bool(e.constant(x) != 0)
	}
	return e.b.Const(t, e.constant(x))
}

// write makes v the value of a result operand.
func (e *emitter) write(o *ptx.Operand, v ir.V) {
	if o.Kind == ptx.Sink {
		return
	}
	r := e.resultRegister(o)
	if from := e.b.Func.Type(v); from.IsInt() && r.size*8 > int(from.Bits()) && len(e.types) > 0 && isSigned(e.types[0]) {
		v = e.b.Op(ir.SExt, bitsType(r.size), v) // a result is extended by its type
	}
	e.set(r, v)
}

// resultRegister returns the register of a result.
func (e *emitter) resultRegister(o *ptx.Operand) *register {
	if o.Kind != ptx.Symbol || o.Expr != nil {
		malformed(o.Pos, "the result of %s is no register; must be one", e.in.Name())
	}
	r := e.register(e.scope, o.Name+o.Part)
	if r == nil {
		malformed(o.Pos, "there is no register %s%s", o.Name, o.Part)
	}
	return r
}

// result makes v the value of the first operand.
func (e *emitter) result(v ir.V) { e.write(e.operand(0), v) }

// args reads operands 1 to n as type t.
func (e *emitter) args(n int, t ir.Type) []ir.V {
	list := make([]ir.V, n)
	for i := range list {
		list[i] = e.read(e.operand(i+1), t)
	}
	return list
}
