package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"strconv"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// sceneNames names the scenes, for messages.
const sceneNames = "cheap, heavy, tris, tex, blend, draws, small, overdraw, msaa, formats, aniso or chain"

// scenes are drawings that other engines are measured by as well: the names of two
// shaders, and flags. The vertex shader of triangles takes their salt and their size from the push constants.
var scenes = map[string]struct {
	vertex, fragment string
	drawFlags
}{
	"cheap":    {"raster.vert", "cheap.frag", drawFlags{vertices: 3, draws: 1}},
	"heavy":    {"raster.vert", "heavy.frag", drawFlags{vertices: 3, draws: 1}},
	"tris":     {"tris.vert", "tris.frag", drawFlags{vertices: 3 << 20, draws: 1, depth: true}},
	"tex":      {"raster.vert", "tex.frag", drawFlags{vertices: 3, draws: 1, texture: 1024}},
	"blend":    {"raster.vert", "cheap.frag", drawFlags{vertices: 3, draws: 16, blend: true}},
	"draws":    {"tris.vert", "tris.frag", drawFlags{vertices: 300, draws: 5000, depth: true, kind: sceneKind{apart: true}}},
	"small":    {"tris.vert", "tris.frag", drawFlags{vertices: 3 << 21, draws: 1, depth: true, kind: sceneKind{size: 0.002}}},
	"overdraw": {"tris.vert", "tris.frag", drawFlags{vertices: 3 << 9, draws: 1, depth: true, kind: sceneKind{size: 0.5}}},
	"msaa":     {"tris.vert", "tris.frag", drawFlags{vertices: 480000, draws: 1, depth: true, kind: sceneKind{samples: 4, size: 0.015}}},
	"formats":  {"raster.vert", "cheap.frag", drawFlags{vertices: 3, draws: 4, blend: true, kind: sceneKind{formats: blendFormats}}},
	"aniso":    {"raster.vert", "tex.frag", drawFlags{vertices: 3, draws: 1, texture: 1024, kind: sceneKind{anisotropy: 16}}},
	"chain":    {"raster.vert", "tex.frag", drawFlags{vertices: 3, draws: 1, texture: 1024, kind: sceneKind{chain: 8}}},
}

