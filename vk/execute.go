package vk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// executor runs command buffers: the state that commands set.
type executor struct {
	dev     *Device
	labels  labels            // open ones of the queue's commands
	ctx     *exec.StopContext // of all commands; it ends with the device, or by timer
	timer   *time.Timer       // runs during a command; nil without a timeout
	stall   *stall
	watches int // that are open
	work    *submission

	boundState
	sets     boundSets
	graphics graphics
	args     [maxSets + 1]compute.Set // of the dispatch or draw; the last has counters
	moved    []compute.SetBinding     // of args: those with dynamic offsets

	memory  descriptors
	buffers []uint64     // descriptor buffers: addresses
	heaps   [2]HeapRange // of resources and samplers
	banks   map[uint32][]byte

	order *commandOrder // of the queue; nil without the sanitizer race
	tile  tileScope

	needy     needy         // scratch of misses
	findings  []*UsageError // on the current command
	recorded  uint64        // the end of the recording of the current command (CommandBuffer.ended)
	condition condition
	counting  *countedAction // of the next command; nil if it does not count
	part      uint32         // the result sub-index of the draws of a mesh node
}

// boundState is the state that commands bind, apart from sets, graphics and heaps.
type boundState struct {
	pipeline *ComputePipeline
	shading  *ComputePipeline // of the bind point SubpassShading
	graph    *GraphPipeline
	shader   *Shader // the compute shader object that is bound instead
	rays     boundRays

	push       [MaxPushBytes]byte
	pushLayout *PipelineLayout // of the last push constants
}

// boundSets are the sets by bind point and number. Those from used on are zero.
type boundSets struct {
	of   [numBindPoints][maxSets]boundSet
	used [numBindPoints]int
}

// reset unbinds all sets.
func (s *boundSets) reset() {
	for p, n := range s.used {
		clear(s.of[p][:n])
	}
	s.used = [numBindPoints]int{}
}

// boundSet is a set as it was bound.
type boundSet struct {
	set     *Set
	layout  *PipelineLayout
	dynamic []uint32

	inMemory bool   // the set is in a descriptor buffer
	address  uint64 // of it
}

// newExecutor returns the executor of a queue.
func newExecutor(q *Queue) *executor {
	x := &executor{dev: q.dev, ctx: q.ctx, stall: newStall(q.ctx, q.dev.stall), order: q.order}
	if n := q.dev.timeout; n > 0 {
		x.timer = time.AfterFunc(n, func() { x.ctx.Cancel(fmt.Errorf("the command ran for more than %v: %w", n, context.DeadlineExceeded)) })
		x.timer.Stop()
	}
	return x
}

// run runs a primary command buffer of a submission. The state does not outlive it, unless the device has the feature for that.
func (x *executor) run(s *submission, c *CommandBuffer) error {
	x.work = s
	if x.dev.inherits {
		x.carry()
	} else {
		x.reset()
	}
	x.dev.aliases.sync()
	err := x.commands(c)
	x.flushLogs() // of a rendering in which a command failed
	x.dev.aliases.sync()
	if err == nil && x.graphics.current != nil {
		err = &LostError{Command: commandNames[beginRendering], Index: -1, Cause: usage("VUID-vkEndCommandBuffer-commandBuffer-00060", "the rendering does not end in %v; must end", &c.object)}
	}
	if x.dev.inherits {
		x.keepState()
	}
	x.releaseRegions()
	x.memory.forget(x.dev)
	return err
}

// abandon ends the uses of a command buffer whose execution panicked.
func (x *executor) abandon() {
	x.watches = min(x.watches, 1)
	x.unwatch()
	x.releaseRegions()
	x.memory.forget(x.dev)
}

func (x *executor) reset() {
	x.boundState, x.condition, x.counting = boundState{}, condition{}, nil
	x.sets.reset()
	x.buffers, x.heaps, x.banks = x.buffers[:0], [2]HeapRange{}, nil
	x.tile.bound, x.tile.size = nil, 0
	x.graphics.reset()
}

