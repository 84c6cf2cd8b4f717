package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// dims are the names of dimensions.
var dims = map[string]ir.Dim{"1d": ir.Dim1D, "2d": ir.Dim2D, "3d": ir.Dim3D, "cube": ir.DimCube}

// image binds an image, or the null descriptor. What it is stands in one word of
// parts: dimension, format and size, and perhaps more.
func (s *script) image(at compute.Binding, f []string) error {
	if len(f) == 0 {
		put(&s.args.Images, at, append(s.args.Images[at], nil))
		return nil
	}
	parts := strings.Split(f[0], ":")
	if len(parts) < 3 {
		return fmt.Errorf("no dimension, format and size")
	}
	var size []uint64
	if err := numbers(strings.Split(parts[2], "×"), &size); err != nil {
		return err
	}
	size = append(size, 1, 1)
	d := texture.Desc{Format: parts[1], Dim: dims[parts[0]], Width: int(size[0]), Height: int(size[1]), Depth: int(size[2])}
	view := texture.ViewDesc{Dim: d.Dim}
	if d.Dim == ir.DimCube {
		d.Dim, d.Layers = ir.Dim2D, 6
	}
	for _, p := range parts[3:] {
		key, value, _ := strings.Cut(p, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "layers":
			d.Layers, view.Arrayed = n, true
		case "levels":
			d.Levels = n
		case "samples":
			d.Samples = n
		case "corner":
			d.Corner = true
		case "weights": // all of a layer; so many phases
			d.Layers, view.Arrayed = n, true
			view.Weights = &texture.Weights{Size: [2]int{d.Width, d.Height}, Phases: n}
		default:
			return fmt.Errorf("no such part: %s", p)
		}
	}
	m, err := texture.NewImage(d)
	if err != nil {
		return err
	}
	data, err := wordBytes(f[1:])
	if err != nil {
		return err
	}
	for n := range m.Levels {
		data = data[copy(m.LevelBytes(0, n), data):]
	}
	v, err := texture.NewView(m, view)
	put(&s.args.Images, at, append(s.args.Images[at], v))
	put(&s.images, at, append(s.images[at], m.LevelBytes(0, 0)))
	return err
}

// texels binds a texel buffer: its format, and words.
func (s *script) texels(at compute.Binding, f []string) error {
	data, err := wordBytes(f[1:])
	if err != nil {
		return err
	}
	v, err := texture.NewBufferView(data, f[0])
	put(&s.args.Images, at, append(s.args.Images[at], v))
	put(&s.images, at, append(s.images[at], data))
	return err
}

// sampler binds a sampler: nearest if no word says linear, clamped to the edge if
// none says repeat or border, white beyond the border; less compares; window gives
// matches one of 2×2.
func (s *script) sampler(at compute.Binding, f []string) error {
	d := texture.SamplerDesc{MaxLod: 1000, Compare: slices.Contains(f, "less"), CompareOp: enum.CompareOpLess,
		Border: [4]uint32{0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}}
	mode := enum.AddressModeClampToEdge
	switch {
	case slices.Contains(f, "repeat"):
		mode = enum.AddressModeRepeat
	case slices.Contains(f, "border"):
		mode = enum.AddressModeClampToBorder
	}
	d.Address = [3]enum.AddressMode{mode, mode, mode}
	if slices.Contains(f, "linear") {
		d.Mag, d.Min = enum.FilterLinear, enum.FilterLinear
	}
	if slices.Contains(f, "window") {
		d.Window = [2]uint32{2, 2}
	}
	d.MipLinear = slices.Contains(f, "miplinear")
	x, err := texture.NewSampler(d)
	put(&s.args.Samplers, at, append(s.args.Samplers[at], x))
	return err
}
