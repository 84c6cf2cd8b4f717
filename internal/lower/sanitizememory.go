package lower

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The findings on accesses of memory. Without robustness an access beyond a buffer breaks VUID-vkCmdDraw-uniformBuffers-06935 or
// -storageBuffers-06936; in shader objects -None-08612 or -None-08613; through a heap -None-11372, -None-11373 or -None-11374; of a
// mapped resource -None-11398. Vertex attributes past the end break -None-02721.
var (
	beyondBuffer       = finding{ir.SanitizeBounds, "load outside a buffer"}
	storeBeyondBuffer  = finding{ir.SanitizeBounds, "store outside a buffer"}
	atomicBeyondBuffer = finding{ir.SanitizeBounds, "atomic outside a buffer"}
	wildAddress        = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-PhysicalStorageBuffer64-11819"}
	misaligned         = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-PhysicalStorageBuffer64-06315"}
	misalignedUntyped  = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-OpTypeUntypedPointerKHR-11166"}
	wrappedOffset      = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-None-10834"}
	beyondPrivate      = finding{ir.SanitizeBounds, "index beyond an array in Function or Private memory"}
	beyondShared       = finding{ir.SanitizeBounds, "index beyond an array in Workgroup memory"}
	beyondArray        = finding{ir.SanitizeBounds, "index beyond an array, matrix or vector within a buffer"}
	beyondDescriptors  = finding{ir.SanitizeBounds, "index beyond a descriptor array, a descriptor without a resource"}
	beyondInput        = finding{ir.SanitizeBounds, "an element beyond an input, or a vertex that the primitive does not have"}
	beyondOutput       = finding{ir.SanitizeBounds, "a store to an element beyond an output"}
	withoutMemory      = finding{ir.SanitizeBounds, "reads of a sparse image without memory"}
	beyondImage        = finding{ir.SanitizeBounds, "no robustness of images"}
	meshVertices       = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-MeshEXT-07332"}
	meshPrimitives     = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-MeshEXT-07333"}
	extractedComponent = finding{ir.SanitizeBounds, "OpVectorExtractDynamic beyond the vector"}
	insertedComponent  = finding{ir.SanitizeBounds, "OpVectorInsertDynamic beyond the vector"}

	unwrittenOutput = finding{ir.SanitizeInterface, "an output that an invocation did not store to"}
)

// checkRange: an access of the whole pointee that is not inside the range of its descriptor, the push constants, workgroup
// memory or one allocation, whatever the robustness. alignment is the one of the operand Aligned; 0 is none.
func (f *function) checkRange(p *pointer, access string, alignment uint32) {
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	f.checkIndexes(p)
	if p.typ == nil || p.checked {
		return
	}
	f.checkUntyped(p, access)
	if f.extent(p.typ).size == 0 {
		return // structures without members and arrays of them: no byte is read or written, for any stride
	}
	f.checkBytes(p, access, operand{bits: f.sizeOf(p)}, alignment)
}

// checkUntyped: an access through an untyped pointer whose alignment no layout permits. All layouts need at least the scalar one.
func (f *function) checkUntyped(p *pointer, access string) {
	align := f.extent(p.typ).align
	if !p.untyped || align <= 1 {
		return
	}
	at, text := ir.V(0), "at offset %u"
	switch p.memory {
	case physical:
		at, text = f.addressOf(p), "at address 0x%lx"
	case inBuffer:
		at = f.offsetValue(p.offset)
	default:
		return
	}
	low := f.b.Op(ir.And, f.b.Func.Type(at), at, f.b.Const(f.b.Func.Type(at), align-1))
	f.report(misalignedUntyped, f.not(f.b.Cmp(ir.Eq, low, f.b.Const(f.b.Func.Type(at), 0))), fmt.Sprintf("a %s %s, no multiple of the scalar alignment %d", access, text, align), at)
}

