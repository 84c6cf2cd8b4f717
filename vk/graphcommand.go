package vk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/stage/graph"
)

// Limits of execution graphs (VkPhysicalDeviceShaderEnqueuePropertiesAMDX).
const (
	MaxGraphDepth       = graph.MaxDepth
	MaxGraphOutputs     = graph.MaxOutputs
	MaxGraphPayloadSize = graph.MaxBytes
	MaxGraphPayloads    = graph.MaxPayloads
	MaxGraphGroupCount  = graph.MaxGroupCount // of a node, in a dimension
	MaxGraphGroups      = graph.MaxGroups     // in all
	GraphAlignment      = 4                   // of addresses that commands read
	scratchAlignment    = 64
)

// GraphScratchBuffer is the use of buffers for the scratch memory of execution graphs.
const GraphScratchBuffer BufferUsage = 0x2000000

// GraphStart is payloads for a node: Count of them in Payloads, Stride bytes apart (VkDispatchGraphInfoAMDX).
type GraphStart struct {
	Node     uint32 // see GraphPipeline.NodeIndex
	Count    uint32
	Payloads []byte
	Stride   uint64
}

// GraphScratch is the scratch memory of a command: a device address and its size.
type GraphScratch struct {
	Address, Size uint64
}

// graphForm is the form of a dispatch of a graph.
type graphForm uint8

const (
	graphDirect        graphForm = iota
	graphIndirect                // the payloads are in memory
	graphIndirectCount           // their number, too
)

// graphNames are the commands of Vulkan.
var graphNames = [...]string{graphDirect: "vkCmdDispatchGraphAMDX", graphIndirect: "vkCmdDispatchGraphIndirectAMDX", graphIndirectCount: "vkCmdDispatchGraphIndirectCountAMDX"}

// graphInfoBytes is the size of VkDispatchGraphInfoAMDX and of VkDispatchGraphCountInfoAMDX.
const (
	graphInfoBytes  = 24
	graphCountBytes = 24
)

// bindGraph is a recorded bind of a graph.
type bindGraph struct{ pipeline *GraphPipeline }

func (*bindGraph) flags() QueueFlags { return QueueCompute }

func (w *bindGraph) run(x *executor) error {
	x.graph = w.pipeline
	return nil
}

// BindGraph binds an execution graph for the following dispatches of graphs.
func (c *CommandBuffer) BindGraph(p *GraphPipeline) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the execution graph", p); err != nil {
		c.fail(err)
		return
	}
	c.refer(&p.object)
	w := take[bindGraph](c)
	w.pipeline = p
	c.deferred("bind pipeline", w)
}

// initializeScratch is a recorded InitializeGraphScratch.
type initializeScratch struct {
	pipeline *GraphPipeline
	scratch  GraphScratch
}

func (*initializeScratch) flags() QueueFlags { return QueueCompute }

// InitializeGraphScratch prepares scratch memory for a graph (vkCmdInitializeGraphScratchMemoryAMDX). Chiaro keeps payloads elsewhere:
// the contents do not change.
func (c *CommandBuffer) InitializeGraphScratch(p *GraphPipeline, s GraphScratch) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the execution graph", p); err != nil {
		c.fail(err)
		return
	}
	if err := p.checkScratch("vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144", "vkCmdInitializeGraphScratchMemoryAMDX-scratchSize-10186", s); err != nil {
		c.fail(err)
		return
	}
	c.refer(&p.object)
	w := take[initializeScratch](c)
	*w = initializeScratch{p, s}
	c.deferred("initialize graph scratch memory", w)
}

// checkScratch checks the scratch memory of a command.
func (p *GraphPipeline) checkScratch(aligned, large string, s GraphScratch) error {
	switch least := p.ScratchSize().Min; {
	case s.Address%scratchAlignment != 0:
		return usage("VUID-"+aligned, "the scratch memory is at the address %#x; must be a multiple of %d", s.Address, scratchAlignment)
	case s.Size < least:
		return usage("VUID-"+large, "the scratch memory has %d bytes; must have at least %d", s.Size, least)
	}
	return nil
}

