package vk

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// GeneratedCommands are commands whose arguments are in memory: sequences one after the other (VkGeneratedCommandsInfoEXT).
type GeneratedCommands struct {
	Layout       *IndirectCommandsLayout
	Set          *IndirectExecutionSet // nil: the bound pipeline or shader objects
	Address      uint64                // device address of the sequences
	Size         uint64                // bytes there
	MaxSequences uint32
	CountAddress uint64 // of the number of sequences; 0: MaxSequences
	MaxDraws     uint32 // of a token with a number of draws
}

// GeneratedRequirements returns the memory that an execution of generated commands needs beside its arguments: none
// (vkGetGeneratedCommandsMemoryRequirementsEXT).
func (d *Device) GeneratedRequirements() MemoryRequirements {
	return MemoryRequirements{Alignment: 4, Types: anyMemory}
}

// generated is a recorded ExecuteGenerated.
type generated struct {
	info GeneratedCommands
}

// generating is a run of it.
type generating struct {
	*generated
	held map[uint64]Object // what sequences have selected, by element of the set or by serial; the submission holds it
	push *PipelineLayout   // of the push constants that tokens set
}

func (*generated) flags() QueueFlags { return shaderQueue }

func (w *generated) conditional() {}

// ExecuteGenerated runs the sequences in the order of their numbers (vkCmdExecuteGeneratedCommandsEXT). What sequences bind and set
// is restored at the end. The arguments are read when the command runs; an address outside of memory makes the device lost.
func (c *CommandBuffer) ExecuteGenerated(info GeneratedCommands) {
	if !c.generated("vkCmdExecuteGeneratedCommandsEXT", &info) {
		return
	}
	w := take[generated](c)
	w.info = info
	c.refer(&info.Layout.object)
	if info.Set != nil {
		c.refer(&info.Set.object)
	}
	c.action()
	c.deferred("execute generated commands", w)
}

// PreprocessGenerated prepares an execution (vkCmdPreprocessGeneratedCommandsEXT). There is nothing to prepare.
func (c *CommandBuffer) PreprocessGenerated(info GeneratedCommands) {
	c.generated("vkCmdPreprocessGeneratedCommandsEXT", &info)
}

// generated checks the arguments of a command.
func (c *CommandBuffer) generated(command string, info *GeneratedCommands) bool {
	if !c.starts(command) {
		return false
	}
	err := check(c.dev, "the layout of the sequences", info.Layout)
	if err == nil && info.Set != nil {
		err = check(c.dev, "the execution set", info.Set)
	}
	if err != nil {
		c.fail(err)
		return false
	}
	const rule = "VUID-VkGeneratedCommandsInfoEXT-"
	selects, strict := info.Layout.tokens[0].Kind == TokenExecutionSet, c.dev.checking >= All
	switch {
	case info.Address%4 != 0:
		err = usage(rule+"indirectAddress-11074", "the sequences are at the address %#x; must be a multiple of 4", info.Address)
	case info.CountAddress%4 != 0:
		err = usage(rule+"sequenceCountAddress-11073", "the number of sequences is at the address %#x; must be a multiple of 4", info.CountAddress)
	case info.MaxSequences > MaxSequences:
		err = usage(rule+"maxSequenceCount-11067", "%d sequences; must be at most %d", info.MaxSequences, MaxSequences)
	case strict && info.MaxSequences == 0:
		err = usage(rule+"maxSequenceCount-10246", "at most 0 sequences; must be more")
	case strict && info.Size == 0:
		err = usage(rule+"indirectAddressSize-11077", "the sequences have 0 bytes; must have more")
	case strict && info.Layout.counts && uint64(info.MaxDraws)*uint64(info.MaxSequences) >= 1<<24:
		err = usage(rule+"maxDrawCount-11078", "%d sequences of %d draws; must be less than 2²⁴ draws", info.MaxSequences, info.MaxDraws)
	case selects && info.Set == nil:
		err = usage(rule+"indirectCommandsLayout-11083", "the sequences select from an execution set, and there is none; must be one")
	case strict && !selects && info.Set != nil:
		err = usage(rule+"indirectCommandsLayout-10241", "there is an execution set, and the sequences do not select from it; must be none")
	case selects && info.Set.shaders != (info.Layout.tokens[0].Shaders != nil):
		err = usage(rule+"indirectCommandsLayout-11002", "the first token is for pipelines or for shader objects, and the execution set for the other; must be for the same")
	default:
		return true
	}
	c.fail(err)
	return false
}

// kept is the state that sequences may change.
type kept struct {
	boundState
	bound bound
}

