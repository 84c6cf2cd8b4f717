package vk

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// Commands with arguments in several buffers, the streams of VK_NV_device_generated_commands. Tokens have the effects of
// generatedcommand.go.

// Limits of streams (VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV).
const (
	MaxStreams        = 16
	MaxShaderGroups   = 1 << 12
	MaxStreamStride   = MaxSequenceStride
	StreamAlignment   = 4  // of offsets in buffers
	IndirectInfoBytes = 16 // of the memory of a pipeline that sequences select by its address
)

// StreamToken is a part of each sequence (VkIndirectCommandsLayoutTokenNV). Its kind is one of streamKinds.
type StreamToken struct {
	Token
	Stream       uint32
	Layout       *PipelineLayout // of TokenPushConstant
	FixedStride  bool            // of TokenVertexBuffer: the stride is the pipeline's
	IndexTypes   []uint32        // of TokenIndexBuffer: the VkIndexType of each of IndexValues; without them values are a VkIndexType
	IndexValues  []uint32
	FrontFaceBit bool // of TokenStateFlags: bit 0 of the flags is the front face
}

// StreamLayoutInfo describes a layout of sequences in streams. Preprocessing and an order that is left open have no effect, as with
// IndirectCommandsLayoutInfo.
type StreamLayoutInfo struct {
	Bind    BindPoint // Graphics or Compute
	Tokens  []StreamToken
	Strides []uint32 // of the streams
	Indexed bool     // a buffer has the numbers of the sequences
}

// StreamLayout is a layout of sequences in streams (VkIndirectCommandsLayoutNV).
type StreamLayout struct {
	object
	info StreamLayoutInfo
}

// NewStreamLayout makes a layout of sequences in streams (vkCreateIndirectCommandsLayoutNV).
func (d *Device) NewStreamLayout(info StreamLayoutInfo) (*StreamLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := d.checkStreams(&info); err != nil {
		return nil, err
	}
	info.Tokens, info.Strides = slices.Clone(info.Tokens), slices.Clone(info.Strides)
	for i := range info.Tokens {
		t := &info.Tokens[i]
		t.IndexTypes, t.IndexValues = slices.Clone(t.IndexTypes), slices.Clone(t.IndexValues)
	}
	l := &StreamLayout{info: info}
	d.adopt(&l.object, "indirect commands layout", nil)
	return l, nil
}

// streamKinds are the kinds of tokens in streams, by bind point.
var streamKinds = map[BindPoint][]TokenKind{
	Graphics: {TokenShaderGroup, TokenStateFlags, TokenIndexBuffer, TokenVertexBuffer, TokenPushConstant, TokenPushData, TokenDrawIndexed, TokenDraw, TokenDrawTaskRange, TokenDrawMeshTasks},
	Compute:  {TokenPipeline, TokenPushConstant, TokenPushData, TokenDispatch},
}

// checkStreams checks the description of a layout.
func (d *Device) checkStreams(info *StreamLayoutInfo) error {
	const rule = "VUID-VkIndirectCommandsLayoutCreateInfoNV-"
	kinds := streamKinds[info.Bind]
	switch n := len(info.Tokens); {
	case kinds == nil:
		return usage(rule+"pipelineBindPoint-02930", "the layout is for %v; must be for Graphics or Compute", info.Bind)
	case n == 0 || n > MaxIndirectTokens:
		return usage(rule+"tokenCount-02931", "the layout has %d tokens; must have 1 to %d", n, MaxIndirectTokens)
	case len(info.Strides) == 0 || len(info.Strides) > MaxStreams:
		return usage(rule+"streamCount-02936", "the layout has %d streams; must have 1 to %d", len(info.Strides), MaxStreams)
	}
	for i, s := range info.Strides {
		if s == 0 || s > MaxStreamStride || s%StreamAlignment != 0 {
			return usage(rule+"pStreamStrides-02937", "the stride of stream %d is %d; must be a multiple of %d up to %d, and not 0", i, s, StreamAlignment, MaxStreamStride)
		}
	}
	flags := false
	for i := range info.Tokens {
		t := &info.Tokens[i]
		switch last := i == len(info.Tokens)-1; {
		case !slices.Contains(kinds, t.Kind):
			return usage(rule+"pipelineBindPoint-09089", "token %d has the kind %d; must have one of those for %v", i, t.Kind, info.Bind)
		case t.Kind == TokenShaderGroup && i > 0:
			return usage(rule+"pTokens-02932", "token %d selects a shader group; must be the first token", i)
		case t.Kind == TokenPipeline && i > 0:
			return usage(rule+"pTokens-09585", "token %d selects a pipeline; must be the first token", i)
		case t.Kind == TokenStateFlags && flags:
			return usage(rule+"pTokens-02933", "token %d is the second one with flags; must be the only one", i)
		case t.Kind.action() && !last:
			return usage(rule+"pTokens-02934", "token %d of %d is an action; must be the last one", i, len(info.Tokens))
		case !t.Kind.action() && last:
			return usage(rule+"pTokens-02935", "the last token is no action; must be one")
		}
		flags = flags || t.Kind == TokenStateFlags
		if err := d.checkStreamToken(info, i); err != nil {
			return err
		}
	}
	return nil
}

