package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var rayStageRules = rules{
	spirv.OpTraceRayKHR:           traceRay,
	spirv.OpTraceRayMotionNV:      traceRayMotion,
	spirv.OpTraceNV:               traceLocated,
	spirv.OpTraceMotionNV:         traceLocatedMotion,
	spirv.OpReportIntersectionKHR: reportIntersection,
	spirv.OpExecuteCallableKHR:    executeCallable,
	spirv.OpExecuteCallableNV:     executeLocated,
	spirv.OpIgnoreIntersectionNV:  func(f *function, _ spirv.Inst) { f.decideHere(ir.IgnoreHit) },
	spirv.OpTerminateRayNV:        func(f *function, _ spirv.Inst) { f.decideHere(ir.AcceptAndEndRay) },
}

// rayStages maps the execution models of ray tracing stages.
var rayStages = map[spirv.ExecutionModel]ir.Stage{
	spirv.ExecutionModelRayGenerationKHR: ir.RayGen,
	spirv.ExecutionModelIntersectionKHR:  ir.Intersection,
	spirv.ExecutionModelAnyHitKHR:        ir.AnyHit,
	spirv.ExecutionModelClosestHitKHR:    ir.ClosestHit,
	spirv.ExecutionModelMissKHR:          ir.Miss,
	spirv.ExecutionModelCallableKHR:      ir.Callable,
}

// All shaders of a ray tracing pipeline share the private memory of the lane (internal/ir, "Rays"). A payload and callable
// data are private variables of the shader that traces or executes; the shader that is run has their address as an input.
// A traced ray is in a frame, another private variable. The hit attributes are in the frame of the ray.

// runsForRay reports whether a ray runs the shaders of a stage: they have its frame.
func runsForRay(s ir.Stage) bool { return s >= ir.Intersection && s <= ir.Miss }

// rayVariable allocates a variable of one of the storage classes of ray tracing stages. The address of an incoming variable is
// an input of the shader: each function that uses the variable reads it (incomingVariable).
func (u *unit) rayVariable(p *pointer, v *facts.Variable) {
	if s := u.prog.Stage; !s.OfRays() || !runsForRay(s) && v.Storage == spirv.StorageClassHitAttributeKHR {
		p.memory = opaque
		return
	}
	switch v.Storage {
	case spirv.StorageClassRayPayloadKHR, spirv.StorageClassCallableDataKHR, spirv.StorageClassHitObjectAttributeNV, spirv.StorageClassHitObjectAttributeEXT:
		p.memory = inSlots
		p.number, p.extent = u.privateVariable(v, -1)
	case spirv.StorageClassShaderRecordBufferKHR:
		p.memory = physical
	case spirv.StorageClassHitAttributeKHR:
		p.memory = inPrivate
		if p.extent = u.privateSlots(v); p.extent > ir.MaxAttributeSlots {
			u.tooLarge("hit attributes of %d slots; at most %d", p.extent, ir.MaxAttributeSlots)
		}
		u.prog.AttributeSlots = max(u.prog.AttributeSlots, uint32(p.extent))
	default:
		p.memory = inPrivate
		p.extent = u.privateSlots(v)
	}
}

// incomingVariable returns the pointer to an incoming variable: a payload, callable data, hit attributes, or the data of the
// shader record.
func (f *function) incomingVariable(p pointer) *pointer {
	switch p.class {
	case spirv.StorageClassShaderRecordBufferKHR:
		p.address = f.b.OpAux(ir.In, ir.I64, f.inputNumber(ir.Input{Semantic: ir.ShaderRecord, Type: ir.I64}))
	case spirv.StorageClassHitAttributeKHR:
		p.offset = offset{imm: ir.FrameAttributes, dyn: f.input32(ir.RayFrame)}
		if f.prog.Stage == ir.ClosestHit {
			p.offset.imm = ir.FrameCommitted
		}
	default:
		p.offset = offset{dyn: f.input32(ir.RayPayload)}
	}
	return &p
}

// isIncoming reports whether the address of a module-scope variable is an input of the shader.
func (p *pointer) isIncoming() bool {
	switch p.class {
	case spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassIncomingCallableDataKHR, spirv.StorageClassHitAttributeKHR:
		return p.memory == inPrivate
	case spirv.StorageClassShaderRecordBufferKHR:
		return p.memory == physical
	}
	return false
}

// frame returns the frame of the ray that runs the shader.
func (f *function) frame() *pointer {
	return &pointer{memory: inPrivate, offset: offset{dyn: f.input32(ir.RayFrame)}}
}

// ownFrame returns the frame of the rays that the shader traces. A shader has one: it is free again when trace returns.
func (f *function) ownFrame() *pointer {
	if f.ray == 0 {
		f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "ray", Slots: ir.FrameSlots, Func: -1})
		if f.ray = uint64(len(f.prog.Vars)); f.private+ir.FrameSlots > maxPrivate {
			f.tooLarge("private memory of more than %d slots", maxPrivate)
		}
		f.private += ir.FrameSlots
	}
	return &pointer{memory: inSlots, number: f.ray - 1, extent: ir.FrameSlots}
}

