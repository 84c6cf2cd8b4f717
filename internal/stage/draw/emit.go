package draw

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

func (w *weaver) num(x float32) ir.V { return w.b.Const(ir.F32, uint64(math.Float32bits(x))) }

func (w *weaver) fadd(x, y ir.V) ir.V { return w.b.Op(ir.FAdd, ir.F32, x, y) }
func (w *weaver) fsub(x, y ir.V) ir.V { return w.b.Op(ir.FSub, ir.F32, x, y) }
func (w *weaver) fmul(x, y ir.V) ir.V { return w.b.Op(ir.FMul, ir.F32, x, y) }
func (w *weaver) nmin(x, y ir.V) ir.V { return w.b.Op(ir.NMin, ir.F32, x, y) }
func (w *weaver) nmax(x, y ir.V) ir.V { return w.b.Op(ir.NMax, ir.F32, x, y) }

func (w *weaver) add(x, y ir.V) ir.V { return w.b.Op(ir.Add, ir.I32, x, y) }
func (w *weaver) mul(x, y ir.V) ir.V { return w.b.Op(ir.Mul, ir.I32, x, y) }
func (w *weaver) and(x, y ir.V) ir.V { return w.b.Op(ir.And, ir.I32, x, y) }
func (w *weaver) or(x, y ir.V) ir.V  { return w.b.Op(ir.Or, ir.I32, x, y) }
func (w *weaver) not(x ir.V) ir.V    { return w.b.Op(ir.Not, w.b.Func.Type(x), x) }
func (w *weaver) at(base, n ir.V, stride uint64) ir.V {
	return w.b.OpAux(ir.At, ir.I32, stride, base, n)
}