// checkStreamToken checks a token alone.
func (d *Device) checkStreamToken(info *StreamLayoutInfo, i int) error {
	const rule = "VUID-VkIndirectCommandsLayoutTokenNV-"
	t := &info.Tokens[i]
	switch {
	case t.Stream >= uint32(len(info.Strides)):
		return usage(rule+"stream-02951", "token %d is in stream %d; must be below %d", i, t.Stream, len(info.Strides))
	case t.Offset > MaxTokenOffset:
		return usage(rule+"offset-02952", "token %d is at byte %d of a sequence; must be at most %d", i, t.Offset, MaxTokenOffset)
	case t.Offset%StreamAlignment != 0:
		return usage(rule+"offset-06888", "token %d is at byte %d of a sequence; must be a multiple of %d", i, t.Offset, StreamAlignment)
	case t.Kind == TokenVertexBuffer && t.Binding >= state.MaxBindings:
		return usage(rule+"tokenType-02976", "token %d sets vertex binding %d; must be below %d", i, t.Binding, state.MaxBindings)
	case t.Kind == TokenStateFlags && !t.FrontFaceBit:
		return usage(rule+"tokenType-02984", "token %d has no flag; must have one", i)
	case len(t.IndexTypes) != len(t.IndexValues):
		return usage("", "token %d has %d types of indices and %d values for them; must have one value for each", i, len(t.IndexTypes), len(t.IndexValues))
	case t.Kind == TokenPushConstant:
		return d.checkStreamPush(t, i)
	case t.Kind == TokenPushData:
		return d.checkStreamData(&t.Push, i)
	}
	return nil
}

// checkStreamData checks the push data that token i sets.
func (d *Device) checkStreamData(r *link.Range, i int) error {
	const rule = "VUID-VkIndirectCommandsLayoutPushDataTokenNV-pushData"
	end := uint64(r.Offset) + uint64(r.Size)
	switch {
	case r.Size == 0:
		return usage("VUID-VkIndirectCommandsLayoutTokenNV-tokenType-11334", "token %d sets no push data; must set some", i)
	case r.Offset%4 != 0:
		return usage(rule+"Offset-11420", "token %d sets push data from byte %d on; must be a multiple of 4", i, r.Offset)
	case r.Size%4 != 0:
		return usage(rule+"Size-11421", "token %d sets %d bytes of push data; must be a multiple of 4", i, r.Size)
	case end > MaxPushBytes || end == MaxPushBytes && d.checking > None:
		return usage(rule+"Offset-11335", "token %d sets %d bytes of push data from byte %d on; must end below %d", i, r.Size, r.Offset, MaxPushBytes)
	}
	return nil
}

// checkStreamPush checks the push constants that token i sets.
func (d *Device) checkStreamPush(t *StreamToken, i int) error {
	const rule = "VUID-VkIndirectCommandsLayoutTokenNV-"
	if err := check(d, "the pipeline layout", t.Layout); err != nil {
		return err
	}
	switch r := &t.Push; {
	case r.Offset%4 != 0:
		return usage(rule+"tokenType-02978", "token %d sets push constants from byte %d on; must be a multiple of 4", i, r.Offset)
	case r.Size%4 != 0 || r.Size == 0:
		return usage(rule+"tokenType-02979", "token %d sets %d bytes of push constants; must be a multiple of 4, and not 0", i, r.Size)
	case uint64(r.Offset)+uint64(r.Size) > uint64(t.Layout.push):
		return usage(rule+"tokenType-02982", "token %d sets %d bytes of push constants from byte %d on; must be within the %d bytes of the layout", i, r.Size, r.Offset, t.Layout.push)
	case d.checking > None:
		return t.checkStages(i)
	}
	return nil
}

// checkStages compares the stages of the push constants that token i sets with the ranges of the layout.
func (t *StreamToken) checkStages(i int) error {
	const rule = "VUID-VkIndirectCommandsLayoutTokenNV-tokenType-"
	for at := t.Push.Offset; at < t.Push.Offset+t.Push.Size; at += 4 {
		var have link.Stages
		for _, r := range t.Layout.link.Push {
			if at-r.Offset >= r.Size {
				continue
			}
			have |= r.Stages
			if r.Stages&^t.Push.Stages != 0 {
				return usage(rule+"02983", "token %d sets byte %d of the push constants of %v alone, which a range has for %v; must be of all of its stages", i, at, t.Push.Stages, r.Stages)
			}
		}
		if t.Push.Stages&^have != 0 {
			return usage(rule+"02982", "token %d sets byte %d of the push constants of %v, of which the layout has it for %v; must be in a range of each stage", i, at, t.Push.Stages, have)
		}
	}
	return nil
}

