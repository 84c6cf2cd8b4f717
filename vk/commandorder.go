package vk

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// With the sanitizer race a device compares the accesses of commands: two accesses to a byte, one
// of them a write, race unless barriers order them (Vulkan, "Synchronization and Cache Control", "Memory Dependencies"). An access
// remembers the stages that an execution dependency reaches, and a write the accesses to which it is visible.

// The pipeline stages (VkPipelineStageFlagBits2).
const (
	stageTopOfPipe               uint64 = 1 << 0
	stageDrawIndirect            uint64 = 1 << 1
	stageVertexInput             uint64 = 1 << 2
	stageVertexShader            uint64 = 1 << 3
	stageTessellationControl     uint64 = 1 << 4
	stageTessellationEvaluation  uint64 = 1 << 5
	stageGeometryShader          uint64 = 1 << 6
	stageFragmentShader          uint64 = 1 << 7
	stageEarlyFragmentTests      uint64 = 1 << 8
	stageLateFragmentTests       uint64 = 1 << 9
	stageColorAttachmentOutput   uint64 = 1 << 10
	stageComputeShader           uint64 = 1 << 11
	stageAllTransfer             uint64 = 1 << 12
	stageBottomOfPipe            uint64 = 1 << 13
	stageAllGraphics             uint64 = 1 << 15
	stageAllCommands             uint64 = 1 << 16
	stageTaskShader              uint64 = 1 << 19
	stageMeshShader              uint64 = 1 << 20
	stageRayTracingShader        uint64 = 1 << 21
	stageShadingRateAttachment   uint64 = 1 << 22
	stageFragmentDensityProcess  uint64 = 1 << 23
	stageStructureBuild          uint64 = 1 << 25
	stageStructureCopy           uint64 = 1 << 28
	stageCopy                    uint64 = 1 << 32
	stageResolve                 uint64 = 1 << 33
	stageBlit                    uint64 = 1 << 34
	stageClear                   uint64 = 1 << 35
	stageIndexInput              uint64 = 1 << 36
	stageVertexAttributeInput    uint64 = 1 << 37
	stagePreRasterizationShaders uint64 = 1 << 38
	stageSubpassShader           uint64 = 1 << 39
)

// The accesses of the commands that are compared, and the flags that include them (VkAccessFlagBits2).
const (
	accessIndirectCommandRead         uint64 = 1 << 0
	accessIndexRead                   uint64 = 1 << 1
	accessVertexAttributeRead         uint64 = 1 << 2
	accessUniformRead                 uint64 = 1 << 3
	accessInputAttachmentRead         uint64 = 1 << 4
	accessShaderRead                  uint64 = 1 << 5
	accessShaderWrite                 uint64 = 1 << 6
	accessColorAttachmentRead         uint64 = 1 << 7
	accessColorAttachmentWrite        uint64 = 1 << 8
	accessDepthStencilAttachmentRead  uint64 = 1 << 9
	accessDepthStencilAttachmentWrite uint64 = 1 << 10
	accessTransferRead                uint64 = 1 << 11
	accessTransferWrite               uint64 = 1 << 12
	accessMemoryRead                  uint64 = 1 << 15
	accessMemoryWrite                 uint64 = 1 << 16
	accessStructureRead               uint64 = 1 << 21
	accessStructureWrite              uint64 = 1 << 22
	accessShaderSampledRead           uint64 = 1 << 32
	accessShaderStorageRead           uint64 = 1 << 33
	accessShaderStorageWrite          uint64 = 1 << 34
	accessShaderBindingTableRead      uint64 = 1 << 40
	accessShaderTileRead              uint64 = 1 << 51
	accessShaderTileWrite             uint64 = 1 << 52
)

// everyFlag has the flags of all stages or accesses.
const everyFlag uint64 = 1<<63 - 1

// graphicsOrder has the stages of the graphics pipeline in their logical order.
var graphicsOrder = []uint64{
	stageDrawIndirect, stageTaskShader, stageMeshShader, stageIndexInput, stageVertexAttributeInput, stageVertexShader, stageTessellationControl,
	stageTessellationEvaluation, stageGeometryShader, stageShadingRateAttachment, stageFragmentDensityProcess, stageEarlyFragmentTests, stageFragmentShader,
	stageLateFragmentTests, stageColorAttachmentOutput,
}