// run runs the sequences.
func (w *generated) run(x *executor) error {
	l, n := w.info.Layout, w.info.MaxSequences
	if a := w.info.CountAddress; a != 0 {
		b, err := x.copyFrom(a, 4, nil)
		if err != nil {
			return err
		}
		n = min(n, binary.LittleEndian.Uint32(b))
	}
	if n == 0 {
		return nil
	}
	if end := uint64(n-1)*uint64(l.stride) + uint64(l.end); end > w.info.Size {
		return usage("", "%d sequences have %d bytes; must be at most the %d bytes of the command", n, end, w.info.Size)
	}
	return x.restoring(func() error {
		return (&generating{w, map[uint64]Object{}, l.layout}).sequences(x, n)
	})
}

// restoring runs sequences and restores the bindings and states before them.
func (x *executor) restoring(run func() error) error {
	if x.graphics.current != nil {
		x.holdRegions() // the sequences' bindings are in use until the end of the pass
	}
	before := &kept{x.boundState, x.graphics.bound}
	err := run()
	x.boundState = before.boundState
	x.graphics.bound.restore(&before.bound)
	x.graphics.repeats = false
	return err
}

// restore brings back what sequences of generated commands may bind.
func (b *bound) restore(old *bound) {
	b.pipeline, b.shaders, b.named = old.pipeline, old.shaders, old.named
	b.face, b.forced = old.face, old.forced
	b.have, b.blends, b.masks = old.have, old.blends, old.masks
	b.vertices, b.places, b.buffers, b.strided, b.third = old.vertices, old.places, old.buffers, old.strided, old.third
	b.strides.set, b.strides.bytes = old.strides.set, old.strides.bytes
	b.index, b.indexBytes = old.index, old.indexBytes
}