// BufferPlace is a place in a buffer.
type BufferPlace struct {
	Buffer *Buffer
	Offset uint64
}

// at returns n bytes from an offset after the place on.
func (p *BufferPlace) at(offset, n uint64) ([]byte, error) {
	if b, ok := p.Buffer.part(p.Offset+offset, n); ok && p.Offset+offset >= offset {
		return b, nil
	}
	return nil, usage("", "%d bytes from byte %d on are not in %v; must be", n, p.Offset+offset, &p.Buffer.object)
}

// StreamCommands are commands with arguments in streams (VkGeneratedCommandsInfoNV).
type StreamCommands struct {
	Pipeline  Pipeline // nil if the sequences select pipelines
	Layout    *StreamLayout
	Streams   []BufferPlace
	Sequences uint32      // the most of them
	Count     BufferPlace // of the number of sequences; without a buffer it is Sequences
	Indices   BufferPlace // of the numbers of the sequences, with an indexed layout
}

// executeStreams is a recorded ExecuteStreams.
type executeStreams struct{ info StreamCommands }

func (*executeStreams) flags() QueueFlags { return shaderQueue }

func (w *executeStreams) conditional() {}

// ExecuteStreams runs the sequences in the order of their numbers, or of the buffer of numbers (vkCmdExecuteGeneratedCommandsNV). What
// sequences bind and set is restored at the end. The arguments are read when the command runs.
func (c *CommandBuffer) ExecuteStreams(info StreamCommands) {
	if !c.streams("vkCmdExecuteGeneratedCommandsNV", &info) {
		return
	}
	w := take[executeStreams](c)
	w.info = info
	w.info.Streams = slices.Clone(info.Streams)
	c.refer(&info.Layout.object)
	if info.Pipeline != nil {
		c.refer(info.Pipeline.base())
	}
	for _, p := range append(w.info.Streams, info.Count, info.Indices) {
		if p.Buffer != nil {
			c.refer(&p.Buffer.object)
		}
	}
	c.action()
	c.deferred("execute generated commands", w)
}

// PreprocessStreams prepares an execution (vkCmdPreprocessGeneratedCommandsNV). There is nothing to prepare.
func (c *CommandBuffer) PreprocessStreams(info StreamCommands) {
	c.streams("vkCmdPreprocessGeneratedCommandsNV", &info)
}

// streams checks the arguments of a command.
func (c *CommandBuffer) streams(command string, info *StreamCommands) bool {
	if !c.starts(command) {
		return false
	}
	if err := c.checkStreamCommands(info); err != nil {
		c.fail(err)
		return false
	}
	return true
}