// noteStep notes whether the offset of i strides in a buffer needs more than 32 bits, before p advances. Negative indexes do not.
func (f *function) noteStep(p *pointer, i operand, stride uint64) {
	buffer := p.class == spirv.StorageClassStorageBuffer || p.class == spirv.StorageClassUniform
	wide := f.options.Index64 || slices.ContainsFunc(f.entry.Modes, func(m facts.Mode) bool { return m.Kind == spirv.ExecutionModeShader64BitIndexingEXT })
	if !f.sanitizes(ir.SanitizeBounds) || !buffer || wide {
		return
	}
	index := f.operandValue(i)
	if p.offset.dyn == 0 && p.offset.imm%2 == 0 && stride%2 == 0 && stride <= farAway && i.v != 0 {
		// No even sum is farAway, which a greater one becomes.
		sum := f.offsetValue(f.addIndex(p.offset, i, stride))
		wraps := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.Eq, sum, f.b.I32(farAway)), f.not(f.b.Cmp(ir.SLt, index, f.b.I32(0))))
		p.noteWraps(f, wraps)
		return
	}
	far := f.b.Op(ir.Mul, ir.I64, f.b.Op(ir.ZExt, ir.I64, index), f.b.Const(ir.I64, stride))
	far = f.b.Op(ir.Add, ir.I64, far, f.b.Op(ir.ZExt, ir.I64, f.offsetValue(p.offset)))
	wraps := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.ULt, f.b.Const(ir.I64, farAway), far), f.not(f.b.Cmp(ir.SLt, index, f.b.I32(0))))
	p.noteWraps(f, wraps)
}

// noteWraps notes a further condition in which the offset needs more than 32 bits.
func (p *pointer) noteWraps(f *function, c ir.V) {
	if p.wraps != 0 {
		c = f.b.Op(ir.Or, ir.B1, c, p.wraps)
	}
	p.wraps = c
}

// checkBytes is checkRange for an access of a number of bytes. A number that is no constant has 32 or 64 bits.
func (f *function) checkBytes(p *pointer, access string, size operand, alignment uint32) {
	if !f.sanitizes(ir.SanitizeBounds) || p.checked {
		return
	}
	rule := beyondBuffer
	switch access {
	case "store":
		rule = storeBeyondBuffer
	case "atomic access":
		rule = atomicBeyondBuffer
	}
	var args []ir.V
	bytes := fmt.Sprintf("a %s of %d bytes", access, min(size.bits, farAway))
	n := f.b.Const(ir.I64, min(size.bits, farAway))
	if size.v != 0 {
		n = f.b.Op(ir.UMin, ir.I64, f.toInt(size.v, ir.I64), f.b.Const(ir.I64, farAway))
		args, bytes = append(args, n), fmt.Sprintf("a %s of %%lu bytes", access)
	}
	wide := func(v ir.V) ir.V { return f.b.Op(ir.ZExt, ir.I64, v) } // so that the sum does not wrap
	switch p.memory {
	case physical:
		a := f.addressOf(p)
		if alignment > 1 {
			low := f.b.Op(ir.And, ir.I64, a, f.b.Const(ir.I64, uint64(alignment)-1))
			f.report(misaligned, f.not(f.b.Cmp(ir.Eq, low, f.b.Const(ir.I64, 0))), fmt.Sprintf("a %s at address 0x%%lx, no multiple of its alignment %d", access, alignment), a)
		}
		q := f.regionPointer(p, 1) // the null handle has no bytes
		length := wide(f.b.Op(ir.Len, ir.I32, q.handle))
		outside := f.b.Cmp(ir.ULt, length, f.b.Op(ir.Add, ir.I64, wide(q.offset.dyn), n))
		if p.wild != 0 {
			outside = f.b.Op(ir.And, ir.B1, outside, f.not(p.wild))
		}
		if f.anywhere && isBlockClass(p.class) && p.record == nil { // a value: of a bound buffer, or of an address that was judged
			outside = f.b.Op(ir.And, ir.B1, outside, f.not(f.b.Cmp(ir.Eq, length, f.b.Const(ir.I64, 0))))
			f.report(rule, outside, bytes+" at offset %u, beyond the %u bytes of the buffer", append(args, q.offset.dyn, f.b.Op(ir.Len, ir.I32, q.handle))...)
			break
		}
		f.report(wildAddress, outside, bytes+" at address 0x%lx, outside of all buffers", append(args, a)...)
	case inBuffer:
		f.checkBuffer(p)
		at, length := f.offsetValue(p.offset), f.b.Op(ir.Len, ir.I32, p.handle)
		nullable := p.class == spirv.StorageClassStorageBuffer || p.class == spirv.StorageClassUniform // the null descriptor has no bytes and defined results
		var beyond ir.V
		switch last := p.offset.plus(size.bits - 1); {
		case size.v != 0 || size.bits == 0 || !nullable:
			beyond = f.b.Cmp(ir.ULt, wide(length), f.b.Op(ir.Add, ir.I64, wide(at), n))
			if nullable {
				beyond = f.b.Op(ir.And, ir.B1, beyond, f.not(f.b.Cmp(ir.Eq, length, f.b.I32(0))))
			}
		default: // The last byte saturates, and no byte is beyond 2³² − 1, the last one of the null descriptor.
			beyond = f.b.Cmp(ir.ULt, f.b.Op(ir.Sub, ir.I32, length, f.b.I32(1)), f.offsetValue(last))
		}
		if p.wraps != 0 {
			f.report(wrappedOffset, p.wraps, fmt.Sprintf("the offset of a %s needs more than 32 bits", access))
			beyond = f.b.Op(ir.And, ir.B1, beyond, f.not(p.wraps))
		}
		f.report(rule, beyond, fmt.Sprintf("%s at offset %%u, beyond the %%u bytes of %s", bytes, f.memoryOf(p)), append(args, at, length)...)
	}
}

