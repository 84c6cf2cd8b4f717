package trace

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

const skipClosestHit = uint32(ray.RaySkipClosestHit)

// traversal returns the function that finds the committed hit of a frame's ray: a loop over the candidates that a shader
// must decide. Beyond the depth of the pipeline such a candidate is a fault.
func (c *composer) traversal(beyond bool) int {
	n, ok := c.search[beyond]
	if !ok {
		n = c.function("traversal", []ir.Type{ir.I32, ir.I32}, nil, func(b *ir.Builder) { c.buildTraversal(b, beyond) })
		c.search[beyond] = n
	}
	return n
}

func (c *composer) buildTraversal(b *ir.Builder, beyond bool) {
	frame, payload := b.Func.Args[0], b.Func.Args[1]
	done := b.Block()
	next := b.Loop()
	c.proceed(frame)
	kind := c.get(frame, ir.RayCandidate+ir.HitKind)
	b.If(b.Cmp(ir.Eq, kind, b.I32(ir.HitNone)))
	b.Br(done)
	b.End()
	at := shaderCall{frame: frame, payload: payload, record: c.hitRecord(frame, ir.RayCandidate), beyond: beyond}
	b.If(c.w.Not(b.Cmp(ir.Eq, kind, b.I32(ir.HitBox))))
	c.setBarycentrics(frame, ir.RayCandidate, ir.FrameAttributes)
	c.set(frame, ir.FrameDecision, b.I32(ir.AcceptHit))
	c.checkRecord(at.record, faultAnyHit, kind)
	c.run(at, func(g Group) int { return g.AnyHit })
	decision := c.get(frame, ir.FrameDecision)
	b.If(c.w.Not(b.Cmp(ir.Eq, decision, b.I32(ir.IgnoreHit))))
	c.commit(frame, decision)
	b.Br(done) // no other candidate is closer
	b.End()
	b.Else()
	c.set(frame, ir.FrameDecision, b.I32(ir.AcceptHit))
	c.checkRecord(at.record, faultIntersection, kind)
	c.run(at, func(g Group) int { return g.Intersection })
	b.End()
	b.Br(next)
	b.End()
	b.End()
}

// proceed finds the next candidate. The flags of the pipeline are in the frame for this request alone.
func (c *composer) proceed(frame ir.V) {
	b := c.w.B
	flags := c.get(frame, ir.RayFlags)
	if c.from.Skips != 0 {
		c.set(frame, ir.RayFlags, b.Op(ir.Or, ir.I32, flags, b.I32(c.from.Skips)))
	}
	b.Op(ir.RayI, ir.None, frame, b.I32(ir.RayProceed))
	if c.from.Skips != 0 {
		c.set(frame, ir.RayFlags, flags)
	}
}

// commit makes the candidate the committed hit. The ray ends if the any-hit shader decided so, or at any hit.
func (c *composer) commit(frame, decision ir.V) {
	b := c.w.B
	c.move(frame, ir.RayCommitted, ir.RayCandidate, ir.HitSlots)
	any := c.w.And(c.get(frame, ir.RayFlags), b.I32(uint32(ray.RayTerminateOnFirstHit)))
	ends := b.Op(ir.Or, ir.B1, b.Cmp(ir.Eq, decision, b.I32(ir.AcceptAndEndRay)), c.w.Not(b.Cmp(ir.Eq, any, b.I32(0))))
	c.set(frame, ir.RayEnded, b.Op(ir.ZExt, ir.I32, ends))
}

// report returns the function that replaces ir.Report: its arguments are the frame, the payload, the record of the intersection
// shader, the distance of the hit and its kind.
func (c *composer) report() int {
	if c.accept == 0 {
		c.accept = c.function("report", []ir.Type{ir.I32, ir.I32, ir.I64, ir.F32, ir.I32}, []ir.Type{ir.B1}, c.buildReport)
	}
	return c.accept
}

// buildReport accepts the hit if it is in the range of the ray, no farther than the committed hit, and not ignored by the any-hit
// shader. The comparisons are false for a NaN. After the end of the ray there is no further hit.
func (c *composer) buildReport(b *ir.Builder) {
	frame, payload, record, t, kind := b.Func.Args[0], b.Func.Args[1], b.Func.Args[2], b.Func.Args[3], b.Func.Args[4]
	and := func(list ...ir.V) ir.V {
		v := list[0]
		for _, x := range list[1:] {
			v = b.Op(ir.And, ir.B1, v, x)
		}
		return v
	}
	none := b.Cmp(ir.Eq, c.get(frame, ir.RayCommitted+ir.HitKind), b.I32(ir.HitNone))
	closer := b.Op(ir.Or, ir.B1, none, b.Cmp(ir.FLe, t, c.getAs(ir.F32, frame, ir.RayCommitted+ir.HitT)))
	after := b.Cmp(ir.FLe, c.getAs(ir.F32, frame, ir.RayTMin), t)
	before := b.Cmp(ir.FLe, t, c.getAs(ir.F32, frame, ir.RayTMax))
	goesOn := b.Cmp(ir.Eq, c.get(frame, ir.RayEnded), b.I32(0))
	b.If(and(after, before, closer, goesOn))
	c.set(frame, ir.RayCandidate+ir.HitT, t)
	c.set(frame, ir.RayCandidate+ir.HitShaderKind, kind)
	c.set(frame, ir.RayCandidate+ir.HitGenerated, b.I32(1))
	c.set(frame, ir.FrameDecision, b.I32(ir.AcceptHit))
	b.If(b.Cmp(ir.Eq, c.get(frame, ir.RayCandidate+ir.HitOpaque), b.I32(0)))
	c.run(shaderCall{frame: frame, payload: payload, record: record}, func(g Group) int { return g.AnyHit })
	b.End()
	decision := c.get(frame, ir.FrameDecision)
	b.If(c.w.Not(b.Cmp(ir.Eq, decision, b.I32(ir.IgnoreHit))))
	c.commit(frame, decision)
	c.move(frame, ir.FrameCommitted, ir.FrameAttributes, c.attributeSlots())
	c.moveShadows(frame, ir.FrameCommitted, ir.FrameAttributes, c.attributeSlots())
	b.Return(b.Bool(true))
	b.End()
	b.End()
	b.Return(b.Bool(false))
}

// attributeSlots returns the size of the largest hit attributes of the pipeline.
func (c *composer) attributeSlots() uint32 {
	n := uint32(0)
	for _, s := range c.from.Shaders {
		n = max(n, s.AttributeSlots)
	}
	return n
}