func (w *generating) sequences(x *executor, n uint32) error {
	l := w.info.Layout
	var data []byte
	for i := range n {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		at := w.info.Address + uint64(i)*uint64(l.stride)
		var err error
		if data, err = x.copyFrom(at, uint64(l.end), data[:0]); err != nil {
			return err
		}
		for k := range l.tokens {
			if err := w.token(x, &l.tokens[k], data[l.tokens[k].Offset:], at, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyFrom copies n bytes at a device address.
func (x *executor) copyFrom(address, n uint64, into []byte) ([]byte, error) {
	b, release, err := x.memoryAt(address, n)
	if err != nil {
		return nil, err
	}
	defer release()
	return append(into, b...), nil
}

// memoryAt returns n bytes at a device address, until release.
func (x *executor) memoryAt(address, n uint64) (b []byte, release func(), err error) {
	b, release, ok := x.dev.heap.at(address, n)
	if !ok {
		return nil, nil, usage("", "%d bytes at the address %#x are not in memory; must be", n, address)
	}
	return b, release, nil
}

// token does what a token of sequence i says, whose arguments are data. The sequence is at an address.
func (w *generating) token(x *executor, t *Token, data []byte, at uint64, i uint32) error {
	g := &x.graphics
	g.repeats = false
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }
	switch t.Kind {
	case TokenExecutionSet:
		return w.choose(x, t, data)
	case TokenPushConstant:
		x.pushLayout = w.push
		copy(x.push[t.Push.Offset:], data[:t.Push.Size])
	case TokenPushData:
		copy(x.push[t.Push.Offset:], data[:t.Push.Size])
	case TokenSequenceIndex:
		x.pushLayout = w.push
		binary.LittleEndian.PutUint32(x.push[t.Push.Offset:], i)
	case TokenPushDataSequenceIndex:
		binary.LittleEndian.PutUint32(x.push[t.Push.Offset:], i)
	case TokenIndexBuffer:
		return x.indicesAt(binary.LittleEndian.Uint64(data), word(2), word(3), t.DXGI)
	case TokenVertexBuffer:
		b, err := x.boundBytes(binary.LittleEndian.Uint64(data), word(2))
		if err != nil {
			return err
		}
		g.bound.owners.vertices[t.Binding] = nil
		g.bound.vertices[t.Binding], g.bound.places[t.Binding] = exec.Buffer{Bytes: aligned(b)}, uint8(address(b)%8)
		g.bound.buffers |= 1 << t.Binding
		g.bound.third &^= 1 << t.Binding
		g.bound.strides.put(t.Binding, word(3))
		g.bound.strided = true
	case TokenDispatch:
		groups := [3]uint32{word(0), word(1), word(2)}
		if err := compute.CheckGroups([3]uint32{}, groups); err != nil {
			return err
		}
		return x.dispatch([3]uint32{}, groups)
	case TokenTraceRays:
		r := traceRays{form: traceIndirect2, address: at + uint64(t.Offset)}
		return r.run(x)
	default:
		return w.draw(x, t, data)
	}
	return nil
}

// choose binds the pipeline or the shader objects that a sequence selects.
func (w *generating) choose(x *executor, t *Token, data []byte) error {
	for k := range max(len(t.Shaders), 1) {
		n := binary.LittleEndian.Uint32(data[4*k:])
		o, ok := w.held[uint64(n)]
		if !ok {
			var err error
			if o, err = w.info.Set.at(x, n); err != nil {
				return err
			}
			w.held[uint64(n)] = o
		}
		switch p := o.(type) {
		case *GraphicsPipeline:
			x.graphics.bindPipeline(p)
		case *ComputePipeline:
			x.pipeline, x.shader = p, nil
		case *RayTracingPipeline:
			x.rays.pipeline = p
		case *Shader:
			if p.info.Stage != t.Shaders[k] {
				return usage("VUID-vkCmdExecuteGeneratedCommandsEXT-indirectCommandsLayout-11004", "a sequence selects %v for the stage %v; must be of the stage", &p.object, t.Shaders[k])
			}
			x.bindShader(t.Shaders[k], p)
		}
	}
	return nil
}

// boundBytes returns n bytes at a device address, which the pass holds; none for the address 0.
func (x *executor) boundBytes(address uint64, n uint32) ([]byte, error) {
	if address == 0 || n == 0 {
		return nil, nil
	}
	b, release, err := x.memoryAt(address, uint64(n))
	if err == nil {
		release() // the pass holds all regions
	}
	return b, err
}

// indicesAt binds indices at a device address. The type is VkIndexType, or one of DXGI_FORMAT.
func (x *executor) indicesAt(address uint64, n, kind uint32, dxgi bool) error {
	const (
		uint16Type, uint32Type, uint8Type = 0, 1, 1000265000 // VK_INDEX_TYPE_UINT*
		r32, r16, r8                      = 42, 57, 62       // DXGI_FORMAT_R*_UINT
	)
	size := uint32(0)
	switch {
	case dxgi && kind == r8 || !dxgi && kind == uint8Type:
		size = 1
	case dxgi && kind == r16 || !dxgi && kind == uint16Type:
		size = 2
	case dxgi && kind == r32 || !dxgi && kind == uint32Type:
		size = 4
	default:
		return usage("VUID-VkBindIndexBufferIndirectCommandEXT-indexType-parameter", "a sequence binds indices of the type %d; must be of 8, 16 or 32 bits", kind)
	}
	b, err := x.boundBytes(address, n)
	if b == nil {
		b = []byte{}
	}
	x.graphics.bound.index, x.graphics.bound.indexBytes, x.graphics.bound.owners.index = b, size, nil
	return err
}

// drawTokens are the kinds of draws: a token with a number of draws has structures of the kind single.
var drawTokens = [numTokenKinds]struct {
	single        TokenKind // 0 without a number of draws
	indexed       bool
	mesh, rangeNV bool
}{
	TokenDraw:               {},
	TokenDrawCount:          {single: TokenDraw},
	TokenDrawIndexed:        {indexed: true},
	TokenDrawIndexedCount:   {single: TokenDrawIndexed, indexed: true},
	TokenDrawMeshTasks:      {mesh: true},
	TokenDrawMeshTasksCount: {single: TokenDrawMeshTasks, mesh: true},
	TokenDrawTaskRange:      {mesh: true, rangeNV: true},
	TokenDrawTaskRangeCount: {single: TokenDrawTaskRange, mesh: true, rangeNV: true},
}

// draw runs a token that draws.
func (w *generating) draw(x *executor, t *Token, data []byte) error {
	a, indirect, kind := &x.graphics.args, &x.graphics.indirect, &drawTokens[t.Kind]
	*a = state.Args{Mesh: kind.mesh, TaskRange: kind.rangeNV}
	if kind.single == 0 {
		*indirect = state.Indirect{Buffer: append(indirect.Buffer[:0], data[:tokenBytes[t.Kind]]...), Count: 1}
		return x.draw(a, kind.indexed, indirect)
	}
	stride, n := binary.LittleEndian.Uint32(data[8:]), min(binary.LittleEndian.Uint32(data[12:]), w.info.MaxDraws)
	if n == 0 {
		return nil
	}
	b, err := x.copyFrom(binary.LittleEndian.Uint64(data), uint64(n-1)*uint64(stride)+uint64(tokenBytes[kind.single]), indirect.Buffer[:0])
	if err != nil {
		return err
	}
	*indirect = state.Indirect{Buffer: b, Stride: stride, Count: n}
	return x.draw(a, kind.indexed, indirect)
}
