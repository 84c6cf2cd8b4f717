package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// feedbackFamily checks the decorations of outputs for transform feedback
// (Vulkan, Shader Interfaces, Transform Feedback) and vertex streams.
var feedbackFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_Offset_04687, Section: environment, Words: "the Offset of an output with 64-bit values is a multiple of 8"},
		{Code: vuid.StandaloneSpirv_Offset_04689, Section: environment, Words: "the size of an output block with an Offset and a 64-bit member is a multiple of 8"},
		{Code: vuid.StandaloneSpirv_Offset_04690, Section: environment, Words: "the Offset of the first member of an output block is a multiple of 8 if a member with an Offset has 64 bits"},
		{Code: vuid.StandaloneSpirv_Offset_04691, Section: environment, Words: "the Offset of an output with 32-bit values is a multiple of 4"},
		{Code: vuid.StandaloneSpirv_Offset_04692, Section: environment, Words: "an output with an Offset has only 32-bit and 64-bit values"},
		{Code: vuid.StandaloneSpirv_Offset_04716, Section: environment, Words: "an output with an Offset has an XfbBuffer and an XfbStride"},
		{Code: vuid.StandaloneSpirv_XfbBuffer_04693, Section: environment, Words: "the outputs to one XfbBuffer have the same XfbStride"},
		{Code: vuid.StandaloneSpirv_Stream_04694, Section: environment, Words: "the captured outputs to one XfbBuffer have the same Stream"},
		{Code: vuid.StandaloneSpirv_XfbBuffer_04696, Section: environment, Words: "no two outputs to one XfbBuffer overlap"},
		{Code: vuid.StandaloneSpirv_XfbBuffer_04697, Section: environment, Words: "the members of an output block have the same XfbBuffer"},
		{Code: vuid.RuntimeSpirv_Offset_06308, Section: feedbackSection, Words: "the end of an output in its XfbBuffer is within maxTransformFeedbackBufferDataSize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_XfbBuffer_06309, Section: feedbackSection, Words: "the size of all writes of a stream to its buffers is within maxTransformFeedbackStreamDataSize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpEmitStreamVertex_06310, Section: feedbackSection, Words: "the stream of OpEmitStreamVertex and OpEndStreamPrimitive is below maxTransformFeedbackStreams", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_transformFeedbackStreamsLinesTriangles_06311, Section: feedbackSection, Words: "a geometry shader that emits to several streams has the output primitive points, unless transformFeedbackStreamsLinesTriangles is supported", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_Stream_06312, Section: feedbackSection, Words: "a Stream is below maxTransformFeedbackStreams", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_XfbStride_06313, Section: feedbackSection, Words: "an XfbStride is within maxTransformFeedbackBufferDataStride", Need: NeedDevice},
	},
	ops:   []group{{(*checker).streamOf, []spirv.Op{spirv.OpEmitStreamVertex, spirv.OpEndStreamPrimitive}}},
	after: []func(*checker){(*checker).feedback},
}

// feedbackSection is the section with the limits of transform feedback.
const feedbackSection = "Vulkan, Runtime SPIR-V Validation"

// captured is one output that goes to a buffer of transform feedback.
type captured struct {
	v              *facts.Variable
	member         int // of a block; −1 for the variable itself
	t              *facts.Type
	at             int // the decoration to report
	offset         uint64
	size           uint64
	buffer, stride uint32
	stream         uint32
	hasOffset      bool // it has an Offset
	hasBuffer      bool
	hasStride      bool
}

// feedback checks the outputs of each entry point.
func (c *checker) feedback() {
	if !c.vulkan || !c.capable(spirv.CapabilityTransformFeedback) && !c.capable(spirv.CapabilityGeometryStreams) {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		var list []captured
		seen := map[spirv.ID]bool{}
		for _, id := range e.Interface {
			v := c.m.Variable(id)
			if v == nil || v.Storage != spirv.StorageClassOutput || v.Type == nil || seen[id] {
				continue
			}
			seen[id] = true
			list = c.capture(list, v)
		}
		c.buffers(e, list)
	}
}

// capture appends the parts of a variable that are written to buffers.
func (c *checker) capture(list []captured, v *facts.Variable) []captured {
	whole := captured{v: v, member: -1, t: v.Type, at: v.Index}
	c.feedbackOf(&whole, func(k spirv.Decoration) (facts.Decoration, bool) { return c.m.Decoration(v.ID, k) })
	s := core(v.Type)
	if whole.hasOffset || !s.IsStruct() {
		c.checkOffset(&whole)
		return append(list, whole)
	}
	first := len(list)
	for k := range s.Members {
		m := whole
		m.member, m.t = k, s.Members[k].Type
		c.feedbackOf(&m, func(d spirv.Decoration) (facts.Decoration, bool) { return c.m.MemberDecoration(s.ID, k, d) })
		if m.hasOffset || m.hasBuffer {
			c.checkOffset(&m)
			list = append(list, m)
		}
	}
	c.captureBlock(s, list[first:])
	return list
}

