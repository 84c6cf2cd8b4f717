package debug

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	texels "github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// imagePart is an image that a shader is bound to, or an attachment of a draw, or a part of one.
type imagePart struct {
	attachment int    // of the draw; −1 for a descriptor
	resource   int    // of the program that runs
	element    uint64 // of the array of descriptors
	shown      *texture.Shown
	axes       []axis
	at         []uint64 // along the first axes
}

// axis is a coordinate of a texel. An image has those with more than one value, and its columns, in the order of their constants.
type axis uint8

const (
	levelAxis axis = iota
	layerAxis      // or slice of a volume
	rowAxis
	columnAxis
	sampleAxis
)

// attachmentScope is the scope of the attachments of a draw.
const attachmentScope = "Attachments"

// isImage reports whether a type is an image with places for its texels.
func isImage(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeImage || t.Op == spirv.OpTypeSampledImage)
}

// isImageVariable reports whether an id is a variable with an image, or with an array of images.
func (x *view) isImageVariable(id spirv.ID) bool {
	v := x.own().stage.Facts.Variable(id)
	if v == nil || v.Func != nil || v.Storage != spirv.StorageClassUniformConstant {
		return false
	}
	t := v.Type
	for t.IsArray() || t.IsRuntimeArray() {
		t = t.Elem
	}
	return isImage(t)
}

// imageResource returns the number of the resource of the texels of a variable; −1 if the program does not use it.
func (x *view) imageResource(id spirv.ID) int {
	m := x.own().stage.Facts
	set, has := m.Decoration(id, spirv.DecorationDescriptorSet)
	binding, also := m.Decoration(id, spirv.DecorationBinding)
	if !has || !also {
		return -1
	}
	for r := int(x.own().Resources); r+1 < len(x.program.Res); r++ {
		if p := &x.program.Res[r]; p.Kind == ir.Texels && p.Set == set.Literal() && p.Binding == binding.Literal() {
			return r
		}
	}
	return -1
}

// descriptors returns the number of descriptors that are bound to a variable.
func (x *view) descriptors(id spirv.ID) uint64 {
	if r := x.imageResource(id); r >= 0 && r < len(x.job.Resources) {
		return uint64(len(x.job.Resources[r]))
	}
	return 0
}

// showImage makes the variable of an image type the image of its descriptor.
func (v *Variable) showImage() {
	r, element := v.of.imageResource(v.id), uint64(0)
	t := v.of.own().stage.Symbols.Type(v.of.own().fn, v.id)
	for _, i := range v.path { // of arrays of arrays
		element, t = element*t.Count+i, t.Elem
	}
	p := &imagePart{attachment: -1, resource: r, element: element}
	if p.show(v.of.hook) {
		v.image = p
	} else if r < 0 && len(v.path) == 0 {
		v.image = v.of.mappedImage(v.id)
	}
}

// loadedImage returns the image that an instruction has loaded: its value is the numbers of a resource of the stage and of the descriptor, also of one
// in a heap. It returns nil for one without texels.
func (x *view) loadedImage(id spirv.ID) *imagePart {
	_, list, err := x.placesOf(id, nil)
	if err != nil || len(list) < 2 {
		return nil
	}
	resource, err := x.read(list[0])
	if err != nil {
		return nil
	}
	element, err := x.read(list[1])
	p := &imagePart{attachment: -1, resource: int(x.own().Resources) + int(uint32(resource)), element: element}
	if err != nil || !p.show(x.hook) {
		return nil
	}
	return p
}

// mappedImage returns the image of a variable with a descriptor in a heap, by a mapping: the one of the last load before the stop, in the order of
// the instructions; nil before the first.
func (x *view) mappedImage(variable spirv.ID) (p *imagePart) {
	m := x.own().stage.Facts
	for _, id := range x.namesOf().ids {
		in := m.Code.DefInst(id)
		if in != nil && in.Op() == spirv.OpLoad && inst.Load(in).Pointer() == variable && m.Code.Def(id)+1 < x.Instruction {
			if q := x.loadedImage(id); q != nil {
				p = q
			}
		}
	}
	return p
}

