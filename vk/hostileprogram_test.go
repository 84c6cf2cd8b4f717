package vk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// readsTileImage is a fragment shader that returns the color of its attachment, with the depth as red and a sample as green.
const readsTileImage = `OpCapability Shader
OpCapability TileImageColorReadAccessEXT
OpCapability TileImageDepthReadAccessEXT
OpExtension "SPV_EXT_shader_tile_image"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %colors
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %colors Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%half = OpConstant %float 0.5
%out = OpTypePointer Output %v4
%c = OpVariable %out Output
%tile = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown
%many = OpTypeArray %tile %u1
%pmany = OpTypePointer TileImageEXT %many
%ptile = OpTypePointer TileImageEXT %tile
%colors = OpVariable %pmany TileImageEXT
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpAccessChain %ptile %colors %u0
%i = OpLoad %tile %at
%x = OpColorAttachmentReadEXT %v4 %i
%y = OpColorAttachmentReadEXT %v4 %i %u0
%d = OpDepthAttachmentReadEXT %float %u0
%g = OpCompositeExtract %float %y 1
%s = OpFAdd %float %g %half
%z = OpCompositeInsert %v4 %d %x 0
%w = OpCompositeInsert %v4 %s %z 1
OpStore %c %w
OpReturn
OpFunctionEnd
`

// hostileProgram has the modules of a stage, and runs changed ones. The run returns the memory that they write. Words are counts of workgroups
// and payloads.
type hostileProgram struct {
	name  string
	texts []string
	run   func(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error)
}

// hostilePrograms are programs of all stages but vertices and plain dispatches.
func hostilePrograms(t *testing.T) []hostileProgram {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name + ".spvasm")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	always := strings.Replace(sendsNext, "COUNT", "OpCopyObject %uint %u1", 1)
	recursive := oneNode("OpExecutionModeId %self MaxNodeRecursionAMDX %u4\n", "", always)
	ends := strings.NewReplacer("%n = COUNT", "%any = OpINotEqual %bool %rest %u0\n%n = OpSelect %uint %any %u1 %u0").Replace(sendsNext)
	ended := oneNode("OpExecutionModeId %self MaxNodeRecursionAMDX %u4\n", "", ends)
	tile := strings.NewReplacer("MODE", "LocalSize 4 4 1", "STEPX", "4", "STEPY", "4").Replace(shadesTile)
	rate := strings.NewReplacer("MODE", "TileShadingRateQCOM 2 2 1", "STEPX", "2", "STEPY", "2").Replace(shadesTile)
	return []hostileProgram{
		{"mesh", []string{read("tiles.task"), read("tiles.mesh")}, runHostileMesh},
		{"mesh_nv", []string{read("tasks.task"), read("tasks.mesh")}, runHostileMesh},
		{"cluster", []string{evenClusters}, runHostileCluster},
		{"cluster of vertices", []string{unindexed}, runHostileCluster},
		{"subpass shading", []string{strings.Replace(shadesPixels, "WIDTH", "8", 1)}, runHostileShading},
		{"graph", []string{twoNodes}, runHostileGraph},
		{"recursion", []string{recursive}, runHostileGraph},
		{"recursion that ends", []string{ended}, runHostileGraph},
		{"mesh node", []string{twoNodes, meshLeaf}, runHostileMeshNode},
		{"sending mesh node", []string{twoNodes, meshSender}, runHostileMeshNode},
		{"tile", []string{tile}, runHostileTile},
		{"rate of tiles", []string{rate}, runHostileTile},
		{"reads of tiles", []string{strings.Replace(readsTile, "OFFSET", "0", 1)}, runHostileTileDraw},
		{"tile image", []string{readsTileImage}, runHostileTileImage},
	}
}

// hostileScene makes a scene on a device with the level of checks of info.
func hostileScene(t *testing.T, info DeviceInfo) *scene {
	s := newSceneOn(t, 1, info)
	s.dev.checking = info.Checking
	return s
}

// pictureOf draws in a rendering and returns the pixels.
func (s *scene) pictureOf(t *testing.T, p *GraphicsPipeline, draws func(c *CommandBuffer)) ([]byte, error) {
	t.Helper()
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		return nil, err
	}
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
	c.BeginRendering(s.rendering())
	if p != nil {
		c.BindGraphicsPipeline(p)
		s.paint(c, 1, 1, 1, 1)
	}
	draws(c)
	c.EndRendering()
	s.copyOut(c, s.color)
	if err := c.End(); err != nil {
		return nil, err
	}
	err := s.submit(t, c)
	return s.memory.Bytes()[2048:][:256], err
}

