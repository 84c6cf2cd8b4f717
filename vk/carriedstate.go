package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// owners are the buffers of the memory that is bound. Memory that a command found by an address has none.
type owners struct {
	vertices [state.MaxBindings]*Buffer
	index    *Buffer
	feedback [state.MaxFeedbackBuffers]*Buffer
}

// carry begins a command buffer with the graphics and the compute state at the end of the one before it in the queue (Vulkan, Pipelines,
// commandBufferInheritance). The submission uses its objects; those that are closed are not bound. State of other bind points ends.
func (x *executor) carry() {
	x.condition, x.counting, x.part = condition{}, nil, 0
	x.shading, x.graph, x.rays = nil, nil, boundRays{}
	x.tile.bound, x.tile.size = nil, 0
	x.graphics.leave()
	b := &x.graphics.bound
	if p := x.pipeline; p != nil && !x.holds(&p.object) {
		x.pipeline = nil
	}
	if s := x.shader; s != nil && !x.holds(&s.object) {
		x.shader = nil
	}
	if p := b.pipeline; p != nil && !x.holds(&p.object) {
		b.pipeline = nil
	}
	for i, s := range b.shaders {
		if s != nil && !x.holds(&s.object) {
			b.shaders[i] = nil
		}
	}
	for point, n := range x.sets.used {
		for i := range x.sets.of[point][:n] {
			if s := x.sets.of[point][i].set; s != nil && !x.holds(&s.object) {
				x.sets.of[point][i] = boundSet{}
			}
		}
	}
	for i, v := range b.owners.vertices {
		if b.vertices[i].Bytes != nil && !x.holdsBuffer(v) {
			b.vertices[i], b.buffers = exec.Buffer{}, b.buffers&^(1<<i)
		}
	}
	if len(b.index) > 0 && !x.holdsBuffer(b.owners.index) {
		b.index = nil
	}
	for i, v := range b.owners.feedback {
		if b.feedback[i] != nil && !x.holdsBuffer(v) {
			b.feedback[i] = nil
		}
	}
}

// holds acquires an object for the submission. It reports whether the object is alive.
func (x *executor) holds(o *object) bool { return x.work.hold(o) == nil }

// holdsBuffer acquires a buffer with its memory for the submission, and reports whether they are alive.
func (x *executor) holdsBuffer(b *Buffer) bool {
	ok := b != nil
	if ok {
		b.refer(func(o *object) { ok = ok && x.holds(o) })
	}
	return ok
}

// keepState copies what a command buffer uses again for another recording: its dynamic offsets and its push descriptors.
func (x *executor) keepState() {
	for point, n := range x.sets.used {
		for i := range x.sets.of[point][:n] {
			b := &x.sets.of[point][i]
			if b.dynamic = slices.Clone(b.dynamic); b.set != nil && b.set.kind == pushedKind {
				b.set = b.set.copied()
			}
		}
	}
}

// copied returns a set of push descriptors with the same descriptors.
func (s *Set) copied() *Set {
	out := newPushedSet(s.dev, s.layout)
	for i := range s.layout.slots {
		list, _ := (&Copy{Source: s, SourceBinding: s.layout.slots[i].number, Count: s.count(i)}).read()
		out.paste(i, 0, list)
	}
	return out
}

// shareState runs a secondary command buffer with the state of the one that executes it, which has the state of the secondary one after
// that. Tile memory is no part of it.
func (x *executor) shareState(secondary *CommandBuffer) error {
	tile, inherited := x.tile.bound, orZero(secondary.inherited)
	if inherited.Heaps != (InheritedHeaps{}) {
		x.setHeaps(inherited.Heaps.ranges())
	}
	err := x.bindTile(inherited.TileMemory)
	if err == nil {
		err = x.commands(secondary)
	}
	x.tile.bound, x.tile.size = tile, tile.Size()
	return err
}
