package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// LoadOp is the initial content of an attachment (VkAttachmentLoadOp).
type LoadOp uint8

// The operations.
const (
	Load LoadOp = iota
	ClearOnLoad
	DontCare
)

// ResolveMode is the way to resolve samples (VkResolveModeFlagBits).
type ResolveMode uint8

// The modes.
const (
	ResolveNone       ResolveMode = 0
	ResolveSampleZero             = ResolveMode(draw.ResolveSampleZero)
	ResolveAverage                = ResolveMode(draw.ResolveAverage)
	ResolveMin                    = ResolveMode(draw.ResolveMin)
	ResolveMax                    = ResolveMode(draw.ResolveMax)
)

// AttachmentInfo is an attachment of a rendering (VkRenderingAttachmentInfo). A nil View is none.
type AttachmentInfo struct {
	View        *ImageView
	Resolve     *ImageView // the target of ResolveMode
	ResolveMode ResolveMode
	Load        LoadOp
	Clear       [4]uint32 // with ClearOnLoad: bits of floats or integers; depth and stencil are the first component
}

// RenderingInfo describes a rendering (VkRenderingInfo). An empty Area is all pixels.
type RenderingInfo struct {
	Area           Rect
	Layers         uint32 // 0 is 1
	ViewMask       uint32
	Colors         []AttachmentInfo
	Depth, Stencil *AttachmentInfo
}

// rendering is a recorded BeginRendering.
type rendering struct {
	info   RenderingInfo
	target state.Target
	clears draw.Clears
	clear  bool

	depth, stencil AttachmentInfo // of info
}

// newRendering returns a rendering of a recording with a copy of the lists of info. Memory of an earlier recording is
// reused.
func (c *CommandBuffer) newRendering(info *RenderingInfo) *rendering {
	if c.renderingsUsed == len(c.renderings) {
		c.renderings = append(c.renderings, &rendering{})
	}
	r := c.renderings[c.renderingsUsed]
	c.renderingsUsed++
	copied := append(r.info.Colors[:0], info.Colors...)
	r.info = *info
	r.info.Colors = copied
	return r
}

// forget drops the objects of a rendering and keeps the memory of its lists.
func (r *rendering) forget() {
	colors, views, clears := r.info.Colors, r.target.Colors, r.clears.Colors
	clear(colors)
	clear(views)
	*r = rendering{info: RenderingInfo{Colors: colors[:0]}, target: state.Target{Colors: views[:0]}, clears: draw.Clears{Colors: clears[:0]}}
}

// BeginRendering begins a rendering: the draws until EndRendering write its attachments.
func (c *CommandBuffer) BeginRendering(info RenderingInfo) {
	if !c.begin() {
		return
	}
	if len(info.Colors) > state.MaxColors {
		c.fail(usage("VUID-VkRenderingInfo-colorAttachmentCount-06106", "%d color attachments; must be at most %d", len(info.Colors), state.MaxColors))
		return
	}
	r := c.newRendering(&info)
	area := state.Rect(info.Area)
	r.clears = draw.Clears{Area: area, Layers: max(info.Layers, 1), ViewMask: info.ViewMask, Colors: r.clears.Colors}
	for i := range r.info.Colors {
		v, clear := c.attachment(r, &r.info.Colors[i], Color)
		r.target.Colors = append(r.target.Colors, v)
		r.clears.Colors = append(r.clears.Colors, clear)
	}
	if info.Depth != nil {
		r.depth = *info.Depth
		r.info.Depth = &r.depth
		r.target.Depth, r.clears.Depth = c.attachment(r, &r.depth, Depth)
	}
	if info.Stencil != nil {
		r.stencil = *info.Stencil
		r.info.Stencil = &r.stencil
		r.target.Stencil, r.clears.Stencil = c.attachment(r, &r.stencil, Stencil)
	}
	r.target.Layers = max(info.Layers, 1)
	if info.ViewMask != 0 {
		r.target.Layers = 0
	}
	if len(r.target.Colors) == 0 && r.target.Depth == nil && r.target.Stencil == nil {
		r.target.Width, r.target.Height = uint32(max(area.X, 0))+area.Width, uint32(max(area.Y, 0))+area.Height
	}
	if c.err == nil {
		c.commands = append(c.commands, command{kind: beginRendering, a: r})
	}
}

