package vk

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// With the sanitizer race a device compares the accesses of the commands of a submission: two accesses to a byte, one
// of them a write, race unless barriers order them (Vulkan, "Synchronization and Cache Control", "Memory Dependencies"). An access remembers
// the stages that an execution dependency reaches, and a write the accesses to which it is visible.

// The stages (VkPipelineStageFlagBits2) and accesses (VkAccessFlagBits2) of commands that are compared.
const (
	stageTop, stageIndirect, stageCompute, stageBottom, stageTransfer uint64 = 1, 2, 0x800, 0x2000, 0x1000
	stageAllGraphics, stageAllCommands                                uint64 = 0x8000, 0x10000

	accessIndirect, accessUniform, accessTransferRead, accessTransferWrite uint64 = 1, 8, 0x800, 0x1000
	accessStorageRead, accessStorageWrite                                  uint64 = 1 << 33, 1 << 34
)

// graphicsOrder are the stages of graphics in their logical order.
var graphicsOrder = []uint64{0x2, 0x80000, 0x100000, 1 << 36, 1 << 37, 0x8, 0x10, 0x20, 0x40, 0x400000, 0x800000, 0x100, 0x80, 0x200, 0x400}

// wider are stages and accesses that stand for several.
var (
	widerStages = map[uint64]uint64{
		0x4: 1<<36 | 1<<37, stageTransfer: 1<<32 | 1<<33 | 1<<34 | 1<<35, 1 << 38: 0x8 | 0x10 | 0x20 | 0x40 | 0x80000 | 0x100000,
		stageAllGraphics: everyGraphicsStage(), stageAllCommands: 1<<63 - 1,
	}
	widerAccesses = map[uint64]uint64{
		0x20: 1<<32 | 1<<33, 0x40: 1 << 34, 0x8000: 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80 | 0x200 | 0x800 | 0x2000 | 1<<32 | 1<<33, 0x10000: 0x40 | 0x100 | 0x400 | 0x1000 | 0x4000 | 1<<34,
	}
)

func everyGraphicsStage() (all uint64) {
	for _, s := range graphicsOrder {
		all |= s
	}
	return all
}