// commands runs the commands of a buffer. The error is a *LostError.
func (x *executor) commands(c *CommandBuffer) error {
	defer func(outer uint64) {
		x.recorded = outer
		x.graphics.repeats = false // a primary buffer goes on with states of its own
	}(x.recorded)
	x.recorded = c.ended
	for i := range c.commands {
		k := &c.commands[i]
		counting := x.counting
		switch k.kind {
		case pushConstants, drawVertices, bindSets: // bindSets marks the sets that it changes
		case bindGraphics:
			if k.a.(*GraphicsPipeline) != x.graphics.bound.pipeline { // the bound one again changes no state of draws
				x.graphics.repeats = false
			}
		default:
			x.graphics.repeats = false
		}
		err := error(nil)
		if !x.condition.skip || !k.conditional() {
			if x.tile.kept != x.tile.size {
				x.keepTile(k)
			}
			err = x.command(c, k)
		}
		if counting != nil {
			x.counting = nil
		}
		if err != nil {
			if lost, ok := err.(*LostError); ok {
				return lost
			}
			lost := &LostError{Command: k.name(), Index: i, Cause: x.report(c, i, err)}
			lost.Location = locate(x.stages(k), err)
			return lost
		}
		if err := x.ctx.Err(); err != nil {
			return &LostError{Command: k.name(), Index: i, Cause: err}
		}
	}
	return nil
}

func (x *executor) command(c *CommandBuffer, k *command) error {
	switch k.kind {
	case bindPipeline:
		if p := k.a.(*ComputePipeline); p.pass != nil {
			x.shading = p
		} else {
			x.pipeline, x.shader = p, nil
		}
	case bindShader:
		x.bindShader(ShaderStage(k.x[0]), k.a)
	case bindSets:
		x.bindSets(c, k)
	case pushConstants:
		x.pushLayout, _ = k.a.(*PipelineLayout)
		copy(x.push[k.x[0]:], c.data[k.x[1]:k.x[1]+k.x[2]])
	case dispatch:
		return x.dispatch([3]uint32{uint32(k.x[0]), uint32(k.x[0] >> 32), uint32(k.x[1])}, [3]uint32{uint32(k.x[1] >> 32), uint32(k.x[2]), uint32(k.x[2] >> 32)})
	case dispatchIndirect:
		words, ok := k.a.(*Buffer).part(k.x[0], 12)
		if !ok {
			return usage("VUID-vkCmdDispatchIndirect-offset-00407", "the arguments are not in the buffer")
		}
		x.order.transfer(&x.dev.printer, k.name(), words, nil, stageDrawIndirect)
		var groups [3]uint32 // read once: the host may change them meanwhile
		for i := range groups {
			groups[i] = binary.LittleEndian.Uint32(words[4*i:])
		}
		return x.dispatch([3]uint32{}, groups)
	case copyBuffer, updateBuffer, fillBuffer, copyQueries:
		return x.transfer(c, k)
	case copyBufferToImage, copyImageToBuffer, copyImage, blitImage, resolveImage, clearImage:
		w := k.a.(*imageWork)
		x.order.images(&x.dev.printer, k, w)
		err := w.run()
		x.dev.heap.defined.transferred(w)
		return err
	case setEvent:
		e, list := eventOf(k.a)
		x.order.signal(e, list)
		e.change(1)
	case resetEvent:
		e, _ := eventOf(k.a)
		x.order.unsignal(e)
		e.change(0)
	case waitEvents:
		e, list := eventOf(k.a)
		err := x.awaitWithTile(e)
		x.order.wait(e, list)
		x.memory.stale()
		x.dev.aliases.sync()
		return err
	case barrier:
		if x.order != nil {
			list, ok := k.a.([]MemoryDependency)
			if !ok {
				list = everything
			}
			x.order.barrier(list)
		}
		x.memory.stale()
		x.dev.aliases.sync()
		if r := x.graphics.current; r != nil && r.info.Tiles.Enable {
			return x.flush() // the commands before it and after it may read other pixels of the tile
		}
	case resetQueries:
		k.a.(*QueryPool).reset(int(k.x[0]), int(k.x[1]))
	case writeTimestamp, beginQuery, endQuery:
		return x.queryCommand(k)
	case executeCommands:
		secondary := k.a.(*CommandBuffer)
		if err := x.checkInherited(secondary); err != nil {
			return err
		}
		if x.dev.inherits {
			return x.shareState(secondary)
		}
		// A secondary buffer has its own state, and leaves the state of the primary one undefined: it is kept.
		saved, sets, graphics, heaps, banks, tile := x.boundState, x.sets, x.graphics.bound, x.heaps, x.banks, x.tile.bound
		x.boundState = boundState{push: x.push}
		x.sets.reset()
		x.graphics.forget()
		x.setHeaps(orZero(secondary.inherited).Heaps.ranges())
		err := x.bindTile(orZero(secondary.inherited).TileMemory)
		if err == nil {
			err = x.commands(secondary)
		}
		x.tile.bound, x.tile.size = tile, tile.Size()
		x.boundState, x.sets, x.graphics.bound, x.banks = saved, sets, graphics, banks
		x.setHeaps(heaps)
		return err
	case runWork:
		return k.a.(work).run(x)
	default:
		return x.graphicsCommand(c, k)
	}
	return nil
}

