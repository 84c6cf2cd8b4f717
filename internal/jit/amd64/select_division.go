package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// divisions is the code of integer division of 8 and 16 bits, which is that of
// 32 bits (select_integer.go).
func divisions() map[rule]emitter {
	r := map[rule]emitter{}
	for _, t := range narrowTypes {
		r[rule{ir.UDiv, t, t}] = lanewise(t, cut, divided)
		r[rule{ir.UMod, t, t}] = lanewise(t, cut, divided)
		r[rule{ir.SDiv, t, t}] = lanewise(t, signed|cut, divided)
		r[rule{ir.SRem, t, t}] = lanewise(t, signed|cut, divided)
		r[rule{ir.SMod, t, t}] = lanewise(t, signed|cut, divided)
	}
	return r
}

func divided(m *machine, in *vcode.Inst, e element) {
	m.divide(in.IR, 0, 1)
	m.moveVec(0, 2)
}
