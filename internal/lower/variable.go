package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// moduleVariables allocates the module-scope variables that the entry point uses.
func (u *unit) moduleVariables() {
	globals := u.moduleGlobals()
	for _, v := range globals {
		if d, ok := u.facts.Decoration(v.ID, spirv.DecorationBankNV); ok && d.Literal() != 0 && v.Storage == spirv.StorageClassPushConstant {
			u.banked = true
		}
		if v.Storage == spirv.StorageClassWorkgroup && v.Type.IsStruct() && u.facts.Has(v.Type.ID, spirv.DecorationBlock) {
			u.explicit = true
		}
	}
	u.measureTypes()
	u.aliasedBlocks(globals)
	for _, v := range globals {
		u.at = v.Index
		u.globals[v.ID] = u.globalPointer(v)
	}
	u.placePayload(globals)
	u.placeNodeWord()
	u.shared = uint64(u.prog.SharedBytes)
}

// globalPointer allocates a module-scope variable. A function that uses a buffer
// creates the handle itself.
func (u *unit) globalPointer(v *facts.Variable) *pointer {
	p := &pointer{typ: v.Type, class: v.Storage, flags: u.variableFlags(v.ID)}
	if u.heapVariable(p, v) {
		return p
	}
	if v.Type == nil {
		u.unsupported("without a type")
	}
	switch v.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		if u.recordVariable(p, v) {
			return p
		}
		u.bufferVariable(p, v)
	case spirv.StorageClassPushConstant:
		u.pushConstants(p, v)
	case spirv.StorageClassWorkgroup:
		u.workgroupVariable(p, v)
	case spirv.StorageClassTaskPayloadWorkgroupEXT:
		u.payloadVariable(p, v)
	case spirv.StorageClassNodePayloadAMDX:
		u.nodePayload(p, v)
	case spirv.StorageClassPrivate:
		p.memory = inSlots
		p.number, p.extent = u.privateVariable(v, -1)
	case spirv.StorageClassInput, spirv.StorageClassOutput:
		switch {
		case u.perTask(v):
			u.taskMemory(p, v)
		case u.ofClusters() && v.Storage == spirv.StorageClassOutput:
			u.clusterOutput(p, v)
		case v.Storage == spirv.StorageClassOutput:
			u.stageOutput(p, v)
		case u.prog.Stage == ir.Compute:
			u.computeInput(p, v)
		default:
			u.stageInput(p, v)
		}
	case spirv.StorageClassUniformConstant, spirv.StorageClassTileAttachmentQCOM:
		u.objectVariable(p, v)
	case spirv.StorageClassTileImageEXT:
		u.tileVariable(p, v)
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassHitAttributeKHR,
		spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR, spirv.StorageClassShaderRecordBufferKHR,
		spirv.StorageClassHitObjectAttributeNV, spirv.StorageClassHitObjectAttributeEXT:
		u.rayVariable(p, v)
	default:
		p.memory = opaque
	}
	return p
}

// pushConstants allocates a push constant block. A bank other than 0 is a resource
// (SPV_NV_push_constant_bank).
func (u *unit) pushConstants(p *pointer, v *facts.Variable) {
	if d, ok := u.facts.Decoration(v.ID, spirv.DecorationMemberOffsetNV); ok {
		p.offset.imm = uint64(d.Literal())
	}
	if d, ok := u.facts.Decoration(v.ID, spirv.DecorationBankNV); ok && d.Literal() != 0 {
		p.banked = true
		p.number = u.bindResource(ir.Resource{Kind: ir.PushBank, Binding: d.Literal(), Count: 1, NonWritable: true})
		return
	}
	u.prog.PushBytes = max(u.prog.PushBytes, u.checkedBytes(add(p.offset.imm, v.Type.Size(0, false))))
}

func (u *unit) variableFlags(id spirv.ID) ir.Flags {
	var flags ir.Flags
	if u.facts.Has(id, spirv.DecorationVolatile) {
		flags |= ir.Volatile
	}
	if u.facts.Has(id, spirv.DecorationCoherent) {
		flags |= ir.Coherent
	}
	return flags
}

// checkedBytes ends lowering if a size does not fit into 31 bits.
func (u *unit) checkedBytes(n uint64) uint32 {
	if n > math.MaxInt32 {
		u.tooLarge("a variable of %d bytes; at most %d", n, math.MaxInt32)
	}
	return uint32(n)
}

