package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// graphics is the state of an executor that draws use.
type graphics struct {
	bound      bound
	point      BindPoint // of the sets of draws: Graphics, or ExecutionGraph for mesh nodes
	pass       draw.Pass
	last       *drawable                              // of the last draw
	repeats    bool                                   // the next draw repeats the last one, but for the sets in rebound
	rebound    uint64                                 // the sets that commands have bound or disturbed since the last draw, bits by number
	current    *rendering                             // nil outside of a rendering
	remap      remap                                  // of the current rendering
	blend      [state.MaxColors]state.BlendAttachment // of the draw, with dynamic blend states
	wrote      uint16                                 // with full checking, the attachments of the current rendering that were written: bits of colors, wroteDepth, wroteStencil
	resolving  bool                                   // its custom resolve has begun
	shaded     bool                                   // it has run its subpass shading
	perTile    bool                                   // its commands run for each tile
	tiles      tileAccesses                           // of its subpass
	regions    []*regions                             // of the draws of the pass
	args       state.Args                             // of a draw: reused
	indirect   state.Indirect
	countBytes [4]byte   // of indirect
	logs       []drawLog // of the draws of the pass
	queries    []*activeQuery

	suspended *rendering // of the submission, which resumes it

	feedback *state.Feedback // active transform feedback; nil if there is none
	counts   *counts         // of the active queries; nil if there are none
	ended    []*activeQuery  // of the current rendering
}

// bound is the state that commands bind and set.
type bound struct {
	pipeline   *GraphicsPipeline
	shaders    combination // instead of a pipeline
	vertices   [state.MaxBindings]exec.Buffer
	places     [state.MaxBindings]uint8 // the addresses of vertices modulo 8
	index      []byte
	indexBytes uint32
	dynamic    state.State
	strides    strides
	enables    enabling
	feedback   [state.MaxFeedbackBuffers][]byte
	owners     owners      // of vertices, index and feedback
	loops      Aspect      // of attachments with feedback loops
	named      uint8       // the stages that BindShaders has named: bits by ShaderStage
	blends     uint8       // the color attachments of which commands have set the blend enable, by bits
	masks      uint8       // and the write mask
	buffers    uint32      // the vertex bindings to which commands have bound a buffer, or none, by bits
	strided    bool        // a command has set strides of vertex buffers
	third      uint32      // the bindings whose last bind is of BindVertexBuffers3 with a stride, by bits
	rate       uint32      // of clusters, see ir.Cluster
	face       frontFace   // of sequences in streams
	forced     uint32      // the bindings with a stride that a sequence in streams has set, by bits
	have       uint64      // the dynamic states that are set: bits by setKind, and haveViewports and so on
	draw       state.State // of the draw: the pipeline's with the dynamic states
}

func (g *graphics) reset() {
	old := &g.bound.dynamic
	viewports, scissors, discard, colors := old.Viewports[:0], old.Scissors[:0], old.Discard.Rectangles[:0], old.Blend.Attachments[:0]
	g.forget()
	// Only the memory of the lists is kept.
	new := &g.bound.dynamic
	new.Viewports, new.Scissors, new.Discard.Rectangles, new.Blend.Attachments = viewports, scissors, discard, colors
	g.leave()
}

// leave drops all that does not outlive a command buffer.
func (g *graphics) leave() {
	g.last, g.current, g.queries, g.counts, g.ended, g.resolving, g.perTile = nil, nil, nil, nil, nil, false, false
	g.feedback, g.args = nil, state.Args{}
}

// forget drops all that is bound.
func (g *graphics) forget() { g.bound = bound{} }

