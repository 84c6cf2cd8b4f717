package amber

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/vk"
)

// null is the word for the null descriptor. A buffer of this name takes precedence.
const null = "NULL"

// bufferOrNull reads the name of a buffer, or NULL, which is nil.
func (p *parser) bufferOrNull() *Buffer {
	if _, named := p.buffers[null]; !named && p.optional(null) {
		return nil
	}
	return known(p, "buffer", p.buffers)
}

// namesBuffer reports whether w is the name of a buffer, or NULL.
func (p *parser) namesBuffer(w word) bool {
	_, ok := p.buffers[w.text]
	return !w.eol && (ok || w.text == null)
}

// plainBuffer reads the name of a buffer that is no image. Its size is known.
func (p *parser) plainBuffer() *Buffer {
	w := p.lex.peek()
	b := known(p, "buffer", p.buffers)
	if b != nil && (b.Image != nil || b.Lazy) {
		p.fail(CodeType, w.pos, "%s is an image; it must be a buffer", w)
		return nil
	}
	return b
}

// element reads the first array element of a binding.
func (b *binder) element() {
	const descriptor = 64 // bytes that a run may need for each
	at := b.lex.peek().pos
	b.Element, b.Placed = uint32(b.integer("an array element", maxNumber)), true
	if n := int(b.Element) * descriptor; n > b.budget {
		b.fail(CodeSize, at, "descriptors up to element %d take more memory than a script may hold (%d bytes in all)", b.Element, MaxBytes)
	} else {
		b.budget -= n
	}
}

// mutable reads the types that a mutable descriptor may have.
func (b *binder) mutable(at diag.Pos) {
	for b.err == nil {
		w := b.lex.peek()
		i := slices.Index(bindingKinds[:], w.text)
		if w.eol || i < 0 {
			break
		}
		b.lex.next()
		if k := BindingKind(i); slices.Contains(b.Mutable, k) {
			b.fail(CodeWord, w.pos, "%s is twice in the list of a mutable descriptor", w)
		} else if k.mutable() {
			b.Mutable = append(b.Mutable, k)
		} else {
			b.fail(CodeWord, w.pos, "a mutable descriptor is never %s", w)
		}
	}
	if len(b.Mutable) == 0 {
		b.fail(CodeEnd, at, "MUTABLE needs the types that the descriptor may have")
	}
}

// mutable reports whether a mutable descriptor may be of the kind
// (VUID-VkMutableDescriptorTypeListEXT-pDescriptorTypes-04600 to 04603).
func (k BindingKind) mutable() bool {
	switch k {
	case UniformDynamic, StorageDynamic, InlineUniform, Untyped:
		return false
	}
	return true
}

// bankOf reads the number of a bank of push constants.
func (b *binder) bankOf(at diag.Pos) {
	if b.role != "push_constant" {
		b.fail(CodeWord, at, "only push constants have a BANK")
	}
	b.bank = b.uint32("a bank of push constants")
}

// heap sets a heap of the pipeline.
func (b *binder) heap() {
	heap := b.Buffers[0]
	if heap.Image != nil || heap.Lazy || len(heap.Data) > vk.MaxHeapBytes {
		b.fail(CodeType, b.At, "%s cannot be a heap; a heap is a buffer of at most %d bytes", heap.Name, vk.MaxHeapBytes)
	}
	into := &b.pipeline.Heaps.Resources
	if b.role == "sampler_heap" {
		into = &b.pipeline.Heaps.Samplers
	}
	*into = heap
}

// checkDescriptors checks the descriptors of a binding against themselves and the other elements of their
// binding.
func (b *binder) checkDescriptors() {
	k := b.Kind
	switch {
	case k == InlineUniform && (len(b.Buffers) != 1 || b.Buffers[0] == nil || b.Element != 0):
		b.fail(CodeRun, b.At, "an inline uniform block must have one buffer")
	case b.Mutable != nil && !slices.Contains(b.Mutable, k):
		b.fail(CodeRun, b.At, "the descriptor is %s, which is not in its list of MUTABLE", k)
	}
	for i := range b.pipeline.Bindings {
		o := &b.pipeline.Bindings[i]
		if !o.sharesNumber(&b.Binding) || b.replaces(o) {
			continue
		}
		switch {
		case !slices.Equal(o.Mutable, b.Mutable):
			b.fail(CodeRun, b.At, "elements of one binding have different lists of MUTABLE")
		case b.Mutable == nil && o.Kind != k:
			b.fail(CodeRun, b.At, "elements of one binding are %s and %s; only the elements of a MUTABLE binding may differ", o.Kind, k)
		}
	}
}

