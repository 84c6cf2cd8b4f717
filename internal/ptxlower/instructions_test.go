package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// instructionRow is an instruction, the kinds of its result and its operands, and its value: h, r and d are registers of 16, 32 and 64
// bits, p is a predicate.
type instructionRow struct {
	text, kinds string
	args        []uint64
	want        uint64
}

func f32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64(x float64) uint64 { return math.Float64bits(x) }

// s32 returns the bits of a negative number.
func s32(x int32) uint64 { return uint64(uint32(x)) }

const (
	inf32, nan32 = 0x7f800000, 0x7fc00000
	denormal     = 0x00000001
	minusZero    = 1 << 31
)

// instructionRows are computed from the PTX ISA's text on each instruction.
var instructionRows = []instructionRow{
	{"add.s32", "rrr", []uint64{7, s32(-9)}, s32(-2)},
	{"add.sat.s32", "rrr", []uint64{0x7fffffff, 1}, 0x7fffffff},
	{"sub.sat.s32", "rrr", []uint64{0x80000000, 1}, 0x80000000},
	{"add.u64", "ddd", []uint64{1 << 63, 1 << 63}, 0},
	{"sub.u16", "hhh", []uint64{1, 2}, 0xffff},
	{"mul.lo.s32", "rrr", []uint64{0x10000, 0x10001}, 0x10000},
	{"mul.hi.u32", "rrr", []uint64{0xffffffff, 0xffffffff}, 0xfffffffe},
	{"mul.hi.s32", "rrr", []uint64{s32(-1), 5}, s32(-1)},
	{"mul.wide.s16", "rhh", []uint64{0xffff, 3}, s32(-3)},
	{"mul.wide.u32", "drr", []uint64{0xffffffff, 2}, 0x1fffffffe},
	{"mad.lo.u32", "rrrr", []uint64{3, 4, 5}, 17},
	{"mad.wide.s32", "drrd", []uint64{s32(-2), 3, 1}, ^uint64(4)},
	{"mad.hi.sat.s32", "rrrr", []uint64{0x7fffffff, 0x7fffffff, 0x7fffffff}, 0x7fffffff},
	{"mul24.lo.s32", "rrr", []uint64{0xffffff, 2}, s32(-2)},
	{"mul24.hi.u32", "rrr", []uint64{0xffffff, 0xffffff}, 0xfffffe00},
	{"mad24.lo.u32", "rrrr", []uint64{0x1000002, 3, 1}, 7},
	{"sad.s32", "rrrr", []uint64{s32(-3), 4, 10}, 17},
	{"sad.u32", "rrrr", []uint64{s32(-3), 4, 0}, 0xfffffff9},
	{"div.s32", "rrr", []uint64{s32(-7), 2}, s32(-3)},
	{"rem.s32", "rrr", []uint64{s32(-7), 2}, s32(-1)},
	{"abs.s32", "rr", []uint64{s32(-7)}, 7},
	{"neg.s64", "dd", []uint64{5}, ^uint64(4)},
	{"min.s32", "rrr", []uint64{s32(-1), 1}, s32(-1)},
	{"max.u32", "rrr", []uint64{s32(-1), 1}, s32(-1)},
	{"max.u16x2", "rrr", []uint64{0x0001ffff, 0x00020001}, 0x0002ffff},
	{"min.relu.s32", "rrr", []uint64{s32(-3), 2}, 0}, {"max.relu.s16x2", "rrr", []uint64{0xfffd0003, 0xfffe0002}, 3},
	{"popc.b32", "rr", []uint64{0xf0f0}, 8}, {"popc.b64", "rd", []uint64{^uint64(0)}, 64},
	{"clz.b32", "rr", []uint64{1}, 31}, {"clz.b64", "rd", []uint64{0}, 64},
	{"bfind.u32", "rr", []uint64{0x100}, 8}, {"bfind.s32", "rr", []uint64{s32(-1)}, 0xffffffff},
	{"bfind.shiftamt.u32", "rr", []uint64{0x100}, 23}, {"bfind.u64", "rd", []uint64{1 << 40}, 40},
	{"brev.b32", "rr", []uint64{1}, 1 << 31},
	{"bfe.u32", "rrrr", []uint64{0xabcd1234, 8, 8}, 0x12}, {"bfe.s32", "rrrr", []uint64{0xabcd1234, 28, 8}, s32(-6)},
	{"bfe.s32", "rrrr", []uint64{0xabcd1234, 40, 4}, s32(-1)}, {"bfe.u32", "rrrr", []uint64{0xabcd1234, 4, 0}, 0},
	{"bfe.u64", "ddrr", []uint64{0xabcd123400000000, 32, 16}, 0x1234},
	{"bfi.b32", "rrrrr", []uint64{0xff, 0x12345678, 8, 4}, 0x12345f78}, {"bfi.b32", "rrrrr", []uint64{0xff, 0x12345678, 32, 4}, 0x12345678},
	{"bfi.b64", "dddrr", []uint64{0xff, 0, 40, 64}, 0xff << 40},
	{"bmsk.clamp.b32", "rrr", []uint64{4, 8}, 0xff0}, {"bmsk.clamp.b32", "rrr", []uint64{0, 40}, 0xffffffff},
	{"szext.clamp.s32", "rrr", []uint64{0xff, 8}, s32(-1)}, {"szext.clamp.u32", "rrr", []uint64{0x1ff, 8}, 0xff},
	{"fns.b32", "rrrr", []uint64{0xf0, 0, 2}, 5}, {"fns.b32", "rrrr", []uint64{0xf0, 31, s32(-1)}, 7},
	{"fns.b32", "rrrr", []uint64{0xf0, 3, 0}, 0xffffffff}, {"fns.b32", "rrrr", []uint64{0xf0, 4, 0}, 4}, {"fns.b32", "rrrr", []uint64{0xf0, 0, 5}, 0xffffffff},
	{"dp4a.s32.s32", "rrrr", []uint64{0xff020304, 0x01010101, 10}, 18}, {"dp4a.u32.u32", "rrrr", []uint64{0xff020304, 0x01010101, 0}, 264},
	{"dp2a.lo.s32.u32", "rrrr", []uint64{0xffff0002, 0x00000305, 0}, 7}, {"dp2a.hi.s32.u32", "rrrr", []uint64{0xffff0002, 0x03050000, 0}, 7},

	{"and.b32", "rrr", []uint64{12, 10}, 8}, {"or.b16", "hhh", []uint64{12, 3}, 15}, {"xor.b64", "ddd", []uint64{1 << 40, 1}, 1<<40 | 1},
	{"not.b16", "hh", []uint64{1}, 0xfffe}, {"cnot.b32", "rr", []uint64{0}, 1}, {"cnot.b32", "rr", []uint64{9}, 0},
	{"shl.b32", "rrr", []uint64{1, 32}, 0}, {"shr.u32", "rrr", []uint64{1 << 31, 31}, 1}, {"shr.s32", "rrr", []uint64{1 << 31, 99}, 0xffffffff}, {"shl.b64", "ddr", []uint64{1, 63}, 1 << 63},
	{"shr.u16", "hhr", []uint64{0x8000, 15}, 1},
	{"shf.l.wrap.b32", "rrrr", []uint64{0x80000000, 1, 1}, 3}, {"shf.r.clamp.b32", "rrrr", []uint64{1, 2, 40}, 2}, {"shf.r.wrap.b32", "rrrr", []uint64{0x10, 3, 36}, 0x30000001},
	{"shf.l.wrap.b32", "rrri", []uint64{0x80000000, 1, 1}, 3}, {"shf.l.wrap.b32", "rrri", []uint64{5, 1, 64}, 1}, {"shf.l.clamp.b32", "rrri", []uint64{5, 1, 33}, 5},
	{"shf.r.clamp.b32", "rrri", []uint64{1, 2, 40}, 2}, {"shf.r.wrap.b32", "rrri", []uint64{0x10, 3, 36}, 0x30000001}, {"shf.r.wrap.b32", "rrri", []uint64{7, 3, 32}, 7},
	{"prmt.b32", "rrri", []uint64{0x33221100, 0x77665544, 0x7610}, 0x77661100}, {"prmt.b32", "rrri", []uint64{0x7f80, 0xff000000, 0xf898}, 0xffff00ff}, {"prmt.b32", "rrri", []uint64{0x33221100, 0, 0x0123}, 0x00112233},
	{"lop3.b32", "rrrri", []uint64{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xe8}, 0xe8e8e8e8}, {"lop3.b32", "rrrri", []uint64{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96}, 0x96969696},
	{"prmt.b32", "rrrr", []uint64{0x33221100, 0x77665544, 0x7610}, 0x77661100}, {"prmt.b32", "rrrr", []uint64{0x80, 0, 0x8888}, 0xffffffff},
	{"prmt.b32.f4e", "rrrr", []uint64{0x33221100, 0x77665544, 1}, 0x44332211}, {"prmt.b32.b4e", "rrrr", []uint64{0x33221100, 0x77665544, 1}, 0x66770011},
	{"prmt.b32.rc8", "rrrr", []uint64{0x33221100, 0x77665544, 2}, 0x22222222}, {"prmt.b32.ecl", "rrrr", []uint64{0x33221100, 0, 2}, 0x33222222},
	{"prmt.b32.ecr", "rrrr", []uint64{0x33221100, 0, 2}, 0x22221100}, {"prmt.b32.rc16", "rrrr", []uint64{0x33221100, 0, 1}, 0x33223322},

	{"add.f32", "rrr", []uint64{f32(1), f32(2)}, f32(3)}, {"add.rz.f32", "rrr", []uint64{f32(1), f32(-0x1p-30)}, f32(1 - 0x1p-24)},
	{"add.rp.f32", "rrr", []uint64{f32(1), f32(0x1p-60)}, f32(1 + 0x1p-23)}, {"add.rm.f32", "rrr", []uint64{f32(1), f32(0x1p-60)}, f32(1)},
	{"add.rm.f32", "rrr", []uint64{f32(1), f32(-0x1p-60)}, f32(1 - 0x1p-24)}, {"add.rm.f32", "rrr", []uint64{f32(1), f32(-1)}, minusZero},
	{"add.rp.f32", "rrr", []uint64{f32(1), f32(-1)}, 0}, {"sub.rp.f32", "rrr", []uint64{f32(-1), f32(-0x1p-60)}, f32(-1 + 0x1p-24)},
	{"add.rm.f32", "rrr", []uint64{0x7f7fffff, 0x7f7fffff}, 0x7f7fffff}, {"add.rp.f32", "rrr", []uint64{0x7f7fffff, 0x7f7fffff}, inf32},
	{"mul.rp.f32", "rrr", []uint64{denormal, denormal}, denormal}, {"mul.rm.f32", "rrr", []uint64{denormal, denormal}, 0}, {"mul.rm.f32", "rrr", []uint64{denormal, minusZero | denormal}, minusZero | denormal},
	{"fma.rp.f32", "rrrr", []uint64{f32(0x1p-100), f32(0x1p-100), f32(1)}, f32(1 + 0x1p-23)}, {"fma.rn.f32", "rrrr", []uint64{f32(1.5), 0x3f800003, f32(0x1p-80)}, 0x3fc00005},
	{"div.rm.f32", "rrr", []uint64{f32(1), f32(3)}, 0x3eaaaaaa}, {"div.rp.f32", "rrr", []uint64{f32(1), f32(3)}, 0x3eaaaaab}, {"div.rm.f32", "rrr", []uint64{f32(-1), f32(3)}, 0xbeaaaaab},
	{"div.rn.f32", "rrr", []uint64{f32(1), 0}, inf32}, {"div.approx.f32", "rrr", []uint64{f32(6), f32(3)}, f32(2)}, {"div.approx.f32", "rrr", []uint64{f32(6), f32(0x1p127)}, 0},
	{"sqrt.rm.f32", "rr", []uint64{f32(2)}, 0x3fb504f3}, {"sqrt.rp.f32", "rr", []uint64{f32(2)}, 0x3fb504f4}, {"rcp.rn.f32", "rr", []uint64{f32(4)}, f32(0.25)},
	{"add.ftz.f32", "rrr", []uint64{denormal, 0}, 0}, {"mul.ftz.f32", "rrr", []uint64{f32(0x1p-100), f32(0x1p-40)}, 0},
	{"add.ftz.f16", "hhh", []uint64{denormal, 0}, 0}, {"fma.rn.ftz.f16", "hhhh", []uint64{0x0400, 0x3800, 0}, 0}, {"mul.ftz.f16x2", "rrr", []uint64{0x80013c00, 0x3c003c00}, 0x80003c00},
	{"setp.gt.ftz.f16", "phh", []uint64{denormal, 0}, 0}, {"cvt.ftz.f32.f16", "rh", []uint64{denormal}, f32(0x1p-24)},
	{"add.sat.f32", "rrr", []uint64{f32(1), f32(2)}, f32(1)}, {"add.sat.f32", "rrr", []uint64{nan32, f32(2)}, 0}, {"sub.sat.f32", "rrr", []uint64{f32(1), f32(2)}, 0},
	{"min.f32", "rrr", []uint64{nan32, f32(2)}, f32(2)}, {"max.f32", "rrr", []uint64{minusZero, 0}, 0}, {"min.NaN.f32", "rrr", []uint64{nan32, f32(2)}, nan32},
	{"min.xorsign.abs.f32", "rrr", []uint64{f32(-3), f32(2)}, f32(-2)},
	{"abs.f32", "rr", []uint64{minusZero}, 0}, {"neg.f32", "rr", []uint64{f32(1)}, f32(-1)}, {"copysign.f32", "rrr", []uint64{f32(-1), f32(5)}, f32(-5)},
	{"rsqrt.approx.f32", "rr", []uint64{f32(4)}, f32(0.5)}, {"ex2.approx.f32", "rr", []uint64{f32(3)}, f32(8)}, {"lg2.approx.f32", "rr", []uint64{f32(8)}, f32(3)},
	{"sin.approx.f32", "rr", []uint64{0}, 0}, {"cos.approx.f32", "rr", []uint64{0}, f32(1)}, {"tanh.approx.f32", "rr", []uint64{0}, 0},
	{"add.f64", "ddd", []uint64{f64(1), f64(0x1p-52)}, f64(1 + 0x1p-52)}, {"fma.rz.f64", "dddd", []uint64{f64(1), f64(1), f64(-0x1p-80)}, f64(1 - 0x1p-53)},
	{"sqrt.rn.f64", "dd", []uint64{f64(2)}, f64(math.Sqrt2)}, {"rcp.rn.f64", "dd", []uint64{f64(8)}, f64(0.125)},
	{"testp.infinite.f32", "pr", []uint64{inf32}, 1}, {"testp.subnormal.f32", "pr", []uint64{denormal}, 1}, {"testp.normal.f32", "pr", []uint64{denormal}, 0}, {"testp.number.f64", "pd", []uint64{f64(math.NaN())}, 0},

	{"add.f16", "hhh", []uint64{0x3c00, 0x3c00}, 0x4000}, {"fma.rn.f16", "hhhh", []uint64{0x4000, 0x4200, 0x3c00}, 0x4700},
	{"add.f16x2", "rrr", []uint64{0x3c004000, 0x3c003c00}, 0x40004200}, {"mul.f16x2", "rrr", []uint64{0x40004000, 0x42003c00}, 0x46004000}, {"neg.f16x2", "rr", []uint64{0x3c00bc00}, 0xbc003c00},
	{"max.f16x2", "rrr", []uint64{0x3c004000, 0x40003c00}, 0x40004000}, {"fma.rn.bf16", "hhhh", []uint64{0x4000, 0x4040, 0x3f80}, 0x40e0}, {"fma.rn.bf16", "hhhh", []uint64{0x3f80, 0x3f81, 0x3b80}, 0x3f82},
	{"fma.rn.bf16", "hhhh", []uint64{0x3f80, 0x3f80, 0x3b80}, 0x3f80}, {"add.rn.bf16x2", "rrr", []uint64{0x3f804000, 0x3f803f80}, 0x40004040}, {"neg.bf16", "hh", []uint64{0x3f80}, 0xbf80},

	{"rcp.approx.ftz.f64", "dd", []uint64{f64(4) | 0xffff}, f64(0.25)}, {"rcp.approx.ftz.f64", "dd", []uint64{1 << 63}, f64(math.Inf(-1))}, {"rcp.approx.ftz.f64", "dd", []uint64{1}, f64(math.Inf(1))},
	{"rcp.approx.ftz.f64", "dd", []uint64{f64(math.NaN())}, 0x7fffffff00000000}, {"rsqrt.approx.ftz.f64", "dd", []uint64{f64(16)}, f64(0.25)}, {"rsqrt.approx.ftz.f64", "dd", []uint64{f64(-2)}, 0x7fffffff00000000},
	{"rsqrt.approx.ftz.f64", "dd", []uint64{f64(math.Inf(1))}, 0}, {"rcp.approx.ftz.f64", "dd", []uint64{f64(3)}, f64(1./3) &^ 0xffffffff},
	{"cvt.rna.tf32.f32", "rr", []uint64{0x3f801000}, 0x3f802000}, {"cvt.rn.tf32.f32", "rr", []uint64{0x3f801000}, 0x3f800000}, {"cvt.rz.tf32.f32", "rr", []uint64{0xbf801fff}, 0xbf800000}, {"cvt.rna.tf32.f32", "rr", []uint64{inf32}, inf32},
	{"cvt.rn.satfinite.e4m3x2.f32", "hrr", []uint64{f32(1), f32(-448)}, 0x38fe}, {"cvt.rn.satfinite.e4m3x2.f32", "hrr", []uint64{f32(1e6), nan32}, 0x7e7f}, {"cvt.rn.satfinite.e4m3x2.f32", "hrr", []uint64{f32(0x1p-9), f32(0x1.8p-9)}, 0x0102},
	{"cvt.rn.satfinite.e4m3x2.f32", "hrr", []uint64{f32(0x1p-10), f32(0x1.fp-7)}, 0x0008}, {"cvt.rn.satfinite.e4m3x2.f32", "hrr", []uint64{f32(1.0625), f32(1.1875)}, 0x383a}, {"cvt.rn.satfinite.relu.e5m2x2.f32", "hrr", []uint64{f32(-2), f32(57344)}, 0x007b},
	{"cvt.rn.satfinite.e5m2x2.f32", "hrr", []uint64{inf32, f32(-0x1p-16)}, 0x7b81}, {"cvt.rn.satfinite.e5m2x2.f16x2", "hr", []uint64{0x3c00c000}, 0x3cc0},
	{"cvt.rn.f16x2.e4m3x2", "rh", []uint64{0x38fe}, 0x3c00df00}, {"cvt.rn.f16x2.e4m3x2", "rh", []uint64{0x0108}, 0x18002400}, {"cvt.rn.f16x2.e4m3x2", "rh", []uint64{0x7f80}, 0x7e008000}, {"cvt.rn.f16x2.e5m2x2", "rh", []uint64{0x3cc0}, 0x3c00c000},
	{"cvt.pack.sat.u16.s32", "rrr", []uint64{70000, s32(-3)}, 0xffff0000}, {"cvt.pack.sat.s16.s32", "rrr", []uint64{s32(-70000), 5}, 0x80000005},
	{"cvt.pack.sat.u8.s32.b32", "rrrr", []uint64{300, 7, 0xaabbccdd}, 0xccddff07}, {"cvt.pack.sat.s8.s32.b32", "rrrr", []uint64{s32(-300), s32(-2), 1}, 0x000180fe},

	// Video instructions: the text after the name has the selectors of the operands.
	{"vadd.s32.u32.s32", "rrr", []uint64{1 << 31, s32(-1)}, 0x7fffffff}, {"vadd.u32.s32.s32.sat", "rrr", []uint64{3, s32(-5)}, 0}, {"vadd.s32.u32.u32.sat", "rrr", []uint64{1 << 31, 1}, 0x7fffffff},
	{"vadd.s32.s32.u32.add ,.b1,.h1,", "rrrr", []uint64{0x8000, 0x00030000, 1000}, 1000 - 128 + 3}, {"vadd.u32.u32.u32.sat .b2,.b0,.b0,", "rrrr", []uint64{0xff, 2, 0x11223344}, 0x11ff3344},
	{"vsub.s32.u32.u32", "rrr", []uint64{1, 2}, s32(-1)}, {"vsub.u32.u32.u32.sat", "rrr", []uint64{1, 2}, 0}, {"vabsdiff.u32.s32.s32", "rrr", []uint64{s32(-7), 5}, 12}, {"vabsdiff.u32.u32.u32.add", "rrrr", []uint64{2, 5, 10}, 13},
	{"vmin.s32.u32.s32", "rrr", []uint64{5, s32(-5)}, s32(-5)}, {"vmax.u32.u32.u32.min", "rrrr", []uint64{5, 9, 7}, 7}, {"vmax.s32.s32.s32.max", "rrrr", []uint64{s32(-5), s32(-9), s32(-3)}, s32(-3)},
	{"vshl.u32.u32.u32.wrap", "rrr", []uint64{3, 33}, 6}, {"vshl.u32.u32.u32.clamp", "rrr", []uint64{3, 99}, 0}, {"vshl.s32.s32.u32.sat.clamp", "rrr", []uint64{s32(-3), 31}, 1 << 31}, {"vshr.s32.s32.u32.clamp", "rrr", []uint64{s32(-8), 40}, s32(-1)}, {"vshr.u32.u32.u32.clamp.add", "rrrr", []uint64{1 << 31, 32, 7}, 7},
	// .min and .max compare numbers of 33 bits, c with the sign of the result's type (optSecOp).
	{"vadd.u32.u32.u32.min", "rrrr", []uint64{0xffffffff, 1, 5}, 0}, {"vadd.u32.u32.u32.max", "rrrr", []uint64{0xffffffff, 1, 5}, 5}, {"vadd.u32.u32.u32.sat.min", "rrrr", []uint64{0xffffffff, 1, 5}, 5},
	{"vsub.u32.u32.u32.min", "rrrr", []uint64{1, 2, 7}, s32(-1)}, {"vsub.u32.u32.u32.max", "rrrr", []uint64{1, 2, 7}, 7}, {"vsub.u32.u32.u32.max", "rrrr", []uint64{1, 2, 0xffffffff}, 0xffffffff},
	{"vadd.s32.s32.s32.max", "rrrr", []uint64{0x7fffffff, 1, 5}, 1 << 31}, {"vadd.s32.s32.s32.min", "rrrr", []uint64{0x7fffffff, 1, 5}, 5}, {"vadd.s32.u32.u32.min", "rrrr", []uint64{1 << 31, 16, s32(-1)}, s32(-1)},
	{"vshl.u32.u32.u32.clamp.max", "rrrr", []uint64{1 << 31, 1, 3}, 3}, {"vshl.u32.u32.u32.clamp.min", "rrrr", []uint64{1 << 31, 0, 3}, 3},
	{"vset.u32.u32.lt", "rrr", []uint64{1, 2}, 1}, {"vset.s32.u32.ge", "rrr", []uint64{s32(-1), 0}, 0}, {"vset.u32.u32.ne.add", "rrrr", []uint64{1, 2, 4}, 5},
	{"vmad.s32.s32.s32", "rrrr", []uint64{s32(-3), 5, 1}, s32(-14)}, {"vmad.u32.u32.u32.po.shr7", "rrrr", []uint64{1 << 20, 1 << 10, 127}, 1<<23 + 1}, {"vmad.u32.u32.u32.sat", "rrrr", []uint64{1 << 31, 2, 0}, 0xffffffff},
	// (u32 · u32) − u32 and −(u32 · u32) + s32 have signed results.
	{"vmad.s32.u32.u32 ,,,-", "rrrr", []uint64{3, 4, 20}, s32(-8)}, {"vmad.s32.u32.u32.sat ,,,-", "rrrr", []uint64{0xffffffff, 0xffffffff, 1}, 0x7fffffff}, {"vmad.s32.u32.u32.sat.shr7 ,,,-", "rrrr", []uint64{1, 1, 130}, s32(-2)},
	{"vmad.s32.u32.u32 ,-,,", "rrrr", []uint64{3, 4, 20}, 8}, {"vmad.s32.u32.u32.sat ,-,,", "rrrr", []uint64{0xffffffff, 0xffffffff, 7}, 0x80000000}, {"vmad.s32.u32.u32.sat.shr15 ,-,,", "rrrr", []uint64{1 << 16, 1 << 16, s32(-1)}, s32(-131073)},
	{"vmad.s32.u32.u32.shr7 ,-,,", "rrrr", []uint64{1 << 20, 1 << 20, 0}, 0}, {"vmad.s32.u32.u32.sat ,-,,", "rrrr", []uint64{0, 5, s32(-9)}, s32(-9)}, {"vmad.s32.u32.u32.sat ,,,-", "rrrr", []uint64{2, 3, 6}, 0},
	{"vmad.s32.u32.s32.shr15.sat", "rrrr", []uint64{0xffffffff, s32(-1), 0}, s32(-131072)}, {"vmad.s32.s32.s32 ,-,,", "rrrr", []uint64{3, 5, 1}, s32(-14)}, {"vmad.s32.s32.s32 ,,,-", "rrrr", []uint64{3, 5, 1}, 14}, {"vmad.s32.s32.s32 ,.h0,.b1,", "rrrr", []uint64{0xfffe, 0x0300, 10}, 4},
	{"vadd2.s32.s32.s32.sat", "rrrr", []uint64{0x7fff0001, 0x00010002, 0}, 0x7fff0003}, {"vadd2.u32.u32.u32 .h1,.h10,.h32,", "rrrr", []uint64{0x00030001, 0x00050002, 0x1111}, 0x00081111}, {"vsub4.s32.u32.u32.add", "rrrr", []uint64{0x01020304, 0x01010101, 100}, 106},
	{"vadd2.u32.u32.u32 ,.h01,.h03,", "rrrr", []uint64{0x00030001, 0x00050002, 0}, 0x00020008}, {"vavrg2.s32.s32.s32", "rrrr", []uint64{0x0003fffd, 0x0004fffe, 0}, 0x0004fffd}, {"vavrg4.u32.u32.u32", "rrrr", []uint64{0x01ff0002, 0x02ff0003, 0}, 0x02ff0003},
	{"vabsdiff4.u32.u32.u32.add", "rrrr", []uint64{0x01020304, 0x04030201, 1}, 9}, {"vmin4.s32.s32.s32", "rrrr", []uint64{0x80017f00, 0x01ff0000, 0}, 0x80ff0000}, {"vmax2.u32.u32.u32", "rrrr", []uint64{0x8000_0001, 0x7fff_0002, 0}, 0x80000002},
	{"vset4.u32.u32.eq", "rrrr", []uint64{0x01020304, 0x01000300, 0xffffffff}, 0x01000100}, {"vset2.s32.s32.lt.add", "rrrr", []uint64{0xffff0001, 0x00000002, 5}, 7}, {"vadd4.u32.u32.u32 .b20,.b0000,.b4444,", "rrrr", []uint64{1, 2, 0xaabbccdd}, 0xaa03cc03},

	{"setp.lt.s32", "prr", []uint64{s32(-1), 1}, 1}, {"setp.lt.u32", "prr", []uint64{s32(-1), 1}, 0}, {"setp.hi.u32", "prr", []uint64{2, 1}, 1}, {"setp.eq.f32", "prr", []uint64{nan32, nan32}, 0},
	{"setp.equ.f32", "prr", []uint64{nan32, 1}, 1}, {"setp.ne.f32", "prr", []uint64{nan32, 1}, 0}, {"setp.neu.f32", "prr", []uint64{nan32, 1}, 1}, {"setp.nan.f32", "prr", []uint64{nan32, 1}, 1}, {"setp.num.f32", "prr", []uint64{nan32, 1}, 0},
	{"setp.geu.f64", "pdd", []uint64{f64(math.NaN()), 0}, 1}, {"set.lt.u32.s32", "rrr", []uint64{1, 2}, 0xffffffff}, {"set.gt.f32.s32", "rrr", []uint64{3, 2}, f32(1)}, {"set.lt.bf16.bf16", "hhh", []uint64{0x3f80, 0x4000}, 0x3f80},
	{"set.gt.f16x2.f16x2", "rrr", []uint64{0x40003c00, 0x3c003c00}, 0x3c000000}, {"set.gtu.u32.f16x2", "rrr", []uint64{0x3c007e00, 0x40003c00}, 0xffff}, {"set.le.bf16x2.bf16x2", "rrr", []uint64{0x3f804000, 0x3f803f80}, 0x3f800000},
	{"slct.u32.s32", "rrrr", []uint64{5, 6, s32(-1)}, 6}, {"slct.f32.f32", "rrrr", []uint64{5, 6, minusZero}, 5}, {"slct.f32.f32", "rrrr", []uint64{5, 6, nan32}, 6},

	{"cvt.s32.s8", "rh", []uint64{0x1ff}, s32(-1)}, {"cvt.u32.u8", "rh", []uint64{0x1ff}, 0xff}, {"cvt.s64.s32", "dr", []uint64{s32(-1)}, ^uint64(0)}, {"cvt.u64.u32", "dr", []uint64{s32(-1)}, 0xffffffff}, {"cvt.u16.u32", "hr", []uint64{0x12345}, 0x2345},
	{"cvt.sat.u8.s32", "rr", []uint64{300}, 255}, {"cvt.sat.s8.s32", "rr", []uint64{300}, 127}, {"cvt.sat.u32.s32", "rr", []uint64{s32(-4)}, 0}, {"cvt.s8.s32", "rr", []uint64{0x80}, s32(-128)}, {"cvt.sat.s32.u32", "rr", []uint64{0xffffffff}, 0x7fffffff},
	{"cvt.rni.s32.f32", "rr", []uint64{f32(2.5)}, 2}, {"cvt.rzi.s32.f32", "rr", []uint64{f32(-2.5)}, s32(-2)}, {"cvt.rmi.s32.f32", "rr", []uint64{f32(-2.5)}, s32(-3)}, {"cvt.rpi.s32.f32", "rr", []uint64{f32(2.1)}, 3},
	{"cvt.rzi.s32.f32", "rr", []uint64{f32(1e20)}, 0x7fffffff}, {"cvt.rzi.u32.f32", "rr", []uint64{f32(-5)}, 0}, {"cvt.rzi.s32.f32", "rr", []uint64{nan32}, 0}, {"cvt.rzi.u8.f32", "rr", []uint64{f32(300)}, 255},
	{"cvt.rzi.s32.f64", "rd", []uint64{f64(math.NaN())}, 1 << 31}, {"cvt.rzi.u16.f64", "hd", []uint64{f64(math.NaN())}, 1 << 15}, {"cvt.rzi.s64.f32", "dr", []uint64{nan32}, 1 << 63}, {"cvt.rzi.u64.f16", "dh", []uint64{0x7e00}, 1 << 63}, {"cvt.rzi.u16.f16", "hh", []uint64{0x7e00}, 0},
	{"cvt.rni.f32.f32", "rr", []uint64{f32(3.5)}, f32(4)}, {"cvt.rn.f32.s32", "rr", []uint64{0x1000001}, f32(0x1000000)}, {"cvt.rp.f32.s32", "rr", []uint64{0x1000001}, f32(0x1000002)}, {"cvt.rz.f32.u32", "rr", []uint64{0xffffffff}, 0x4f7fffff},
	{"cvt.f64.f32", "dr", []uint64{f32(1.5)}, f64(1.5)}, {"cvt.rn.f32.f64", "rd", []uint64{f64(1 + 0x1p-24)}, f32(1)}, {"cvt.rp.f32.f64", "rd", []uint64{f64(1 + 0x1p-50)}, f32(1 + 0x1p-23)}, {"cvt.rm.f32.f64", "rd", []uint64{f64(-1e-300)}, minusZero | denormal},
	{"cvt.rn.f16.f32", "hr", []uint64{f32(1.0005)}, 0x3c01}, {"cvt.f32.f16", "rh", []uint64{0x3c01}, f32(1 + 0x1p-10)}, {"cvt.sat.f32.f32", "rr", []uint64{f32(3)}, f32(1)}, {"cvt.rn.f64.s64", "dd", []uint64{^uint64(0)}, f64(-1)},
	{"cvt.rn.f16x2.f32", "rrr", []uint64{f32(1), f32(2)}, 0x3c004000}, {"cvt.rn.bf16x2.f32", "rrr", []uint64{f32(1), f32(2)}, 0x3f804000}, {"cvt.rn.bf16.f32", "hr", []uint64{f32(1 + 0x1p-8)}, 0x3f80}, {"cvt.rz.bf16.f32", "hr", []uint64{f32(2 - 0x1p-20)}, 0x3fff},
	{"cvt.rn.relu.f16.f32", "hr", []uint64{f32(-1)}, 0}, {"cvt.rn.satfinite.f16.f32", "hr", []uint64{f32(1e10)}, 0x7bff}, {"cvt.rn.satfinite.f16.f32", "hr", []uint64{f32(-65520)}, 0xfbff},
	{"cvt.rn.satfinite.bf16.f32", "hr", []uint64{inf32}, 0x7f7f}, {"cvt.rn.satfinite.f16x2.f32", "rrr", []uint64{inf32, f32(1)}, 0x7bff3c00}, {"cvt.rn.satfinite.relu.bf16x2.f32", "rrr", []uint64{minusZero | inf32, inf32}, 0x7f7f},
}