// checkedIndex is an index of an access chain.
type checkedIndex struct {
	v  ir.V
	n  uint64 // elements
	of string // "elements" or "components"
}

// noteIndexes adds the indexes of an access chain to p, which still points to the base. An index beyond an array is a fault of an
// access only: a shader may compute a pointer and not use it.
func (f *function) noteIndexes(p *pointer, indexes []spirv.ID) {
	t := p.typ
	p.indexes = p.indexes[:len(p.indexes):len(p.indexes)]
	for _, id := range indexes {
		if t == nil {
			return
		}
		if t.IsStruct() {
			i, ok := f.constBits(f.one(id))
			if !ok || i >= uint64(len(t.Members)) {
				return
			}
			t = t.Members[i].Type
			continue
		}
		if i := f.indexOperand(id); t.Count > 0 && !t.IsRuntimeArray() && (i.v != 0 || i.bits >= t.Count) {
			of := "elements"
			if t.IsVector() {
				of = "components"
			}
			p.indexes = append(p.indexes, checkedIndex{f.operandValue(i), t.Count, of})
		}
		t = t.Elem
	}
}

// checkIndexes: the indexes of the access chains of a pointer that an instruction uses.
func (f *function) checkIndexes(p *pointer) {
	rule := beyondArray
	switch p.class {
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		rule = beyondPrivate
	case spirv.StorageClassWorkgroup:
		rule = beyondShared
	case spirv.StorageClassInput:
		rule = beyondInput
	case spirv.StorageClassOutput:
		rule = beyondOutput
	case spirv.StorageClassUniformConstant, spirv.StorageClassTileAttachmentQCOM:
		rule = beyondDescriptors
	}
	for _, i := range p.indexes {
		f.checkIndex(rule, i)
	}
}

// checkIndex: an index of n.
func (f *function) checkIndex(rule finding, i checkedIndex) {
	f.report(rule, f.not(f.b.Cmp(ir.ULt, i.v, f.b.I32(uint32(min(i.n, farAway))))), fmt.Sprintf("index %%d of %d %s", i.n, i.of), i.v)
}

// checkComponent: an index beyond a vector. The words are the vector and the index.
func checkComponent(vector, index int, rule finding) func(f *function, in spirv.Inst) {
	return func(f *function, in spirv.Inst) {
		f.checkIndex(rule, checkedIndex{f.operandValue(f.indexOperand(spirv.ID(in[index]))), uint64(len(f.scalars(spirv.ID(in[vector])))), "components of the vector"})
	}
}

// memoryOf describes the memory of a buffer pointer.
func (f *function) memoryOf(p *pointer) string {
	switch {
	case p.class == spirv.StorageClassWorkgroup:
		return "workgroup memory"
	case p.class == spirv.StorageClassTaskPayloadWorkgroupEXT, p.ofTask:
		return "the payload"
	case p.class == spirv.StorageClassPushConstant:
		return "the push constants"
	case p.heap:
		return "the descriptor heap"
	case p.class == spirv.StorageClassPhysicalStorageBuffer || p.number >= uint64(len(f.prog.Res)):
		return "the buffer"
	}
	r := f.prog.Res[p.number]
	return "the descriptor in " + r.Place()
}