func (c *CommandBuffer) checkStreamCommands(info *StreamCommands) error {
	const rule = "VUID-VkGeneratedCommandsInfoNV-"
	if err := check(c.dev, "the layout of the sequences", info.Layout); err != nil {
		return err
	}
	l := &info.Layout.info
	selects := l.Tokens[0].Kind == TokenPipeline
	switch {
	case len(info.Streams) != len(l.Strides):
		return usage(rule+"streamCount-02916", "there are %d streams; must be the %d of the layout", len(info.Streams), len(l.Strides))
	case info.Sequences > MaxSequences:
		return usage(rule+"sequencesCount-02917", "%d sequences; must be at most %d", info.Sequences, MaxSequences)
	case l.Indexed != (info.Indices.Buffer != nil):
		return usage(rule+"sequencesIndexBuffer-02924", "there is a buffer of numbers of sequences, or the layout is indexed; must be both or none")
	case selects && info.Pipeline != nil:
		return usage(rule+"pipelineBindPoint-09087", "there is a pipeline, and the sequences select pipelines; must be none")
	}
	if !selects {
		if err := c.dev.checkPipeline(info.Pipeline); err != nil {
			return err
		}
		switch p := info.Pipeline.(type) {
		case *GraphicsPipeline:
			if l.Bind != Graphics || p.library != nil {
				return usage("", "%v does not fit the layout, or is a library; must be linked and for %v", &p.object, l.Bind)
			}
			if l.Tokens[0].Kind == TokenShaderGroup && len(p.groups.list) == 0 {
				return usage(rule+"indirectCommandsLayout-02913", "the sequences select shader groups, and %v has none; must have some", &p.object)
			}
		case *ComputePipeline:
			if l.Bind != Compute || p.pipeline == nil {
				return usage("", "%v does not fit the layout, or is a library; must be linked and for %v", &p.object, l.Bind)
			}
		default:
			return usage("", "the pipeline does not fit the layout; must be one for %v", l.Bind)
		}
	}
	aligned := []BufferPlace{info.Count, info.Indices}
	for _, p := range append(aligned, info.Streams...) {
		if p.Offset%StreamAlignment != 0 {
			return usage("VUID-VkIndirectCommandsStreamNV-offset-02943", "a stream, the number of sequences or their numbers begin at byte %d; must be a multiple of %d", p.Offset, StreamAlignment)
		}
	}
	for i := range info.Streams {
		if err := c.checkStreamBuffer(info.Streams[i].Buffer); err != nil {
			return err
		}
	}
	for _, p := range aligned {
		if p.Buffer != nil {
			if err := c.checkStreamBuffer(p.Buffer); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStreamBuffer checks a buffer of arguments.
func (c *CommandBuffer) checkStreamBuffer(b *Buffer) error {
	if err := check(c.dev, "the buffer", b); err != nil {
		return err
	}
	if b.memory == nil {
		return usage("VUID-VkIndirectCommandsStreamNV-buffer-02975", "%v has no memory; must have some", &b.object)
	}
	return nil
}

// run runs the sequences.
func (w *executeStreams) run(x *executor) error {
	n := w.info.Sequences
	if w.info.Count.Buffer != nil {
		b, err := w.info.Count.at(0, 4)
		if err != nil {
			return err
		}
		n = min(n, binary.LittleEndian.Uint32(b))
	}
	g := &generating{held: map[uint64]Object{}}
	return x.restoring(func() error {
		switch p := w.info.Pipeline.(type) {
		case *GraphicsPipeline:
			x.graphics.bindPipeline(p)
		case *ComputePipeline:
			x.pipeline, x.shader = p, nil
		}
		for i := range n {
			if err := x.ctx.Err(); err != nil {
				return err
			}
			at := i
			if w.info.Layout.info.Indexed {
				b, err := w.info.Indices.at(4*uint64(i), 4)
				if err != nil {
					return err
				}
				at = binary.LittleEndian.Uint32(b)
			}
			if err := w.sequence(x, g, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// sequence runs sequence i.
func (w *executeStreams) sequence(x *executor, g *generating, i uint32) error {
	l := &w.info.Layout.info
	var room [MaxSequenceStride]byte
	for k := range l.Tokens {
		t := &l.Tokens[k]
		b, err := w.info.Streams[t.Stream].at(uint64(i)*uint64(l.Strides[t.Stream])+uint64(t.Offset), uint64(t.bytes()))
		if err != nil {
			return err
		}
		data := append(room[:0], b...) // read once: the host may change them meanwhile
		if err := w.token(x, g, t, data, i); err != nil {
			return err
		}
	}
	return nil
}

// token executes a token of sequence i.
func (w *executeStreams) token(x *executor, g *generating, t *StreamToken, data []byte, i uint32) error {
	bound := &x.graphics.bound
	word := binary.LittleEndian.Uint32(data)
	switch t.Kind {
	case TokenShaderGroup:
		p := w.info.Pipeline.(*GraphicsPipeline)
		if uint64(word) >= uint64(len(p.groups.list)) {
			return usage("VUID-VkBindShaderGroupIndirectCommandNV-index-02945", "sequence %d selects shader group %d; must be below %d", i, word, len(p.groups.list))
		}
		x.graphics.bindPipeline(p.groups.list[word])
		return nil
	case TokenPipeline:
		p, err := g.pipelineAt(x, binary.LittleEndian.Uint64(data))
		x.pipeline, x.shader = p, nil
		return err
	case TokenStateFlags:
		bound.face = faceOf(word&1 != 0)
		return nil
	case TokenIndexBuffer:
		if len(t.IndexTypes) > 0 {
			k := slices.Index(t.IndexValues, binary.LittleEndian.Uint32(data[12:]))
			if k < 0 {
				return usage("VUID-VkBindIndexBufferIndirectCommandNV-indexType-parameter", "sequence %d has a type of indices that the token does not list; must be listed", i)
			}
			binary.LittleEndian.PutUint32(data[12:], t.IndexTypes[k])
		}
	case TokenVertexBuffer:
		old, strided := bound.strides, bound.strided
		err := g.token(x, &t.Token, data, 0, i)
		if t.FixedStride {
			bound.strides.set, bound.strides.bytes, bound.strided = old.set, old.bytes, strided
		} else {
			bound.forced |= 1 << t.Binding
		}
		return err
	}
	g.push = t.Layout
	return g.token(x, &t.Token, data, 0, i)
}

// frontFace is the front face that a sequence sets in place of the pipeline's.
type frontFace uint8

const (
	ofPipeline frontFace = iota
	counterClockwise
	clockwise
)

func faceOf(cw bool) frontFace {
	if cw {
		return clockwise
	}
	return counterClockwise
}
