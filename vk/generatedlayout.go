package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// Limits of generated commands (VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT).
const (
	MaxIndirectPipelines = 1 << 16 // of an execution set
	MaxIndirectShaders   = 1 << 16
	MaxSequences         = 1 << 20
	MaxIndirectTokens    = 32
	MaxTokenOffset       = 2047
	MaxSequenceStride    = 2048
)

// TokenKind is the kind of a token: what a part of a sequence does (VkIndirectCommandsTokenTypeEXT).
type TokenKind uint8

// The kinds. Tokens up to TokenVertexBuffer set state, the others are actions. A sequence has one action, at its end.
const (
	TokenExecutionSet       TokenKind = iota // the number of a pipeline, or of a shader for each stage
	TokenPushConstant                        // bytes of push constants
	TokenSequenceIndex                       // no bytes: the number of the sequence is stored to push constants
	TokenIndexBuffer                         // VkBindIndexBufferIndirectCommandEXT
	TokenVertexBuffer                        // VkBindVertexBufferIndirectCommandEXT
	TokenDrawIndexed                         // VkDrawIndexedIndirectCommand
	TokenDraw                                // VkDrawIndirectCommand
	TokenDrawIndexedCount                    // VkDrawIndirectCountIndirectCommandEXT
	TokenDrawCount                           // the same
	TokenDispatch                            // VkDispatchIndirectCommand
	TokenDrawMeshTasks                       // VkDrawMeshTasksIndirectCommandEXT
	TokenDrawMeshTasksCount                  // VkDrawIndirectCountIndirectCommandEXT
	TokenDrawTaskRange                       // VkDrawMeshTasksIndirectCommandNV
	TokenDrawTaskRangeCount                  // VkDrawIndirectCountIndirectCommandEXT
	TokenTraceRays                           // VkTraceRaysIndirectCommand2KHR
	numTokenKinds
)

// tokenBytes are the bytes of tokens in a sequence; 0 if the token has a number of its own.
var tokenBytes = [numTokenKinds]uint32{
	TokenIndexBuffer: 16, TokenVertexBuffer: 16, TokenDrawIndexed: state.IndexedIndirectBytes, TokenDraw: state.IndirectBytes,
	TokenDrawIndexedCount: 16, TokenDrawCount: 16, TokenDispatch: 12, TokenDrawMeshTasks: state.MeshIndirectBytes, TokenDrawMeshTasksCount: 16,
	TokenDrawTaskRange: state.TaskRangeBytes, TokenDrawTaskRangeCount: 16, TokenTraceRays: indirectBytes,
}

// numObjectStages is the number of stages of shader objects.
const numObjectStages = StageCompute + 1

// action reports whether the token is an action.
func (k TokenKind) action() bool { return k > TokenVertexBuffer }

// Token is a part of each sequence of generated commands (VkIndirectCommandsLayoutTokenEXT).
type Token struct {
	Kind    TokenKind
	Offset  uint32        // bytes from the begin of the sequence
	Push    link.Range    // push constants, of TokenPushConstant and TokenSequenceIndex
	Binding uint32        // of vertices, of TokenVertexBuffer
	DXGI    bool          // of TokenIndexBuffer: the types of indices are DXGI_FORMAT
	Shaders []ShaderStage // of TokenExecutionSet: the stages whose shader objects the numbers select, in order; nil for pipelines
}

// bytes returns the size of the token in a sequence.
func (t *Token) bytes() uint32 {
	switch t.Kind {
	case TokenExecutionSet:
		return 4 * uint32(max(len(t.Shaders), 1))
	case TokenPushConstant:
		return t.Push.Size
	}
	return tokenBytes[t.Kind]
}

// IndirectCommandsLayoutInfo describes a layout of sequences. The usage flags of Vulkan have no effect: the order of sequences
// is the order of their numbers, and no work is done before the execution.
type IndirectCommandsLayoutInfo struct {
	Tokens []Token
	Stride uint32          // bytes from sequence to sequence
	Layout *PipelineLayout // of the push constants that tokens set; nil if there are none
}

// IndirectCommandsLayout is a layout of sequences of generated commands (VkIndirectCommandsLayoutEXT).
type IndirectCommandsLayout struct {
	object
	tokens []Token
	stride uint32
	end    uint32 // bytes of a sequence
	layout *PipelineLayout
}

// NewIndirectCommandsLayout makes a layout of sequences (vkCreateIndirectCommandsLayoutEXT).
func (d *Device) NewIndirectCommandsLayout(info IndirectCommandsLayoutInfo) (*IndirectCommandsLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := d.checkTokens(&info); err != nil {
		return nil, err
	}
	l := &IndirectCommandsLayout{tokens: slices.Clone(info.Tokens), stride: info.Stride, layout: info.Layout}
	for i := range l.tokens {
		t := &l.tokens[i]
		t.Shaders = slices.Clone(t.Shaders)
		l.end = max(l.end, t.Offset+t.bytes())
	}
	d.adopt(&l.object, "indirect commands layout", nil)
	return l, nil
}

