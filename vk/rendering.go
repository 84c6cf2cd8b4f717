package vk

import (
	mathbits "math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
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
	LoadNone // as Load, but the operation does not read the texels
)

// StoreOp is the operation on the texels of an attachment at the end of its use (VkAttachmentStoreOp). Chiaro keeps them: only the sanitizer
// race reads it.
type StoreOp uint8

// The operations.
const (
	Store StoreOp = iota
	StoreDontCare
	StoreNone // without an access of the texels, unless values were written to the attachment: then as StoreDontCare

	storeLater // a later subpass has the store operation
)

// ResolveMode is the way to resolve samples (VkResolveModeFlagBits).
type ResolveMode uint8

// The modes.
const (
	ResolveNone       ResolveMode = 0
	ResolveSampleZero ResolveMode = ResolveMode(draw.ResolveSampleZero)
	ResolveAverage    ResolveMode = ResolveMode(draw.ResolveAverage)
	ResolveMin        ResolveMode = ResolveMode(draw.ResolveMin)
	ResolveMax        ResolveMode = ResolveMode(draw.ResolveMax)
	ResolveCustom     ResolveMode = 0x20 // by draws after BeginCustomResolve
)

// known reports whether the mode is one of Vulkan's that Chiaro has.
func (m ResolveMode) known() bool { return m <= ResolveMax && mathbits.OnesCount8(uint8(m)) <= 1 }

// fixed reports whether the resolve is a fixed function.
func (m ResolveMode) fixed() bool { return m != ResolveNone && m != ResolveCustom }

// RenderingFlags is a set of properties of a rendering (VkRenderingFlagBits).
type RenderingFlags uint32

// The flags.
const (
	SecondaryContents RenderingFlags = 1 << iota // the draws are in secondary command buffers
	Suspending                                   // a later rendering of the submission continues this one
	Resuming                                     // it continues an earlier one
	LegacyDithering                              // VK_EXT_legacy_dithering
	InlineContents                               // with SecondaryContents: draws are in the primary command buffer too
	FragmentRegion                               // regions of dependencies are whole fragments; without an effect
	CustomResolving                              // BeginCustomResolve may follow (VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT)

	allRenderingFlags = 1<<iota - 1
)

// AttachmentInfo is an attachment of a rendering (VkRenderingAttachmentInfo). A nil View is none.
type AttachmentInfo struct {
	View        *ImageView
	Resolve     *ImageView // the target of ResolveMode
	ResolveMode ResolveMode
	Load        LoadOp
	Store       StoreOp
	Clear       [4]uint32 // with ClearOnLoad: bits of floats or integers; depth and stencil are the first component

	views  uint32     // of a subpass that Load affects; 0 is all of the rendering
	single *ImageView // the attachment, if View is of its implicit image
}

// ShadingRateAttachment is the image of the fragment sizes of a rendering: a texel of format R8_UINT for Texel pixels
// (VkRenderingFragmentShadingRateAttachmentInfoKHR).
type ShadingRateAttachment struct {
	View  *ImageView
	Texel [2]uint32 // 8, 16, 32 or 64 along each axis
}

// RenderingInfo describes a rendering (VkRenderingInfo). An empty Area is all pixels.
type RenderingInfo struct {
	Flags          RenderingFlags
	Area           Rect
	Layers         uint32 // 0 is 1
	ViewMask       uint32
	Colors         []AttachmentInfo
	Depth, Stencil *AttachmentInfo
	ShadingRate    *ShadingRateAttachment

	// Samples, if it is more than 1, is the samples of draws to attachments of one sample, which are resolved to themselves
	// (VkMultisampledRenderToSingleSampledInfoEXT).
	Samples int

	Tiles TileShading

	// TileMemory is the bytes of tile memory that the rendering uses (VkTileMemorySizeInfoQCOM). The tiles do not depend on it.
	TileMemory uint64
}

// rendering is the one form of renderings: a recorded BeginRendering, or a subpass of a render pass.
type rendering struct {
	info       RenderingInfo
	target     state.Target
	resolved   state.Target  // after BeginCustomResolve
	clears     []draw.Clears // one for each set of views that attachments clear
	before     []clearAlone
	subpass    *subpassForm // of a render pass; nil of BeginRendering
	implicit   []implicit
	inputViews []*ImageView // the input attachments of a subpass with tile shading
	tile       uint64       // the end of the last attachment in tile memory; 0 if none is

	depth, stencil AttachmentInfo // of info
}

