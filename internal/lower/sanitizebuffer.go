package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// With SanitizeUninit and Options.FollowMemory each storage and uniform buffer has a shadow, a resource of kind StorageShadow
// or UniformShadow: a byte for each byte of the buffer, 0 if it is defined. The run provides the shadows, each as large as its
// buffer; a buffer without one is defined. A load of bytes with another shadow yields an undefined value. A store of values
// that are undefined only because of buffers sets the shadow instead of reporting, so copies report nothing. Images have one
// flag for all texels of a view. The payload of a task has a shadow without FollowMemory too: see sanitizeshared.go.

var (
	undefinedBytes  = finding{ir.SanitizeUninit, "bytes of a buffer that nothing wrote"}
	undefinedTexels = finding{ir.SanitizeUninit, "texels of an image that nothing wrote"}
)

// severalBuffers is the source of a value that depends on more buffers than a report names.
var severalBuffers = &source{undefinedBytes, []string{"several buffers"}}

// shadowBuffers adds the shadows of the buffers, and returns the number of each shadow by the number of its buffer.
func (u *unit) shadowBuffers() map[uint64]uint64 {
	if !u.sanitizes(ir.SanitizeUninit) || !u.options.FollowMemory && u.prog.Stage != ir.Mesh || u.prog.Stage.OfRays() || !u.handlesStay() {
		return nil
	}
	shadows := map[uint64]uint64{}
	for number, r := range u.prog.Res {
		kind := ir.StorageShadow
		switch {
		case u.readsTask(&r):
			kind, r.Binding = r.Kind, ir.PayloadShadowBinding
		case !u.options.FollowMemory:
			continue
		case r.Set >= ir.PayloadSet || r.Structure || r.Heap:
			continue
		case r.Kind == ir.UniformBuffer:
			kind, r.NonWritable = ir.UniformShadow, true
		case r.Kind != ir.StorageBuffer:
			continue
		}
		r.Kind = kind
		shadows[uint64(number)] = uint64(len(u.prog.Res))
		u.prog.Res = append(u.prog.Res, r)
	}
	return shadows
}

// handlesStay reports whether only accesses and selections use handles.
func (u *unit) handlesStay() bool {
	for _, f := range u.prog.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op == ir.Br || x.Op == ir.Loop || x.Op == ir.Call {
				for _, a := range f.Listed(v) {
					if f.Type(a) == ir.H {
						return false
					}
				}
			}
			for i := range x.Op.Args() {
				if f.Type(x.Args[i]) == ir.H && x.Op.Family() != ir.Memory && x.Op.Family() != ir.Atomics && x.Op != ir.Len && x.Op != ir.Select {
					return false
				}
			}
		}
	}
	return true
}

// bufferOf returns the source of the bytes of a handle; nil if they have no shadow.
func (w *follower) bufferOf(f *ir.Func, h ir.V) *source {
	switch x := f.Val(h); x.Op {
	case ir.Res:
		if _, ok := w.buffers[x.Aux]; !ok {
			return nil
		}
		r := w.prog.Res[x.Aux]
		if w.readsTask(&r) {
			return w.named(undefinedPayload, "the payload of the task")
		}
		return w.named(undefinedBytes, "the buffer in "+r.Place())
	case ir.Select:
		return w.joined(w.bufferOf(f, x.Args[1]), w.bufferOf(f, x.Args[2]))
	}
	return nil
}

// named returns the source of a name.
func (w *follower) named(rule finding, name string) *source {
	if w.sets[name] == nil {
		w.sets[name] = &source{rule, []string{name}}
	}
	return w.sets[name]
}

// texelsOf returns the source of the results of a texture function; nil if they are no texels.
func (w *follower) texelsOf(t *ir.Texture) *source {
	switch t.Op {
	case ir.TextureWrite, ir.TextureTexel, ir.TextureQueryLod, ir.TextureFootprint:
		return nil
	}
	if !w.options.FollowMemory || w.prog.Stage.OfRays() || w.prog.Res[t.Image].Heap {
		return nil
	}
	r := w.prog.Res[t.Image]
	return w.named(undefinedTexels, "the image in "+r.Place())
}