func (w *initializeScratch) run(x *executor) error {
	_, release, ok := x.dev.heap.at(w.scratch.Address, w.scratch.Size)
	if !ok {
		return usage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-10185", "%d bytes of scratch memory at the address %#x are not in memory; must be", w.scratch.Size, w.scratch.Address)
	}
	release()
	d := &x.dev.graphs
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(slices.DeleteFunc(d.list, func(o preparedScratch) bool { return o.overlaps(w.scratch) }), preparedScratch{w.scratch, w.pipeline.serial})
	if len(d.list) > maxPrepared {
		d.list = slices.Delete(d.list, 0, 1)
	}
	return nil
}

// preparedScratch is scratch memory for the graph with a serial.
type preparedScratch struct {
	GraphScratch
	serial uint64
}

func (p *preparedScratch) overlaps(s GraphScratch) bool {
	return p.Address < s.Address+s.Size && s.Address < p.Address+p.Size
}

// preparedList is the scratch memory that commands have initialized.
type preparedList struct {
	mu   sync.Mutex
	list []preparedScratch
}

// has reports whether scratch memory is initialized for the graph with a serial.
func (l *preparedList) has(s GraphScratch, serial uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.list, func(o preparedScratch) bool {
		return o.serial == serial && o.Address == s.Address && o.Size >= s.Size
	})
}

// maxPrepared bounds the ranges that a device remembers: older ones are forgotten.
const maxPrepared = 1 << 10

// dispatchGraph is a recorded dispatch of a graph.
type dispatchGraph struct {
	form    graphForm
	scratch GraphScratch
	starts  []graph.Start // of graphDirect
	count   uint32        // of graphIndirect
	address uint64
	stride  uint64
}

func (*dispatchGraph) flags() QueueFlags { return QueueCompute }

func (*dispatchGraph) conditional() {}

// DispatchGraph runs the bound graph with payloads for some of its nodes, which it copies (vkCmdDispatchGraphAMDX).
func (c *CommandBuffer) DispatchGraph(s GraphScratch, starts []GraphStart) {
	if !c.begin() {
		return
	}
	w := dispatchGraph{scratch: s}
	for i := range starts {
		x := &starts[i]
		if x.Count > MaxGraphPayloads {
			c.fail(usage("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171", "%d payloads; must be at most %d", x.Count, MaxGraphPayloads))
			return
		}
		w.starts = append(w.starts, graph.Start{Node: x.Node, Count: x.Count, Payloads: slices.Clone(x.Payloads), Stride: x.Stride})
	}
	c.dispatchGraph(w)
}

// DispatchGraphIndirect is DispatchGraph with count structures VkDispatchGraphInfoAMDX at a device address, stride bytes apart, and
// payloads at device addresses (vkCmdDispatchGraphIndirectAMDX).
func (c *CommandBuffer) DispatchGraphIndirect(s GraphScratch, count uint32, address, stride uint64) {
	if !c.begin() {
		return
	}
	if address%GraphAlignment != 0 {
		c.fail(usage("VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152", "the arguments are at the address %#x; must be a multiple of %d", address, GraphAlignment))
		return
	}
	c.dispatchGraph(dispatchGraph{form: graphIndirect, scratch: s, count: count, address: address, stride: stride})
}

// DispatchGraphIndirectCount is DispatchGraphIndirect with all arguments in a VkDispatchGraphCountInfoAMDX at a device address
// (vkCmdDispatchGraphIndirectCountAMDX).
func (c *CommandBuffer) DispatchGraphIndirectCount(s GraphScratch, address uint64) {
	if !c.begin() {
		return
	}
	if address%GraphAlignment != 0 {
		c.fail(usage("VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161", "the arguments are at the address %#x; must be a multiple of %d", address, GraphAlignment))
		return
	}
	c.dispatchGraph(dispatchGraph{form: graphIndirectCount, scratch: s, address: address})
}

// dispatchGraph records a dispatch.
func (c *CommandBuffer) dispatchGraph(w dispatchGraph) {
	if c.secondary {
		c.fail(usage("VUID-"+graphNames[w.form]+"-commandBuffer-09182", "%v is a secondary command buffer; must be a primary one", &c.object))
		return
	}
	kept := take[dispatchGraph](c)
	*kept = w
	c.action()
	c.deferred("dispatch graph", kept)
}