// takeRendering returns an unused rendering of a recording. Memory of an earlier recording is reused.
func (c *CommandBuffer) takeRendering() *rendering {
	if c.renderingsUsed == len(c.renderings) {
		c.renderings = append(c.renderings, &rendering{})
	}
	r := c.renderings[c.renderingsUsed]
	c.renderingsUsed++
	return r
}

// forget drops the objects of a rendering and keeps the memory of its lists.
func (r *rendering) forget() {
	colors, views, resolved, inputs := r.info.Colors, r.target.Colors, r.resolved.Colors, emptied(r.inputViews)
	clear(colors)
	clear(views)
	clear(resolved)
	*r = rendering{info: RenderingInfo{Colors: colors[:0]}, target: state.Target{Colors: views[:0]}, resolved: state.Target{Colors: resolved[:0]}, clears: r.clears[:0], inputViews: inputs}
}

// clearAlone is the clear of an attachment that a subpass uses first, but not to draw.
type clearAlone struct {
	target state.Target
	clears draw.Clears
}

// BeginRendering begins a rendering: the draws until EndRendering write its attachments.
func (c *CommandBuffer) BeginRendering(info RenderingInfo) {
	if !c.begin() {
		return
	}
	if c.scope.open() {
		c.fail(usage("VUID-vkCmdBeginRendering-renderpass", "a rendering is active; must not be"))
		return
	}
	if info.Flags > allRenderingFlags {
		c.fail(&UnsupportedError{Feature: "a flag of renderings that is none of Chiaro's"})
		return
	}
	if info.Tiles.PerTile {
		c.fail(usage("VUID-vkCmdBeginRendering-flags-10642", "the commands of a rendering run for each tile from its begin on; must not"))
		return
	}
	if err := c.dev.checkTiles(&info.Tiles); err != nil {
		c.fail(err)
		return
	}
	if err := checkTileSize(info.TileMemory); err != nil && c.dev.checking > None { // it has no other effect
		c.fail(err)
		return
	}
	if info.Tiles.Enable && c.simultaneous {
		c.fail(usage("VUID-vkCmdBeginRendering-flags-10641", "the rendering has tile shading, and %v may be submitted while it is pending; must not", &c.object))
		return
	}
	if err := info.checkCustom(); err != nil {
		c.fail(err)
		return
	}
	r := c.newRendering(info)
	if c.failed() {
		return
	}
	if info.Flags&CustomResolving != 0 {
		r.setResolved()
	}
	c.scope, c.suspended = scope{rendering: r}, false
	c.commands = append(c.commands, command{kind: beginRendering, a: r})
}

// newRendering returns the recorded form of a rendering. c.failed reports an error.
func (c *CommandBuffer) newRendering(info RenderingInfo) *rendering {
	r := c.takeRendering()
	copied := append(r.info.Colors[:0], info.Colors...)
	r.info = info
	r.info.Colors = copied
	if len(info.Colors) > state.MaxColors {
		c.fail(usage("VUID-VkRenderingInfo-colorAttachmentCount-06106", "%d color attachments; must be at most %d", len(info.Colors), state.MaxColors))
		return r
	}
	area := state.Rect(info.Area)
	for i := range r.info.Colors {
		r.inTile(r.info.Colors[i].View)
		c.multiply(r, &r.info.Colors[i], Color)
		r.target.Colors = append(r.target.Colors, c.attachment(&r.info.Colors[i], Color))
		r.load(&r.info.Colors[i], func(x *draw.Clears) *draw.Clear {
			for len(x.Colors) <= i {
				x.Colors = append(x.Colors, draw.Clear{})
			}
			return &x.Colors[i]
		})
	}
	if info.Depth != nil {
		r.depth = *info.Depth
		r.info.Depth = &r.depth
		r.inTile(r.depth.View)
		c.multiply(r, &r.depth, Depth)
		r.target.Depth = c.attachment(&r.depth, Depth)
		r.load(&r.depth, func(x *draw.Clears) *draw.Clear { return &x.Depth })
	}
	if info.Stencil != nil {
		r.stencil = *info.Stencil
		r.info.Stencil = &r.stencil
		r.inTile(r.stencil.View)
		c.multiply(r, &r.stencil, Stencil)
		r.target.Stencil = c.attachment(&r.stencil, Stencil)
		r.load(&r.stencil, func(x *draw.Clears) *draw.Clear { return &x.Stencil })
	}
	if s := info.ShadingRate; s != nil && s.View != nil {
		c.shadingRate(r, s)
	}
	r.target.Layers = max(info.Layers, 1)
	if info.ViewMask != 0 {
		r.target.Layers = uint32(mathbits.Len32(info.ViewMask))
	}
	if r.target.IsBare() {
		r.target.Width, r.target.Height = uint32(max(area.X, 0))+area.Width, uint32(max(area.Y, 0))+area.Height
	}
	return r
}