// transfer runs a command that only moves bytes.
func (x *executor) transfer(c *CommandBuffer, k *command) error {
	source, _ := k.a.(*Buffer)
	target, ok := k.b.(*Buffer)
	if !ok {
		target = source
	}
	if source.inTile() || target.inTile() {
		return x.transferTile(c, k, target)
	}
	x.moveBytes(c, k)
	return nil
}

// moveBytes is transfer without regard to tile memory. Ranges were checked when they were recorded, and buffers do not change
// size; memory that is gone would have failed the submission.
func (x *executor) moveBytes(c *CommandBuffer, k *command) {
	switch k.kind {
	case copyBuffer:
		source, target := k.a.(*Buffer), k.b.(*Buffer)
		for _, r := range c.regions[k.x[0] : k.x[0]+k.x[1]] {
			from, ok1 := source.part(r.Source, r.Size)
			to, ok2 := target.part(r.Target, r.Size)
			x.order.transfer(&x.dev.printer, k.name(), from, to, stageCopy)
			switch {
			case !ok1 || !ok2:
			case target.sparse == nil:
				copy(to, from)
				x.dev.heap.defined.copied(to, from)
			default:
				target.sparse.shows(target.offset+r.Target, r.Size, func(at, n uint64) { copy(to[at:at+n], from[at:at+n]) })
			}
		}
	case updateBuffer:
		if to, ok := k.a.(*Buffer).part(k.x[0], k.x[2]); ok {
			x.order.transfer(&x.dev.printer, k.name(), nil, to, stageClear|stageCopy) // a clear command that copies
			copy(to, c.data[k.x[1]:k.x[1]+k.x[2]])                                    // small, also without memory
			x.dev.heap.defined.define(to)
		}
	case fillBuffer:
		b := k.a.(*Buffer)
		switch to, ok := b.part(k.x[0], k.x[1]); {
		case !ok:
		case b.sparse == nil:
			x.order.transfer(&x.dev.printer, k.name(), nil, to, stageClear)
			fill(to, uint32(k.x[2]))
			x.dev.heap.defined.define(to)
		default:
			b.sparse.shows(b.offset+k.x[0], k.x[1], func(at, n uint64) { fill(to[at:at+n], uint32(k.x[2])) })
		}
	case copyQueries:
		k.copyQueries()
		x.dev.heap.defined.define(k.b.(*Buffer).bytes())
	}
}