// widerStages expands a stage flag to the stages that it includes, and widerAccesses an access flag to the compared accesses.
var (
	widerStages = map[uint64]uint64{
		stageVertexInput:             stageIndexInput | stageVertexAttributeInput,
		stageAllTransfer:             stageCopy | stageResolve | stageBlit | stageClear,
		stagePreRasterizationShaders: stageVertexShader | stageTessellationControl | stageTessellationEvaluation | stageGeometryShader | stageTaskShader | stageMeshShader,
		stageAllGraphics:             allOf(graphicsOrder),
		stageAllCommands:             everyFlag,
	}
	widerAccesses = map[uint64]uint64{
		accessShaderRead:  accessShaderStorageRead | accessShaderSampledRead | accessShaderBindingTableRead,
		accessShaderWrite: accessShaderStorageWrite,
		accessMemoryRead: accessIndirectCommandRead | accessIndexRead | accessVertexAttributeRead | accessUniformRead | accessTransferRead | accessShaderStorageRead | accessShaderSampledRead |
			accessInputAttachmentRead | accessColorAttachmentRead | accessDepthStencilAttachmentRead | accessStructureRead | accessShaderBindingTableRead,
		accessMemoryWrite: accessTransferWrite | accessShaderStorageWrite | accessColorAttachmentWrite | accessDepthStencilAttachmentWrite | accessStructureWrite,
	}
)

// allOf returns the union of flags.
func allOf(flags []uint64) (all uint64) {
	for _, f := range flags {
		all |= f
	}
	return all
}

// expand adds what the flags of a set include.
func expand(set uint64, wider map[uint64]uint64) uint64 {
	for flag, included := range wider {
		if set&flag != 0 {
			set |= included
		}
	}
	return set
}

// MemoryDependency is a memory dependency of a barrier (VkMemoryBarrier2): on all memory, or on the memory of a buffer or an image.
type MemoryDependency struct {
	SourceStages, TargetStages uint64 // VkPipelineStageFlags2
	SourceAccess, TargetAccess uint64 // VkAccessFlags2

	Buffer       *Buffer // nil for all
	Offset, Size uint64  // of the buffer; Size may be WholeSize
	Image        *Image  // nil for all
}

// everything orders all commands.
var everything = []MemoryDependency{{SourceStages: stageAllCommands, TargetStages: stageAllCommands, SourceAccess: everyFlag, TargetAccess: everyFlag}}

// dependency is a memory dependency with expanded flags.
type dependency struct {
	MemoryDependency
	first, second uint64 // synchronization scopes: with the logically earlier and the logically later stages
}

// expanded returns the dependency with the stages and accesses that its flags include.
func (d MemoryDependency) expanded() dependency {
	d.SourceStages, d.TargetStages = expand(d.SourceStages, widerStages), expand(d.TargetStages, widerStages)
	d.SourceAccess, d.TargetAccess = expand(d.SourceAccess, widerAccesses), expand(d.TargetAccess, widerAccesses)
	if d.SourceStages&stageBottomOfPipe != 0 {
		d.SourceStages = everyFlag
	}
	e := dependency{d, d.SourceStages, d.TargetStages}
	if e.second&stageTopOfPipe != 0 {
		e.second = everyFlag
	}
	for i, stage := range graphicsOrder {
		if d.SourceStages&stage != 0 {
			e.first |= allOf(graphicsOrder[:i])
		}
		if d.TargetStages&stage != 0 {
			e.second |= allOf(graphicsOrder[i:])
		}
	}
	if e.first&(stageComputeShader|stageRayTracingShader) != 0 {
		e.first |= stageDrawIndirect
	}
	if e.second&stageDrawIndirect != 0 {
		e.second |= stageComputeShader | stageRayTracingShader
	}
	return e
}

// covers reports whether the dependency is on some of the bytes of spans. The memory of a sparse image is not looked up.
func (d *MemoryDependency) covers(spans []exec.Span) bool {
	var bytes []byte
	switch {
	case d.Buffer != nil:
		all := d.Buffer.bytes()
		from := min(d.Offset, uint64(len(all)))
		bytes = all[from:][:min(d.Size, uint64(len(all))-from)]
	case d.Image != nil:
		at := func(plane []byte) bool { return commonBytes(spans, spanOf(plane)) }
		return d.Image.sparse != nil || slices.ContainsFunc(d.Image.bytes[:], at)
	default:
		return true
	}
	return commonBytes(spans, spanOf(bytes))
}