// shadingRate sets the attachment of the fragment sizes.
func (c *CommandBuffer) shadingRate(r *rendering, s *ShadingRateAttachment) {
	view := c.attachment(&AttachmentInfo{View: s.View}, Color)
	if view == nil {
		return
	}
	if view.Format() != "R8_UINT" || view.Samples() != 1 {
		c.fail(&UnsupportedError{Feature: "a shading rate attachment of another format than R8_UINT, or of several samples"})
	}
	for _, n := range s.Texel {
		if n < minRateTexel || n > maxRateTexel || n&(n-1) != 0 {
			c.fail(usage("VUID-VkRenderingFragmentShadingRateAttachmentInfoKHR-imageView-06149", "a texel of the shading rate attachment is for %d×%d pixels; must be for 8, 16, 32 or 64 along each axis", s.Texel[0], s.Texel[1]))
			return
		}
	}
	r.target.Rates, r.target.RateTexel = view, s.Texel
}

// The pixels of a texel of a shading rate attachment along an axis (minFragmentShadingRateAttachmentTexelSize and max…).
const (
	minRateTexel = 8
	maxRateTexel = 64
)

// load adds the clear of an attachment.
func (r *rendering) load(a *AttachmentInfo, at func(*draw.Clears) *draw.Clear) {
	if a.View == nil || a.Load != ClearOnLoad || r.info.Flags&Resuming != 0 {
		return
	}
	mask := r.info.ViewMask
	if a.views != 0 {
		mask &= a.views
	}
	if mask == 0 && r.info.ViewMask != 0 {
		return
	}
	i := 0
	for i < len(r.clears) && r.clears[i].ViewMask != mask {
		i++
	}
	if i == len(r.clears) {
		var colors []draw.Clear
		if i < cap(r.clears) {
			colors = r.clears[:i+1][i].Colors[:0]
		}
		r.clears = append(r.clears, draw.Clears{Area: state.Rect(r.info.Area), Layers: max(r.info.Layers, 1), ViewMask: mask, Colors: colors})
	}
	*at(&r.clears[i]) = a.clear()
}

// clear returns the clear of the attachment.
func (a *AttachmentInfo) clear() (x draw.Clear) {
	x.Do = true
	for i, v := range a.Clear {
		x.Value[i] = uint64(v)
	}
	return x
}

// attachment checks an attachment and returns its view.
func (c *CommandBuffer) attachment(a *AttachmentInfo, of Aspect) *texture.View {
	if a.View == nil {
		return nil
	}
	if err := check(c.dev, "the view of an attachment", a.View); err != nil {
		c.fail(err)
		return nil
	}
	view := a.View.attachment(of)
	if view == nil {
		c.fail(usage("", "%v is an attachment for an aspect that its format lacks; must have it", &a.View.object))
		return nil
	}
	if levels := a.View.levels(); a.View.info.Type == enum.ViewType3d || levels != 1 {
		c.fail(usage("", "%v is an attachment of %d levels; must have one level and must not be a volume", &a.View.object, levels))
		return nil
	}
	a.View.refer(c.each)
	if !a.ResolveMode.known() && a.ResolveMode != ResolveCustom {
		c.fail(&UnsupportedError{Feature: "the resolve mode " + uintText(uint64(a.ResolveMode))})
		return nil
	}
	if a.ResolveMode != ResolveNone && a.Resolve != nil {
		if err := check(c.dev, "the view to resolve to", a.Resolve); err != nil {
			c.fail(err)
			return nil
		}
		if a.Resolve.attachment(of) == nil || a.Resolve.image.layout.Samples != 1 {
			c.fail(usage("VUID-VkRenderingAttachmentInfo-imageView-06864", "%v is resolved to; must have one sample and the aspect", &a.Resolve.object))
			return nil
		}
		if m := a.Resolve.image.memory; m.isTile() {
			c.fail(usage("VUID-VkRenderingAttachmentInfo-resolveImageView-10728", "%v is resolved to and in %v, which is tile memory; must not be", &a.Resolve.object, &m.object))
			return nil
		}
		a.Resolve.refer(c.each)
	}
	return view
}