// The bits of the operands of OpTraceRayKHR that count.
const (
	recordBits = 1<<4 - 1
	missBits   = 1<<16 - 1
)

// tracing has the operands of an instruction that traces a ray.
type tracing struct {
	ray                  newRay
	offset, stride, miss spirv.ID
	payload              spirv.ID
}

// tracingOf returns the operands of OpTraceRayKHR and of instructions with the same ones.
func tracingOf(v inst.TraceRayKHR) *tracing {
	return &tracing{
		ray: newRay{
			structure: v.Accel(), flags: v.RayFlags(), mask: v.CullMask(),
			origin: v.RayOrigin(), least: v.RayTmin(), direction: v.RayDirection(), most: v.RayTmax(),
		},
		offset: v.SBTOffset(), stride: v.SBTStride(), miss: v.MissIndex(), payload: v.Payload(),
	}
}

// tracingInTime returns the operands of OpTraceRayMotionNV and of instructions with the same ones: a time precedes the payload.
func tracingInTime(v inst.TraceRayMotionNV) *tracing {
	t := tracingOf(inst.TraceRayKHR(v))
	t.ray.time, t.payload = v.Time(), v.Payload()
	return t
}

// checkTracing ends lowering in a stage that must not trace rays.
func (f *function) checkTracing(what string) {
	switch f.prog.Stage {
	case ir.RayGen, ir.ClosestHit, ir.Miss:
	default:
		f.malformed("a %s shader %s; must not", f.prog.Stage, what)
	}
}

// beginTrace writes a new ray and the operands of its trace to a frame.
func (f *function) beginTrace(p *pointer, t *tracing, payload ir.V) {
	f.checkTracing("traces a ray")
	f.beginRay(p, t.ray)
	for _, x := range [...]struct {
		slot uint64
		id   spirv.ID
		bits uint32
	}{
		{ir.FrameOffset, t.offset, recordBits},
		{ir.FrameStride, t.stride, recordBits},
		{ir.FrameMiss, t.miss, missBits},
	} {
		f.setRaySlot(p, x.slot, f.b.Op(ir.And, ir.I32, f.typed(x.id, ir.I32), f.b.I32(x.bits)))
	}
	f.setRaySlot(p, ir.FramePayload, payload)
}

// traceOwn traces a ray in the frame of the shader.
func (f *function) traceOwn(t *tracing, payload ir.V) {
	p := f.ownFrame()
	f.beginTrace(p, t, payload)
	f.b.Op(ir.Trace, ir.None, f.privateAddress(p))
}

func traceRay(f *function, in spirv.Inst) {
	t := tracingOf(inst.TraceRayKHR(in))
	f.traceOwn(t, f.passedAddress(t.payload))
}

func traceRayMotion(f *function, in spirv.Inst) {
	t := tracingInTime(inst.TraceRayMotionNV(in))
	f.traceOwn(t, f.passedAddress(t.payload))
}

// traceLocated lowers OpTraceNV, whose payload is a location.
func traceLocated(f *function, in spirv.Inst) {
	t := tracingOf(inst.TraceRayKHR(in))
	f.traceOwn(t, f.locatedAddress(t.payload, spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR))
}

func traceLocatedMotion(f *function, in spirv.Inst) {
	t := tracingInTime(inst.TraceRayMotionNV(in))
	f.traceOwn(t, f.locatedAddress(t.payload, spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR))
}

// locatedAddress returns the address of the payload or the callable data at a location, in the first of the storage classes that has
// one there. No instruction needs to name the variable.
func (f *function) locatedAddress(location spirv.ID, classes ...spirv.StorageClass) ir.V {
	c := f.facts.Const(location)
	if c == nil || !c.Known {
		f.malformed("the location of the payload or the callable data is %s; must be a constant", f.facts.Name(location))
	}
	if f.located == nil {
		f.located = locatedVariables(f.facts)
	}
	for _, class := range classes {
		if i, ok := f.located[located{class, c.Bits}]; ok {
			v := &f.facts.Variables[i]
			if f.globals[v.ID] == nil {
				f.globals[v.ID] = f.globalPointer(v)
			}
			f.variable(v)
			return f.passedAddress(v.ID)
		}
	}
	f.malformed("no variable in %s or %s has location %d; must have one", classes[0], classes[1], c.Bits)
	return 0
}

// located is a location in a storage class.
type located struct {
	class    spirv.StorageClass
	location uint64
}

// locatedVariables returns the index of the first variable at each location of each storage class.
func locatedVariables(m *facts.Module) map[located]int {
	all := map[located]int{}
	for i := range m.Variables {
		v := &m.Variables[i]
		d, ok := m.Decoration(v.ID, spirv.DecorationLocation)
		if !ok {
			continue
		}
		at := located{v.Storage, uint64(d.Literal())}
		if _, taken := all[at]; !taken {
			all[at] = i
		}
	}
	return all
}