// fill writes a word to all of b, whose length is a multiple of 4.
func fill(b []byte, word uint32) {
	if len(b) == 0 {
		return
	}
	binary.LittleEndian.PutUint32(b, word)
	for n := 4; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// bindSets binds sets, and disturbs others that were bound with layouts that are not compatible (Vulkan, Pipeline Layout
// Compatibility).
func (x *executor) bindSets(c *CommandBuffer, k *command) {
	l, first, from, n, offset := k.a.(*PipelineLayout), int(uint32(k.x[0])), k.x[1], int(k.x[2]), int(k.x[3])
	point := BindPoint(k.x[0] >> 32)
	bound := x.disturb(point, l, first, n)
	for i, s := range c.sets[from : from+uint64(n)] {
		new := boundSet{set: s, layout: l}
		if s != nil && s.layout.many > 0 {
			new.dynamic = c.offsets[offset : offset+int(s.layout.many)]
			offset += int(s.layout.many)
		}
		b := &bound[i]
		if b.set != s || b.layout != l || b.inMemory || !slices.Equal(b.dynamic, new.dynamic) {
			x.rebinds(point, first+i)
		}
		*b = new
	}
}

// rebinds notes that a set is not the one of the last draw.
func (x *executor) rebinds(point BindPoint, set int) {
	if g := &x.graphics; point == g.point {
		g.rebound |= 1 << set
	}
}

// disturb drops the sets that a bind of n sets from first on with a layout disturbs. It returns the n sets.
func (x *executor) disturb(point BindPoint, l *PipelineLayout, first, n int) []boundSet {
	all, used := &x.sets.of[point], &x.sets.used[point]
	for i := range all[:*used] {
		b := &all[i]
		if b.layout != nil && (i < first || i >= first+n) && !l.keeps(b.layout, i, first+n-1) {
			*b = boundSet{}
			x.rebinds(point, i)
		}
	}
	*used = max(*used, first+n)
	return all[first : first+n]
}

// watch begins a command, or a part of one, that runs shaders: the context ends after the time that the command may take, or without
// progress. unwatch must follow. Watches nest, and the outermost counts: a graph has draws.
func (x *executor) watch() {
	if x.watches++; x.watches == 1 {
		x.bound()
		x.stall.begin()
	}
}

// bound begins a command that always ends: its context ends after the time that it may take. unwatch must follow.
func (x *executor) bound() {
	if x.timer != nil {
		x.timer.Reset(x.dev.timeout)
	}
}

// unwatch ends a watch, or a bound.
func (x *executor) unwatch() {
	if x.watches > 0 {
		if x.watches--; x.watches > 0 {
			return
		}
		x.stall.end()
	}
	if x.timer != nil {
		x.timer.Stop()
	}
}

// stages returns the stages that a command may have run.
func (x *executor) stages(k *command) []*shader.Stage {
	_, rays := k.a.(*traceRays)
	switch compute := k.kind == dispatch || k.kind == dispatchIndirect; {
	case rays && x.rays.pipeline != nil:
		return x.rays.pipeline.located
	case k.a == work(subpassShading{}) && x.shading != nil:
		return []*shader.Stage{x.shading.stage}
	case compute && x.pipeline != nil:
		return []*shader.Stage{x.pipeline.stage}
	case compute && x.shader != nil:
		return []*shader.Stage{x.shader.stage}
	case !compute && x.graphics.last != nil:
		return x.graphics.last.stages
	}
	return nil
}

// bindShader binds a shader object to a stage, or nothing. The pipeline of the same kind is unbound.
func (x *executor) bindShader(stage ShaderStage, object any) {
	s, _ := object.(*Shader)
	if stage.bindPoint() == Compute {
		x.pipeline, x.shader = nil, s
		return
	}
	b := &x.graphics.bound
	if b.pipeline != nil {
		b.named = 0
	}
	b.pipeline, b.shaders[stage] = nil, s
	b.named |= 1 << stage
}

// dispatch runs the bound pipeline, or the bound shader object.
func (x *executor) dispatch(base, groups [3]uint32) error {
	p := x.computePipeline()
	if p == nil {
		return x.noCompute()
	}
	if base != [3]uint32{} && x.dev.checking >= All && !x.hasBase() {
		return usage("VUID-vkCmdDispatchBase-baseGroupX-00427", "the base of the dispatch is %d, and the pipeline or the shader object lacks the flag for a base; must have it", base)
	}
	if x.graphics.perTile {
		if err := x.flush(); err != nil { // the draws before it
			return err
		}
	}
	return x.launch(p, Compute, base, groups)
}

// launch runs workgroups of a pipeline with the sets of a bind point.
func (x *executor) launch(p *ComputePipeline, point BindPoint, base, groups [3]uint32) error {
	sets, err := x.resolve(point, p.layout)
	if err == nil && x.dev.checking >= All {
		err = x.checkDispatch(p, point, groups)
	}
	if err == nil {
		sets, err = x.count(sets, p.stage)
	}
	if err != nil {
		return err
	}
	if p.node != nil { // of an indirect execution set
		return usage("VUID-vkCmdBindPipeline-pipeline-03382", "%v is a library; must be linked", &p.object)
	}
	return x.runWorkgroups(p, point, compute.Args{Base: base, Groups: groups, Push: x.push[:], Robustness: p.robustness, Lenient: x.dev.tolerant, Sets: sets})
}

// runWorkgroups runs workgroups of a pipeline with bound resources.
func (x *executor) runWorkgroups(p *ComputePipeline, point BindPoint, args compute.Args) (err error) {
	args.Workers, args.Budget, args.Schedule = x.dev.workers, x.dev.budget, x.dev.schedule
	if args.Log = x.dev.printer.log(p.stage); args.Log != nil {
		args.Log.OneJob = x.dev.debugger == nil // it goes back, and runs the job again
	}
	groups := args.Groups
	regions := x.dev.heap.regions()
	defer x.dev.heap.release(regions)
	args.Regions, args.Rays = regions.all(), x.dev.heap.structures.rays()
	if x.bindHeaps(&args); p.mappings != nil {
		args.Sets = args.MappedSets(p.stage.Program, p.mappings)
	}
	args.Shadow = x.dev.heap.defined.begin(&args, p.stage)
	x.watch()
	defer x.unwatch()
	if d := x.dev.debugger; d != nil {
		err = x.debug(d, p, args)
	} else {
		err = p.pipeline.Dispatch(x.ctx, args)
	}
	if n := x.graphics.counts; n != nil {
		size := p.stage.Program.LocalSize
		n.compute += uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2]) * uint64(size[0]) * uint64(size[1]) * uint64(size[2])
	}
	x.dev.printer.flush(args.Log, p.stage)
	x.order.shaders(&x.dev.printer, args.Log, point, x.order.now(), 0)
	return err
}

