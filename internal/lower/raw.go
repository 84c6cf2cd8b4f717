package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var rawRules = rules{
	spirv.OpRawAccessChainNV: rawAccessChain,
}

// rawAccessChain lowers OpRawAccessChainNV: a byte offset from the base, independent of
// types (SPV_NV_raw_access_chains). Index and offset are unsigned. With
// RobustnessPerElementNV an element that is partly outside of the buffer is out of
// range as a whole; otherwise each component is checked separately.
func rawAccessChain(f *function, in spirv.Inst) {
	v := inst.RawAccessChainNV(in)
	stride := f.known(v.ByteStride())
	if stride > farAway {
		f.malformed("a stride of %d bytes", stride)
	}
	t := f.facts.Type(in.Type())
	if !t.IsPointer() || t.Elem == nil {
		f.malformed("the result has no pointee")
	}
	p := *f.pointer(v.Base())
	p.typ = t.Elem
	p.clearLayout()
	index, off := f.typed(v.ElementIndex(), ir.I32), f.typed(v.ByteOffset(), ir.I32)
	switch p.memory {
	case physical:
		n := f.b.Op(ir.Mul, ir.I64, f.b.Op(ir.ZExt, ir.I64, index), f.b.Const(ir.I64, stride))
		p.address = f.b.Op(ir.Add, ir.I64, p.address, f.b.Op(ir.Add, ir.I64, n, f.b.Op(ir.ZExt, ir.I64, off)))
	case inBuffer:
		element := f.b.OpAux(ir.At, ir.I32, stride, f.offsetValue(p.offset), index)
		at := f.b.OpAux(ir.At, ir.I32, 1, element, off)
		if m, _ := v.RawAccessChainOperands(); m&spirv.RawAccessChainOperandsRobustnessPerElementNVMask != 0 {
			end := f.b.OpAux(ir.At, ir.I32, 1, element, f.b.I32(uint32(stride)))
			inside := f.b.Cmp(ir.ULe, end, f.b.Op(ir.Len, ir.I32, p.handle))
			at = f.b.Select(inside, at, f.b.I32(farAway))
		}
		p.offset = offset{dyn: at}
	default:
		f.unsupported("of %s", p.class)
	}
	f.definePointer(in, &p)
}
