package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
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
	TokenExecutionSet          TokenKind = iota // the number of a pipeline, or of a shader for each stage
	TokenPushConstant                           // bytes of push constants
	TokenSequenceIndex                          // no bytes: the number of the sequence is stored to push constants
	TokenPushData                               // bytes of push data, of shaders for descriptor heaps
	TokenPushDataSequenceIndex                  // no bytes: the number of the sequence is stored to push data
	TokenIndexBuffer                            // VkBindIndexBufferIndirectCommandEXT
	TokenVertexBuffer                           // VkBindVertexBufferIndirectCommandEXT
	TokenDrawIndexed                            // VkDrawIndexedIndirectCommand
	TokenDraw                                   // VkDrawIndirectCommand
	TokenDrawIndexedCount                       // VkDrawIndirectCountIndirectCommandEXT
	TokenDrawCount                              // the same
	TokenDispatch                               // VkDispatchIndirectCommand
	TokenDrawMeshTasks                          // VkDrawMeshTasksIndirectCommandEXT
	TokenDrawMeshTasksCount                     // VkDrawIndirectCountIndirectCommandEXT
	TokenDrawTaskRange                          // VkDrawMeshTasksIndirectCommandNV
	TokenDrawTaskRangeCount                     // VkDrawIndirectCountIndirectCommandEXT
	TokenTraceRays                              // VkTraceRaysIndirectCommand2KHR

	// State of streams, see StreamToken.
	TokenShaderGroup // VkBindShaderGroupIndirectCommandNV
	TokenStateFlags  // VkSetStateFlagsIndirectCommandNV
	TokenPipeline    // VkBindPipelineIndirectCommandNV
	numTokenKinds
)

// tokenBytes are the bytes of tokens in a sequence; 0 if the token has a number of its own.
var tokenBytes = [numTokenKinds]uint32{
	TokenIndexBuffer: 16, TokenVertexBuffer: 16, TokenDrawIndexed: state.IndexedIndirectBytes, TokenDraw: state.IndirectBytes,
	TokenDrawIndexedCount: 16, TokenDrawCount: 16, TokenDispatch: 12, TokenDrawMeshTasks: state.MeshIndirectBytes, TokenDrawMeshTasksCount: 16,
	TokenShaderGroup: 4, TokenStateFlags: 4, TokenPipeline: 8,
	TokenDrawTaskRange: state.TaskRangeBytes, TokenDrawTaskRangeCount: 16, TokenTraceRays: indirectBytes,
}

// numObjectStages is the number of stages of shader objects.
const numObjectStages = StageCompute + 1

// action reports whether the token is an action.
func (k TokenKind) action() bool { return k > TokenVertexBuffer && k < TokenShaderGroup }

// Token is a part of each sequence of generated commands (VkIndirectCommandsLayoutTokenEXT).
type Token struct {
	Kind    TokenKind
	Offset  uint32        // bytes from the begin of the sequence
	Push    link.Range    // push constants or push data, of the tokens that set them
	Binding uint32        // of vertices, of TokenVertexBuffer
	DXGI    bool          // of TokenIndexBuffer: the types of indices are DXGI_FORMAT
	Shaders []ShaderStage // of TokenExecutionSet: the stages whose shader objects the numbers select, in order; nil for pipelines
}

// bytes returns the size of the token in a sequence.
func (t *Token) bytes() uint32 {
	switch t.Kind {
	case TokenExecutionSet:
		return 4 * uint32(max(len(t.Shaders), 1))
	case TokenPushConstant, TokenPushData:
		return t.Push.Size
	}
	return tokenBytes[t.Kind]
}

// IndirectCommandsLayoutInfo describes a layout of sequences. The usage flags of Vulkan have no effect: the order of sequences
// is the order of their numbers, and no work is done before the execution.
type IndirectCommandsLayoutInfo struct {
	Tokens []Token
	Stride uint32              // bytes from sequence to sequence
	Layout *PipelineLayout     // of the push constants that tokens set; nil if there are none
	Inline *PipelineLayoutInfo // describes it without an object (dynamicGeneratedPipelineLayout)
}

// IndirectCommandsLayout is a layout of sequences of generated commands (VkIndirectCommandsLayoutEXT).
type IndirectCommandsLayout struct {
	object
	tokens []Token
	stride uint32
	end    uint32 // bytes of a sequence
	counts bool   // its action has a number of draws
	layout *PipelineLayout
}