// graphicsCommand runs a command of graphics.
func (x *executor) graphicsCommand(c *CommandBuffer, k *command) error {
	g := &x.graphics
	switch k.kind {
	case bindGraphics:
		g.bindPipeline(k.a.(*GraphicsPipeline))
	case bindVertexBuffers:
		g.bindVertices(k)
	case bindIndexBuffer:
		g.bindIndices(k)
	case drawVertices:
		r, indexed := state.Range{Count: uint32(k.x[0]), Instances: uint32(k.x[0] >> 32), First: uint32(k.x[1]), FirstInstance: uint32(k.x[1] >> 32), BaseVertex: int32(uint32(k.x[2]))}, k.x[3] == 1
		if done, err := x.addDraw(&r, indexed); done || err != nil {
			return err
		}
		g.args = state.Args{Count: r.Count, Instances: r.Instances, First: r.First, FirstInstance: r.FirstInstance, BaseVertex: r.BaseVertex}
		return x.draw(&g.args, indexed, nil)
	case drawIndirect:
		return x.drawIndirect(k)
	case beginRendering:
		return x.beginRendering(k.a.(*rendering))
	case endRendering:
		return x.endRendering()
	case clearAttachments:
		return x.clearAttachments(k.a.(*draw.Clears))
	default:
		g.setState(c, k)
	}
	return nil
}

// bindPipeline binds a pipeline. Its static states are undefined after it (Vulkan, Interaction With Pipelines).
func (g *graphics) bindPipeline(p *GraphicsPipeline) {
	b := &g.bound
	b.pipeline, b.shaders = p, combination{}
	b.have &= p.keeps
	if !p.strides {
		b.strided, b.third = false, 0
	}
	if p.keeps>>setBlendEnable&1 == 0 {
		b.blends = 0
	}
	if p.keeps>>setWriteMask&1 == 0 {
		b.masks = 0
	}
}

func (g *graphics) bindVertices(k *command) {
	g.bound.buffers |= 1 << k.x[0]
	g.bound.third &^= 1 << k.x[0]
	if k.x[3] > 0 {
		g.bound.strided = true
		g.bound.third |= uint32(k.x[3]/thirdBind) << k.x[0]
		g.bound.strides.put(uint32(k.x[0]), uint32(k.x[3]&(thirdBind-1)-1))
	}
	b, _ := k.a.(*Buffer)
	g.bound.owners.vertices[k.x[0]] = b
	if b == nil {
		g.bound.vertices[k.x[0]] = exec.Buffer{}
		return
	}
	all := b.bytes()[k.x[1]:]
	n := uint64(len(all))
	if k.x[2] > 0 {
		n = min(n, k.x[2])
	}
	// Vertices may begin at any byte; the engines read whole words at multiples of 8.
	g.bound.vertices[k.x[0]] = exec.Buffer{Bytes: aligned(all), Beyond: len(all) - int(n)}
	g.bound.places[k.x[0]] = uint8(address(all) % 8)
}

// aligned returns the bytes at a multiple of 8 in memory: a copy if they are not.
func aligned(b []byte) []byte {
	if len(b) == 0 || address(b)%8 == 0 {
		return b
	}
	words := make([]uint64, (len(b)+7)/8)
	out := bytesOfWords(words)[:len(b)]
	copy(out, b)
	return out
}

// setState runs a command that sets a dynamic state.
func (g *graphics) setState(c *CommandBuffer, k *command) {
	s := &g.bound.dynamic
	word := func(i uint64) uint32 { return binary.LittleEndian.Uint32(c.data[k.x[0]+4*i:]) }
	float := func(i uint64) float32 { return math.Float32frombits(word(i)) }
	list := func(out []state.Rect) []state.Rect {
		for i := range k.x[1] {
			out = append(out, state.Rect{X: int32(word(4 * i)), Y: int32(word(4*i + 1)), Width: word(4*i + 2), Height: word(4*i + 3)})
		}
		return out
	}
	switch k.kind {
	case setState:
		g.bound.have |= 1 << k.x[0]
		switch setKind(k.x[0]) {
		case setBlendEnable:
			g.bound.blends |= 1 << k.x[1]
		case setWriteMask:
			g.bound.masks |= 1 << k.x[1]
		}
		setters[k.x[0]].apply(s, [3]uint64(k.x[1:]))
	case setBlendConstants:
		g.bound.have |= 1 << haveBlendConstants
		for i := range 4 {
			s.Blend.Constants[i] = math.Float32frombits(uint32(k.x[i]))
		}
	case setViewports:
		g.bound.have |= 1 << haveViewports
		all := memoryOf(k, s.Viewports)
		for i := range k.x[1] {
			all = append(all, state.Viewport{X: float(6 * i), Y: float(6*i + 1), Width: float(6*i + 2), Height: float(6*i + 3), MinDepth: float(6*i + 4), MaxDepth: float(6*i + 5)})
		}
		s.Viewports = partial(k, s.Viewports, all)
	case setScissors:
		g.bound.have |= 1 << haveScissors
		s.Scissors = partial(k, s.Scissors, list(memoryOf(k, s.Scissors)))
	case setDiscardRectangles:
		g.bound.have |= 1 << haveDiscardRectangles
		s.Discard.Rectangles = partial(k, s.Discard.Rectangles, list(memoryOf(k, s.Discard.Rectangles)))
	case setVertexInput:
		g.bound.have |= 1 << haveVertexInput
		s.Vertex = *k.a.(*state.VertexInput)
		for _, b := range s.Vertex.Bindings {
			g.bound.strides.put(b.Binding, b.Stride)
		}
	}
}

