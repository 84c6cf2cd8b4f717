package facts

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// operation evaluates an OpSpecConstantOp (SPIR-V §3.3.7). The arithmetic is
// package direct's, which internal/lower shares.
func (g *gatherer) operation(c *Const, v inst.SpecConstantOp) {
	words := v.Operands()
	switch op := v.Opcode(); op {
	case spirv.OpCompositeExtract:
		g.extract(c, words)
	case spirv.OpCompositeInsert:
		g.insert(c, words)
	case spirv.OpVectorShuffle:
		g.shuffle(c, words)
	case spirv.OpSelect:
		g.choose(c, words)
	case spirv.OpQuantizeToF16:
		g.quantize(c, words)
	case spirv.OpFConvert:
		g.widen(c, words)
	default:
		if row, ok := direct.Lookup(op); ok {
			g.each(c, row, words)
		}
	}
}

// take copies the value of another constant of the same type.
func (c *Const) take(from *Const) {
	if from == nil || from.Type != c.Type {
		return
	}
	c.Known, c.Bits, c.Elems, c.Replicate = from.Known, from.Bits, from.Elems, from.Replicate
	c.Null, c.Undef = from.Null, from.Undef
}

// operands returns the first n operands; nil if one is missing or not known, or
// if there are fewer.
func (g *gatherer) operands(c *Const, words []uint32, n int) []*Const {
	if len(words) < n || n > 3 {
		return nil
	}
	list := make([]*Const, n)
	for i, id := range spirv.IDs(words[:n]) {
		if list[i] = g.constBefore(id, c.Index); list[i] == nil || !list[i].Known {
			return nil
		}
	}
	return list
}

func (g *gatherer) extract(c *Const, words []uint32) {
	list := g.operands(c, words, 1)
	if list == nil {
		g.extractEqual(c, words)
		return
	}
	from := list[0]
	for _, i := range words[1:] {
		from = from.Elem(int(i))
	}
	c.take(from)
}

// extractEqual is extract for a cooperative matrix: the device alone knows their number, but all components of the constant are equal.
func (g *gatherer) extractEqual(c *Const, words []uint32) {
	if len(words) != 2 {
		return
	}
	from := g.constBefore(spirv.ID(words[0]), c.Index)
	if from == nil || !(from.Type.is(spirv.OpTypeCooperativeMatrixKHR) || from.Type.is(spirv.OpTypeCooperativeMatrixNV)) || len(from.Elems) != 1 {
		return
	}
	if e := from.Elems[0]; e != nil && e.Known && e.Type == from.Type.Elem {
		c.take(e)
	}
}

// insert replaces one part, and copies the composite on each level above it.
func (g *gatherer) insert(c *Const, words []uint32) {
	list := g.operands(c, words, 2)
	if list == nil {
		return
	}
	object, from := list[0], list[1]
	if len(words) == 2 {
		c.take(object)
		return
	}
	if from.Type != c.Type {
		return
	}
	to := c
	for n, i := range words[2:] {
		if !g.copyParts(to, from) || uint64(i) >= uint64(len(to.Elems)) {
			return
		}
		from = from.Elem(int(i))
		if n == len(words)-3 {
			if from == nil || object.Type != from.Type {
				return
			}
			to.Elems[i] = object
			break
		}
		if from == nil {
			return
		}
		part := &Const{Op: c.Op, Index: c.Index, Type: from.Type, Known: true, Spec: true}
		to.Elems[i] = part
		to = part
	}
	c.Known = true
}

// copyParts copies the parts of a composite to a new list. It returns false if
// the budget for evaluated parts is exhausted.
func (g *gatherer) copyParts(to, from *Const) bool {
	n := from.Type.Parts()
	if !from.Type.IsComposite() || !g.spend(n) {
		return false
	}
	to.Elems = make([]*Const, n)
	for i := range to.Elems {
		to.Elems[i] = from.Elem(i)
	}
	return true
}

// spend deducts n parts from the budget, which bounds the memory in proportion to
// the module's size.
func (g *gatherer) spend(n uint64) bool {
	if n > uint64(g.budget) {
		return false
	}
	g.budget -= int(n)
	return true
}