// blendFormats are the formats of the targets of the scene formats, in reverse order of its passes.
var blendFormats = []string{rgba8, "B8G8R8A8_SRGB", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R16G16B16A16_SFLOAT"}

// sceneKind is the state without flags.
type sceneKind struct {
	samples    int      // of the attachments, and a resolve; 0 is 1
	formats    []string // of a target for each pass, the last pass first; nil is rgba8
	chain      int      // passes that each sample the target of the pass before; 0 is one pass
	anisotropy float32  // greatest ratio of the sampler
	apart      bool     // each draw has a salt of its own, so that no two are alike
	size       float64  // of triangles, unless it is 0
}

// push returns the default of --push: the salt and the size of triangles.
func (k *sceneKind) push() string {
	return "12345,f" + strconv.FormatFloat(cmp.Or(k.size, 0.006), 'g', -1, 32)
}

// scenePass is a rendering of a frame with all draws of the scene.
type scenePass struct {
	pipeline  *vk.GraphicsPipeline
	rendering vk.RenderingInfo
	sets      []*vk.Set
}

// frame records a frame: in each pass, attachments are cleared, and draws follow.
func (s *scene) frame(c *vk.CommandBuffer) {
	for i := range s.passes {
		p := &s.passes[i]
		c.BeginRendering(p.rendering)
		c.BindGraphicsPipeline(p.pipeline)
		s.bench.boundTo(c, vk.Graphics, p.sets)
		for n := range uint32(s.flags.draws) {
			if s.flags.kind.apart && n > 0 {
				salt := binary.LittleEndian.Uint32(s.bench.push) + n
				c.PushConstants(s.bench.layout, 0, binary.LittleEndian.AppendUint32(nil, salt))
			}
			c.Draw(uint32(s.flags.vertices), 1, 0, 0)
		}
		c.EndRendering()
		if s.flags.kind.chain > 0 {
			c.Barrier() // the next pass reads the target
		}
	}
}

// create makes the attachments and the pipelines, and records the frame.
func (s *scene) create(ctx context.Context, info *vk.GraphicsPipelineInfo, width, height int) (err error) {
	k := &s.flags.kind
	info.Layout = s.bench.layout
	if k.chain > 0 {
		err = s.createChain(ctx, info, width, height)
	} else {
		formats := k.formats
		if formats == nil {
			formats = []string{rgba8}
		}
		for i := range formats {
			if err = s.createPass(ctx, info, formats[len(formats)-1-i], width, height); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	s.commands, err = s.bench.record(s.frame)
	return err
}

// createPass adds a pass with a target of a format, and with the attachments that the flags select.
func (s *scene) createPass(ctx context.Context, info *vk.GraphicsPipelineInfo, format string, width, height int) (err error) {
	if s.color, err = s.bench.image(format, width, height, 1, vk.ImageColorAttachment|vk.ImageTransferSource); err != nil {
		return err
	}
	samples, area := max(s.flags.kind.samples, 1), []int{width, height}
	color := clearedTarget(s.color)
	if samples > 1 {
		m, err := newSamples(s.bench.device, format, area, 1, samples, vk.ImageColorAttachment)
		if err != nil {
			return err
		}
		color.Resolve, color.ResolveMode, color.View, color.Store = color.View, vk.ResolveAverage, m.view, vk.StoreDontCare
	}
	p := scenePass{sets: s.bench.sets, rendering: vk.RenderingInfo{Area: vk.Rect{Width: uint32(width), Height: uint32(height)}, Colors: []vk.AttachmentInfo{color}}}
	if s.flags.depth {
		m, err := newSamples(s.bench.device, "D32_SFLOAT", area, 1, samples, vk.ImageDepthStencilAttachment)
		if err != nil {
			return err
		}
		p.rendering.Depth = &vk.AttachmentInfo{View: m.view, Load: vk.ClearOnLoad, Clear: words(1)}
	}
	if p.pipeline, err = s.bench.device.NewGraphicsPipeline(ctx, *info); err != nil {
		return err
	}
	s.passes = append(s.passes, p)
	return nil
}

// clearedTarget is the attachment of an image with a clear.
func clearedTarget(m *benchImage) vk.AttachmentInfo {
	return vk.AttachmentInfo{View: m.view, Load: vk.ClearOnLoad, Clear: words(0.1, 0.1, 0.1, 1)}
}

// createChain adds the passes of a chain. The first one samples the texture of the flags, each other one the target of the pass before.
func (s *scene) createChain(ctx context.Context, info *vk.GraphicsPipelineInfo, width, height int) error {
	pipeline, err := s.bench.device.NewGraphicsPipeline(ctx, *info)
	if err != nil {
		return err
	}
	pool, err := s.bench.device.NewPool(vk.PoolInfo{MaxSets: 2})
	if err != nil {
		return err
	}
	sampler, err := s.bench.device.NewSampler(vk.SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear})
	if err != nil {
		return err
	}
	var targets [2]*benchImage // in turn
	var reading [2][]*vk.Set
	for i := range targets {
		if targets[i], err = s.bench.image(rgba8, width, height, 1, vk.ImageColorAttachment|vk.ImageSampled|vk.ImageTransferSource); err != nil {
			return err
		}
		set, err := pool.Allocate(s.bench.shape)
		if err == nil {
			err = set.Update(vk.Write{Type: s.bench.types[0].Type, Images: []vk.ImageDescriptor{{View: targets[i].view, Sampler: sampler}}})
		}
		if err != nil {
			return host.Cause(err)
		}
		reading[i] = []*vk.Set{set}
	}
	sets := s.bench.sets
	for i := range s.flags.kind.chain {
		to := i % 2
		s.color = targets[to]
		s.passes = append(s.passes, scenePass{pipeline: pipeline, sets: sets,
			rendering: vk.RenderingInfo{Area: vk.Rect{Width: uint32(width), Height: uint32(height)}, Colors: []vk.AttachmentInfo{clearedTarget(s.color)}}})
		sets = reading[to]
	}
	return nil
}

// state returns the fixed-function state that the flags select.
func (d *drawFlags) state(width, height float32) vk.FixedState {
	b := link.Blend{}
	if d.blend {
		b = link.Blend{Enable: true, SrcColor: enum.BlendFactorConstantAlpha, DstColor: enum.BlendFactorOneMinusConstantAlpha, SrcAlpha: enum.BlendFactorOne}
	}
	return vk.FixedState{
		Assembly:       &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Viewports:      []vk.Viewport{{Width: width, Height: height, MaxDepth: 1}},
		Scissors:       []vk.Rect{{Width: uint32(width), Height: uint32(height)}},
		Rasterization:  &link.Rasterization{LineWidth: 1},
		Multisample:    &link.Multisample{Samples: uint32(max(d.kind.samples, 1))},
		DepthStencil:   &link.DepthStencil{DepthTest: d.depth, DepthWrite: d.depth, Compare: enum.CompareOpLess},
		Blend:          &link.ColorBlend{Attachments: []link.Blend{b}},
		BlendConstants: [4]float32{0, 0, 0, 0.25},
	}
}