// A shadow variable records which slots of a Function, Private or Output variable have a value, as the shadow memory of
// MemorySanitizer (Stepanov and Serebryany 2015) does for bytes: slot i is 1 after a store to slot i. The last slot is 1
// after an access that is not followed: the whole variable counts as initialized.

// addShadow adds a shadow to a variable in private memory that has no initializer.
func (u *unit) addShadow(v *facts.Variable, number, slots uint64, function int) {
	switch v.Storage {
	case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassOutput:
		if v.Init == 0 && !hasState(v.Type) {
			u.followVariable(number, slots, u.variableName(v.ID), v.Storage == spirv.StorageClassOutput)
		}
	}
	if isPassed(v.Storage) && v.Init == 0 && !hasState(v.Type) {
		u.followPassed(number, slots, u.variableName(v.ID))
	}
	if v.Storage != spirv.StorageClassOutput {
		return
	}
	if !u.sanitizes(ir.SanitizeInterface) || u.unshadowed || v.Init != 0 {
		return
	}
	if u.shadows == nil {
		u.shadows = map[uint64]shadow{}
	}
	u.shadows[number] = shadow{number: uint64(len(u.prog.Vars)), all: slots, name: u.variableName(v.ID)}
	u.prog.Vars = append(u.prog.Vars, ir.Var{Name: "shadow", Slots: uint32(slots) + 1, Func: function})
}

// isPassed reports whether variables of a storage class are outgoing payloads or callable data.
func isPassed(s spirv.StorageClass) bool {
	return s == spirv.StorageClassRayPayloadKHR || s == spirv.StorageClassCallableDataKHR
}

// hasState reports whether a type has ray queries or hit objects: instructions fill parts of them, and read those that are not filled.
// Types without scalars do not count: structs whose members are structs, level by level, may have exponentially many parts.
func hasState(t *facts.Type) bool {
	t = innermost(t)
	if t.Leaves == 0 {
		return false
	}
	return isRay(t) || isHitObject(t) || t.IsStruct() && slices.ContainsFunc(t.Members, func(m facts.Member) bool { return m.Type != nil && hasState(m.Type) })
}

// maxShadowed is the most private memory in slots of a program with shadows: the default limit of the engines
// (exec.Limits.PrivateSlots). Beyond it the program is lowered again, without shadows, so that every program that runs also
// runs with Options.Sanitize.
const maxShadowed = 2 << 20

// shadow is the shadow of a variable.
type shadow struct {
	number uint64 // of the shadow variable
	all    uint64 // its last slot
	name   string // of the variable
}

// variableName returns the name of a variable for messages.
func (u *unit) variableName(id spirv.ID) string {
	if name := u.facts.Name(id); name != "" {
		return name
	}
	return fmt.Sprintf("%%%d", id)
}

// markSlot marks the slots of a scalar as initialized.
func (f *function) markSlot(p *pointer, t ir.Type) {
	s, ok := f.shadows[p.number]
	if !ok || f.unmarked {
		return
	}
	one := f.b.I32(1)
	f.b.OpAux(ir.PSt, ir.I32, s.number, f.offsetValue(p.offset), one)
	if t.Bits() > 32 {
		f.b.OpAux(ir.PSt, ir.I32, s.number, f.offsetValue(p.offset.plus(1)), one)
	}
}

// markAll marks a variable as initialized.
func (f *function) markAll(number uint64) {
	if s, ok := f.shadows[number]; ok {
		f.b.OpAux(ir.PSt, ir.I32, s.number, f.b.I32(uint32(s.all)), f.b.I32(1))
	}
}

