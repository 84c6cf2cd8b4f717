package vk

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// drawStream describes a layout of draws in a stream.
func drawStream() StreamLayoutInfo {
	return StreamLayoutInfo{Bind: Graphics, Strides: []uint32{16}, Tokens: []StreamToken{{Token: Token{Kind: TokenDraw}}}}
}

// TestStreamDispatches runs sequences of three streams, with a number of sequences and with their numbers in memory: the pipeline, push
// constants and workgroups.
func TestStreamDispatches(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		r := newRig(t, info, storage)
		l := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout}, Push: []link.Range{{Size: 8, Stages: link.AllStages}}}))(t)
		places, _ := r.addressed(t, make([]uint32, 8)...)
		var pipelines [2]*ComputePipeline
		for i, add := range []string{"0", "100"} {
			p := r.pokerInfo(t, l, add)
			p.Flags, p.Indirect = enum.PipelineFlagsIndirectBindable, IndirectPlace{places.Address() + uint64(16*i), IndirectInfoBytes}
			pipelines[i] = must(r.dev.NewComputePipeline(context.Background(), p))(t)
		}
		layout := must(r.dev.NewStreamLayout(StreamLayoutInfo{Bind: Compute, Indexed: true, Strides: []uint32{8, 12, 12}, Tokens: []StreamToken{
			{Token: Token{Kind: TokenPipeline}},
			{Token: Token{Kind: TokenPushConstant, Offset: 4, Push: link.Range{Size: 8, Stages: link.AllStages}}, Stream: 1, Layout: l},
			{Token: Token{Kind: TokenDispatch}, Stream: 2},
		}}))(t)
		plain, more := pipelines[0].IndirectAddress(), pipelines[1].IndirectAddress()
		low := func(x uint64) uint32 { return uint32(x) }
		high := func(x uint64) uint32 { return uint32(x >> 32) }
		selected, _ := r.addressed(t, 99, low(plain), high(plain), low(more), high(more), low(plain), high(plain))
		push, _ := r.addressed(t, 99, 0, 11, 99, 1, 22, 99, 2, 33)
		groups, _ := r.addressed(t, 1, 1, 1, 1, 1, 1, 0, 1, 1)
		numbers, _ := r.addressed(t, 99, 2, 1, 0)
		count, _ := r.addressed(t, 2)
		for _, x := range []struct {
			most  uint32
			count BufferPlace
			want  []uint32
		}{{3, BufferPlace{}, []uint32{11, 122, 0}}, {2, BufferPlace{}, []uint32{0, 122, 0}}, {1, BufferPlace{count, 0}, []uint32{0, 0, 0}}, {3, BufferPlace{count, 0}, []uint32{0, 122, 0}}} {
			clear(r.memory.Bytes()[64:96])
			c := r.record(t, func(c *CommandBuffer) {
				for _, p := range pipelines {
					c.UpdateIndirect(p)
				}
				c.BindSets(Compute, l, 0, []*Set{r.set}, nil)
				g := StreamCommands{
					Layout: layout, Streams: []BufferPlace{{selected, 4}, {push, 0}, {groups, 0}}, Sequences: x.most, Count: x.count, Indices: BufferPlace{numbers, 4},
				}
				c.PreprocessStreams(g)
				c.ExecuteStreams(g)
			})
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			for i, want := range x.want {
				if got := binary.LittleEndian.Uint32(r.memory.Bytes()[64+4*i:]); got != want {
					t.Errorf("at most %d sequences: word %d is %d; must be %d", x.most, i, got, want)
				}
			}
		}
	})
}

// greenText writes green.
var greenText = strings.NewReplacer("%v4 = OpTypeVector %float 4", "%v4 = OpTypeVector %float 4\n%f0 = OpConstant %float 0\n%f1 = OpConstant %float 1",
	"%x = OpLoad %v4 %p", "%x = OpCompositeConstruct %v4 %f0 %f1 %f0 %f1").Replace(pushed)

