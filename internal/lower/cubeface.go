package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// amdGcn lowers the instructions of SPV_AMD_gcn_shader.
func amdGcn(f *function, in spirv.Inst) {
	switch n := spirv.AMDGcnShaderOp(inst.ExtInst(in).Instruction()); n {
	case spirv.AMDGcnShaderCubeFaceIndexAMD:
		c := f.cubeFace(in)
		f.define(in, c.face)
	case spirv.AMDGcnShaderCubeFaceCoordAMD:
		c := f.cubeFace(in)
		half := f.b.Const(ir.F32, 0x3f000000)
		twice := f.Make(ir.FAdd, ir.F32, ir.F32, c.major, c.major, 0)
		coord := func(x ir.V) ir.V {
			q := f.Make(ir.FDiv, ir.F32, ir.F32, x, twice, 0)
			return f.Make(ir.FAdd, ir.F32, ir.F32, q, half, 0)
		}
		f.define(in, coord(c.s), coord(c.t))
	case spirv.AMDGcnShaderTimeAMD:
		f.define(in, f.readCounter())
	default:
		f.unsupported("%s", n)
	}
}

// cubeFace is the cube face that a direction points to: its number, and the face
// coordinates s, t and the major axis (Vulkan, Cube Map Face Selection).
type cubeFace struct {
	face, s, t, major ir.V
}

// cubeFace selects the face by the component of greatest magnitude, z before y before x
// if several are equal, and by its sign.
func (f *function) cubeFace(in spirv.Inst) cubeFace {
	if len(in) < 6 {
		f.malformed("the operand is missing")
	}
	p := f.scalars(spirv.ID(in[5]))
	if len(p) != 3 || f.b.Func.Type(p[0]) != ir.F32 {
		f.malformed("%%%d is not a vector of 3 32-bit floats", in[5])
	}
	b := f.b
	var size, minus, negative [3]ir.V
	for i, x := range p {
		size[i], minus[i] = b.Op(ir.FAbs, ir.F32, x), b.Op(ir.FNeg, ir.F32, x)
		negative[i] = b.Cmp(ir.FLt, x, b.Const(ir.F32, 0))
	}
	face := func(i int, positive uint64, negated uint64) ir.V {
		return b.Select(negative[i], b.Const(ir.F32, negated), b.Const(ir.F32, positive))
	}
	onX := cubeFace{face(0, 0, 0x3f800000), b.Select(negative[0], p[2], minus[2]), minus[1], size[0]}
	onY := cubeFace{face(1, 0x40000000, 0x40400000), p[0], b.Select(negative[1], minus[2], p[2]), size[1]}
	onZ := cubeFace{face(2, 0x40800000, 0x40a00000), b.Select(negative[2], minus[0], p[0]), minus[1], size[2]}
	z := b.Op(ir.And, ir.B1, b.Cmp(ir.FLe, size[0], size[2]), b.Cmp(ir.FLe, size[1], size[2]))
	y := b.Cmp(ir.FLe, size[0], size[1])
	pick := func(x, ofY, ofZ ir.V) ir.V { return b.Select(z, ofZ, b.Select(y, ofY, x)) }
	return cubeFace{
		pick(onX.face, onY.face, onZ.face), pick(onX.s, onY.s, onZ.s),
		pick(onX.t, onY.t, onZ.t), pick(onX.major, onY.major, onZ.major),
	}
}
