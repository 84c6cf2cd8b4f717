package lower

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Transform feedback (Vulkan §"Transform Feedback") captures the outputs with an Offset
// of the last pre-rasterization stage, if that stage has the mode Xfb. The scalars of a
// variable with one Offset are contiguous: array elements, struct members, matrix
// columns and vector components in order, each aligned to its size. The Offset of a
// member of a block is a byte of the captured vertex; of a struct inside a captured
// output, it is a byte of that struct (SPIR-V: "relative to the beginning of the
// structure"), so that each element of an array has its own place.

// feedback is the capture position that decorations assign to an output.
type feedback struct {
	buffer, stride, stream uint32
	hasBuffer, hasStride   bool
	offset                 uint64 // bytes, of the next scalar
	hasOffset              bool   // has an Offset
}

// apply merges the decorations of a variable or member.
func (x *feedback) apply(of func(spirv.Decoration) (facts.Decoration, bool)) {
	number := func(k spirv.Decoration, at *uint32) bool {
		d, ok := of(k)
		if ok {
			*at = literal(d, ok)
		}
		return ok
	}
	x.hasBuffer = number(spirv.DecorationXfbBuffer, &x.buffer) || x.hasBuffer
	x.hasStride = number(spirv.DecorationXfbStride, &x.stride) || x.hasStride
	number(spirv.DecorationStream, &x.stream)
	if offset := uint32(0); number(spirv.DecorationOffset, &offset) {
		x.offset, x.hasOffset = uint64(offset), true
	}
}

// findCaptures declares the buffers that capture outputs of the entry point's interface,
// including outputs without a store: they are part of a captured vertex. An output
// without an Offset is not captured, whatever its other decorations: compilers emit
// these for built-ins.
func (u *unit) findCaptures() {
	if !u.prog.Modes.Has(ir.Xfb) || u.prog.Stage == ir.TessControl || u.prog.Stage == ir.Fragment {
		return
	}
	for _, id := range u.entry.Interface {
		v := u.facts.Variable(id)
		if v == nil || v.Type == nil || v.Storage != spirv.StorageClassOutput && !u.isPassthroughInput(v) {
			continue
		}
		u.at = v.Index
		u.checkDepth(v.Type)
		u.flat(v.Type) // checks the number of scalars
		t := v.Type
		if u.isPassthroughInput(v) {
			t = t.Elem
		}
		u.walkCaptured(v, t, func(x feedback) { u.addCapture(&x) }, func(feedback) {})
	}
	slices.SortFunc(u.prog.Captures, func(x, y ir.Capture) int { return cmp.Compare(x.Buffer, y.Buffer) })
}

// addCapture declares the buffer of a capture position.
func (u *unit) addCapture(x *feedback) {
	if !x.hasOffset || !x.hasBuffer || !x.hasStride {
		return
	}
	if x.buffer >= ir.MaxCaptures || x.stride > ir.MaxCaptureStride || x.stream >= ir.MaxStreams {
		u.unsupported("buffer %d of transform feedback with a stride of %d bytes and stream %d", x.buffer, x.stride, x.stream)
	}
	c := ir.Capture{Buffer: x.buffer, Stride: x.stride, Stream: x.stream}
	i := slices.IndexFunc(u.prog.Captures, func(old ir.Capture) bool { return old.Buffer == c.Buffer })
	if i < 0 {
		u.prog.Captures = append(u.prog.Captures, c)
		return
	}
	if u.prog.Captures[i] != c {
		u.malformed("buffer %d of transform feedback has two strides or streams", c.Buffer)
	}
}

// assignCaptures sets the capture positions of an output's scalars, of one vertex.
func (u *unit) assignCaptures(x *ioVariable, v *facts.Variable, t *facts.Type) {
	if len(u.prog.Captures) == 0 || v.Storage != spirv.StorageClassOutput && !u.isPassthroughInput(v) {
		return
	}
	n := 0
	u.walkCaptured(v, t, func(feedback) {}, func(at feedback) {
		if n >= len(x.scalars) {
			u.malformed("an output of more scalars than its type has")
		}
		l := &x.scalars[n]
		n++
		k := slices.IndexFunc(u.prog.Captures, func(c ir.Capture) bool { return c.Buffer == at.buffer })
		if !at.hasOffset || !at.hasBuffer || k < 0 {
			return
		}
		c := &u.prog.Captures[k]
		size := uint64(l.typ.Bits() / 8)
		if at.offset+size > uint64(c.Stride) || l.stream != c.Stream {
			u.malformed("an output of %d bytes at byte %d of a vertex of %d in transform feedback", size, at.offset, c.Stride)
		}
		l.capture, l.offset = uint32(k+1), uint32(at.offset)
	})
}

// walkCaptured traverses an output of type t. It calls seen for the variable and its
// members, and scalar for each scalar, in the order of ioVariable.scalars. Each element
// of an array of blocks goes to the next buffer, as in GLSL.
func (u *unit) walkCaptured(v *facts.Variable, t *facts.Type, seen, scalar func(feedback)) {
	var x feedback
	x.apply(func(k spirv.Decoration) (facts.Decoration, bool) { return u.facts.Decoration(v.ID, k) })
	if t.IsArray() && t.Elem != nil && t.Elem.IsStruct() && u.facts.Has(t.Elem.ID, spirv.DecorationBlock) {
		for n := t.Count; n > 0 && len(u.flat(t.Elem)) > 0; n-- {
			e := x
			u.capturedParts(t.Elem, &e, seen, scalar)
			x.buffer++
		}
		return
	}
	u.capturedParts(t, &x, seen, scalar)
}

func (u *unit) capturedParts(t *facts.Type, x *feedback, seen, scalar func(feedback)) {
	seen(*x)
	switch {
	case t == nil:
		u.malformed("a type is missing")
	case t.IsStruct():
		start, end := x.offset, x.offset
		isPart := x.hasOffset && !u.facts.Has(t.ID, spirv.DecorationBlock)
		for i := range t.Members {
			m := *x
			m.apply(func(k spirv.Decoration) (facts.Decoration, bool) { return u.facts.MemberDecoration(t.ID, i, k) })
			if _, ok := u.facts.MemberDecoration(t.ID, i, spirv.DecorationOffset); ok && isPart {
				m.offset += start
			}
			u.capturedParts(t.Members[i].Type, &m, seen, scalar)
			if x.hasOffset {
				x.offset, end = m.offset, max(end, m.offset)
			}
		}
		x.offset = end
	case t.IsComposite() && t.Elem != nil && !t.IsRuntimeArray():
		for n := t.Count; n > 0 && len(u.flat(t.Elem)) > 0; n-- {
			u.capturedParts(t.Elem, x, seen, scalar)
		}
	default:
		size := max(uint64(cmp.Or(t.Width, 32))/8, 1)
		x.offset = (x.offset + size - 1) / size * size
		scalar(*x)
		x.offset += size
	}
}