// shadowHandle returns the handle of the shadow of a buffer; 0 if it has none.
func (x *instrumented) shadowHandle(h ir.V) ir.V {
	switch op := *x.fn.Val(h); op.Op {
	case ir.Res:
		if n, ok := x.buffers[op.Aux]; ok {
			return x.b.OpAux(ir.Res, ir.H, n, op.Args[0])
		}
	case ir.Select:
		a, c := x.shadowHandle(op.Args[1]), x.shadowHandle(op.Args[2])
		if a == 0 && c == 0 {
			return 0
		}
		return x.b.Select(op.Args[0], x.orEmpty(a), x.orEmpty(c))
	}
	return 0
}

// orEmpty returns a handle, or the handle of an empty buffer for 0.
func (x *instrumented) orEmpty(h ir.V) ir.V {
	if h == 0 {
		return x.f.emptyHandle()
	}
	return h
}

// ofBuffers reports whether a source has only buffers.
func ofBuffers(s *source) bool { return s != nil && s.rule == undefinedBytes }

// keepsUndefined reports an undefined value that is stored to a buffer, unless the shadow of the buffer notes it.
func (x *instrumented) keepsUndefined(op ir.Val) {
	v, of := op.Args[2], x.vals[op.Args[2]]
	h := ir.V(0)
	if op.Op == ir.St && ofBuffers(of) && x.bad(v) != 0 {
		h = x.shadowHandle(op.Args[0])
	}
	if h == 0 {
		x.matters(v, "a store")
		return
	}
	x.at = max(int(x.b.Origin)-1, 0)
	without := x.b.Cmp(ir.Eq, x.b.Op(ir.Len, ir.I32, h), x.b.I32(0))
	x.f.report(of.rule, x.b.Op(ir.And, ir.B1, x.bad(v), without), "a store depends on "+of.text())
}

// beginBuffer loads the shadow of an access of a buffer. It returns the handle of the shadow, 0 for none, and whether bytes are undefined.
func (x *instrumented) beginBuffer(v ir.V) (handle, undefined ir.V) {
	op := *x.fn.Val(v)
	if len(x.buffers) == 0 || op.Op.Family() != ir.Memory && op.Op.Family() != ir.Atomics {
		return 0, 0
	}
	if handle = x.shadowHandle(op.Args[0]); handle == 0 || op.Op == ir.St {
		return handle, 0
	}
	t := bitsOfSize[op.Type.Size()]
	loaded := x.b.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: op.Flags &^ ir.Proven, Origin: op.Origin, Aux: op.Aux, Args: [4]ir.V{handle, op.Args[1]}})
	return handle, x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, loaded, x.b.Const(t, 0)))
}

// endBuffer stores the shadow of a store to a buffer, or makes the shadow of a loaded result.
func (x *instrumented) endBuffer(v, handle, undefined ir.V) {
	if handle == 0 {
		return
	}
	op := *x.fn.Val(v)
	if op.Op != ir.Ld {
		t := bitsOfSize[op.Type.Size()]
		shadow := x.b.Const(t, 0)
		if s := x.bad(op.Args[2]); op.Op == ir.St && s != 0 && ofBuffers(x.vals[op.Args[2]]) {
			shadow = x.b.Select(s, x.b.Const(t, t.Mask()), shadow)
		}
		x.b.Emit(ir.Val{Op: ir.St, Type: t, Flags: op.Flags &^ ir.Proven, Origin: op.Origin, Aux: op.Aux, Args: [4]ir.V{handle, op.Args[1], shadow}})
	}
	switch {
	case undefined == 0:
	case op.Op == ir.Ld || op.Op == ir.AtomXchg:
		x.shadowed[v] = undefined
	default:
		x.at = max(int(x.b.Origin)-1, 0)
		of := x.bufferOf(x.fn, op.Args[0])
		x.f.report(of.rule, undefined, "an atomic access depends on "+of.text())
	}
}

// texels makes the shadows of the results of a texture function from the shadow of the view.
func (x *instrumented) texels(v ir.V) {
	t := &x.textures.Heads[x.fn.Callee(v)-ir.FirstTexture]
	if x.texelsOf(t) == nil {
		return
	}
	shape := x.b.OpAux(ir.Res, ir.H, uint64(t.Image+1), x.fn.CallArgs(v)[0])
	fresh := x.b.Emit(ir.Val{Op: ir.Ld, Type: ir.I32, Flags: ir.Coherent, Aux: 4 * ir.ShapeFresh, Args: [4]ir.V{shape, x.b.I32(0)}}) // another queue may write it
	undefined := x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, fresh, x.b.I32(0)))
	for _, r := range x.fn.CallResults(v) {
		x.shadowed[r] = undefined
	}
}