// imagePath is Path for an image, or a part of one: an index along each axis.
func (v *Variable) imagePath() (text string) {
	if n := v.image.attachment; n >= 0 {
		text = attachmentName(v.of.command.Attachments[n].Name)
	} else {
		text = v.of.name(v.id)
	}
	for i, n := range v.path {
		if i+1 == len(v.path) && v.component > 0 {
			return text + "." + v.Name
		}
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

// attachmentName returns the name of an attachment in expressions, which has no space.
func attachmentName(name string) string { return strings.ReplaceAll(name, " ", "") }

// show finds the texels in the group that runs; false if there are none.
func (p *imagePart) show(h *hook) (ok bool) {
	var memory, shape []byte
	switch job := h.job; {
	case p.attachment >= len(h.command.Attachments):
		return false
	case p.attachment >= 0:
		v := h.command.Attachments[p.attachment].View
		memory, shape = v.Memory().Bytes, v.Shape().Bytes
	case p.resource < 0 || job == nil || p.resource+1 >= len(job.Resources),
		p.element >= uint64(len(job.Resources[p.resource])) || p.element >= uint64(len(job.Resources[p.resource+1])):
		return false
	default:
		memory, shape = job.Resources[p.resource][p.element].Bytes, job.Resources[p.resource+1][p.element].Bytes
	}
	if p.shown.Of(memory, shape) {
		return true
	}
	if p.shown, ok = texture.Show(memory, shape); !ok {
		return false
	}
	p.axes = nil
	for a := range sampleAxis + 1 {
		if a == columnAxis || p.lengthOf(a, 0) > 1 || a == layerAxis && p.shown.Arrayed() || a == rowAxis && p.shown.Dim() != ir.Dim1D && p.shown.Dim() != ir.DimBuffer {
			p.axes = append(p.axes, a)
		}
	}
	return true
}

// lengthOf returns the number of values of a coordinate in a level.
func (p *imagePart) lengthOf(a axis, level int) uint64 {
	width, height, depth := p.shown.Extent(level)
	switch a {
	case levelAxis:
		return uint64(p.shown.Levels())
	case layerAxis:
		return uint64(max(p.shown.Layers(), depth))
	case rowAxis:
		return uint64(height)
	case columnAxis:
		return uint64(width)
	}
	return uint64(p.shown.Samples())
}

// coord returns the texel, or the first of the part.
func (p *imagePart) coord() (c texture.Coord) {
	for i, n := range p.at {
		switch n := int(n); p.axes[i] {
		case levelAxis:
			c.Level = n
		case layerAxis:
			if p.shown.Dim() == ir.Dim3D {
				c.Z = n
			} else {
				c.Layer = n
			}
		case rowAxis:
			c.Y = n
		case columnAxis:
			c.X = n
		case sampleAxis:
			c.Sample = n
		}
	}
	return c
}

// isTexel reports whether the part is one texel.
func (p *imagePart) isTexel() bool { return len(p.at) == len(p.axes) }

// parts returns the number of parts of the next axis.
func (p *imagePart) parts() uint64 { return p.lengthOf(p.axes[len(p.at)], p.coord().Level) }

// texelType returns the type of a texel: a vector of four components.
func (p *imagePart) texelType() *facts.Type {
	sampled, wide := p.shown.Sampled()
	scalar := &facts.Type{Op: spirv.OpTypeInt, Width: 32, Signed: sampled == texels.Int}
	if sampled == texels.Float {
		scalar.Op = spirv.OpTypeFloat
	}
	if wide {
		scalar.Width = 64
	}
	return &facts.Type{Op: spirv.OpTypeVector, Elem: scalar, Count: 4}
}

// childOfImage returns part i of an image, without its text, or a component of a texel.
func (v *Variable) childOfImage(i uint64) *Variable {
	c := *v
	if c.path = append(slices.Clone(v.path), i); v.image.isTexel() {
		c.Name, c.t, c.component = v.part(i), v.t.Elem, int(i)+1
		return &c
	}
	p := *v.image
	p.at = append(slices.Clone(p.at), i)
	c.Name, c.image = fmt.Sprintf("[%d]", i), &p
	if p.isTexel() {
		c.t = p.texelType()
	}
	return &c
}

// fillImage is fill for an image, or a part of one.
func (v *Variable) fillImage() {
	p := v.image
	if p.isTexel() {
		v.Type, v.Parts = typeName(nil, v.t), v.t.Parts()
		bits, err := v.bits()
		if v.Value = format(v.t, bits); err != nil {
			v.Value, v.Parts = "<"+err.Error()+">", 0
		}
		return
	}
	c := p.coord()
	width, height, depth := p.shown.Extent(c.Level)
	var size []string
	for i, n := range []int{width, height, depth} {
		if n > 1 || i == 0 || i == 1 && slices.Contains(p.axes, rowAxis) {
			size = append(size, fmt.Sprint(n))
		}
	}
	v.Type, v.Parts = imageTypes[p.shown.Dim()], p.parts()
	v.Value = strings.Join(size, "×") + " " + p.shown.Info().Name
	for i, n := range []int{p.shown.Layers(), p.shown.Levels(), p.shown.Samples()} {
		if n > 1 {
			v.Value += fmt.Sprintf(", %d %s", n, []string{"layers", "levels", "samples"}[i])
		}
	}
	if len(p.at) > 0 {
		v.Value = fmt.Sprintf("%d %ss", v.Parts, p.axes[len(p.at)])
	}
}

// imageTypes are the names of the types of images.
var imageTypes = map[ir.Dim]string{ir.Dim1D: "image1D", ir.Dim2D: "image2D", ir.Dim3D: "image3D", ir.DimCube: "imageCube", ir.DimBuffer: "imageBuffer"}

// String returns the word for a coordinate.
func (a axis) String() string { return []string{"level", "layer", "row", "texel", "sample"}[a] }

// texelBits returns the bits of the components of a texel, or of one.
func (p *imagePart) texelBits(component int) ([]uint64, error) {
	all, ok := p.shown.Load(p.coord())
	switch {
	case !ok:
		return nil, fmt.Errorf("the image has no texel there")
	case component > 0:
		return all[component-1 : component], nil
	}
	return all[:], nil
}

// bits returns the bits of the scalars of the variable.
func (v *Variable) bits() ([]uint64, error) {
	if v.image != nil {
		if !v.image.isTexel() {
			return nil, nil
		}
		return v.image.texelBits(v.component)
	}
	list, err := v.places()
	bits := make([]uint64, len(list))
	for i := 0; err == nil && i < len(list); i++ {
		bits[i], err = v.of.read(list[i])
	}
	return bits, err
}

// attachments returns the attachments of the draw as variables.
func (x *view) attachments() (list []*Variable) {
	for i, a := range x.command.Attachments {
		p := &imagePart{attachment: i}
		if p.show(x.hook) {
			list = append(list, &Variable{of: x, Name: attachmentName(a.Name), image: p})
		}
	}
	return list
}

// texelOf evaluates imageLoad(image, P), imageLoad(image, P, sample), texelFetch(image, P, level or sample) and texelFetch(image, P): a texel
// of a storage image, of a sampled image or of a texel buffer.
func texelOf(name string, args []result) (result, error) {
	if len(args) < 2 || len(args) > 3 || args[0].variable == nil || args[0].variable.image == nil || len(args[0].variable.image.at) > 0 {
		return result{}, fmt.Errorf("%s wants an image, a texel, and a level or a sample if the image has several", name)
	}
	v := args[0].variable
	p, at := v.image, args[1].numbers
	if args[1].kind == float || len(at) == 0 {
		return result{}, fmt.Errorf("%s wants integer coordinates", name)
	}
	last := int64(0)
	if len(args) == 3 && len(args[2].numbers) == 1 && args[2].kind != float {
		last = args[2].numbers[0].i
	}
	coordinates := 0
	for _, a := range p.axes {
		if a == layerAxis || a == rowAxis || a == columnAxis {
			coordinates++
		}
	}
	if len(at) != coordinates {
		return result{}, fmt.Errorf("%s with %d coordinates; the image has %d", name, len(at), coordinates)
	}
	column, at := at[0].i, at[1:]
	for _, a := range p.axes {
		n := column
		switch {
		case a == levelAxis, a == sampleAxis:
			n = last
		case a == rowAxis:
			n = at[0].i
		case a == layerAxis:
			n = at[len(at)-1].i
		}
		if parts := v.image.parts(); n < 0 || uint64(n) >= parts {
			return result{}, fmt.Errorf("%s %d; must be less than %d", a, n, parts)
		}
		v = v.childOfImage(uint64(n))
	}
	return result{variable: v}, nil
}