// bufferVariable binds a buffer, or an array of buffers.
func (u *unit) bufferVariable(p *pointer, v *facts.Variable) {
	set, _ := u.facts.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, _ := u.facts.Decoration(v.ID, spirv.DecorationBinding)
	r := ir.Resource{
		Set: set.Literal(), Binding: binding.Literal(), Count: 1,
		Kind:     ir.StorageBuffer,
		Restrict: u.facts.Has(v.ID, spirv.DecorationRestrict),
	}
	block := v.Type
	if block.IsArray() {
		r.Count = uint32(min(descriptorCount(block), math.MaxUint32))
		for n := 0; block.IsArray() && n <= maxDepth; n++ {
			block = block.Elem
		}
		p.memory = descriptor
	}
	if !block.IsStruct() {
		u.malformed("the buffer is not a struct; must be one")
	}
	if v.Storage == spirv.StorageClassUniform && !u.facts.Has(block.ID, spirv.DecorationBufferBlock) {
		r.Kind, r.NonWritable = ir.UniformBuffer, true
	}
	u.sortBinding(&r, v)
	p.number = u.bindResource(r)
}

// sortBinding changes the binding of the resource of a variable to its number in the program: with mapped resources each sort has its own.
func (u *unit) sortBinding(r *ir.Resource, v *facts.Variable) {
	if u.options.Descriptors != InHeaps {
		return
	}
	if r.Binding > ir.MaxSorted {
		u.tooLarge("a mapped binding with the number %d; at most %d", r.Binding, ir.MaxSorted)
	}
	r.Binding, r.Sorted = ir.SortedBinding(r.Binding, Sort(u.facts, v)), true
}

// readOnly reports whether a variable, or each member of its block, is decorated NonWritable.
func readOnly(f *facts.Module, v *facts.Variable, block *facts.Type) bool {
	if f.Has(v.ID, spirv.DecorationNonWritable) {
		return true
	}
	for i := range block.Members {
		if !f.HasMember(block.ID, i, spirv.DecorationNonWritable) {
			return false
		}
	}
	return len(block.Members) > 0
}

// bindResource returns the number of a resource. Variables of one binding share it,
// so that pointers to the same memory compare equal.
func (u *unit) bindResource(r ir.Resource) uint64 {
	for i := range u.prog.Res {
		if x := &u.prog.Res[i]; x.Set == r.Set && x.Binding == r.Binding && x.Kind == r.Kind && x.Heap == r.Heap {
			x.Restrict, x.Tile = false, x.Tile || r.Tile
			if r.Count == 0 || x.Count != 0 && r.Count > x.Count {
				x.Count = r.Count
			}
			return uint64(i)
		}
	}
	u.prog.Res = append(u.prog.Res, r)
	return uint64(len(u.prog.Res) - 1)
}

// aliasedBlocks allocates the workgroup memory that all blocks with the decoration Aliased share
// (SPV_KHR_workgroup_memory_explicit_layout). It begins at 0.
func (u *unit) aliasedBlocks(globals []*facts.Variable) {
	for _, v := range globals {
		if u.explicit && v.Storage == spirv.StorageClassWorkgroup && u.facts.Has(v.ID, spirv.DecorationAliased) {
			u.prog.SharedBytes = max(u.prog.SharedBytes, u.checkedBytes(v.Type.Size(0, false)))
		}
	}
}

// blockAlign aligns blocks in workgroup memory: no scalar or vector needs more.
const blockAlign = 32

// workgroupVariable allocates a variable in workgroup memory. A block without the decoration Aliased has memory of its own: modules with
// untyped pointers may have several.
func (u *unit) workgroupVariable(p *pointer, v *facts.Variable) {
	if u.explicit {
		if !u.facts.Has(v.ID, spirv.DecorationAliased) {
			p.offset.imm = roundUp(uint64(u.prog.SharedBytes), blockAlign)
			u.prog.SharedBytes = u.checkedBytes(add(p.offset.imm, v.Type.Size(0, false)))
		}
		return
	}
	u.checkDepth(v.Type)
	e := u.extent(v.Type)
	at := roundUp(uint64(u.prog.SharedBytes), e.align)
	p.natural = true
	p.offset.imm = at
	u.prog.SharedBytes = u.checkedBytes(add(at, e.size))
}

// privateVariable allocates a variable in private memory; function is its function's
// number, −1 at module scope.
func (u *unit) privateVariable(v *facts.Variable, function int) (number, slots uint64) {
	n := u.privateSlots(v)
	if u.private += n; u.private > maxPrivate {
		u.tooLarge("private memory of more than %d slots", maxPrivate)
	}
	number = uint64(len(u.prog.Vars))
	u.prog.Vars = append(u.prog.Vars, ir.Var{Name: u.facts.Name(v.ID), Slots: uint32(n), Func: function})
	u.addShadow(v, number, n, function)
	return number, n
}