func runHostileMesh(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	s := hostileScene(t, info)
	x := GraphicsPipelineInfo{Layout: s.layout, State: s.fixed, Task: &StageInfo{Code: modules[0]}, Mesh: &StageInfo{Code: modules[1]}, Fragment: s.stages.Fragment}
	x.State.Vertex, x.State.Assembly = nil, nil
	p, err := s.dev.NewGraphicsPipeline(context.Background(), x)
	if err != nil {
		return nil, err
	}
	return s.pictureOf(t, p, func(c *CommandBuffer) {
		if words[2]%8 == 0 || bytes.Contains(modules[1], []byte("NV_mesh")) {
			c.DrawTaskRange(words[0]%8, words[1]%8)
		} else {
			c.DrawMeshTasks(words[0]%8, 1, words[1]%3)
		}
	})
}

func runHostileCluster(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	level := info.Checking
	s := clusterScene(t, info, evenClusters)
	s.dev.checking = level
	s.stages.ClusterCulling = &StageInfo{Code: modules[0]}
	s.stages.State = s.fixed
	p, err := s.dev.NewGraphicsPipeline(context.Background(), s.stages)
	if err != nil {
		return nil, err
	}
	return s.pictureOf(t, p, func(c *CommandBuffer) {
		c.BindIndexBuffer(s.vertices, 384, 4)
		c.DrawCluster(words[0], 1, words[1]%3)
	})
}

func runHostileShading(t *testing.T, info DeviceInfo, modules [][]byte, _ []uint32) ([]byte, error) {
	h := hostileScene(t, info).shading(t, 3, 0)
	p, err := h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: modules[0]}, Layout: h.layout, RenderPass: h.pass, Subpass: 1})
	if err != nil {
		return nil, err
	}
	err = h.submit(t, h.commands(t, nothing, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.SubpassShading()
	}))
	return h.bytes, err
}

func runHostileGraph(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	level := info.Checking
	r := newGraphRig(t, info)
	r.dev.checking = level
	x := GraphPipelineInfo{Layout: r.layout}
	for _, name := range []string{"root", "leaf", "self"} {
		if bytes.Contains(modules[0], []byte(name)) {
			x.Stages = append(x.Stages, StageInfo{Code: modules[0], Entry: name})
		}
	}
	p, err := r.dev.NewGraphPipeline(context.Background(), x)
	if err != nil {
		return nil, err
	}
	if least := p.ScratchSize().Min; words[0]%2 == 0 && least <= r.scratch.Size {
		r.scratch.Size = least
	}
	err = r.run(t, p, func(c *CommandBuffer) {
		c.DispatchGraph(r.scratch, []GraphStart{{Node: words[1] % uint32(len(x.Stages)), Count: 3, Payloads: payloadWords(words...), Stride: 8}})
	})
	return r.bytes, err
}

func runHostileMeshNode(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	s := hostileScene(t, info)
	ctx := context.Background()
	root, err := s.dev.NewComputePipeline(ctx, ComputePipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Stage: StageInfo{Code: modules[0], Entry: "root"}, Layout: must(s.dev.NewPipelineLayout(PipelineLayoutInfo{}))(t),
	})
	if err != nil {
		return nil, err
	}
	x := s.meshNode(t, meshLeaf)
	x.Mesh.Code = modules[1]
	leaf, err := s.dev.NewGraphicsPipeline(ctx, x)
	if err != nil {
		return nil, err
	}
	p, err := s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Computes: []*ComputePipeline{root}, Meshes: []*GraphicsPipeline{leaf}})
	if err != nil {
		return nil, err
	}
	if p.ScratchSize().Max > 1<<26 {
		return nil, errors.New("much scratch memory")
	}
	r := &graphRig{dev: s.dev}
	r.scratchOf(t, p.ScratchSize().Max)
	if err := s.submit(t, s.record(t, func(c *CommandBuffer) { c.InitializeGraphScratch(p, r.scratch) })); err != nil {
		return nil, err
	}
	return s.pictureOf(t, nil, func(c *CommandBuffer) {
		c.BindGraph(p)
		c.DispatchGraph(r.scratch, []GraphStart{{Node: words[1] % 2, Count: 3, Payloads: payloadWords(words...), Stride: 8}})
	})
}