// spanOf returns the addresses of bytes.
func spanOf(b []byte) []exec.Span {
	if len(b) == 0 {
		return nil
	}
	at := uint64(address(b))
	return []exec.Span{{Start: at, End: at + uint64(len(b))}}
}

// commonBytes reports whether two lists of spans have a common byte.
func commonBytes(a, b []exec.Span) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].End <= b[0].Start:
			a = a[1:]
		case b[0].End <= a[0].Start:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// commandAccess is what one instruction of a command, or a transfer, did with memory.
type commandAccess struct {
	exec.Access        // Message is nil for a transfer
	name        string // of a transfer
	stage       uint64
	access      uint64 // one of these is enough
	serial      uint64 // in the submission
	barriers    int    // before it
	reached     uint64 // by execution dependencies
	available   bool   // of a write
	visible     []visibility

	queue      int            // that had it
	submission uint64         // of the queue
	origin     *commandAccess // of an access of another queue that a semaphore orders; else nil
	gone       bool           // it is not compared any more
	rendering  uint64         // the number of the rendering in which it was; 0 for none
	attachment bool           // by a load, resolve or store operation: in order inside of its rendering
	graph      uint64         // the number of the dispatch of a graph, whose nodes are one command; else 0
}

// conflicts reports whether two accesses race unless they are ordered.
func (a *commandAccess) conflicts(b *commandAccess) bool {
	return (a.Write || b.Write) && !(a.Atomic && b.Atomic) && commonBytes(a.Spans, b.Spans)
}

// scope returns the stages from which a dependency of the queue leads on: an access of another queue is not in its own stage there.
func (a *commandAccess) scope() uint64 {
	if a.origin != nil {
		return a.reached
	}
	return a.stage | a.reached
}

// visibility is where a write is visible.
type visibility struct {
	stages   uint64
	accesses uint64
}

// apply applies the dependencies of a barrier to an earlier access. They do not chain with each other.
func (a *commandAccess) apply(barrier []dependency) {
	a.applyFrom(barrier, a.scope(), a.available)
}

// applyFrom applies dependencies to an access that had reached some stages, and was available or not.
func (a *commandAccess) applyFrom(barrier []dependency, reached uint64, available bool) {
	for i := range barrier {
		d := &barrier[i]
		if d.first&reached == 0 {
			continue
		}
		if a.reached |= d.second; !d.covers(a.Spans) { // a buffer or an image limits the access scopes alone
			continue
		}
		if !available && (d.SourceStages&a.stage == 0 || d.SourceAccess&a.access == 0) {
			continue
		}
		a.available = true
		if v := (visibility{d.TargetStages, d.TargetAccess}); !slices.Contains(a.visible, v) {
			a.visible = append(a.visible, v)
		}
	}
}

// before reports whether a is ordered before a later access.
func (a *commandAccess) before(b *commandAccess) bool {
	if a.reached&b.stage == 0 {
		return false
	}
	return !a.Write || slices.ContainsFunc(a.visible, func(v visibility) bool { return v.stages&b.stage != 0 && v.accesses&b.access != 0 })
}

// text describes an access.
func (a *commandAccess) text() string {
	kind := "load"
	if a.Write {
		kind = "store"
	}
	if a.Message == nil {
		return fmt.Sprintf("the %s of a %s", kind, a.name)
	}
	of := a.Message.Of()
	place := of.Name
	if of.File != "" {
		place += fmt.Sprintf(" at %s:%d", of.File, of.Line)
	}
	return fmt.Sprintf("the %s of %s by %s", kind, of.Memory, place)
}

// commandOrder holds the accesses and the barriers of a queue so far.
type commandOrder struct {
	accesses []*commandAccess
	spans    int // of the accesses
	barriers [][]dependency
	dropped  int             // barriers before them
	reported map[string]bool // by message
	found    []Report        // to be passed on

	dependencies int // of the barriers

	serial      uint64 // of the next access
	signals     map[*Event]*signal
	everySignal bool     // there were more signals than are kept
	subpasses   []uint64 // of the render pass: the serial of the first access of each

	renderings uint64                     // so far
	rendering  uint64                     // the number of the current one; 0 outside
	written    map[writtenAttachment]bool // in the current render pass, by draws and clears; of attachments with a store operation that may be NONE
	graphs     uint64                     // dispatches so far
	graph      uint64                     // the number of the current one; 0 outside

	all        *queueOrders
	queue      int
	submission uint64                            // that runs
	earlier    progress                          // submissions that are before everything that follows
	known      progress                          // submissions whose accesses semaphores passed on
	imports    map[*commandAccess]*commandAccess // of other queues: the state of each for this one
}