// registerTypes are the types of the registers of a kind.
var registerTypes = map[byte]string{'h': ".b16", 'r': ".b32", 'd': ".b64", 'p': ".pred"}

// rowText returns the code of row i: it loads the operands, and stores the result as 64 bits.
func rowText(i int, row *instructionRow) string {
	var b strings.Builder
	b.WriteString("{\n")
	names := []string{}
	for k := range row.kinds {
		kind := row.kinds[k]
		if kind == 'i' {
			names = append(names, fmt.Sprint(row.args[k-1]))
			continue
		}
		name := fmt.Sprintf("x%d", k)
		names = append(names, name)
		fmt.Fprintf(&b, ".reg %s %s;\n", registerTypes[kind], name)
		if k > 0 {
			fmt.Fprintf(&b, "ld.global%s %s, [%%in+%d];\n", registerTypes[kind], name, 64*i+8*(k-1))
		}
	}
	text, selectors, some := strings.Cut(row.text, " ")
	if some {
		for k, s := range strings.Split(selectors, ",") {
			if s == "-" {
				s = ""
				names[k] = "-" + names[k]
			}
			names[k] += s
		}
	}
	fmt.Fprintf(&b, "%s %s;\n", text, strings.Join(names, ", "))
	switch row.kinds[0] {
	case 'p':
		b.WriteString("selp.b64 %v, 1, 0, x0;\n")
	case 'd':
		b.WriteString("mov.b64 %v, x0;\n")
	case 'r':
		b.WriteString("cvt.u64.u32 %v, x0;\n")
	case 'h':
		b.WriteString("cvt.u64.u16 %v, x0;\n")
	}
	fmt.Fprintf(&b, "st.global.b64 [%%out+%d], %%v;\n}\n", 8*i)
	return b.String()
}

// rowsHead begins a kernel of rows.
const rowsHead = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry rows(.param .u64 o, .param .u64 i)\n{\n.reg .b64 %in, %out, %v;\nld.param.u64 %out, [o];\nld.param.u64 %in, [i];\n"

// TestInstructions runs each instruction on its operands, on each engine.
func TestInstructions(t *testing.T) {
	text := rowsHead
	in := make([]byte, 64*len(instructionRows))
	for i := range instructionRows {
		row := &instructionRows[i]
		text += rowText(i, row)
		for k, v := range row.args {
			binary.LittleEndian.PutUint64(in[64*i+8*k:], v)
		}
	}
	m := parse(t, text+"ret;\n}\n")
	for _, e := range engines {
		out := make([]byte, 8*len(instructionRows))
		l := launch{kernel: "rows", grid: [3]uint32{1, 1, 1}, block: [3]uint32{3, 1, 1}, args: []any{out, in}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		for i, row := range instructionRows {
			if got := binary.LittleEndian.Uint64(out[8*i:]); got != row.want {
				t.Errorf("%s of %#x on the %s: %#x; must be %#x", row.text, row.args, e.name, got, row.want)
			}
		}
	}
}