// NewIndirectCommandsLayout makes a layout of sequences (vkCreateIndirectCommandsLayoutEXT).
func (d *Device) NewIndirectCommandsLayout(info IndirectCommandsLayoutInfo) (*IndirectCommandsLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	var own *PipelineLayout
	if info.Layout == nil && info.Inline != nil {
		var err error
		if own, err = d.NewPipelineLayout(*info.Inline); err != nil {
			return nil, err
		}
		info.Layout = own
	}
	if err := d.checkTokens(&info); err != nil {
		own.Close()
		return nil, err
	}
	l := &IndirectCommandsLayout{tokens: slices.Clone(info.Tokens), stride: info.Stride, layout: info.Layout}
	for i := range l.tokens {
		t := &l.tokens[i]
		t.Shaders = slices.Clone(t.Shaders)
		l.end = max(l.end, t.Offset+t.bytes())
		l.counts = drawTokens[t.Kind].single != 0
	}
	d.adopt(&l.object, "indirect commands layout", func() { own.Close() })
	return l, nil
}

// checkTokens checks the description of a layout.
func (d *Device) checkTokens(info *IndirectCommandsLayoutInfo) error {
	const rule, token = "VUID-VkIndirectCommandsLayoutCreateInfoEXT-", "VUID-VkIndirectCommandsLayoutTokenEXT-"
	n := len(info.Tokens)
	switch {
	case n == 0:
		return usage(rule+"tokenCount-arraylength", "the layout has 0 tokens; must have one")
	case n > MaxIndirectTokens:
		return usage(rule+"tokenCount-11092", "the layout has %d tokens; must have at most %d", n, MaxIndirectTokens)
	case info.Stride > MaxSequenceStride:
		return usage(rule+"indirectStride-11090", "the stride of sequences is %d; must be at most %d", info.Stride, MaxSequenceStride)
	}
	for i := range info.Tokens {
		t := &info.Tokens[i]
		switch {
		case t.Kind >= TokenShaderGroup:
			return usage(token+"type-parameter", "token %d is of kind %d; must be one of Vulkan's", i, t.Kind)
		case t.Kind.action() != (i == n-1):
			return usage(rule+"pTokens-11100", "token %d of %d; the last token must be the only action", i, n)
		case t.Kind == TokenExecutionSet && i > 0:
			return usage(rule+"pTokens-11139", "token %d selects from the execution set; must be the first token", i)
		case t.Offset > MaxTokenOffset:
			return usage(token+"offset-11124", "token %d is at byte %d of a sequence; must be at most %d", i, t.Offset, MaxTokenOffset)
		case t.Offset%4 != 0:
			return usage(token+"offset-11125", "token %d is at byte %d of a sequence; must be a multiple of 4", i, t.Offset)
		case t.Kind == TokenVertexBuffer && t.Binding >= state.MaxBindings:
			return usage("VUID-VkIndirectCommandsVertexBufferTokenEXT-vertexBindingUnit-11134", "token %d sets vertex binding %d; must be below %d", i, t.Binding, state.MaxBindings)
		case len(t.Shaders) > int(numObjectStages) || slices.ContainsFunc(t.Shaders, func(s ShaderStage) bool { return s >= numObjectStages }):
			return usage("VUID-VkIndirectCommandsExecutionSetTokenEXT-shaderStages-11137", "token %d has %d stages; must be stages of shader objects", i, len(t.Shaders))
		}
		err := error(nil)
		switch t.Kind {
		case TokenPushConstant, TokenSequenceIndex:
			err = d.checkPush(info, i)
		case TokenPushData, TokenPushDataSequenceIndex:
			err = t.checkPushData(i)
		}
		if err != nil {
			return err
		}
	}
	if d.checking > None {
		return info.checkOrder()
	}
	return nil
}