// EndRendering ends the rendering and resolves its attachments, unless it is suspended.
func (c *CommandBuffer) EndRendering() {
	if !c.begin() {
		return
	}
	switch {
	case c.scope.rendering == nil:
		c.fail(usage("VUID-vkCmdEndRendering-None-06161", "no rendering is active that began in %v; must be", &c.object))
		return
	case c.scope.pass != nil:
		c.fail(usage("VUID-vkCmdEndRendering-None-06161", "the render pass began with BeginRenderPass; must have begun with BeginRendering"))
		return
	}
	if !c.outsideTiles("VUID-vkCmdEndRendering-None-10645") {
		return
	}
	c.suspended = c.scope.rendering.info.Flags&Suspending != 0
	c.scope = scope{}
	c.commands = append(c.commands, command{kind: endRendering})
}

// Clears describes the attachments that ClearAttachments clears (VkClearAttachment): nil is not.
type Clears struct {
	Area           Rect // empty is all pixels
	Base, Layers   uint32
	Colors         map[int][4]uint32
	Depth, Stencil *uint32 // bits of the depth as a float; the stencil value
}

// ClearAttachments clears attachments of the rendering: with views, in all of them.
func (c *CommandBuffer) ClearAttachments(x Clears) {
	if !c.begin() || !c.outsideTiles("VUID-vkCmdClearAttachments-None-10616") {
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
		k.Colors[i] = (&AttachmentInfo{Clear: color}).clear()
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
	if a.View == nil || a.Resolve == nil || !a.ResolveMode.fixed() {
		return
	}
	x, y, width, height, layers := r.region()
	write, read := a.Resolve.codec(of), a.View.codec(of)
	for layer := range layers {
		if m := r.info.ViewMask; m != 0 && m>>layer&1 == 0 {
			continue
		}
		draw.ResolveAs(a.Resolve.image.image, a.Resolve.coord(of, x, y, layer), write, a.View.image.image, a.View.coord(of, x, y, layer), read, width, height, draw.ResolveMode(a.ResolveMode))
	}
}

// region returns the pixels and layers of the rendering.
func (r *rendering) region() (x, y, width, height, layers int) {
	w, h, n := r.target.Extent()
	if area := r.info.Area; area.Width > 0 && area.Height > 0 {
		x, y = int(max(area.X, 0)), int(max(area.Y, 0))
		w, h = min(w, uint32(x)+area.Width)-min(uint32(x), w), min(h, uint32(y)+area.Height)-min(uint32(y), h)
	}
	return x, y, int(w), int(h), int(n)
}

// codec returns the codec of the texels of an aspect in the view's format.
func (v *ImageView) codec(of Aspect) *format.Codec {
	if i := v.texels(); of == Color && i != v.image.layout.Info() {
		if f := i.Texel(); f != nil {
			if c, ok := f.Codec(format.Color); ok {
				return &c
			}
		}
	}
	return v.image.image.Codec(of.inside())
}

// coord names a texel of the image of a view.
func (v *ImageView) coord(of Aspect, x, y, layer int) texture.Coord {
	at := texture.Coord{X: x, Y: y, Level: v.info.BaseLevel, Layer: v.info.BaseLayer + layer, Aspect: of.inside()}
	if v.image.layout.Dim == ir.Dim3D {
		at.Z, at.Layer = at.Layer, 0
	}
	return at
}

// format returns the name of the format of a view.
func (v *ImageView) format() string { return v.texels().String() }

// texels returns the format of a view. That of the view of one aspect of depth and stencil is the image's.
func (v *ImageView) texels() *format.Info {
	if v.info.Format != 0 {
		return format.ByID(uint32(v.info.Format))
	}
	return v.image.layout.Info()
}