// run runs the bound graph.
func (w *dispatchGraph) run(x *executor) error {
	p, name := x.graph, graphNames[w.form]
	if p == nil {
		return usage("VUID-"+name+"-None-08606", "no execution graph is bound; must be")
	}
	if err := p.checkScratch(name+"-scratch-10192", name+"-scratchSize-10193", w.scratch); err != nil {
		return err
	}
	if has, ok := x.dev.heap.usageAt(w.scratch.Address); x.dev.checking >= All && ok && has&GraphScratchBuffer == 0 {
		return usage("VUID-"+name+"-scratch-09184", "the scratch memory at the address %#x is in no buffer with the usage GraphScratchBuffer; must be", w.scratch.Address)
	}
	if x.dev.checking >= All && !x.dev.graphs.has(w.scratch, p.serial) {
		return usage("VUID-"+name+"-scratch-10194", "the scratch memory is not initialized for %v; must be", &p.object)
	}
	starts, err := w.read(x)
	if err != nil {
		return err
	}
	for i := range starts {
		if err := p.checkStart(name, &starts[i]); err != nil {
			return err
		}
	}
	sets, err := x.resolve(ExecutionGraph, p.layout)
	if err != nil {
		return err
	}
	sets = slices.Clone(sets)
	regions := x.dev.heap.regions()
	defer x.dev.heap.release(regions)
	x.watch()
	defer x.unwatch()
	budget := x.dev.budget
	if x.graphics.current == nil && slices.ContainsFunc(p.nodes, func(n *graphNode) bool { return n.drawn != nil }) {
		return usage("VUID-"+name+"-None-10195", "%v has mesh nodes, and the dispatch is outside of a rendering; must be inside", &p.object)
	}
	var accesses []exec.Access // of all nodes, which are one command
	x.order.beginGraph()
	err = p.graph.Run(func(node int, params []byte, groups uint32) error {
		n := p.nodes[node]
		args := compute.Args{
			Groups: [3]uint32{groups, 1, 1}, Push: x.push[:], Robustness: n.robustness, Workers: x.dev.workers, Budget: budget, Schedule: x.dev.schedule, Lenient: x.dev.tolerant, Sets: sets,
			Regions: regions.all(), Rays: x.dev.heap.structures.rays(), Params: params,
		}
		args.Log = x.dev.printer.log(n.stage)
		counted, err := x.counters(uint32(node), n.stage)
		if err != nil {
			return err
		}
		if counted != nil {
			args.Sets = append(slices.Clip(sets), make([]compute.Set, counterSet+1-len(sets))...)
			args.Sets[counterSet] = counted
		}
		if x.bindHeaps(&args); n.mappings != nil {
			args.Sets = args.MappedSets(n.composed.Program, n.mappings)
		}
		args.Shadow = x.dev.heap.defined.begin(&args, n.stage)
		err = x.runNode(n, args)
		x.dev.printer.flush(args.Log, n.stage)
		accesses = x.order.collect(accesses, args.Log)
		if err != nil {
			return fmt.Errorf("node %q: %w", n.name.Name, err)
		}
		return nil
	}, func(node int, list graph.Payloads, now bool) error {
		x.part = uint32(node)
		defer func() { x.part = 0 }()
		return x.drawNode(p.nodes[node], &list, now)
	}, w.scratch.Size, budget, starts)
	x.order.endGraph(&x.dev.printer, accesses)
	if bad := (*graph.NodeError)(nil); errors.As(err, &bad) {
		rule := ""
		if bad.Rule != "" {
			rule = "VUID-" + name + "-" + bad.Rule
		}
		return &UsageError{Rule: rule, Message: bad.Text, Cause: err}
	}
	return err
}

// runNode runs workgroups of a node, under the control of the debugger if there is one.
func (x *executor) runNode(n *graphNode, args compute.Args) error {
	d := x.dev.debugger
	if d == nil {
		return n.pipeline.Dispatch(x.ctx, args)
	}
	c := DebugCommand{Kind: DebugNode, Stages: []*shader.Stage{n.composed}, Memory: [][]byte{args.Params}} // its payloads are parameters
	return d.Run(x.ctx, c, func(h exec.Hook) error {
		args.Hook = h
		return n.pipeline.Dispatch(x.ctx, args)
	})
}