func (g *gatherer) shuffle(c *Const, words []uint32) {
	list := g.operands(c, words, 2)
	if list == nil || !c.Type.IsVector() || c.Type.Count != uint64(len(words)-2) || !g.spend(c.Type.Count) {
		return
	}
	first := uint32(list[0].Type.Components())
	elems := make([]*Const, len(words)-2)
	for n, i := range words[2:] {
		switch {
		case i == ^uint32(0): // no source: undefined
			elems[n] = &Const{Op: c.Op, Index: c.Index, Type: c.Type.Elem, Known: c.Type.Elem != nil, Undef: true}
		case i < first:
			elems[n] = list[0].Elem(int(i))
		default:
			elems[n] = list[1].Elem(int(i - first))
		}
	}
	c.Elems = elems
	c.settle()
}

// choose evaluates OpSelect: a scalar condition selects one of two objects of any
// type, a vector one component by component.
func (g *gatherer) choose(c *Const, words []uint32) {
	list := g.operands(c, words, 3)
	switch {
	case list == nil:
	case list[0].Type.IsBool():
		if list[0].Bits != 0 {
			c.take(list[1])
		} else {
			c.take(list[2])
		}
	default:
		row, _ := direct.Lookup(spirv.OpSelect)
		g.each(c, row, words)
	}
}

// quantize evaluates OpQuantizeToF16: rounding to 16 bits with denormals flushed
// to zero, and back.
func (g *gatherer) quantize(c *Const, words []uint32) {
	g.components(c, words, 1, func(_ evaluator, t ir.Type, args []direct.Operand[uint64]) (uint64, bool) {
		return direct.Quantize(evaluator{}, t, args[0])
	})
}

// smallOf are the formats of the encodings of floats other than IEEE 754's.
var smallOf = map[spirv.FPEncoding]scalar.Small{
	spirv.FPEncodingBFloat16KHR:           scalar.BFloat16,
	spirv.FPEncodingFloat8E4M3EXT:         scalar.E4M3,
	spirv.FPEncodingFloat8E5M2EXT:         scalar.E5M2,
	spirv.FPEncodingFloat4E2M1EXT:         scalar.E2M1,
	spirv.FPEncodingFloat6E2M3EXT:         scalar.E2M3,
	spirv.FPEncodingFloat6E3M2EXT:         scalar.E3M2,
	spirv.FPEncodingFloat8UnsignedE8M0EXT: scalar.E8M0,
	spirv.FPEncodingMXInt8EXT:             scalar.MXInt8,
}

// Float returns the number with the bits of a floating-point type, exactly; false if t is none, or has an unknown encoding.
func (t *Type) Float(bits uint64) (float64, bool) {
	switch {
	case !t.IsFloat():
		return 0, false
	case t.Encoded:
		f, ok := smallOf[t.Encoding]
		if !ok {
			return 0, false
		}
		return scalar.Widen(f, bits), true
	case t.Width == 64:
		return math.Float64frombits(bits), true
	case t.Width == 32:
		return float64(math.Float32frombits(uint32(bits))), true
	case t.Width == 16:
		return scalar.Widen(scalar.Binary16, bits), true
	}
	return 0, false
}

// widen evaluates OpFConvert. A conversion from or to an encoding other than IEEE
// 754's is by way of a binary64 float, which represents all its values.
func (g *gatherer) widen(c *Const, words []uint32) {
	list := g.operands(c, words, 1)
	if list == nil {
		return
	}
	row, _ := direct.Lookup(spirv.OpFConvert)
	from, to := list[0].Type.Scalar(), c.Type.Scalar()
	if from == nil || to == nil || !from.IsFloat() || !to.IsFloat() {
		return
	}
	g.components(c, words, 1, func(e evaluator, t ir.Type, args []direct.Operand[uint64]) (uint64, bool) {
		x := args[0]
		if from.Encoded {
			f, ok := smallOf[from.Encoding]
			if !ok {
				return 0, false
			}
			x = direct.Operand[uint64]{Value: math.Float64bits(scalar.Widen(f, x.Value)), Type: ir.F64}
		}
		if !to.Encoded {
			return direct.Apply(e, row, t, x)
		}
		f, ok := smallOf[to.Encoding]
		v, wide := direct.Apply(e, row, ir.F64, x)
		if !ok || !wide || f >= scalar.E2M1 { // nothing converts to the microscaling encodings
			return 0, false
		}
		return scalar.Narrow(f, false, math.Float64frombits(v)), true
	})
}