// holdRegions returns the allocations with device addresses, for the draws of a pass.
func (x *executor) holdRegions() *regions {
	g := &x.graphics
	if n := len(g.regions); n > 0 && x.dev.heap.has(g.regions[n-1]) {
		return g.regions[n-1]
	}
	r := x.dev.heap.regions()
	g.regions = append(g.regions, r)
	return r
}

// releaseRegions ends the use of the allocations with device addresses.
func (x *executor) releaseRegions() {
	g := &x.graphics
	for _, r := range g.regions {
		x.dev.heap.release(r)
	}
	clear(g.regions)
	g.regions = g.regions[:0]
}

// drawable returns the bound pipeline or the pipeline of the bound shader objects, and composes the state of the draw:
// the static state of the pipeline overridden by its dynamic states, or only dynamic state with shader objects. mesh is set for a draw
// of mesh tasks.
func (x *executor) drawable(mesh bool) (*drawable, error) {
	g := &x.graphics
	s := &g.bound.draw
	if p := g.bound.pipeline; p != nil {
		*s = p.static
		if p.keeps&blendStates != 0 {
			g.ownAttachments(s)
		}
		for _, d := range p.dynamic {
			d.copy(s, &g.bound.dynamic)
		}
		if p.clipFollowsClamp {
			s.Rasterization.DepthClip = !s.Rasterization.DepthClamp
		}
		if !p.stippled && p.enables>>enableStipple&1 == 0 {
			s.Rasterization.Stipple = state.LineStipple{}
		}
		g.bound.enables.apply(s, p.enables)
		if p.strides {
			g.bound.strides.apply(&s.Vertex)
		}
		if set := g.bound.strides.set; g.bound.forced != 0 && !p.strides {
			g.bound.strides.set = g.bound.forced
			g.bound.strides.apply(&s.Vertex)
			g.bound.strides.set = set
		}
		if g.bound.rate != 0 {
			size := state.DecodeRate(g.bound.rate)
			s.Rate.Width, s.Rate.Height = 1<<min(size.LogX, 2), 1<<min(size.LogY, 2)
		}
		if g.bound.face != ofPipeline {
			s.Rasterization.Clockwise = g.bound.face == clockwise
		}
		if x.dev.checking == Pipelines { // checkDraw does it with full checking
			if err := x.checkState(p, s); err != nil {
				return nil, err
			}
		}
		g.last = &p.drawable
		return g.last, nil
	}
	switch x.dev.checking {
	case Pipelines:
		if err := x.checkState(nil, &g.bound.dynamic); err != nil {
			return nil, err
		}
	case All:
		if err := x.checkObjects(mesh); err != nil {
			return nil, err
		}
	}
	p, err := x.dev.combine(g.bound.shaders)
	if err != nil {
		return nil, err
	}
	*s, g.last = g.bound.dynamic, p
	g.bound.enables.apply(s, 1<<numEnables-1)
	g.bound.strides.apply(&s.Vertex)
	if g.bound.have>>setDepthClip&1 == 0 {
		s.Rasterization.DepthClip = !s.Rasterization.DepthClamp
	}
	if g.bound.have>>setStream&1 == 0 { // only a geometry shader requires it, and the value can be of before a pipeline
		s.Rasterization.Stream = 0
	}
	return p, nil
}

// draw records a draw in the pass, which copies the arguments that it needs. Without checks, states that no command has set are 0
// with shader objects; a draw that cannot have them draws nothing.
func (x *executor) draw(a *state.Args, indexed bool, indirect *state.Indirect) error {
	err := x.drawBound(a, indexed, indirect)
	if err != nil && x.incomplete(err) {
		return nil
	}
	return err
}