// maxCompared bounds the accesses that are kept, the last ones, and maxSpans the ranges of their bytes. maxBarriers bounds the
// dependencies of a submission.
const maxCompared, maxSpans, maxBarriers = 1 << 11, 1 << 24, 1 << 14

// barrier adds a barrier.
func (o *commandOrder) barrier(list []MemoryDependency) {
	if o == nil {
		return
	}
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.ordered(list)
}

// ordered adds a barrier.
func (o *commandOrder) ordered(list []MemoryDependency) {
	if o.dependencies += len(list); o.dependencies > maxBarriers {
		o.remove(func(*commandAccess) bool { return true })
		o.dropped, o.barriers, o.dependencies = o.now(), nil, len(list)
		o.signals, o.everySignal = nil, false
	}
	b := make([]dependency, len(list))
	for i := range list {
		b[i] = list[i].expanded()
	}
	o.barriers = append(o.barriers, b)
	for _, a := range o.accesses {
		a.apply(b)
	}
}

// now returns the number of barriers so far.
func (o *commandOrder) now() int {
	if o == nil {
		return 0
	}
	return o.dropped + len(o.barriers)
}

// add adds the accesses of a command that ran after a number of barriers, and reports those that race with others: alike races once.
// The accesses of a draw are added at the end of its rendering, after those of later dispatches for each tile.
func (o *commandOrder) add(p *printer, list []*commandAccess, barriers int) {
	o.all.mu.Lock()
	o.compare(list, barriers)
	found := o.found
	o.found = nil
	o.all.mu.Unlock()
	for _, r := range found {
		p.reports(r)
	}
}

// compare adds accesses.
func (o *commandOrder) compare(list []*commandAccess, barriers int) {
	if barriers < o.dropped {
		return // the barriers after it are not known
	}
	for _, b := range list {
		b.barriers, b.queue, b.submission, b.rendering = barriers, o.queue, o.submission, o.rendering
		for _, a := range o.accesses {
			if (a.attachment || b.attachment) && a.rendering != 0 && a.rendering == b.rendering || a.graph != 0 && a.graph == b.graph || a.origin != nil && a.origin.gone || !a.conflicts(b) {
				continue
			}
			if b.barriers < a.barriers && a.submission == b.submission && a.origin == nil { // a ran later
				if !o.later(b, a.barriers).before(a) {
					o.report(raceOf(b, a))
				}
			} else if !a.before(b) {
				o.report(raceOf(a, b))
			}
		}
		o.foreign(b)
	}
	for _, a := range list {
		a.serial = o.serial
		o.serial++
		for _, b := range o.barriers[barriers-o.dropped:] {
			a.apply(b)
		}
	}
	o.accesses = append(o.accesses, list...)
	for _, a := range list {
		o.spans += len(a.Spans)
	}
	o.bound()
}

// bound drops the first accesses if there are too many.
func (o *commandOrder) bound() {
	n := 0
	for ; len(o.accesses)-n > maxCompared || o.spans > maxSpans; n++ {
		o.forget(o.accesses[n])
	}
	o.accesses = slices.Delete(o.accesses, 0, n)
}

// later returns a new access as it is after a number of barriers.
func (o *commandOrder) later(x *commandAccess, barriers int) *commandAccess {
	y := *x
	for _, b := range o.barriers[x.barriers-o.dropped : barriers-o.dropped] {
		y.apply(b)
	}
	return &y
}

// report adds a race, unless the submission has the same report.
func (o *commandOrder) report(r Report) {
	if o.reported == nil {
		o.reported = map[string]bool{}
	}
	if !o.reported[r.Message] {
		o.reported[r.Message] = true
		o.found = append(o.found, r)
	}
}