func runHostileTile(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	level := info.Checking
	h := newTileScene(t, info)
	h.dev.checking = level
	p, err := h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: modules[0]}, Layout: h.layout})
	if err != nil {
		return nil, err
	}
	return h.bytes, h.tried(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		if words[0]%2 == 0 {
			c.DispatchTile()
		} else {
			c.Dispatch(words[1]%5, words[2]%5, 1)
		}
	})
}

func runHostileTileDraw(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	level := info.Checking
	h := newTileScene(t, info)
	h.dev.checking = level
	_, b := h.drawn(t, "0", 20)
	x := must(h.dev.NewShaderModule(context.Background(), code(t, positions)))(t)
	state := h.drawState(t, 20)
	p, err := h.dev.NewGraphicsPipeline(context.Background(), GraphicsPipelineInfo{Vertex: &StageInfo{Module: x}, Fragment: &StageInfo{Code: modules[0]}, Layout: h.layout, State: state})
	if err != nil {
		return nil, err
	}
	return h.bytes, h.tried(t, func(c *CommandBuffer) {
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: b}})
		c.BindGraphicsPipeline(p)
		c.Draw(3, words[0]%5, 0, 0)
	})
}

// tried runs commands of the execution of tiles.
func (h *tileScene) tried(t *testing.T, f func(c *CommandBuffer)) error {
	t.Helper()
	c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		return err
	}
	for _, point := range []BindPoint{Compute, Graphics} {
		c.BindSets(point, h.layout, 0, []*Set{h.set}, nil)
	}
	c.BeginRendering(h.rendering(TileShading{Enable: true}))
	c.BeginPerTile()
	f(c)
	c.EndPerTile()
	c.EndRendering()
	c.CopyImageToBuffer(h.image, h.out, []BufferImageCopy{{Extent: [3]int{20, 12, 1}}})
	if err := c.End(); err != nil {
		return err
	}
	return h.submit(t, c)
}

func runHostileTileImage(t *testing.T, info DeviceInfo, modules [][]byte, words []uint32) ([]byte, error) {
	s := clusterScene(t, info, evenClusters)
	s.dev.checking = info.Checking
	x := s.stages
	x.ClusterCulling, x.State = nil, s.fixed
	x.Fragment = &StageInfo{Code: modules[0]}
	p, err := s.dev.NewGraphicsPipeline(context.Background(), x)
	if err != nil {
		return nil, err
	}
	return s.pictureOf(t, p, func(c *CommandBuffer) { c.Draw(24, 1+words[0]%4, 0, 0) })
}

// hostileMutant changes the text of a module.
type hostileMutant struct {
	random *rand.Rand
	lines  []string
	types  map[string]string // of results
	body   int               // the first line with a function
}

// mutate returns a text with a few changes of constants, operands, order, modes and decorations.
func mutate(r *rand.Rand, text string) string {
	m := hostileMutant{random: r, types: map[string]string{}}
	m.lines = strings.Split(strings.TrimSpace(text), "\n")
	m.body = len(m.lines)
	for i, l := range m.lines {
		f := strings.Fields(l)
		if len(f) > 3 && f[1] == "=" && f[3][0] == '%' && !strings.HasPrefix(f[2], "OpType") {
			m.types[f[0]] = f[3]
		}
		if strings.Contains(l, "= OpFunction ") {
			m.body = min(m.body, i)
		}
	}
	for range 1 + r.IntN(4) {
		m.change()
	}
	return strings.Join(m.lines, "\n") + "\n"
}