// passedAddress returns the address of a payload or of callable data.
func (f *function) passedAddress(id spirv.ID) ir.V {
	p := f.pointer(id)
	if p.memory != inSlots && p.memory != inPrivate {
		f.malformed("%%%d does not point to a payload or to callable data; must do so", id)
	}
	return f.addressParts(p)[0]
}

// reportIntersection lowers OpReportIntersectionKHR.
func reportIntersection(f *function, in spirv.Inst) {
	if f.prog.Stage != ir.Intersection {
		f.malformed("a %s shader reports an intersection; must not", f.prog.Stage)
	}
	v := inst.ReportIntersectionKHR(in)
	f.define(in, f.b.Op(ir.Report, ir.B1, f.typed(v.Hit(), ir.F32), f.typed(v.HitKind(), ir.I32)))
	f.copyRayLimit()
	f.endIntersection()
}

// endIntersection returns from the function if an any-hit shader has ended the ray: that ends the intersection shader, too.
func (f *function) endIntersection() {
	decision := f.raySlot(f.frame(), ir.FrameDecision)
	f.b.If(f.b.Cmp(ir.Eq, decision, f.b.I32(ir.AcceptAndEndRay)))
	f.b.Return(f.zeroResults()...)
	f.b.End()
}

func executeCallable(f *function, in spirv.Inst) {
	v := inst.ExecuteCallableKHR(in)
	f.execute(v.SBTIndex(), f.passedAddress(v.CallableData()))
}

// executeLocated lowers OpExecuteCallableNV, whose data is a location.
func executeLocated(f *function, in spirv.Inst) {
	v := inst.ExecuteCallableNV(in)
	f.execute(v.SBTIndex(), f.locatedAddress(v.CallableDataId(), spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR))
}

// execute runs a callable shader.
func (f *function) execute(index spirv.ID, data ir.V) {
	if f.prog.Stage != ir.Callable {
		f.checkTracing("executes a callable shader")
	}
	f.b.Op(ir.Execute, ir.None, f.typed(index, ir.I32), data)
}

// decide lowers the terminators of any-hit shaders: the shader ends with a decision. A callee returns zeros, and each of
// its callers returns in turn (unwind).
func (f *function) decide(decision uint32) {
	f.setDecision(decision)
	f.lowerReturn(f.zeroResults())
}

func (f *function) setDecision(decision uint32) {
	if f.prog.Stage != ir.AnyHit {
		f.malformed("a %s shader decides about a hit; must not", f.prog.Stage)
	}
	f.setRaySlot(f.frame(), ir.FrameDecision, f.b.I32(decision))
}

// decideHere lowers the forms of NV, which do not terminate a block; the code after them does not run.
func (f *function) decideHere(decision uint32) {
	f.setDecision(decision)
	f.b.If(f.b.Bool(true))
	f.b.Return(f.zeroResults()...)
	f.b.End()
}

// zeroResults returns zeros for the results of the function.
func (f *function) zeroResults() []ir.V {
	if t := f.fn.Return; !t.IsVoid() && !f.inMemory(t) {
		return f.zeros(t)
	}
	return nil
}

// unwind follows a call: it returns from the function if the callee ended the any-hit or the intersection shader. An any-hit shader
// that goes on has not decided yet.
func (f *function) unwind(callee *facts.Function) {
	if f.prog.Stage == ir.Intersection && f.decides(callee) {
		f.endIntersection()
		return
	}
	if f.prog.Stage != ir.AnyHit || !f.decides(callee) {
		return
	}
	decision := f.raySlot(f.frame(), ir.FrameDecision)
	f.b.If(f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, decision, f.b.I32(ir.AcceptHit))))
	f.b.Return(f.zeroResults()...)
	f.b.End()
}

// decides reports whether a function, or a callee of it, has a terminator that ends the any-hit shader, or a report that may end the
// intersection shader.
func (u *unit) decides(fn *facts.Function) bool {
	yes, known := u.deciders[fn]
	if known {
		return yes
	}
	if u.deciders == nil {
		u.deciders = map[*facts.Function]bool{}
	}
	u.deciders[fn] = false // ends a recursion, which the module must not have
	for i := range fn.Blocks {
		if at := fn.Blocks[i].Term; at >= 0 {
			switch u.facts.Code.Inst(at).Op() {
			case spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR:
				yes = true
			}
		}
	}
	for i := fn.Index; i < fn.End && !yes; i++ {
		switch u.facts.Code.Inst(i).Op() {
		case spirv.OpReportIntersectionKHR, spirv.OpIgnoreIntersectionNV, spirv.OpTerminateRayNV:
			yes = true
		}
	}
	for _, callee := range fn.Calls {
		yes = yes || u.decides(callee)
	}
	u.deciders[fn] = yes
	return yes
}