// raceOf describes two accesses that are not ordered.
func raceOf(a, b *commandAccess) Report {
	r := Report{Sanitizer: SanitizeRace.String(), Rule: "data races", Times: 1}
	for _, x := range []*commandAccess{b, a} {
		if x.Message != nil {
			of := x.Message.Of()
			r.Stage, r.File, r.Line, r.Instruction, r.Name = of.Stage.String(), of.File, int(of.Line), int(of.Instruction), of.Name
			break
		}
	}
	r.Message = fmt.Sprintf("%s and %s of an earlier command are not ordered; a barrier from stage %#x, access %#x to stage %#x, access %#x would order them", b.text(), a.text(), a.stage, a.access, b.stage, b.access)
	return r
}

// stageBits are the stages of shaders.
var stageBits = map[ir.Stage]uint64{
	ir.Vertex: stageVertexShader, ir.TessControl: stageTessellationControl, ir.TessEval: stageTessellationEvaluation, ir.Geometry: stageGeometryShader,
	ir.Fragment: stageFragmentShader, ir.Compute: stageComputeShader, ir.Task: stageTaskShader, ir.Mesh: stageMeshShader,
	ir.RayGen: stageRayTracingShader, ir.Intersection: stageRayTracingShader, ir.AnyHit: stageRayTracingShader, ir.ClosestHit: stageRayTracingShader,
	ir.Miss: stageRayTracingShader, ir.Callable: stageRayTracingShader,
}

// shaders adds the accesses of the shaders of a command. A subpass shading has a stage of its own.
func (o *commandOrder) shaders(p *printer, log *exec.Log, point BindPoint, barriers int, graph uint64) {
	if o != nil {
		o.shaderAccesses(p, log.Accesses(), point, barriers, graph)
	}
}

// collect adds the accesses of a log to those of a command that runs several times, of which at most maxCompared are kept.
func (o *commandOrder) collect(list []exec.Access, log *exec.Log) []exec.Access {
	if o == nil || len(list) >= maxCompared {
		return list
	}
	return append(list, log.Accesses()...)
}

// beginGraph begins the dispatch of a graph.
func (o *commandOrder) beginGraph() {
	if o != nil {
		o.graphs++
		o.graph = o.graphs
	}
}

// inGraph returns the number of the dispatch of a graph that runs; 0 for none.
func (o *commandOrder) inGraph() uint64 {
	if o == nil {
		return 0
	}
	return o.graph
}

// endGraph ends the dispatch of a graph, and adds the accesses of collect.
func (o *commandOrder) endGraph(p *printer, accesses []exec.Access) {
	if o == nil {
		return
	}
	if len(accesses) > 0 {
		o.shaderAccesses(p, accesses, ExecutionGraph, o.now(), o.graph)
	}
	o.graph = 0
}

// shaderAccesses adds accesses of the shaders of a command, which may be in the dispatch of a graph.
func (o *commandOrder) shaderAccesses(p *printer, accesses []exec.Access, point BindPoint, barriers int, graph uint64) {
	var list []*commandAccess
	for _, x := range accesses {
		of := x.Message.Of()
		a := &commandAccess{Access: x, stage: stageBits[of.Stage], access: accessShaderStorageRead, graph: graph}
		if point == SubpassShading {
			a.stage = stageSubpassShader
		}
		image := of.Domain == ir.EventImages // which may be sampled, a tile attachment, or an input attachment
		switch {
		case x.Write && image:
			a.access = accessShaderStorageWrite | accessShaderTileWrite
		case x.Write:
			a.access = accessShaderStorageWrite
		case image:
			a.access = accessShaderStorageRead | accessShaderSampledRead | accessShaderTileRead | accessInputAttachmentRead
		case of.Resource == ir.UniformBuffer:
			a.access = accessUniformRead
		}
		list = append(list, a)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, barriers)
}

// transfer adds a command that reads and writes bytes; either may be nil.
func (o *commandOrder) transfer(p *printer, name string, read, written []byte, stage uint64) {
	if o == nil {
		return
	}
	var list []*commandAccess
	if s := spanOf(read); s != nil {
		a := &commandAccess{Access: exec.Access{Spans: s}, name: name, stage: stage, access: accessTransferRead}
		if stage == stageDrawIndirect {
			a.access = accessIndirectCommandRead
		}
		list = append(list, a)
	}
	if s := spanOf(written); s != nil {
		list = append(list, &commandAccess{Access: exec.Access{Write: true, Spans: s}, name: name, stage: stage, access: accessTransferWrite})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, o.now())
}