// change makes one change at a random line, if a change fits it.
func (m *hostileMutant) change() {
	r := m.random
	for range 100 {
		at := r.IntN(len(m.lines))
		if r.IntN(2) == 0 {
			at = m.body + r.IntN(len(m.lines)-m.body)
		}
		f := strings.Fields(m.lines[at])
		if len(f) < 2 {
			continue
		}
		op := f[0]
		if f[1] == "=" {
			op = f[2]
		}
		switch {
		case op == "OpConstant" && (strings.HasPrefix(f[3], "%u") || strings.HasPrefix(f[3], "%int")):
			w := hostileWords[r.IntN(len(hostileWords))]
			f[4] = strconv.FormatUint(uint64(w), 10)
			if f[3] == "%int" {
				f[4] = strconv.FormatInt(int64(int32(w)), 10)
			}
		case op == "OpExecutionMode" || op == "OpDecorate" || op == "OpMemberDecorate":
			last := len(f) - 1
			if _, err := strconv.Atoi(f[last]); err == nil {
				f[last] = strconv.FormatUint(uint64(hostileWords[r.IntN(len(hostileWords))]), 10)
			} else if r.IntN(3) == 0 {
				f = nil
			} else {
				continue
			}
		case at <= m.body:
			continue
		case op == "OpStore" || strings.HasSuffix(op, "EXT") || strings.HasSuffix(op, "AMDX") || strings.HasSuffix(op, "HUAWEI") || op == "OpImageWrite":
			switch r.IntN(4) {
			case 0:
				f = nil
			case 1:
				m.lines = append(m.lines[:at+1], m.lines[at:]...)
			case 2:
				m.lines[at], m.lines[at-1] = m.lines[at-1], m.lines[at]
				return
			default:
				m.operand(f, at)
			}
		default:
			m.operand(f, at)
		}
		if f == nil {
			m.lines = append(m.lines[:at], m.lines[at+1:]...)
			m.body = min(m.body, len(m.lines)-1)
		} else {
			m.lines[at] = strings.Join(f, " ")
		}
		return
	}
}

// operand takes another value of the same type for an operand of a line: most often one of a line before it.
func (m *hostileMutant) operand(f []string, at int) {
	first := 1
	if f[1] == "=" {
		first = 4
	}
	if first >= len(f) {
		return
	}
	k := first + m.random.IntN(len(f)-first)
	var list []string
	if m.random.IntN(16) == 0 {
		at = len(m.lines)
	}
	for _, l := range m.lines[:at] { // in order, which a map has not
		name, _, ok := strings.Cut(l, " = ")
		if ok && m.types[f[k]] != "" && m.types[name] == m.types[f[k]] && name != f[0] {
			list = append(list, name)
		}
	}
	if len(list) > 0 {
		f[k] = list[m.random.IntN(len(list))]
	}
}

// TestHostilePrograms runs changed programs of mesh, cluster culling, subpass and tile shading, tile images and graphs: more outputs than
// are declared, counts above the limits, payloads that are too long or have no node, recursion, missing stores. Each is refused, ends with
// an error, or has a result. A program that all checks accept has the same result with both engines. CHIARO_SEEDS=from-to runs others.
func TestHostilePrograms(t *testing.T) {
	from, to := uint64(0), uint64(42)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	version, _ := asm.Target("vulkan1.3")
	list := hostilePrograms(t)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewPCG(seed, 2929))
		p := list[seed%uint64(len(list))]
		var modules [][]byte
		texts := make([]string, len(p.texts))
		for i, text := range p.texts {
			if len(p.texts) == 1 || r.IntN(2) == 0 {
				text = mutate(r, text)
			}
			words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: version})
			if err != nil {
				break // of the number of a literal
			}
			texts[i] = text
			modules = append(modules, asm.Bytes(words))
		}
		if len(modules) < len(p.texts) {
			continue
		}
		var words []uint32
		for range 6 {
			words = append(words, []uint32{r.Uint32N(4), hostileWords[r.IntN(len(hostileWords))]}[r.IntN(2)])
		}
		level := []Checking{None, Pipelines, All}[r.IntN(3)]
		var outs [2]string
		late := false
		for i, info := range []DeviceInfo{{Workers: 1 + r.IntN(2)}, {Workers: 1, Engine: interp.Engine{}}} {
			info.Checking, info.Budget, info.Timeout, info.Memory = level, 1<<16, 2*time.Second, 1<<28
			t.Run("", func(t *testing.T) {
				out, err := p.run(t, info, modules, words)
				var internal *InternalError
				if errors.As(err, &internal) {
					t.Fatalf("seed %d, %s: %v\n%s\n%s", seed, p.name, err, internal.Stack, strings.Join(texts, "\n"))
				}
				if outs[i] = string(out); err != nil {
					outs[i] = "an error"
				}
				late = late || errors.Is(err, context.DeadlineExceeded) // of 2³¹ instances, say
			})
		}
		if outs[0] != outs[1] && !late {
			t.Errorf("seed %d, %s, level %d: the engines differ (%.40q, %.40q)\n%s", seed, p.name, level, outs[0], outs[1], strings.Join(texts, "\n"))
		}
	}
}