// feedbackOf fills in the values of the decorations.
func (c *checker) feedbackOf(x *captured, of func(spirv.Decoration) (facts.Decoration, bool)) {
	if d, ok := of(spirv.DecorationXfbBuffer); ok {
		x.buffer, x.hasBuffer, x.at = d.Literal(), true, d.Index
	}
	if d, ok := of(spirv.DecorationXfbStride); ok {
		x.stride, x.hasStride = d.Literal(), true
		if most, ok := c.limit(vuid.RuntimeSpirv_XfbStride_06313, "maxTransformFeedbackBufferDataStride"); ok && uint64(x.stride) > most {
			c.fail(d.Index, vuid.RuntimeSpirv_XfbStride_06313, "XfbStride %d; must be at most %d", x.stride, most)
		}
	}
	if d, ok := of(spirv.DecorationStream); ok {
		x.stream = d.Literal()
		if n, ok := c.limit(vuid.RuntimeSpirv_Stream_06312, "maxTransformFeedbackStreams"); ok && uint64(x.stream) >= n {
			c.fail(d.Index, vuid.RuntimeSpirv_Stream_06312, "Stream %d; must be below %d", x.stream, n)
		}
	}
	if d, ok := of(spirv.DecorationOffset); ok {
		x.offset, x.hasOffset, x.at = uint64(d.Literal()), true, d.Index
	}
	x.size = c.packed(x.t)
}

// packed returns the size of a value in a buffer of transform feedback, in which
// scalars are contiguous. A struct with scalars of several widths has the size
// that the offsets of its members imply. The result is bounded.
func (c *checker) packed(t *facts.Type) uint64 {
	const most = 1 << 32
	switch {
	case t == nil:
	case t.IsScalar():
		return uint64(t.Width) / 8
	case t.IsPointer():
		return 8
	case t.IsVector(), t.IsMatrix(), t.IsArray():
		return min(c.packed(t.Elem)*min(t.Count, most), most)
	case t.IsStruct():
		switch n := min(t.Leaves, most); c.numbers(t) &^ numbersRigid {
		case numbersSingle:
			return n * 4
		case numbersWide:
			return n * 8
		}
		return min(t.Size(0, false), most)
	}
	return 0
}

// checkOffset checks one output by itself.
func (c *checker) checkOffset(x *captured) {
	if !x.hasOffset {
		return
	}
	has := c.numbers(x.t)
	switch {
	case has&numbersOdd != 0:
		c.fail(x.at, vuid.StandaloneSpirv_Offset_04692, "Offset on an output that is %s; must contain only 32-bit and 64-bit values", c.typeName(x.t)).also(c, x.v.Index, "the variable").warn() // drivers and compilers take 16 bits
	case has&numbersWide != 0 && x.offset%8 != 0:
		c.fail(x.at, vuid.StandaloneSpirv_Offset_04687, "Offset %d of an output with 64-bit values; must be a multiple of 8", x.offset).also(c, x.v.Index, "the variable")
	case has&numbersSingle != 0 && x.offset%4 != 0:
		c.fail(x.at, vuid.StandaloneSpirv_Offset_04691, "Offset %d of an output with 32-bit values; must be a multiple of 4", x.offset).also(c, x.v.Index, "the variable")
	}
	if !x.hasBuffer || !x.hasStride {
		c.fail(x.at, vuid.StandaloneSpirv_Offset_04716, "Offset on an output without XfbBuffer or XfbStride; must have both").also(c, x.v.Index, "the variable")
	}
	if most, ok := c.limit(vuid.RuntimeSpirv_Offset_06308, "maxTransformFeedbackBufferDataSize"); ok && x.offset+x.size > most {
		c.fail(x.at, vuid.RuntimeSpirv_Offset_06308, "the output ends at byte %d of its buffer; must be at most %d", x.offset+x.size, most)
	}
}

