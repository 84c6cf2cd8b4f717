package trace

import "github.com/chiaro-gpu/chiaro/internal/ir"

// searchObject returns the function that replaces ir.Search: the first half of a trace. It writes the state, the record and the
// attributes of the hit object. A subgroup is split by shader at each call, so that nothing remains to reorder between the halves.
func (c *composer) searchObject(beyond bool) int {
	n, ok := c.objects[beyond]
	if !ok {
		n = c.function("search", []ir.Type{ir.I32, ir.I32}, nil, func(b *ir.Builder) {
			object := b.Func.Args[0]
			b.Call(c.traversal(beyond), nil, object, b.Func.Args[1])
			kind := c.get(object, ir.RayCommitted+ir.HitKind)
			b.If(b.Cmp(ir.Eq, kind, b.I32(ir.HitNone)))
			c.set(object, ir.ObjectState, b.I32(ir.ObjectMiss))
			c.set(object, ir.ObjectRecord, c.get(object, ir.FrameMiss))
			b.Else()
			c.set(object, ir.ObjectState, b.I32(ir.ObjectHit))
			c.set(object, ir.ObjectRecord, c.hitIndex(object, ir.RayCommitted))
			b.If(c.w.Not(b.Cmp(ir.Eq, kind, b.I32(ir.HitBox))))
			c.setBarycentrics(object, ir.RayCommitted, ir.FrameCommitted)
			b.End()
			b.End()
		})
		c.objects[beyond] = n
	}
	return n
}

// shade returns the function that replaces ir.Shade at a level of recursion: the second half of a trace.
func (c *composer) shade(level uint32) int {
	if n, ok := c.shades[level]; ok {
		return n
	}
	n := c.function("shade", []ir.Type{ir.I32, ir.I32}, nil, func(b *ir.Builder) {
		object := b.Func.Args[0]
		at := shaderCall{frame: object, payload: b.Func.Args[1], level: level, beyond: level > c.from.Depth}
		state, index := c.get(object, ir.ObjectState), c.get(object, ir.ObjectRecord)
		b.If(b.Cmp(ir.Eq, state, b.I32(ir.ObjectMiss)))
		at.record = c.record(paramMiss, index)
		c.checkRecord(at.record, faultMiss, 0)
		c.run(at, c.general(ir.Miss))
		b.End()
		skips := c.w.And(c.get(object, ir.RayFlags), b.I32(skipClosestHit))
		b.If(b.Op(ir.And, ir.B1, b.Cmp(ir.Eq, state, b.I32(ir.ObjectHit)), b.Cmp(ir.Eq, skips, b.I32(0))))
		at.record = c.record(paramHit, index)
		c.checkRecord(at.record, faultClosestHit, 0)
		c.run(at, func(g Group) int { return g.ClosestHit })
		b.End()
	})
	c.shades[level] = n
	return n
}

// recordData returns the value of ir.Record.
func (c *composer) recordData(object ir.V) ir.V {
	b := c.w.B
	state, index := c.get(object, ir.ObjectState), c.get(object, ir.ObjectRecord)
	none := b.Const(ir.I64, 0)
	hit := b.Select(b.Cmp(ir.Eq, state, b.I32(ir.ObjectHit)), c.record(paramHit, index), none)
	record := b.Select(b.Cmp(ir.Eq, state, b.I32(ir.ObjectMiss)), c.record(paramMiss, index), hit)
	return b.Select(b.Cmp(ir.Eq, record, none), none, b.Op(ir.Add, ir.I64, record, b.Const(ir.I64, HandleSize)))
}
