package draw_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// engines are the engines that run on this machine.
func engines() []exec.Engine {
	if len(jit.Levels()) == 0 {
		return []exec.Engine{interp.Engine{}}
	}
	return []exec.Engine{interp.Engine{}, jit.Engine{}}
}

// parse reads a program; a subgroup size other than 0 takes the place of its own.
func parse(t testing.TB, text string, subgroup uint32) *ir.Program {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if subgroup != 0 {
		p.SubgroupSize = subgroup
	}
	p.StateEffects()
	return p
}

// canvas is images to draw to.
type canvas struct {
	state.Target
	images []*texture.Image
}

// image makes an image and a view of it.
func image(t testing.TB, d texture.Desc, v texture.ViewDesc) (*texture.Image, *texture.View) {
	t.Helper()
	d.Dim, v.Dim = ir.Dim2D, ir.Dim2D
	v.Arrayed = d.Layers > 1
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	w, err := texture.NewView(m, v)
	if err != nil {
		t.Fatal(err)
	}
	return m, w
}

// blank makes a canvas with color attachments of the formats.
func blank(t testing.TB, width, height int, formats ...string) *canvas {
	t.Helper()
	c := &canvas{}
	for _, f := range formats {
		m, v := image(t, texture.Desc{Format: f, Width: width, Height: height, Packed: true}, texture.ViewDesc{})
		c.images, c.Colors = append(c.images, m), append(c.Colors, v)
	}
	return c
}

// bytes returns the first layer of an attachment.
func (c *canvas) bytes(n int) []byte { return c.images[n].LayerBytes(0, 0, 0) }

// full is a state with one viewport that is the whole canvas.
func full(c *canvas) state.State {
	w, h := c.images[0].Width, c.images[0].Height
	return state.State{
		Assembly:  state.Assembly{Topology: enum.TopologyTriangleList},
		Viewports: []state.Viewport{{Width: float32(w), Height: float32(h), MaxDepth: 1}},
		Scissors:  []state.Rect{{Width: uint32(w), Height: uint32(h)}},
	}
}

// paint draws and ends the test where that fails.
func paint(t testing.TB, e exec.Engine, stages draw.Stages, s state.State, c *canvas, a state.Args) {
	t.Helper()
	p, err := draw.New(stages, s, e, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if a.Instances == 0 {
		a.Instances = 1
	}
	if err := p.Draw(context.Background(), &c.Target, &a); err != nil {
		t.Fatal(err)
	}
}

// everywhere runs a test with each engine, several sizes of subgroups, and several workers; all must draw the
// picture of the first. Without CHIARO_LONG each size has one of the numbers of workers, in turn.
func everywhere(t *testing.T, run func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte) {
	t.Helper()
	var first []byte
	for i, e := range engines() {
		for j, size := range []uint32{4, 8, 16, 32, 64} {
			for k, workers := range []int{1, 2, 4} {
				if (i+j+k)%3 != 0 && os.Getenv("CHIARO_LONG") == "" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%d", e.Name(), size, workers), func(t *testing.T) {
					got := run(t, e, size, workers)
					if first == nil {
						first = got
					}
					if string(got) != string(first) {
						t.Error("another picture than the first")
					}
				})
			}
		}
	}
}