// captureBlock checks the members of a block together.
func (c *checker) captureBlock(s *facts.Type, list []captured) {
	wide, end := false, uint64(0)
	for k := range list {
		x := &list[k]
		if x.hasBuffer && list[0].hasBuffer && x.buffer != list[0].buffer {
			c.fail(x.at, vuid.StandaloneSpirv_XfbBuffer_04697, "member %d goes to buffer %d and member %d to buffer %d; must go to one buffer", list[0].member, list[0].buffer, x.member, x.buffer).also(c, s.Index, "the block")
		}
		if x.hasOffset {
			wide = wide || c.numbers(x.t)&numbersWide != 0
			end = max(end, x.offset+x.size)
		}
	}
	if !wide {
		return
	}
	if x := &list[0]; x.member == 0 && x.hasOffset && x.offset%8 != 0 {
		c.fail(x.at, vuid.StandaloneSpirv_Offset_04690, "the first member is at %d, and a member has 64 bits; must be at a multiple of 8", x.offset).also(c, s.Index, "the block")
	}
	if start := list[0].offset; (end-start)%8 != 0 {
		c.fail(s.Index, vuid.StandaloneSpirv_Offset_04689, "the block has %d bytes, and a member has 64 bits; must be a multiple of 8", end-start)
	}
}

// buffers checks the outputs of an entry point buffer by buffer.
func (c *checker) buffers(e *facts.EntryPoint, list []captured) {
	list = slices.DeleteFunc(list, func(x captured) bool { return !x.hasBuffer })
	slices.SortStableFunc(list, func(x, y captured) int {
		return cmp.Or(cmp.Compare(x.buffer, y.buffer), cmp.Compare(x.offset, y.offset))
	})
	var end uint64
	var last *captured // the one that ends last in the buffer
	ends := map[uint32]uint64{}
	for k := range list {
		x := &list[k]
		if k > 0 && list[k-1].buffer == x.buffer {
			old := &list[k-1]
			if x.stride != old.stride || x.hasStride != old.hasStride {
				c.fail(x.at, vuid.StandaloneSpirv_XfbBuffer_04693, "XfbStride %d in buffer %d, and %d of another output; must be the same", x.stride, x.buffer, old.stride).also(c, old.at, "the other")
			}
		} else {
			if last != nil {
				ends[last.stream] += end
			}
			end, last = 0, nil
		}
		if !x.hasOffset { // compilers decorate gl_PerVertex with the default buffer; it captures nothing
			continue
		}
		if last != nil && x.stream != last.stream {
			c.fail(x.at, vuid.StandaloneSpirv_Stream_04694, "Stream %d in buffer %d, and %d of another output; must be the same", x.stream, x.buffer, last.stream).also(c, last.at, "the other")
		}
		if last != nil && x.offset < end {
			c.fail(x.at, vuid.StandaloneSpirv_XfbBuffer_04696, "an output at byte %d of buffer %d, and another ends at %d; must not overlap", x.offset, x.buffer, end).also(c, last.at, "the other").also(c, e.Index, "the entry point")
		}
		if x.offset+x.size > end {
			end, last = x.offset+x.size, x
		}
	}
	if last != nil {
		ends[last.stream] += end
	}
	most, ok := c.limit(vuid.RuntimeSpirv_XfbBuffer_06309, "maxTransformFeedbackStreamDataSize")
	for stream, n := range ends {
		if ok && n > most {
			c.fail(e.Index, vuid.RuntimeSpirv_XfbBuffer_06309, "stream %d writes %d bytes to its buffers; must write at most %d", stream, n, most)
		}
	}
}

// streamOf checks the stream of an instruction.
func (c *checker) streamOf(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	n, ok := c.m.Const(inst.EmitStreamVertex(in).Stream()).Int()
	if !ok {
		return
	}
	if most, known := c.limit(vuid.RuntimeSpirv_OpEmitStreamVertex_06310, "maxTransformFeedbackStreams"); known && uint64(n) >= most {
		c.fail(i, vuid.RuntimeSpirv_OpEmitStreamVertex_06310, "%s to stream %d; must be below %d", in.Op(), n, most)
	}
	if n == 0 || c.fn == nil {
		return
	}
	for _, e := range c.callersOf(c.fn) {
		if e.HasMode(spirv.ExecutionModeOutputPoints) {
			continue
		}
		if on, ok := c.limit(vuid.RuntimeSpirv_transformFeedbackStreamsLinesTriangles_06311, "transformFeedbackStreamsLinesTriangles"); ok && on == 0 {
			c.fail(i, vuid.RuntimeSpirv_transformFeedbackStreamsLinesTriangles_06311, "%s to stream %d of an entry point without the mode OutputPoints; must have it", in.Op(), n).also(c, e.Index, "the entry point")
		}
		return
	}
}