// incomplete reports whether a draw with shader objects failed for want of states, without checks.
func (x *executor) incomplete(err error) bool {
	var bad *UsageError
	g := &x.graphics
	return errors.As(err, &bad) && g.current != nil && g.bound.pipeline == nil && x.dev.checking == None && len(x.missing(nil, &g.bound.dynamic, 1)) > 0
}

// samples returns the samples of the attachments of the current rendering; 1 if there are none.
func (g *graphics) samples() uint32 {
	t := g.target()
	for _, v := range t.Colors {
		if v != nil {
			return uint32(v.Samples())
		}
	}
	for _, v := range [...]*texture.View{t.Depth, t.Stencil} {
		if v != nil {
			return uint32(v.Samples())
		}
	}
	return 1
}

// drawBound draws with the bound pipeline or shader objects.
func (x *executor) drawBound(a *state.Args, indexed bool, indirect *state.Indirect) error {
	g := &x.graphics
	if g.current == nil {
		return usage("VUID-vkCmdDraw-renderpass", "the draw is outside of a rendering; must be inside")
	}
	p, err := x.drawable(a.Mesh)
	if err != nil {
		return err
	}
	if err := x.checkKind(p, a, indirect != nil && indirect.DrawIndex != nil); err != nil {
		return err
	}
	s := &g.bound.draw
	s.ViewMask, s.Dither, s.Locations = g.current.info.ViewMask, g.current.info.Flags&LegacyDithering != 0, g.remap.locations
	s.Rasterization.DepthUnrestricted = x.dev.unrestricted
	if x.dev.checking >= All {
		if err := x.checkDraw(p, a, indexed, indirect); err != nil {
			return err
		}
	}
	if s.Rasterization.Discard {
		s.Multisample = state.Multisample{Samples: g.samples()} // the state is used when rasterization is enabled
	}
	if n := len(s.Viewports); n > len(s.Scissors) { // states that commands did not set
		s.Viewports = s.Viewports[:len(s.Scissors)]
	} else {
		s.Scissors = s.Scissors[:n]
	}
	sets, err := x.resolve(g.point, p.layout)
	if err == nil {
		sets, err = x.count(sets, p.stages...)
	}
	if err != nil {
		return err
	}
	a.Shader = compute.Args{
		Sets: sets, Push: x.push[:], StageRobustness: p.robustness,
		Regions: x.holdRegions().all(), Rays: x.dev.heap.structures.rays(), Workers: x.dev.workers, Budget: x.dev.budget, Schedule: x.dev.schedule, Lenient: x.dev.tolerant,
	}
	x.bindHeaps(&a.Shader)
	p.stageSets(&a.Shader)
	a.Shader.Shadow = x.dev.heap.defined.begin(&a.Shader, p.stages...)
	if a.Shader.Log = x.dev.printer.log(p.stages...); a.Shader.Log != nil {
		g.logs = append(g.logs, drawLog{a.Shader.Log, p.stages, x.order.now(), x.order.inGraph()})
	}
	a.State, a.Area, a.VertexBuffers = s, state.Rect(g.current.info.Area), g.bound.vertices[:]
	if indexed {
		a.Index, a.IndexBytes = g.bound.index, g.bound.indexBytes
		if a.Index == nil {
			a.Index, a.IndexBytes = []byte{}, 4
		}
	}
	x.order.draw(&x.dev.printer, p, s, a, indirect)
	if x.order != nil && drawsSome(a, indirect) {
		x.order.wrote(g.current, (&drawCheck{x, g.bound.pipeline, p, s, g.current, &g.bound.shaders}).written())
	}
	g.count(a)
	if err := x.inputAttachments(p, a); err != nil {
		return err
	}
	x.implicitInputs(p, a)
	var before [state.MaxStreams]state.FeedbackCount
	if a.Feedback = g.feedback; a.Feedback != nil {
		before = g.feedback.Streams
	}
	whole := indirect == nil && a.Shader.Log == nil && x.counting == nil && x.dev.debugger == nil
	if whole {
		a.Repeats, a.Rebound = g.repeats, g.rebound
	}
	x.watch()
	if d := x.dev.debugger; d != nil {
		err = x.debugDraw(d, p, a, indirect)
	} else {
		err = record(x.ctx, g, p, a, indirect)
	}
	x.unwatch()
	g.repeats, g.rebound = whole, 0
	g.countStreams(&before)
	return stateError(err)
}

