package debug

import (
	"context"
	"image"
	"image/color"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Heat is the [vk.Debugger] that counts the instructions that fragments execute at each pixel. Helper invocations do not count, and the
// layers and samples of a pixel are one. It counts one map for each image that is color attachment 0 of draws.
type Heat struct {
	Maps []*HeatMap

	of     map[*byte]*HeatMap
	begins map[*ir.Program][][]bool // the operations that begin instructions, by function and value
}

// HeatMap has the counts of an image.
type HeatMap struct {
	Width, Height int
	Draws         int
	Counts        []uint64    // row by row
	Picture       image.Image // the image after the last draw
}

// Bounds of the maps of a run, in number and in pixels.
const (
	maxHeatMaps   = 16
	maxHeatPixels = 1 << 22
)

// Run runs a command; draws are observed.
func (h *Heat) Run(_ context.Context, c vk.DebugCommand, run func(exec.Hook) error) error {
	if c.Kind != vk.DebugDraw || len(c.Attachments) == 0 || c.Attachments[0].Name != "color 0" {
		return run(nil)
	}
	v := c.Attachments[0].View
	m := h.mapOf(v)
	if m == nil {
		return run(nil)
	}
	m.Draws++
	err := run(&heatCounter{heat: h, to: m, stages: c.Stages})
	m.Picture = pictureOf(v)
	return err
}

// mapOf returns the map of an image; nil if there would be too many.
func (h *Heat) mapOf(v *texture.View) *HeatMap {
	texel := v.Texel(0, 0, 0, 0)
	if len(texel) == 0 {
		return nil
	}
	if m := h.of[&texel[0]]; m != nil {
		return m
	}
	wide, high, _ := v.Extent()
	if len(h.Maps) >= maxHeatMaps || wide*high > maxHeatPixels {
		return nil
	}
	if h.of == nil {
		h.of, h.begins = map[*byte]*HeatMap{}, map[*ir.Program][][]bool{}
	}
	m := &HeatMap{Width: wide, Height: high, Counts: make([]uint64, wide*high)}
	h.of[&texel[0]], h.Maps = m, append(h.Maps, m)
	return m
}

// heatCounter is the hook of one draw.
type heatCounter struct {
	exec.NoHook
	heat   *Heat
	to     *HeatMap
	stages []*shader.Stage

	program *ir.Program
	begins  [][]bool
	sub     uint32     // the subgroup of pixels, from 1; 0 for none
	pixels  [128]int32 // by lane: the index in the map, −1 for none
	sought  [128]bool  // the lanes of which pixels is known
	words   [heatWords]idOf
}

// idOf is the place of a word of an invocation's identity; false if the program does not tell it.
type idOf struct {
	variable int
	known    bool
}

// The words of heatCounter.
const (
	heatX = iota
	heatY
	heatCovered
	heatWords
)

// BeginGroup finds the operations of a group of fragments that count. Other groups run without steps.
func (c *heatCounter) BeginGroup(g *exec.Group) error {
	if g.Program.From == nil || g.Program.From.Stage != ir.Fragment {
		return exec.ErrNoSteps
	}
	c.sub = 0
	if c.program == g.Program {
		return nil
	}
	if c.begins = c.heat.beginsOf(g.Program, c.stages); c.begins == nil {
		return exec.ErrNoSteps
	}
	c.program, c.words = g.Program, [heatWords]idOf{}
	for _, v := range g.Program.IDs {
		switch {
		case v.Semantic == ir.FragCoord && v.Index == 0:
			c.words[heatX] = idOf{v.Var, true}
		case v.Semantic == ir.FragCoord:
			c.words[heatY] = idOf{v.Var, true}
		case v.Semantic == ir.NoSemantic && v.Index == ir.ProbeCovered:
			c.words[heatCovered] = idOf{v.Var, true}
		}
	}
	return nil
}

// beginsOf returns the operations of a program that begin instructions of its stage; nil if the stage has no symbols.
func (h *Heat) beginsOf(p *ir.Program, stages []*shader.Stage) [][]bool {
	if list, ok := h.begins[p]; ok {
		return list
	}
	if len(h.begins) >= maxCodes {
		clear(h.begins)
	}
	var list [][]bool
	for _, s := range stages {
		if s.Program != p.From && s.Program != p || !known(s) {
			continue
		}
		parts := make([]part, len(p.Funcs))
		for i := range parts {
			parts[i] = part{stage: s, fn: i, locate: func(int) Location { return Location{} }}
		}
		for _, of := range newMarks(p, parts).of {
			all := make([]bool, len(of))
			for v, m := range of {
				all[v] = m&beginsInstruction != 0
			}
			list = append(list, all)
		}
	}
	h.begins[p] = list
	return list
}

// Step counts an instruction.
func (c *heatCounter) Step(s *exec.Step) error {
	if of := c.begins[s.Func]; int(s.Value) >= len(of) || !of[s.Value] {
		return nil
	}
	if c.sub != s.Subgroup+1 {
		c.sub, c.sought = s.Subgroup+1, [128]bool{}
	}
	for lane := range s.Active.All {
		if s.Helper.Has(uint32(lane)) {
			continue
		}
		if !c.sought[lane] {
			c.sought[lane], c.pixels[lane] = true, c.pixel(s, uint32(lane))
		}
		if at := c.pixels[lane]; at >= 0 {
			c.to.Counts[at]++
		}
	}
	return nil
}

// pixel returns the index of the pixel of a lane; −1 if it has none.
func (c *heatCounter) pixel(s *exec.Step, lane uint32) int32 {
	word := func(i int) uint32 { return s.ReadPrivate(uint64(s.Bases[c.words[i].variable]), lane) }
	if !c.words[heatX].known || !c.words[heatY].known || c.words[heatCovered].known && word(heatCovered) != ir.ProbePassed {
		return -1
	}
	x, y := word(heatX), word(heatY)
	if uint64(x) >= uint64(c.to.Width) || uint64(y) >= uint64(c.to.Height) {
		return -1
	}
	return int32(y)*int32(c.to.Width) + int32(x)
}

// Most returns the largest count.
func (m *HeatMap) Most() (n uint64) {
	for _, c := range m.Counts {
		n = max(n, c)
	}
	return n
}

// Image returns the counts as a picture: from black for 0 over red and yellow to white for the largest count.
func (m *HeatMap) Image() image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	most := float64(max(m.Most(), 1))
	part := func(x float64) uint8 { return uint8(255 * min(max(x, 0), 1)) }
	for i, n := range m.Counts {
		x := 3 * float64(n) / most
		out.SetNRGBA(i%m.Width, i/m.Width, color.NRGBA{part(x), part(x - 1), part(x - 2), 255})
	}
	return out
}

// pictureOf returns the first layer and sample of an image as a picture.
func pictureOf(v *texture.View) image.Image {
	wide, high, _ := v.Extent()
	out := image.NewNRGBA(image.Rect(0, 0, wide, high))
	list := v.Info().Texel().Components()
	for y := range high {
		for x := range wide {
			texel := v.Texel(0, x, y, 0)
			at := out.Pix[out.PixOffset(x, y):]
			at[3] = 255
			for i := 0; i < len(list) && i < 3 && texel != nil; i++ {
				if n := list[i].Value(list[i].Raw(texel)); !math.IsNaN(n) {
					if c := int(list[i].Channel); c >= 0 && c < 3 {
						at[c] = uint8(float64(255*min(max(n, 0), 1)) + 0.5)
					}
				}
			}
		}
	}
	return out
}