// checkOrder checks the tokens against each other. An execution is defined without these rules, too.
func (info *IndirectCommandsLayoutInfo) checkOrder() error {
	const rule = "VUID-VkIndirectCommandsLayoutCreateInfoEXT-pTokens-"
	last := &info.Tokens[len(info.Tokens)-1]
	draws := &drawTokens[last.Kind]
	drawsVertices := last.Kind >= TokenDrawIndexed && last.Kind <= TokenDrawCount
	var numbered *Token // that stores the number of the sequence
	bound, pushed := uint32(0), uint64(0)
	for i := range info.Tokens {
		t := &info.Tokens[i]
		words := t.pushWords()
		switch {
		case i > 0 && t.Offset < info.Tokens[i-1].Offset:
			return usage(rule+"11103", "token %d is at byte %d, and the one before it at byte %d; must not be before that", i, t.Offset, info.Tokens[i-1].Offset)
		case t.Kind == TokenSequenceIndex && numbered != nil && numbered.Kind == TokenSequenceIndex:
			return usage(rule+"11145", "token %d is the second one with the number of the sequence; must be the only one", i)
		case t.storesIndex() && numbered != nil:
			return usage(rule+"11094", "token %d is the second one with the number of the sequence; must be the only one", i)
		case t.Kind == TokenIndexBuffer && !draws.indexed:
			return usage(rule+"11095", "token %d binds indices, and the action is no draw with indices; must be one", i)
		case t.Kind == TokenVertexBuffer && !drawsVertices:
			return usage(rule+"11096", "token %d binds vertices, and the action is no draw of vertices; must be one", i)
		case t.Kind == TokenVertexBuffer && bound>>t.Binding&1 != 0:
			return usage(rule+"11097", "token %d sets vertex binding %d again; must be another one", i, t.Binding)
		case pushed&words != 0:
			return usage(rule+"11099", "token %d sets push constants that a token before it sets; must be others", i)
		case words != 0 && t.setsData() && t.Push.Stages != link.AllStages:
			return usage("VUID-VkIndirectCommandsLayoutTokenEXT-type-11333", "token %d sets push data of some stages; must be of VK_SHADER_STAGE_ALL", i)
		}
		if t.Kind == TokenVertexBuffer {
			bound |= 1 << t.Binding
		}
		pushed |= words
		if t.storesIndex() {
			numbered = t
		}
	}
	return nil
}

// storesIndex reports whether the token stores the number of the sequence.
func (t *Token) storesIndex() bool {
	return t.Kind == TokenSequenceIndex || t.Kind == TokenPushDataSequenceIndex
}

// setsData reports whether the token sets push data.
func (t *Token) setsData() bool {
	return t.Kind == TokenPushData || t.Kind == TokenPushDataSequenceIndex
}

// pushWords returns the words of push constants or push data that a valid token sets: a bit for each.
func (t *Token) pushWords() uint64 {
	if t.Kind < TokenPushConstant || t.Kind > TokenPushDataSequenceIndex {
		return 0
	}
	return (1<<(t.Push.Size/4) - 1) << (t.Push.Offset / 4)
}

// checkPush checks the push constants that token i sets.
func (d *Device) checkPush(info *IndirectCommandsLayoutInfo, i int) error {
	t := &info.Tokens[i]
	if info.Layout == nil {
		return usage("VUID-VkIndirectCommandsLayoutCreateInfoEXT-pTokens-11102", "token %d sets push constants, and the layout has no pipeline layout; must have one", i)
	}
	if err := check(d, "the pipeline layout", info.Layout); err != nil {
		return err
	}
	r := &t.Push
	if r.Offset%4 != 0 || r.Size%4 != 0 || r.Size == 0 || uint64(r.Offset)+uint64(r.Size) > uint64(info.Layout.push) {
		return usage("VUID-VkIndirectCommandsPushConstantTokenEXT-updateRange-11132", "token %d sets %d bytes of push constants from byte %d on; must be multiples of 4 within the %d bytes of the layout", i, r.Size, r.Offset, info.Layout.push)
	}
	return t.checkIndex(i)
}

// checkPushData checks the push data that token i sets: the rules are those of vkCmdPushDataEXT.
func (t *Token) checkPushData(i int) error {
	switch r := &t.Push; {
	case r.Offset%4 != 0:
		return usage("VUID-VkPushDataInfoEXT-offset-11418", "token %d sets push data from byte %d on; must be a multiple of 4", i, r.Offset)
	case r.Size%4 != 0 || r.Size == 0:
		return usage("VUID-VkPushDataInfoEXT-data-11419", "token %d sets %d bytes of push data; must be a multiple of 4, and not 0", i, r.Size)
	case uint64(r.Offset)+uint64(r.Size) > MaxPushBytes:
		return usage("VUID-VkPushDataInfoEXT-offset-11243", "token %d sets %d bytes of push data from byte %d on; must end at %d", i, r.Size, r.Offset, MaxPushBytes)
	}
	return t.checkIndex(i)
}