// dispatch reads the groups of a dispatch.
func (p *parser) dispatch(d *Dispatch) Command {
	if p.optional("INDIRECT") {
		d.Indirect, d.Offset = p.indirect(12)
		return d
	}
	d.Groups = p.groups()
	if p.optional("BASE") {
		d.Base = p.groups()
	}
	return d
}

// indirect reads the buffer and the offset of parameters of some bytes.
func (p *parser) indirect(bytes int) (*Buffer, int) {
	b := p.plainBuffer()
	at, offset := p.lex.peek().pos, 0
	if p.optional("OFFSET") {
		at = p.lex.peek().pos
		offset = p.size("an offset in bytes")
	}
	switch {
	case p.err != nil:
	case offset%4 != 0:
		p.fail(CodeNumber, at, "the offset of the parameters is %d; it must be a multiple of 4", offset)
	case offset > len(b.Data)-bytes:
		p.fail(CodeSize, at, "the parameters are the %d bytes from %d; buffer %s has %d bytes", bytes, offset, b.Name, len(b.Data))
	}
	return b, offset
}

// write reads WRITE, which writes an address or a descriptor into a buffer.
func (p *parser) write(step Step) Command {
	c := &WriteReference{Step: step, Into: p.plainBuffer()}
	p.keyword("IDX")
	at := p.lex.peek().pos
	c.At = p.size("a position in bytes")
	c.Of.At = p.lex.peek().pos
	if p.oneOf("a kind of reference", "ADDRESS", "DESCRIPTOR") == 0 {
		b := p.plainBuffer()
		if p.optional("OFFSET") {
			c.Offset = p.integer("an offset in bytes", math.MaxInt64)
		}
		if p.err == nil {
			b.Addressed, c.Of.Buffers = true, []*Buffer{b}
		}
	} else {
		p.descriptor(c)
	}
	p.endLine()
	if p.err != nil {
		return c
	}
	align := c.What.bytes()
	switch {
	case c.At%align != 0:
		p.fail(CodeNumber, at, "the position is %d; it must be a multiple of %d", c.At, align)
	case c.At > len(c.Into.Data)-align:
		p.fail(CodeSize, at, "the reference has %d bytes from %d on; buffer %s has %d", align, c.At, c.Into.Name, len(c.Into.Data))
	}
	return c
}

// descriptor reads the resource of a descriptor in a heap.
func (p *parser) descriptor(c *WriteReference) {
	w := p.lex.peek()
	kind := p.oneOf("a resource", "BUFFER", "IMAGE", "TEXEL_BUFFER", "SAMPLER", null)
	p.references++
	c.Number = uint64(p.references)
	switch kind {
	case 0:
		c.What, c.Of.Kind = BufferReference, Storage
	case 1:
		c.What, c.Of.Kind = ViewReference, StorageImage
		c.Of.Buffers = []*Buffer{known(p, "buffer", p.buffers)}
		if p.optional("BASE_MIP_LEVEL") {
			c.Of.BaseMip = int(p.integer("a mip level", maxNumber))
		}
		return
	case 2:
		c.What, c.Of.Kind = ViewReference, StorageTexelBuffer
	case 3:
		c.What, c.Of.Kind, c.Of.Samplers = SamplerReference, SamplerOnly, []*Sampler{known(p, "sampler", p.samplers)}
		return
	default:
		c.What = NullReference
		return
	}
	b := p.plainBuffer()
	if p.err != nil {
		return
	}
	c.Of.Buffers, b.Addressed = []*Buffer{b}, c.What == BufferReference || b.Addressed
	offset, size := 0, len(b.Data)
	if p.optional("OFFSET") {
		offset = p.size("an offset in bytes")
		size -= offset
	}
	if p.optional("RANGE") {
		size = p.size("a size in bytes")
	}
	switch {
	case offset > len(b.Data) || size > len(b.Data)-offset:
		p.fail(CodeSize, w.pos, "the descriptor has %d bytes from %d on; buffer %s has %d bytes", size, offset, b.Name, len(b.Data))
	case offset%8 != 0:
		p.fail(CodeNumber, w.pos, "the offset of a descriptor is %d; it must be a multiple of 8", offset)
	}
	c.Of.Offsets, c.Of.Ranges = []int64{int64(offset)}, []int64{int64(size)}
}