// TestStreamDraws draws by sequences that select shader groups, set the front face, and bind vertices and indices. Group 0 has the color of
// the push constants, group 1 is green. The triangle over everything is clockwise.
func TestStreamDraws(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		s := newSceneOn(t, 1, info)
		s.fixed.Rasterization = &link.Rasterization{LineWidth: 1, Cull: enum.CullModeBack}
		s.fixed.DepthStencil = &link.DepthStencil{}
		create := s.stages
		create.State, create.Flags = s.fixed, enum.PipelineFlagsIndirectBindable
		green := must(s.dev.NewShaderModule(context.Background(), code(t, greenText)))(t)
		first := ShaderGroup{Vertex: create.Vertex, Fragment: create.Fragment, Input: s.fixed.Vertex}
		second := first
		second.Fragment = &StageInfo{Module: green}
		create.Groups = []ShaderGroup{first}
		library := create
		library.Fragment, library.Groups = second.Fragment, []ShaderGroup{second}
		other := must(s.dev.NewGraphicsPipeline(context.Background(), library))(t)
		create.GroupPipelines = []*GraphicsPipeline{other}
		p := must(s.dev.NewGraphicsPipeline(context.Background(), create))(t)
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		s.build(t)
		corners, _ := s.addressed(t, slices.Concat(floatWords(-1, -1, .5, 1, 9, 9, 9, 9, 3, -1, .5, 1, 9, 9, 9, 9, -1, 3, .5, 1, 9, 9, 9, 9), []uint32{0, 1, 2, 0x0002_0004})...)
		at := corners.Address()
		red := floatWords(1, 0, 0, 1)
		blank, redPixel, greenPixel := [4]byte{0, 0, 0, 255}, [4]byte{255, 0, 0, 255}, [4]byte{0, 255, 0, 255}
		vertices := func(stride uint32) []uint32 { return []uint32{uint32(at), uint32(at >> 32), 96, stride} }
		push := StreamToken{Token: Token{Kind: TokenPushConstant, Push: link.Range{Size: 16, Stages: s.layout.link.Push[0].Stages}}, Layout: s.layout}
		group, flags := StreamToken{Token: Token{Kind: TokenShaderGroup}}, StreamToken{Token: Token{Kind: TokenStateFlags}, FrontFaceBit: true}
		bind, draw := StreamToken{Token: Token{Kind: TokenVertexBuffer}}, StreamToken{Token: Token{Kind: TokenDraw}}
		fixed := bind
		fixed.FixedStride = true
		indices := StreamToken{Token: Token{Kind: TokenIndexBuffer}, IndexValues: []uint32{57, 42}, IndexTypes: []uint32{0, 1}}
		indexed := StreamToken{Token: Token{Kind: TokenDrawIndexed}}
		for _, x := range []struct {
			name   string
			tokens []StreamToken
			words  []uint32
			want   [4]byte
		}{
			{"front face", []StreamToken{group, flags, bind, push, draw}, slices.Concat([]uint32{0, 1}, vertices(32), red, []uint32{3, 1, 0, 0}), redPixel},
			{"back face", []StreamToken{group, flags, bind, push, draw}, slices.Concat([]uint32{0, 0}, vertices(32), red, []uint32{3, 1, 0, 0}), blank},
			{"group", []StreamToken{group, flags, bind, push, draw}, slices.Concat([]uint32{1, 1}, vertices(32), red, []uint32{3, 1, 0, 0}), greenPixel},
			{"no flags", []StreamToken{group, bind, push, draw}, slices.Concat([]uint32{1}, vertices(32), red, []uint32{3, 1, 0, 0}), blank},
			// The pipeline's stride is 16: every other vertex is one of the triangle.
			{"stride of the pipeline", []StreamToken{flags, fixed, indices, push, indexed}, slices.Concat([]uint32{1}, vertices(0), []uint32{uint32(at + 96), uint32(at >> 32), 12, 42}, red, []uint32{3, 1, 0, 0, 0}), blank},
			{"indices", []StreamToken{flags, bind, indices, push, indexed}, slices.Concat([]uint32{1}, vertices(32), []uint32{uint32(at + 96), uint32(at >> 32), 12, 42}, red, []uint32{3, 1, 0, 0, 0}), redPixel},
		} {
			offset := uint32(0)
			for i := range x.tokens {
				x.tokens[i].Offset = offset
				offset += x.tokens[i].bytes()
			}
			layout := must(s.dev.NewStreamLayout(StreamLayoutInfo{Bind: Graphics, Tokens: x.tokens, Strides: []uint32{offset}}))(t)
			b, _ := s.addressed(t, x.words...)
			c := s.record(t, func(c *CommandBuffer) {
				c.BeginRendering(s.rendering())
				c.ExecuteStreams(StreamCommands{Pipeline: p, Layout: layout, Streams: []BufferPlace{{b, 0}}, Sequences: 1})
				c.EndRendering()
				s.copyOut(c, s.color)
			})
			if err := s.submit(t, c); err != nil {
				t.Fatal(x.name, err)
			}
			if got := s.pixel(7, 7); got != x.want {
				t.Errorf("%s: the pixel is %v; must be %v", x.name, got, x.want)
			}
		}
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BindShaderGroup(p, 1)
		if err := c.Err(); err != nil {
			t.Error(err)
		}
		c.BindShaderGroup(p, 2)
		wantRule(t, c.Err(), "VUID-vkCmdBindPipelineShaderGroupNV-groupIndex-02893")
	})
}