// debug lets the debugger run a dispatch.
func (x *executor) debug(d Debugger, p *ComputePipeline, args compute.Args) error {
	return d.Run(x.ctx, DebugCommand{Kind: DebugDispatch, Stages: []*shader.Stage{p.stage}}, func(h exec.Hook) error {
		args.Hook = h
		return p.pipeline.Dispatch(x.ctx, args)
	})
}

// hasBase reports whether the bound pipeline or shader object is for dispatches with a base.
func (x *executor) hasBase() bool {
	if x.pipeline != nil {
		return x.pipeline.flags&enum.PipelineFlagsDispatchBase != 0
	}
	return x.shader.info.Flags&enum.ObjectFlagsDispatchBase != 0
}

// resolve returns the descriptors of the bound sets. A set that is not compatible with the layout of the pipeline is
// not bound: its descriptors are null. The submission acquires the objects of sets that were updated after it began.
func (x *executor) resolve(point BindPoint, l *PipelineLayout) ([]compute.Set, error) {
	out := x.args[:len(l.sets)]
	x.moved = x.moved[:0]
	for i := range out {
		out[i] = nil
		b := &x.sets.of[point][i]
		switch {
		case b.set == nil && !b.inMemory || !b.layout.compatible(l, i):
			continue
		case b.inMemory:
			out[i] = x.decoded(l.sets[i], b.address)
			continue
		}
		content, err := x.work.holdSet(b.set)
		if err != nil {
			return nil, err
		}
		out[i] = content
		if b.dynamic != nil {
			out[i] = x.move(b, out[i])
		}
	}
	return out, nil
}

// move returns the content of a set with its dynamic offsets.
func (x *executor) move(b *boundSet, content compute.Set) compute.Set {
	from := len(x.moved)
	x.moved = append(x.moved, content...)
	out := x.moved[from:]
	for i := range out {
		if n := b.set.layout.dynamicCount(i); n > 0 {
			at := b.set.layout.slots[i].dynamic
			out[i].Dynamic = b.dynamic[at : at+n]
		}
	}
	return out
}
