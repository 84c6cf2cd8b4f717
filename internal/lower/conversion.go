package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var conversionRules = rules{
	spirv.OpQuantizeToF16: quantizeToF16,
	spirv.OpFConvert:      fConvert,
}

// fConvert lowers OpFConvert; an FPRoundingMode decoration overrides the mode of the entry
// point.
func fConvert(f *function, in spirv.Inst) {
	saved := f.float
	if d, ok := f.facts.Decoration(in.Result(), spirv.DecorationFPRoundingMode); ok {
		switch spirv.FPRoundingMode(d.Literal()) {
		case spirv.FPRoundingModeRTE:
			f.float.rtz = 0
		case spirv.FPRoundingModeRTZ:
			f.float.rtz = ^widths(0)
		default:
			f.unsupported("%s", spirv.FPRoundingMode(d.Literal()))
		}
	}
	if !f.convertEncoded(in) {
		f.componentwise(in, *f.row(in.Op()))
	}
	f.float = saved
}

func quantizeToF16(f *function, in spirv.Inst) {
	f.eachComponent(in, f.operands(in[3:]), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
		if a[0].Type != ir.F32 {
			f.malformed("the operand is %s; must be f32", a[0].Type)
		}
		return mathlib.QuantizeToF16(f.b, a[0].Value)
	})
}
