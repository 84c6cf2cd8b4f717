package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// With SanitizeUninit workgroup memory has a shadow byte for each of its bytes, after its end: all ones after a store, zero before the first
// one. The engines clear both when a workgroup starts. A load of bytes that are not all ones is an undefined value. A store of an
// undefined value has a report of its own, so that the bytes count as defined. A task copies the shadow of its payload beside the payload, inverted.

var undefinedShared = &source{finding{ir.SanitizeUninit, "a Workgroup variable without initializer"}, []string{"workgroup memory"}}

// sharedShadow is the shadow of workgroup memory.
type sharedShadow struct {
	size uint32 // of the memory without the shadow; 0 is no shadow
	base uint32 // offset of the shadow
}

// shadowShared adds the shadow of workgroup memory, if all accesses are instructions of the memory itself.
func (u *unit) shadowShared() (s sharedShadow) {
	if !u.sanitizes(ir.SanitizeUninit) || !u.shadowsShared() {
		return s
	}
	for _, f := range u.prog.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			direct := x.Op == ir.Len || x.Op.Family() == ir.Memory || x.Op.Family() == ir.Atomics
			for i := range x.Op.Args() {
				if a := x.Args[i]; f.Val(a).Op == ir.Wg && !(direct && i == 0) {
					return s
				}
			}
			if x.Op == ir.Br || x.Op == ir.Loop || x.Op == ir.Call {
				for _, a := range f.Listed(v) {
					if f.Val(a).Op == ir.Wg {
						return s
					}
				}
			}
		}
	}
	s.size = u.prog.SharedBytes
	s.base = uint32(roundUp(uint64(s.size), 16))
	u.prog.SharedBytes = s.base + s.size
	return s
}

// maxShadowedShared is the most bytes of workgroup memory with a shadow.
const maxShadowedShared = 1 << 20

// shadowsShared reports whether the memory of workgroups has a shadow: it has the bytes of variables alone.
func (u *unit) shadowsShared() bool {
	return (u.prog.Stage == ir.Compute || u.prog.Stage == ir.Task) && u.prog.SharedBytes > 0 && u.prog.SharedBytes <= maxShadowedShared && u.nodeWord == 0 && u.followsShared()
}

// isShared reports whether an operation accesses the memory of the workgroup.
func (w *follower) isShared(f *ir.Func, x *ir.Val) bool {
	return w.shared.size > 0 && (x.Op == ir.Len || x.Op.Family() == ir.Memory || x.Op.Family() == ir.Atomics) && f.Val(x.Args[0]).Op == ir.Wg
}

// beginShared keeps the shadow out of the reach of an access of workgroup memory, and loads it. It returns the loaded shadow; 0 if the
// access has none.
func (x *instrumented) beginShared(v ir.V) ir.V {
	op := x.fn.Val(v)
	if !x.isShared(x.fn, op) {
		return 0
	}
	if op.Op == ir.Len {
		n := x.b.I32(x.shared.size)
		x.fn.Vals[v] = ir.Val{Op: ir.Or, Type: ir.I32, Origin: op.Origin, Args: [4]ir.V{n, n}}
		return 0
	}
	room := int64(x.shared.size) - int64(op.Type.Size()) - int64(op.Aux)
	inside, at := x.b.Bool(false), op.Args[1]
	if room >= 0 {
		inside = x.b.Cmp(ir.ULt, at, x.b.I32(uint32(room)+1))
	}
	at = x.b.Select(inside, at, x.b.I32(farAway))
	x.fn.Vals[v].Args[1] = at
	if op.Op == ir.St {
		return 0
	}
	t := bitsOfSize[op.Type.Size()]
	loaded := x.b.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: op.Flags, Origin: op.Origin, Aux: op.Aux + uint64(x.shared.base), Args: [4]ir.V{op.Args[0], at}})
	undefined := x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, loaded, x.b.Const(t, t.Mask())))
	return x.b.Op(ir.And, ir.B1, inside, undefined)
}

// readsTask reports whether a resource is the payload of the mesh shader.
func (u *unit) readsTask(r *ir.Resource) bool {
	return u.prog.Stage == ir.Mesh && r.Set == ir.PayloadSet && r.Binding == ir.PayloadBinding && r.NonWritable
}

// copiesPayload copies the shadow of a word of the payload, an output of the task; false for another output. The word is a load of
// workgroup memory. Without a shadow there the payload has none.
func (x *instrumented) copiesPayload(op ir.Val) bool {
	if o := x.prog.Out[op.Aux]; o.Semantic != ir.TaskPayload {
		return false
	}
	if load := *x.fn.Val(op.Args[1]); load.Op == ir.Ld && x.isShared(x.fn, &load) {
		load.Aux += uint64(x.shared.base)
		to := x.outputNumber(&ioScalar{semantic: ir.TaskPayload, index: 1, typ: ir.I32})
		x.b.OpAux(ir.OutAt, ir.I32, to, op.Args[0], x.b.Op(ir.Not, ir.I32, x.b.Emit(load)))
	}
	return true
}

// bitsOfSize are the types of shadows by the bytes of an access.
var bitsOfSize = map[uint32]ir.Type{1: ir.I8, 2: ir.I16, 4: ir.I32, 8: ir.I64}

// endShared stores the shadow of an access of workgroup memory, or makes the result's.
func (x *instrumented) endShared(v, undefined ir.V) {
	op := *x.fn.Val(v)
	if !x.isShared(x.fn, &op) {
		return
	}
	if op.Op != ir.Ld {
		t := bitsOfSize[op.Type.Size()]
		x.b.Emit(ir.Val{Op: ir.St, Type: t, Flags: op.Flags, Origin: op.Origin, Aux: op.Aux + uint64(x.shared.base), Args: [4]ir.V{op.Args[0], op.Args[1], x.b.Const(t, t.Mask())}})
	}
	switch {
	case undefined == 0:
	case op.Op == ir.Ld || op.Op == ir.AtomXchg:
		x.shadowed[v] = undefined
	default: // it stores a result of the undefined value
		x.at = max(int(x.b.Origin)-1, 0)
		x.f.report(undefinedShared.rule, undefined, "an atomic access depends on "+undefinedShared.text())
	}
}