// checkTokens checks the description of a layout.
func (d *Device) checkTokens(info *IndirectCommandsLayoutInfo) error {
	n := len(info.Tokens)
	switch {
	case n == 0 || n > MaxIndirectTokens:
		return usage("", "the layout has %d tokens; must have 1 to %d", n, MaxIndirectTokens)
	case info.Stride > MaxSequenceStride || info.Stride%4 != 0:
		return usage("", "the stride of sequences is %d; must be a multiple of 4, at most %d", info.Stride, MaxSequenceStride)
	}
	for i := range info.Tokens {
		t := &info.Tokens[i]
		switch {
		case t.Kind >= numTokenKinds:
			return usage("VUID-VkIndirectCommandsLayoutTokenEXT-type-parameter", "token %d is of kind %d; must be one of Vulkan's", i, t.Kind)
		case t.Kind.action() != (i == n-1):
			return usage("", "token %d of %d; the last token must be the only action", i, n)
		case t.Kind == TokenExecutionSet && i > 0:
			return usage("", "token %d selects from the execution set; must be the first token", i)
		case t.Offset%4 != 0 || t.Offset > MaxTokenOffset:
			return usage("", "token %d is at byte %d of a sequence; must be at a multiple of 4, at most %d", i, t.Offset, MaxTokenOffset)
		case t.Kind == TokenVertexBuffer && t.Binding >= state.MaxBindings:
			return usage("", "token %d sets vertex binding %d; must be below %d", i, t.Binding, state.MaxBindings)
		case len(t.Shaders) > int(numObjectStages) || slices.ContainsFunc(t.Shaders, func(s ShaderStage) bool { return s >= numObjectStages }):
			return usage("", "token %d has %d stages; must be stages of shader objects", i, len(t.Shaders))
		}
		if t.Kind == TokenPushConstant || t.Kind == TokenSequenceIndex {
			if err := d.checkPush(info, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPush checks the push constants that token i sets.
func (d *Device) checkPush(info *IndirectCommandsLayoutInfo, i int) error {
	t := &info.Tokens[i]
	if info.Layout == nil {
		return usage("", "token %d sets push constants, and the layout has no pipeline layout; must have one", i)
	}
	if err := check(d, "the pipeline layout", info.Layout); err != nil {
		return err
	}
	r := &t.Push
	switch {
	case r.Offset%4 != 0 || r.Size%4 != 0 || r.Size == 0 || uint64(r.Offset)+uint64(r.Size) > MaxPushBytes:
		return usage("", "token %d sets %d bytes of push constants from byte %d on; must be multiples of 4 within %d bytes", i, r.Size, r.Offset, MaxPushBytes)
	case t.Kind == TokenSequenceIndex && r.Size != 4:
		return usage("", "token %d stores the number of the sequence to %d bytes; must be 4", i, r.Size)
	}
	return nil
}

// IndirectExecutionSet is a list of pipelines, or of shader objects, of which sequences of generated commands select some
// (VkIndirectExecutionSetEXT).
type IndirectExecutionSet struct {
	object
	mu      sync.Mutex
	list    []Object // *GraphicsPipeline, *ComputePipeline, *RayTracingPipeline or *Shader
	shaders bool
}

// NewIndirectExecutionSet makes a set of n pipelines, of which all are the first one, or with several objects a set of n shader
// objects that begins with those (vkCreateIndirectExecutionSetEXT).
func (d *Device) NewIndirectExecutionSet(n int, first ...Object) (*IndirectExecutionSet, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if len(first) == 0 || n < len(first) || n > MaxIndirectPipelines {
		return nil, usage("", "a set of %d objects, of which %d are given; must be at most %d, and one or more", n, len(first), MaxIndirectPipelines)
	}
	s := &IndirectExecutionSet{list: make([]Object, n)}
	_, s.shaders = first[0].(*Shader)
	for i, x := range first {
		if err := s.fits(d, x); err != nil {
			return nil, err
		}
		s.list[i] = x
	}
	if !s.shaders {
		for i := range s.list {
			s.list[i] = first[0]
		}
	}
	d.adopt(&s.object, "indirect execution set", nil)
	return s, nil
}

// fits checks that an object may be in the set.
func (s *IndirectExecutionSet) fits(d *Device, x Object) error {
	switch p := x.(type) {
	case *GraphicsPipeline:
		return s.fitsAs(check(d, "the pipeline", p), false)
	case *ComputePipeline:
		return s.fitsAs(check(d, "the pipeline", p), false)
	case *RayTracingPipeline:
		return s.fitsAs(check(d, "the pipeline", p), false)
	case *Shader:
		return s.fitsAs(check(d, "the shader object", p), true)
	}
	return usage("", "an execution set has an object that is neither a pipeline nor a shader object; must be one of them")
}

func (s *IndirectExecutionSet) fitsAs(err error, shader bool) error {
	if err == nil && shader != s.shaders {
		return usage("", "an execution set has pipelines and shader objects; must have one kind")
	}
	return err
}

// Update replaces element i (vkUpdateIndirectExecutionSetPipelineEXT, vkUpdateIndirectExecutionSetShaderEXT).
func (s *IndirectExecutionSet) Update(i int, x Object) error {
	if err := check(nil, "the execution set", s); err != nil {
		return err
	}
	if i < 0 || i >= len(s.list) {
		return usage("", "element %d of %v; must be below %d", i, &s.object, len(s.list))
	}
	if err := s.fits(s.dev, x); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list[i] = x
	return nil
}

// at returns element i, which the submission holds.
func (s *IndirectExecutionSet) at(x *executor, i uint32) (Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if uint64(i) >= uint64(len(s.list)) || s.list[i] == nil {
		return nil, usage("", "a sequence selects element %d of %v, which has %d; must be one that is set", i, &s.object, len(s.list))
	}
	o := s.list[i]
	return o, x.work.hold(o.base())
}