// widened adds the members that the bits of a set stand for.
func widened(set uint64, wider map[uint64]uint64) uint64 {
	for k, v := range wider {
		if set&k != 0 {
			set |= v
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
var everything = []MemoryDependency{{SourceStages: stageAllCommands, TargetStages: stageAllCommands, SourceAccess: 1<<63 - 1, TargetAccess: 1<<63 - 1}}

// logical adds the logically earlier stages to the first scope, and the logically later ones to the second.
func (d *MemoryDependency) logical() (source, target uint64) {
	source, target = widened(d.SourceStages, widerStages), widened(d.TargetStages, widerStages)
	if source&stageBottom != 0 {
		source = 1<<63 - 1
	}
	if target&stageTop != 0 {
		target = 1<<63 - 1
	}
	for i, s := range graphicsOrder {
		if d.SourceStages&^(stageTop) != 0 && source&s != 0 {
			for _, before := range graphicsOrder[:i] {
				source |= before
			}
		}
	}
	for i, s := range graphicsOrder {
		if target&s != 0 {
			for _, behind := range graphicsOrder[i:] {
				target |= behind
			}
			break
		}
	}
	if source&stageCompute != 0 {
		source |= stageIndirect
	}
	if target&stageIndirect != 0 {
		target |= stageCompute
	}
	return source, target
}

// covers reports whether the dependency is on some of the bytes of spans.
func (d *MemoryDependency) covers(spans []exec.Span) bool {
	var bytes []byte
	switch {
	case d.Buffer != nil:
		all := d.Buffer.bytes()
		from := min(d.Offset, uint64(len(all)))
		bytes = all[from:][:min(d.Size, uint64(len(all))-from)]
	case d.Image != nil:
		bytes = d.Image.bytes[0]
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
	access      uint64
	reached     uint64 // by execution dependencies
	available   bool   // of a write
	visible     []visibility
}

// visibility is where a write is visible.
type visibility struct {
	stages   uint64
	accesses uint64
}

// apply applies a barrier to an earlier access.
func (a *commandAccess) apply(d *MemoryDependency) {
	source, target := d.logical()
	if source&(a.stage|a.reached) == 0 {
		return
	}
	if a.reached |= target; !d.covers(a.Spans) { // a buffer or an image limits the access scopes alone
		return
	}
	direct := widened(d.SourceStages, widerStages)&a.stage != 0 || d.SourceStages&stageBottom != 0
	a.available = a.available || direct && widened(d.SourceAccess, widerAccesses)&a.access != 0
	if a.available {
		v := visibility{widened(d.TargetStages, widerStages), widened(d.TargetAccess, widerAccesses)}
		if !slices.Contains(a.visible, v) {
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

// commandOrder holds the accesses and the barriers of a submission so far.
type commandOrder struct {
	accesses []*commandAccess
	spans    int // of the accesses
	barriers []MemoryDependency
	reported map[string]bool // by message
}

// maxCompared bounds the accesses that are kept, the last ones, and maxSpans the ranges of their bytes. maxBarriers bounds the
// barriers of a submission.
const maxCompared, maxSpans, maxBarriers = 1 << 11, 1 << 24, 1 << 14

// reset begins a submission.
func (o *commandOrder) reset() {
	if o != nil {
		*o = commandOrder{}
	}
}

// barrier adds barriers.
func (o *commandOrder) barrier(list []MemoryDependency) {
	if o == nil {
		return
	}
	if len(o.barriers)+len(list) > maxBarriers {
		*o = commandOrder{}
	}
	o.barriers = append(o.barriers, list...)
	for _, a := range o.accesses {
		for i := range list {
			a.apply(&list[i])
		}
	}
}

// now returns the number of barriers so far.
func (o *commandOrder) now() int {
	if o == nil {
		return 0
	}
	return len(o.barriers)
}

// add adds the accesses of a command that ran after a number of barriers, and reports those that race with earlier ones: alike
// races once.
func (o *commandOrder) add(p *printer, list []*commandAccess, barriers int) {
	for _, b := range list {
		for _, a := range o.accesses {
			if (a.Write || b.Write) && !(a.Atomic && b.Atomic) && commonBytes(a.Spans, b.Spans) && !a.before(b) {
				o.report(p, raceOf(a, b))
			}
		}
	}
	for _, a := range list {
		for i := min(barriers, len(o.barriers)); i < len(o.barriers); i++ {
			a.apply(&o.barriers[i])
		}
	}
	o.accesses = append(o.accesses, list...)
	for _, a := range list {
		o.spans += len(a.Spans)
	}
	n := 0
	for ; len(o.accesses)-n > maxCompared || o.spans > maxSpans; n++ {
		o.spans -= len(o.accesses[n].Spans)
	}
	o.accesses = slices.Delete(o.accesses, 0, n)
}

// report reports a race, unless the submission has the same report.
func (o *commandOrder) report(p *printer, r Report) {
	if o.reported == nil {
		o.reported = map[string]bool{}
	}
	if !o.reported[r.Message] {
		o.reported[r.Message] = true
		p.reports(r)
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
	ir.Vertex: 0x8, ir.TessControl: 0x10, ir.TessEval: 0x20, ir.Geometry: 0x40, ir.Fragment: 0x80, ir.Compute: stageCompute, ir.Task: 0x80000, ir.Mesh: 0x100000,
}

// shaders adds the accesses of the shaders of a command.
func (o *commandOrder) shaders(p *printer, log *exec.Log, barriers int) {
	if o == nil {
		return
	}
	var list []*commandAccess
	for _, x := range log.Accesses() {
		of := x.Message.Of()
		a := &commandAccess{Access: x, stage: stageBits[of.Stage], access: accessStorageRead}
		switch {
		case x.Write:
			a.access = accessStorageWrite
		case of.Resource == ir.UniformBuffer:
			a.access = accessUniform
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
		if stage == stageIndirect {
			a.access = accessIndirect
		}
		list = append(list, a)
	}
	if s := spanOf(written); s != nil {
		list = append(list, &commandAccess{Access: exec.Access{Write: true, Spans: s}, name: name, stage: stage, access: accessTransferWrite})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.add(p, list, len(o.barriers))
}