// addDraw adds a draw to the last one of the pass, and reports whether it does: if there are only push constants between the commands, and
// sets that the programs do not read, and nothing is checked or observed for each draw.
func (x *executor) addDraw(r *state.Range, indexed bool) (bool, error) {
	g := &x.graphics
	if !g.repeats || g.current == nil || x.dev.checking != None || x.order != nil || x.dev.debugger != nil || x.counting != nil {
		return false, nil
	}
	done, err := g.pass.Add(x.ctx, r, indexed, x.push[:], g.rebound)
	return done, stateError(err)
}

func record(ctx context.Context, g *graphics, p *drawable, a *state.Args, indirect *state.Indirect) error {
	if indirect != nil {
		return g.pass.DrawIndirect(ctx, p.pipeline, a, indirect)
	}
	return g.pass.Draw(ctx, p.pipeline, a)
}

// debugDraw lets the debugger run a draw. Each run begins with the same counters.
func (x *executor) debugDraw(d Debugger, p *drawable, a *state.Args, indirect *state.Indirect) error {
	if err := x.flush(); err != nil {
		return err
	}
	g := &x.graphics
	numbers, feedback := orZero(g.counts), orZero(g.feedback)
	c := DebugCommand{Kind: DebugDraw, Stages: p.stages, Memory: g.target().Memory(nil)}
	c.Attachments = attachmentsOf(g.target())
	c.Instanced = indirect != nil || a.Instances > 1 || a.FirstInstance > 0
	for i := range feedback.Buffers {
		c.Memory = append(c.Memory, feedback.Buffers[i].Bytes)
	}
	return d.Run(x.ctx, c, func(h exec.Hook) error {
		if g.counts != nil {
			*g.counts = numbers
		}
		if g.feedback != nil {
			*g.feedback = feedback
		}
		a.Shader.Hook = h
		return record(x.ctx, g, p, a, indirect)
	})
}

// attachmentsOf returns the attachments of a target with their names.
func attachmentsOf(t *state.Target) (list []DebugAttachment) {
	for i, v := range t.Colors {
		if v != nil {
			list = append(list, DebugAttachment{fmt.Sprintf("color %d", i), v})
		}
	}
	if t.Depth != nil {
		list = append(list, DebugAttachment{"depth", t.Depth})
	}
	if t.Stencil != nil {
		list = append(list, DebugAttachment{"stencil", t.Stencil})
	}
	return list
}

// drawIndirect reads the arguments once: the host may change them meanwhile.
func (x *executor) drawIndirect(k *command) error {
	info := IndirectInfo{Buffer: k.a.(*Buffer), Offset: k.x[0], Draws: uint32(k.x[1]), Stride: uint32(k.x[1] >> 32), CountOffset: k.x[2]}
	info.Count, _ = k.b.(*Buffer)
	x.graphics.args = state.Args{}
	x.order.arguments(&x.dev.printer, &info, [...]uint64{state.IndirectBytes, state.IndexedIndirectBytes}[k.x[3]&1])
	return x.draw(&x.graphics.args, k.x[3] == 1, x.readIndirect(&info, state.IndexedIndirectBytes))
}

// readIndirect copies the arguments of indirect draws, of at most size bytes each, and their count.
func (x *executor) readIndirect(info *IndirectInfo, size uint64) *state.Indirect {
	from := info.Buffer.bytes()[info.Offset:]
	most := uint64(info.Draws)*uint64(info.Stride) + size
	g := &x.graphics
	indirect := &g.indirect
	*indirect = state.Indirect{Buffer: append(indirect.Buffer[:0], from[:min(most, uint64(len(from)))]...), Stride: info.Stride, Count: info.Draws}
	if info.Count != nil {
		count := info.Count.bytes()[info.CountOffset:]
		indirect.CountBuffer = append(g.countBytes[:0], count[:min(4, len(count))]...)
	}
	return indirect
}