// checkOutput appends to code the report of an output that is written out without a value: Location, component and stage
// are its values, so that a reader can leave out outputs without a use.
func (u *unit) checkOutput(x *ioVariable, i int, code []ir.V, value func(ir.Val) ir.V) []ir.V {
	s, ok := u.shadows[x.number]
	l := &x.scalars[i]
	builtIn := ir.WithoutValue(l.semantic)
	if !ok || l.semantic != ir.Location && builtIn == "" || !u.sanitizes(ir.SanitizeInterface) {
		return code
	}
	if replaces := l.semantic == ir.FragDepth || l.semantic == ir.FragStencilRef; replaces && u.prog.Modes.Has(ir.EarlyTests) {
		return code // the tests precede the shader
	}
	kind, text := ir.Unwritten, fmt.Sprintf("output %s has no value at Location %%u, component %%u", escaped(s.name))
	args := []uint64{uint64(l.index / 4), uint64(l.index % 4)}
	types := []ir.Type{ir.I32, ir.I32}
	if builtIn != "" {
		kind, text, args, types = ir.Undefined, builtIn, nil, nil
	}
	site := ir.Site{Sanitizer: unwrittenOutput.of, Stage: u.prog.Stage, Rule: unwrittenOutput.rule}
	n, ok := u.checkMessage(kind, text, types, site)
	if !ok {
		return code
	}
	constant := func(n uint64) ir.V { return value(ir.Val{Op: ir.Const, Type: ir.I32, Aux: n}) }
	load := func(at uint64) ir.V {
		v := value(ir.Val{Op: ir.PLd, Type: ir.I32, Aux: s.number, Args: [4]ir.V{constant(at)}})
		code = append(code, v)
		return v
	}
	add := func(v ir.Val) ir.V {
		n := value(v)
		code = append(code, n)
		return n
	}
	stored := add(ir.Val{Op: ir.Or, Type: ir.I32, Args: [4]ir.V{load(x.slots[i]), load(s.all)}})
	missing := add(ir.Val{Op: ir.Eq, Type: ir.B1, Args: [4]ir.V{stored, constant(0)}})
	open := add(ir.Val{Op: ir.If, Args: [4]ir.V{missing}})
	add(ir.Val{Op: ir.Log, Aux: n})
	for _, v := range args {
		add(ir.Val{Op: ir.LogArg, Type: ir.I32, Args: [4]ir.V{constant(v)}})
	}
	for _, in := range u.identity() {
		add(ir.Val{Op: ir.LogArg, Type: in.Type, Args: [4]ir.V{add(ir.Val{Op: ir.In, Type: in.Type, Aux: u.inputNumber(in)})}})
	}
	add(ir.Val{Op: ir.End, Args: [4]ir.V{open}})
	return code
}

// markChecked marks a program to which a draw adds reports: of integers that the formats of the attachments cannot represent, of
// attachments that the program does not write, and of attributes outside of the vertex buffers.
func (u *unit) markChecked() {
	var all []ir.Sanitizers
	switch u.prog.Stage {
	case ir.Fragment:
		all = []ir.Sanitizers{ir.SanitizeUndefined, ir.SanitizeInterface}
	case ir.Vertex:
		all = []ir.Sanitizers{ir.SanitizeBounds}
	}
	for _, of := range all {
		if u.sanitizes(of) {
			u.prog.Messages = append(u.prog.Messages, ir.Message{Kind: ir.Checked, Site: ir.Site{Sanitizer: of}})
		}
	}
}

// checkTexel: a texel outside of the image, or of a level that its view does not have.
func (c *textureCall) checkTexel(lod spirv.ID) {
	f := c.f
	if !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	present := f.not(f.b.Cmp(ir.Eq, f.shapeWordOf(f.part(c.on, 1), ir.ShapeWidth), f.b.I32(0))) // the null descriptor has defined results
	outside := f.b.Op(ir.And, ir.B1, c.outside(lod), present)
	text := "texel (" + "%d, %d, %d, %d"[:4*len(c.at)-2] + ") is outside of the image"
	f.report(beyondImage, outside, text, c.at...)
}

// outside reports whether the texel is outside of the image, or of a level that its view does not have.
func (c *textureCall) outside(lod spirv.ID) ir.V {
	f := c.f
	shape := f.part(c.on, 1)
	var level ir.V
	if lod != 0 {
		level = f.ints32(lod, 1)[0]
	}
	outside := f.b.Bool(false)
	for i, at := range c.at {
		n := f.shapeWordOf(shape, ir.ShapeLayers)
		if i < min(c.head.Dim.Axes(), 2) || c.head.Dim == ir.Dim3D {
			n = f.extentAt(shape, f.shapeWordOf(shape, ir.ShapeWidth+i), level)
		}
		outside = f.b.Op(ir.Or, ir.B1, outside, f.not(f.b.Cmp(ir.ULt, at, n)))
	}
	return outside
}