// privateSlots returns the size of a variable in private memory.
func (u *unit) privateSlots(v *facts.Variable) uint64 {
	if v.Type.Leaves == 0 && !hollow(v.Type) && !sizedElement(v.Type).IsStruct() {
		u.unsupported("of %s", v.Type.Op)
	}
	u.checkDepth(v.Type)
	n := u.memberExtent(v.Type).slots
	if n > maxPrivate {
		u.tooLarge("a variable of %d slots in private memory; at most %d", n, maxPrivate)
	}
	return n
}

// variables defines the module-scope variables that the function uses, with handles
// for buffers.
func (f *function) variables() {
	for _, v := range f.fn.Globals {
		f.variable(v)
	}
}

// variable defines a module-scope variable in the function.
func (f *function) variable(v *facts.Variable) {
	p := f.globals[v.ID]
	if p == nil {
		return // named by an initializer only; no instruction uses it
	}
	switch {
	case p.record != nil:
		p = f.recordPointer(*p)
	case p.memory == inBuffer:
		p = f.withHandle(*p)
	case p.isIncoming():
		p = f.incomingVariable(*p)
	case p.memory == inInput && p.io != nil:
		f.requestAnswers(p.io)
	}
	f.put(v.ID, value{typ: v.Pointer, ptr: p})
}

func (f *function) withHandle(p pointer) *pointer {
	switch {
	case p.class == spirv.StorageClassPushConstant && !p.banked:
		p.handle = f.b.Op(ir.Push, ir.H)
		if f.banked {
			p.resource = f.b.I32(farAway) // bank 0 is no resource
		}
	case p.class == spirv.StorageClassWorkgroup:
		p.handle = f.b.Op(ir.Wg, ir.H)
	case p.class == spirv.StorageClassTaskPayloadWorkgroupEXT, p.ofTask:
		p.handle = f.payloadHandle()
	case p.class == spirv.StorageClassNodePayloadAMDX:
		p.handle, p.offset = f.nodeMemory(), offset{dyn: f.input32(ir.NodeInput)}
	default:
		p.resource, p.element = f.b.I32(uint32(p.number)), f.b.I32(0)
		p.handle = f.b.OpAux(ir.Res, ir.H, p.number, p.element)
	}
	return &p
}

// local allocates and initializes a variable of the function.
func (f *function) local(in spirv.Inst) {
	v := f.facts.Variable(in.Result())
	if v == nil || v.Type == nil || v.Storage != spirv.StorageClassFunction {
		f.malformed("the storage class of a function's variable is not Function; must be")
	}
	if v.Type.IsVoid() {
		return // it has no value to load or to store
	}
	if c := f.constants[v.ID]; c != nil && c.Type == v.Type {
		f.definePointer(in, f.table(c))
		return
	}
	p := &pointer{memory: inSlots, typ: v.Type, class: v.Storage, flags: f.variableFlags(v.ID)}
	p.number, p.extent = f.privateVariable(v, f.number)
	f.definePointer(in, p)
	switch {
	case v.Init != 0:
		f.initialise(p, v)
	case f.number > 0: // an earlier call may have stored to it
		f.b.OpAux(ir.PClr, ir.None, p.number)
	}
}

// initialise stores the initializer of a variable.
func (f *function) initialise(p *pointer, v *facts.Variable) {
	c := f.facts.Const(v.Init)
	if c == nil { // a pointer to a module-scope variable
		to := f.facts.Variable(v.Init)
		if to == nil || !v.Type.IsPointer() {
			f.malformed("the initializer is neither a constant nor a module-scope variable")
		}
		f.variable(to)
		f.store(p, f.scalars(v.Init))
		return
	}
	if c.Undef || c.Null && !f.hasNonZeroNull(v.Type) {
		f.b.OpAux(ir.PClr, ir.None, p.number)
		p.noteStoreAll()
		return
	}
	if c.Type != v.Type {
		f.malformed("the initializer has another type than the variable")
	}
	if f.followsUndefined(c) {
		f.store(p, f.appendUndefined(nil, c, c.Type))
		return
	}
	f.store(p, f.constant(c))
}

// privates initializes the module-scope variables at the start of an invocation, at
// which all private memory is 0.
func (f *function) privates() {
	for _, v := range f.moduleGlobals() {
		p := f.globals[v.ID]
		f.at = v.Index
		switch {
		case v.Init == 0 && f.prog.Stage == ir.Fragment && v.Storage == spirv.StorageClassOutput:
			if c := f.firstStoredConstant(v); c != nil {
				f.unmarked = true
				f.store(p, f.constant(c))
				f.unmarked = false
			}
		case v.Init == 0:
		case p.memory == inSlots:
			f.initialise(p, v)
		case p.memory == inOutput && f.prog.Stage == ir.Mesh:
			f.initialiseMeshOutput(p, v)
		case p.memory == inOutput:
			f.initialisePatchOutput(p, v)
		}
	}
}