// TestShaderGroupStages checks that a group has no stage of the pipeline: its stages are those that it lists. Without checks the groups of a
// pipeline may have different stages.
func TestShaderGroupStages(t *testing.T) {
	s := clusterScene(t, DeviceInfo{}, evenClusters)
	s.dev.checking = None
	create := s.stages
	create.State = s.fixed
	create.Groups = []ShaderGroup{
		{Vertex: create.Vertex, Fragment: create.Fragment, Input: s.fixed.Vertex},
		{ClusterCulling: create.ClusterCulling, Vertex: create.Vertex, Fragment: create.Fragment, Input: s.fixed.Vertex},
	}
	p := must(s.dev.NewGraphicsPipeline(context.Background(), create))(t)
	for i, want := range []bool{false, true} {
		if got := p.groups.list[i].clusters != nil; got != want {
			t.Errorf("group %d has a cluster culling stage: %v; must be %v", i, got, want)
		}
	}
}

// TestShaderGroupRules breaks the rules on the groups of a pipeline, one each. Some groups may lack a task stage.
func TestShaderGroupRules(t *testing.T) {
	s := newSceneOn(t, 1, DeviceInfo{Checking: Pipelines})
	create := s.stages
	create.State = s.fixed
	own := ShaderGroup{Vertex: create.Vertex, Fragment: create.Fragment, Input: s.fixed.Vertex}
	mesh := ShaderGroup{Mesh: create.Vertex, Fragment: create.Fragment}
	tasks := mesh
	tasks.Task = create.Vertex
	noFragment, otherInput := own, own
	noFragment.Fragment, otherInput.Input = nil, &link.VertexInput{}
	const rule = "VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-pGroups-"
	for _, x := range []struct {
		groups []ShaderGroup
		rule   string
	}{
		{[]ShaderGroup{otherInput}, rule + "02881"}, {[]ShaderGroup{noFragment}, rule + "02881"}, {[]ShaderGroup{own, noFragment}, rule + "02884"},
		{[]ShaderGroup{own, mesh}, rule + "02885"},
	} {
		create.Groups = x.groups
		_, err := s.dev.NewGraphicsPipeline(context.Background(), create)
		wantRule(t, err, x.rule)
	}
	create.Vertex, create.Mesh, create.Groups = nil, mesh.Mesh, []ShaderGroup{mesh, tasks}
	if err := create.checkGroups(); err != nil {
		t.Error(err)
	}
	create.Groups = []ShaderGroup{own, otherInput}
	create.Vertex, create.Mesh = own.Vertex, nil
	if err := create.checkGroups(); err != nil {
		t.Error(err)
	}
}