// drawNode draws payloads of a mesh node with the descriptor sets of the graph.
func (x *executor) drawNode(n *graphNode, list *graph.Payloads, now bool) error {
	g := &x.graphics
	pipeline, shaders := g.bound.pipeline, g.bound.shaders
	g.bound.pipeline, g.bound.shaders, g.point = n.drawn, combination{}, ExecutionGraph
	defer func() { g.bound.pipeline, g.bound.shaders, g.point = pipeline, shaders, Graphics }()
	g.args = state.Args{Mesh: true, Tasks: list.Groups, Node: &state.NodePayloads{
		Data: list.Data, Payloads: list.Payloads, Stride: list.Stride, First: list.First, Total: list.Total,
		Index: n.name.Index, Recursion: list.Recursion, Share: list.Share, Targets: list.Targets, Areas: list.Areas, AreaBytes: list.AreaBytes,
	}}
	g.repeats = false
	err := x.draw(&g.args, false, nil)
	g.repeats = false
	if err != nil {
		return fmt.Errorf("node %q: %w", n.name.Name, err)
	}
	if now {
		return x.flush()
	}
	return nil
}

// checkStart checks payloads of a command.
func (p *GraphPipeline) checkStart(command string, s *graph.Start) error {
	n := p.graph.Node(s.Node)
	switch {
	case n == nil:
		rule := map[string]string{graphNames[graphDirect]: "pCountInfo-09148", graphNames[graphIndirect]: "pCountInfo-09157", graphNames[graphIndirectCount]: "countInfo-09169"}[command]
		return usage("VUID-"+command+"-"+rule, "node %d is dispatched; must be one of the %d of %v", s.Node, len(p.nodes), &p.object)
	case n.Internal || n.Shares != nil:
		return usage("", "node %q is dispatched, which only other nodes dispatch; must be an entry", n.NodeName.Name)
	case s.Count > MaxGraphPayloads:
		return usage("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171", "%d payloads; must be at most %d", s.Count, MaxGraphPayloads)
	case n.Input && s.Count > 0 && !covers(uint64(len(s.Payloads)), uint64(s.Count), uint64(n.Bytes), s.Stride):
		return usage("", "%d payloads of %d bytes, %d bytes apart, are in %d bytes; must be inside", s.Count, n.Bytes, s.Stride, len(s.Payloads))
	}
	return nil
}

// covers reports whether size bytes have count parts of some bytes, at a stride.
func covers(size, count, bytes, stride uint64) bool {
	return bytes <= size && (stride == 0 || count-1 <= (size-bytes)/stride)
}

// read returns the payloads, which may be in memory.
func (w *dispatchGraph) read(x *executor) ([]graph.Start, error) {
	if w.form == graphDirect {
		return w.starts, nil
	}
	count, address, stride := w.count, w.address, w.stride
	if w.form == graphIndirectCount {
		b, err := x.copyFrom(address, graphCountBytes, nil)
		if err != nil {
			return nil, err
		}
		count, address, stride = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	}
	if count > maxStarts {
		return nil, usage("", "a command dispatches payloads %d times; must be at most %d", count, maxStarts)
	}
	var list []graph.Start
	left := uint64(maxStartBytes)
	for i := range uint64(count) {
		b, err := x.copyFrom(address+i*stride, graphInfoBytes, nil)
		if err != nil {
			return nil, err
		}
		s := graph.Start{Node: binary.LittleEndian.Uint32(b), Count: binary.LittleEndian.Uint32(b[4:]), Stride: binary.LittleEndian.Uint64(b[16:])}
		n := x.graph.graph.Node(s.Node)
		if n != nil && n.Input && s.Count > 0 && s.Count <= MaxGraphPayloads {
			if left -= min(uint64(s.Count)*uint64(n.Bytes), left); left == 0 {
				return nil, usage("", "a command dispatches %d bytes of payloads or more; must be less", maxStartBytes)
			}
			at, stride := binary.LittleEndian.Uint64(b[8:]), s.Stride
			for k := range uint64(s.Count) {
				if s.Payloads, err = x.copyFrom(at+k*stride, uint64(n.Bytes), s.Payloads); err != nil {
					return nil, err
				}
			}
			s.Stride = uint64(n.Bytes)
		}
		list = append(list, s)
	}
	return list, nil
}

// Bounds of what a command reads from memory: structures, and bytes of payloads.
const (
	maxStarts     = 1 << 20
	maxStartBytes = 1 << 28
)
