package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// ymmDotBytes is dotBytes without VNNI. The instructions are the same; without an allocatable
// scratch register above Y4 the operand u1 shares Y3 with a temporary, which is written only by the
// last instruction that reads u1.
func ymmDotBytes(m ymm, in *vcode.Inst) {
	x, y := m.vec(in.Uses[0], 4), m.vec(in.Uses[1], 3)
	m.word(AVX_VPAND, 1, x, everyOther)
	m.rri(AVX_VPSLLD, 2, 0, y, 8)
	m.rri(AVX_VPSRAW, 2, 0, 2, 8)
	m.rr(AVX_VPMADDWD, 1, 1, 2)
	m.rri(AVX_VPSRLD, 2, 0, x, 8)
	m.word(AVX_VPAND, 2, 2, everyOther)
	m.rri(AVX_VPSRAW, 3, 0, y, 8)
	m.rr(AVX_VPMADDWD, 2, 2, 3)
	m.rr(AVX_VPADDD, 1, 1, 2)
	d := m.dest(in, 0)
	m.with(AVX_VPADDD, d, 1, in.Uses[2])
	m.done(in, d)
}