// each evaluates an instruction that is one operation per component.
func (g *gatherer) each(c *Const, row direct.Row, words []uint32) {
	g.components(c, words, len(words), func(e evaluator, t ir.Type, args []direct.Operand[uint64]) (uint64, bool) {
		return direct.Apply(e, row, t, args...)
	})
}

// components sets c, a scalar or vector, to f of the components of the first n
// operands. A value that depends on the entry point, by the rounding mode, is not known.
func (g *gatherer) components(c *Const, words []uint32, n int, f func(evaluator, ir.Type, []direct.Operand[uint64]) (uint64, bool)) {
	list := g.operands(c, words, n)
	t := Lane(c.Type.Scalar())
	if list == nil || t == ir.None {
		return
	}
	args := make([]direct.Operand[uint64], n)
	value := func(i int) (uint64, bool) {
		for k, x := range list {
			if c.Type.IsVector() {
				if x.Type.Components() != c.Type.Components() {
					return 0, false
				}
				x = x.Elem(i)
			}
			args[k] = direct.Operand[uint64]{Value: x.Bits, Type: Lane(x.Type)}
			if args[k].Type == ir.None {
				return 0, false
			}
		}
		bits, ok := f(evaluator{g.rounding.all}, t, args)
		if ok && g.rounding.any != g.rounding.all {
			other, _ := f(evaluator{g.rounding.any}, t, args)
			ok = other == bits
		}
		return bits, ok
	}
	if c.Type.IsScalar() {
		c.Bits, c.Known = value(0)
		return
	}
	if !c.Type.IsVector() || c.Type.Count > 1<<16 || !g.spend(c.Type.Count) {
		return
	}
	parts := make([]Const, c.Type.Count)
	elems := make([]*Const, c.Type.Count)
	for i := range parts {
		bits, ok := value(i)
		parts[i] = Const{Op: c.Op, Index: c.Index, Type: c.Type.Elem, Known: ok, Bits: bits, Spec: true}
		elems[i] = &parts[i]
	}
	c.Elems = elems
	c.settle()
}

// Lane returns the IR type of a scalar; ir.None for any other type, and for a
// width that the IR does not have. A float of another encoding than IEEE 754 is
// an integer of at least 8 bits in the IR.
func Lane(t *Type) ir.Type {
	switch {
	case t.IsBool():
		return ir.B1
	case t.IsInt():
		return ir.Int(t.Width)
	case t.IsFloat() && t.Encoded:
		return ir.Int(max(t.Width, 8))
	case t.IsFloat():
		return ir.Float(t.Width)
	}
	return ir.None
}

// evaluator implements the builder of package direct by computing each value. Results of the widths in rtz are rounded toward zero.
type evaluator struct{ rtz widths }

func (evaluator) Const(_ ir.Type, bits uint64) uint64 { return bits }

func (e evaluator) Make(op ir.Op, t, from ir.Type, x, y, z uint64) uint64 {
	k := ir.Key{Type: t, From: from}
	if op.Is(ir.Rounds) && t.IsFloat() && e.rtz&widthOf(uint32(t.Bits())) != 0 {
		k.Flags = ir.RTZ
	}
	return op.Row().Eval(k, x, y, z)
}

// widths is a bit set of widths of floats.
type widths uint8

// widthOf returns the set of a width; the empty set if a float has another than 16, 32 and 64 bits.
func widthOf(n uint32) widths {
	if n != 16 && n != 32 && n != 64 {
		return 0
	}
	return widths(n / 16)
}

// rounding has the widths that entry points round toward zero (RoundingModeRTZ): those of all entry points, and those of any.
type rounding struct{ all, any widths }

// roundings returns the rounding of the entry points.
func (g *gatherer) roundings() (r rounding) {
	modes := map[spirv.ID]widths{}
	for _, n := range g.mode {
		if v := inst.ExecutionMode(g.Code.Inst(int(n))); v.Mode() == spirv.ExecutionModeRoundingModeRTZ && len(v.ModeWords()) == 1 {
			modes[v.EntryPoint()] |= widthOf(v.ModeWords()[0])
		}
	}
	if len(modes) == 0 {
		return r
	}
	for i, n := range g.entry {
		v, _ := entryPointAt(g.Code.Inst(int(n)))
		w := modes[v.EntryPoint()]
		if i == 0 {
			r.all = w
		}
		r.all, r.any = r.all&w, r.any|w
	}
	return r
}