// checkIndex checks the size of the number of the sequence that token i stores.
func (t *Token) checkIndex(i int) error {
	if t.storesIndex() && t.Push.Size != 4 {
		return usage("VUID-VkIndirectCommandsPushConstantTokenEXT-size-11133", "token %d stores the number of the sequence to %d bytes; must be 4", i, t.Push.Size)
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

// setRules are the rules of a set of pipelines, or of shader objects: on the number of elements, the number of one, the flag of the
// first ones and of the others, and the kind.
type setRules struct{ count, index, first, bindable, kind string }

var (
	pipelineSet = setRules{
		"VUID-VkIndirectExecutionSetPipelineInfoEXT-maxPipelineCount-11018", "VUID-VkWriteIndirectExecutionSetPipelineEXT-index-11026",
		"VUID-VkIndirectExecutionSetPipelineInfoEXT-initialPipeline-11153", "VUID-VkWriteIndirectExecutionSetPipelineEXT-pipeline-11027",
		"VUID-vkUpdateIndirectExecutionSetShaderEXT-indirectExecutionSet-11041",
	}
	shaderSet = setRules{
		"VUID-VkIndirectExecutionSetShaderInfoEXT-maxShaderCount-11036", "VUID-VkWriteIndirectExecutionSetShaderEXT-index-11031",
		"VUID-VkIndirectExecutionSetShaderInfoEXT-pInitialShaders-11154", "VUID-VkWriteIndirectExecutionSetShaderEXT-shader-11032",
		"VUID-vkUpdateIndirectExecutionSetPipelineEXT-indirectExecutionSet-11035",
	}
)

// rules returns the rules of the set.
func (s *IndirectExecutionSet) rules() *setRules {
	if s.shaders {
		return &shaderSet
	}
	return &pipelineSet
}

// NewIndirectExecutionSet makes a set of n pipelines, of which all are the first one, or with several objects a set of n shader
// objects that begins with those (vkCreateIndirectExecutionSetEXT).
func (d *Device) NewIndirectExecutionSet(n int, first ...Object) (*IndirectExecutionSet, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if len(first) == 0 {
		return nil, usage("", "a set of %d objects, of which none are given; must be one or more", n)
	}
	s := &IndirectExecutionSet{}
	_, s.shaders = first[0].(*Shader)
	rules := s.rules()
	if n < len(first) || n > MaxIndirectPipelines {
		return nil, usage(rules.count, "a set of %d objects, of which %d are given; must be at least as many, and at most %d", n, len(first), MaxIndirectPipelines)
	}
	s.list = make([]Object, n)
	for i, x := range first {
		if err := s.fits(d, x, rules.first); err != nil {
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

// fits checks that an object may be in the set. The rule is on its flag.
func (s *IndirectExecutionSet) fits(d *Device, x Object, rule string) error {
	bindable, shader := false, false
	switch p := x.(type) {
	case Pipeline:
		if err := d.checkPipeline(p); err != nil {
			return err
		}
		bindable = p.made().flags&enum.PipelineFlagsIndirectBindableBitExt != 0
	case *Shader:
		if err := check(d, "the shader object", p); err != nil {
			return err
		}
		shader, bindable = true, p.info.Flags&enum.ObjectFlagsIndirectBindable != 0
	default:
		return usage("", "an execution set has an object that is neither a pipeline nor a shader object; must be one of them")
	}
	switch {
	case shader != s.shaders:
		return usage(s.rules().kind, "an execution set has pipelines and shader objects; must have one kind")
	case d.checking >= All && !bindable:
		return usage(rule, "%v lacks the flag IndirectBindable; must have it", x)
	}
	return nil
}

// Update replaces element i (vkUpdateIndirectExecutionSetPipelineEXT, vkUpdateIndirectExecutionSetShaderEXT).
func (s *IndirectExecutionSet) Update(i int, x Object) error {
	if err := check(nil, "the execution set", s); err != nil {
		return err
	}
	if i < 0 || i >= len(s.list) {
		return usage(s.rules().index, "element %d of %v; must be below %d", i, &s.object, len(s.list))
	}
	if err := s.fits(s.dev, x, s.rules().bindable); err != nil {
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
