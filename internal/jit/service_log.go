package jit

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// log starts a message of each lane that is not a helper. Helper invocations print nothing, since a
// message is an effect on memory.
func (c *serviceCall) log() {
	p, number := c.program.source, uint32(c.site.Key.Aux)
	if p.Messages[number].IsBareEvent() {
		c.job.Log.Event(p, c.group(), c.invocation(0), c.loggers(), number, nil, nil)
		return
	}
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			group, index := c.logger(lane)
			c.job.Log.Begin(p, group, index, number)
		}
	}
}

// logArg appends a value to the current message of each lane that is not a helper.
func (c *serviceCall) logArg() {
	for lane := range c.active.All {
		if !c.isHelper(lane) {
			group, index := c.logger(lane)
			c.job.Log.AddArg(group, index, c.use(0, lane))
		}
	}
}

// logEvent logs a message, with its values, of each lane that is not a helper.
func (c *serviceCall) logEvent() {
	p, number := c.program.source, uint32(c.site.Key.Aux)
	if !c.job.Log.Heeds(p, number) {
		c.heeded[number] = 0
		return
	}
	x, y := &c.logged[0], &c.logged[1]
	c.useAll(0, x)
	c.useAll(1, y)
	lanes := c.active
	if !p.Messages[number].Event.Kind.OfQuads() {
		lanes = c.loggers()
	}
	c.job.Log.Event(p, c.group(), c.invocation(0), lanes, number, x[:], y[:])
}

// loggers returns the active lanes that are not helpers.
func (c *serviceCall) loggers() exec.Lanes {
	lanes, part := c.active, c.form().Lanes
	if !c.program.source.Effects.Discards {
		return lanes
	}
	demoted := c.demotedLanes()
	for i := range len(c.site.Masks) {
		at := c.firstLane + i*part
		helpers := uint64(demoted[2*(at/part)]) & (1<<part - 1)
		lanes[at>>6] &^= helpers << (at & 63)
	}
	return lanes
}

// useAll sets the bits of the i-th operand in all lanes of the strip.
func (c *serviceCall) useAll(i int, to *laneValues) {
	lanes := c.form().Lanes
	for part := range c.site.Masks {
		r := c.site.Uses[i*len(c.site.Masks)+part]
		out := to[c.firstLane+part*lanes:][:lanes]
		switch {
		case r.Const:
			for lane := range out {
				out[lane] = r.Bits
				if r.Step != 0 {
					out[lane] = c.read(r, lane)
				}
			}
		case r.Class == vcode.Mask:
			for lane := range out {
				out[lane] = c.read(r, lane)
			}
		case r.Class == vcode.Wide:
			b := c.register(r)[:8*lanes]
			for lane := range out {
				out[lane] = binary.LittleEndian.Uint64(b[8*lane:])
			}
		default:
			b := c.register(r)[:4*lanes]
			for lane := range out {
				out[lane] = uint64(binary.LittleEndian.Uint32(b[4*lane:]))
			}
		}
	}
}

// invocation returns the local invocation index of a lane.
func (c *serviceCall) invocation(lane int) uint32 {
	return uint32(c.subgroupIndex())*c.variant.source.SubgroupSize + uint32(lane)
}

// logger returns the workgroup of a lane and its local invocation index, as if workgroups were not merged.
func (c *serviceCall) logger(lane int) ([3]uint32, uint32) {
	group, index := c.group(), c.invocation(lane)
	if !c.bound.merged {
		return group, index
	}
	n, small := group[0]*c.program.merge.local+index, c.program.source.Invocations()
	group[0] = n / small
	return group, n % small
}