// attachment checks an attachment and returns its view and its clear.
func (c *CommandBuffer) attachment(r *rendering, a *AttachmentInfo, of Aspect) (*texture.View, draw.Clear) {
	if a.View == nil {
		return nil, draw.Clear{}
	}
	if err := check(c.dev, "the view of an attachment", a.View); err != nil {
		c.fail(err)
		return nil, draw.Clear{}
	}
	view := a.View.aspect(of)
	if view == nil {
		c.fail(usage("", "%v is an attachment for an aspect that its format lacks; must have it", &a.View.object))
		return nil, draw.Clear{}
	}
	if dim, levels := a.View.info.Type, a.View.levels(); dim != View2D && dim != View2DArray || levels != 1 {
		c.fail(usage("", "%v is an attachment of %d levels; must be two-dimensional, with one level", &a.View.object, levels))
		return nil, draw.Clear{}
	}
	a.View.refer(c.each)
	if a.ResolveMode != ResolveNone && a.Resolve != nil {
		if err := check(c.dev, "the view to resolve to", a.Resolve); err != nil {
			c.fail(err)
			return nil, draw.Clear{}
		}
		if a.Resolve.aspect(of) == nil || a.Resolve.image.layout.Samples != 1 || a.ResolveMode > ResolveMax {
			c.fail(usage("VUID-VkRenderingAttachmentInfo-imageView-06864", "%v is resolved to; must have one sample and the aspect", &a.Resolve.object))
			return nil, draw.Clear{}
		}
		a.Resolve.refer(c.each)
	}
	clear := draw.Clear{Do: a.Load == ClearOnLoad}
	for i, x := range a.Clear {
		clear.Value[i] = uint64(x)
	}
	r.clear = r.clear || clear.Do
	return view, clear
}

// EndRendering ends the rendering and resolves its attachments.
func (c *CommandBuffer) EndRendering() {
	if c.begin() {
		c.commands = append(c.commands, command{kind: endRendering})
	}
}

// Clears describes the attachments that ClearAttachments clears (VkClearAttachment): nil is not.
type Clears struct {
	Area           Rect // empty is all pixels
	Base, Layers   uint32
	Colors         map[int][4]uint32
	Depth, Stencil *uint32 // bits of the depth as a float; the stencil value
}

// ClearAttachments clears attachments of the rendering.
func (c *CommandBuffer) ClearAttachments(x Clears) {
	if !c.begin() {
		return
	}
	k := &draw.Clears{Area: state.Rect(x.Area), BaseLayer: x.Base, Layers: max(x.Layers, 1)}
	for i, color := range x.Colors {
		if i < 0 || i >= state.MaxColors {
			c.fail(usage("VUID-vkCmdClearAttachments-colorAttachment-09503", "color attachment %d is cleared; must be less than %d", i, state.MaxColors))
			return
		}
		for len(k.Colors) <= i {
			k.Colors = append(k.Colors, draw.Clear{})
		}
		k.Colors[i] = draw.Clear{Do: true, Value: [4]uint64{uint64(color[0]), uint64(color[1]), uint64(color[2]), uint64(color[3])}}
	}
	if x.Depth != nil {
		k.Depth = draw.Clear{Do: true, Value: [4]uint64{uint64(*x.Depth)}}
	}
	if x.Stencil != nil {
		k.Stencil = draw.Clear{Do: true, Value: [4]uint64{uint64(*x.Stencil)}}
	}
	c.commands = append(c.commands, command{kind: clearAttachments, a: k})
}

// resolve resolves the attachments of a rendering.
func (r *rendering) resolve() {
	for i := range r.info.Colors {
		r.resolveOne(&r.info.Colors[i], Color)
	}
	if r.info.Depth != nil {
		r.resolveOne(r.info.Depth, Depth)
	}
	if r.info.Stencil != nil {
		r.resolveOne(r.info.Stencil, Stencil)
	}
}

func (r *rendering) resolveOne(a *AttachmentInfo, of Aspect) {
	if a.View == nil || a.Resolve == nil || a.ResolveMode == ResolveNone {
		return
	}
	width, height, layers := r.target.Extent()
	x, y := 0, 0
	if area := r.info.Area; area.Width > 0 && area.Height > 0 {
		x, y = int(max(area.X, 0)), int(max(area.Y, 0))
		width, height = min(width, uint32(x)+area.Width)-min(uint32(x), width), min(height, uint32(y)+area.Height)-min(uint32(y), height)
	}
	for layer := range layers {
		if m := r.info.ViewMask; m != 0 && m>>layer&1 == 0 {
			continue
		}
		draw.Resolve(a.Resolve.image.image, a.Resolve.coord(of, x, y, int(layer)), a.View.image.image, a.View.coord(of, x, y, int(layer)), int(width), int(height), draw.ResolveMode(a.ResolveMode))
	}
}

// coord names a texel of the image of a view.
func (v *ImageView) coord(of Aspect, x, y, layer int) texture.Coord {
	at := texture.Coord{X: x, Y: y, Level: v.info.BaseLevel, Layer: v.info.BaseLayer + layer, Aspect: of.inside()}
	if v.image.layout.Dim == ir.Dim3D {
		at.Z, at.Layer = at.Layer, 0
	}
	return at
}