// TestStreamRules breaks the rules on layouts of streams, one each.
func TestStreamRules(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	vertexPush := must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Push: []link.Range{{Size: 4, Stages: link.StagesOf(1)}}}))(t)
	pushes := func(i *StreamLayoutInfo, r link.Range) {
		i.Tokens = []StreamToken{{Token: Token{Kind: TokenPushData, Push: r}}, i.Tokens[0]}
	}
	for rule, change := range map[string]func(*StreamLayoutInfo){
		"LayoutCreateInfoNV-pipelineBindPoint-02930": func(i *StreamLayoutInfo) { i.Bind = RayTracing },
		"LayoutCreateInfoNV-tokenCount-02931":        func(i *StreamLayoutInfo) { i.Tokens = nil },
		"LayoutCreateInfoNV-streamCount-02936":       func(i *StreamLayoutInfo) { i.Strides = nil },
		"LayoutCreateInfoNV-pStreamStrides-02937":    func(i *StreamLayoutInfo) { i.Strides[0] = 0 },
		"LayoutCreateInfoNV-pipelineBindPoint-09089": func(i *StreamLayoutInfo) { i.Bind = Compute },
		"LayoutCreateInfoNV-pTokens-02932": func(i *StreamLayoutInfo) {
			i.Tokens = []StreamToken{{Token: Token{Kind: TokenVertexBuffer}}, {Token: Token{Kind: TokenShaderGroup}}, i.Tokens[0]}
		},
		"LayoutCreateInfoNV-pTokens-02933": func(i *StreamLayoutInfo) {
			flags := StreamToken{Token: Token{Kind: TokenStateFlags}, FrontFaceBit: true}
			i.Tokens = []StreamToken{flags, flags, i.Tokens[0]}
		},
		"LayoutCreateInfoNV-pTokens-02934": func(i *StreamLayoutInfo) { i.Tokens = append(i.Tokens, i.Tokens[0]) },
		"LayoutCreateInfoNV-pTokens-02935": func(i *StreamLayoutInfo) { i.Tokens[0].Kind = TokenVertexBuffer },
		"LayoutCreateInfoNV-pTokens-09585": func(i *StreamLayoutInfo) {
			i.Bind = Compute
			push := StreamToken{Token: Token{Kind: TokenPushConstant, Push: link.Range{Size: 4, Stages: s.layout.link.Push[0].Stages}}, Layout: s.layout}
			i.Tokens = []StreamToken{push, {Token: Token{Kind: TokenPipeline}}, {Token: Token{Kind: TokenDispatch}}}
		},
		"LayoutTokenNV-stream-02951": func(i *StreamLayoutInfo) { i.Tokens[0].Stream = 1 },
		"LayoutTokenNV-offset-02952": func(i *StreamLayoutInfo) { i.Tokens[0].Offset = 1 << 20 },
		"LayoutTokenNV-offset-06888": func(i *StreamLayoutInfo) { i.Tokens[0].Offset = 2 },
		"LayoutTokenNV-tokenType-02976": func(i *StreamLayoutInfo) {
			i.Tokens[0].Kind, i.Tokens[0].Binding = TokenVertexBuffer, 1<<10
			i.Tokens = append(i.Tokens, drawStream().Tokens[0])
		},
		"LayoutTokenNV-tokenType-02982": func(i *StreamLayoutInfo) {
			i.Tokens = []StreamToken{{Token: Token{Kind: TokenPushConstant, Push: link.Range{Size: 4, Stages: link.AllStages}}, Layout: vertexPush}, i.Tokens[0]}
		},
		"LayoutTokenNV-tokenType-02983": func(i *StreamLayoutInfo) {
			i.Tokens = []StreamToken{{Token: Token{Kind: TokenPushConstant, Push: link.Range{Size: 4}}, Layout: vertexPush}, i.Tokens[0]}
		},
		"LayoutTokenNV-tokenType-11334":              func(i *StreamLayoutInfo) { pushes(i, link.Range{}) },
		"LayoutPushDataTokenNV-pushDataOffset-11335": func(i *StreamLayoutInfo) { pushes(i, link.Range{Offset: MaxPushBytes - 4, Size: 4}) },
		"LayoutPushDataTokenNV-pushDataOffset-11420": func(i *StreamLayoutInfo) { pushes(i, link.Range{Offset: 2, Size: 4}) },
		"LayoutPushDataTokenNV-pushDataSize-11421":   func(i *StreamLayoutInfo) { pushes(i, link.Range{Size: 2}) },
		"LayoutTokenNV-tokenType-02984": func(i *StreamLayoutInfo) {
			i.Tokens[0].Kind = TokenStateFlags
			i.Tokens = append(i.Tokens, drawStream().Tokens[0])
		},
	} {
		info := drawStream()
		change(&info)
		_, err := s.dev.NewStreamLayout(info)
		wantRule(t, err, "VUID-VkIndirectCommands"+rule)
	}
	layout := must(s.dev.NewStreamLayout(drawStream()))(t)
	for rule, g := range map[string]StreamCommands{
		"VUID-VkGeneratedCommandsInfoNV-streamCount-02916":          {Pipeline: s.pipeline, Layout: layout, Sequences: 1},
		"VUID-VkGeneratedCommandsInfoNV-sequencesCount-02917":       {Pipeline: s.pipeline, Layout: layout, Streams: []BufferPlace{{s.vertices, 0}}, Sequences: MaxSequences + 1},
		"VUID-VkGeneratedCommandsInfoNV-sequencesIndexBuffer-02924": {Pipeline: s.pipeline, Layout: layout, Streams: []BufferPlace{{s.vertices, 0}}, Sequences: 1, Indices: BufferPlace{s.vertices, 0}},
		"VUID-VkIndirectCommandsStreamNV-offset-02943":              {Pipeline: s.pipeline, Layout: layout, Streams: []BufferPlace{{s.vertices, 2}}, Sequences: 1},
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.ExecuteStreams(g)
		wantRule(t, c.Err(), rule)
	}
	// The rules on draws have an identifier for each command.
	words, _ := s.addressed(t, 3, 1, 0, 0)
	c := s.record(t, func(c *CommandBuffer) {
		c.ExecuteStreams(StreamCommands{Pipeline: s.pipeline, Layout: layout, Streams: []BufferPlace{{words, 0}}, Sequences: 1})
	})
	wantRule(t, s.submit(t, c), "VUID-vkCmdExecuteGeneratedCommandsNV-renderpass")
}
