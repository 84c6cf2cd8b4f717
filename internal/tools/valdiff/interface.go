package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// interfaces generates entry points of all models with random variables: a storage class, a
// type and decorations, most of which fit.
type interfaces struct {
	*soup
	names map[string]string // of types, by their text
	next  int
}

func (g *interfaces) generate() string {
	g.reset()
	g.names, g.next = map[string]string{}, 0
	model, modes := g.stage()
	entry := fmt.Sprintf("OpEntryPoint %s %%main \"main\"", model)
	for n := range 1 + g.IntN(3) {
		if v := g.variable(n, model); g.IntN(15) != 0 {
			entry += " " + v
		}
	}
	return g.text(entry, modes...)
}

// named returns the id of a type or constant.
func (g *interfaces) named(text string) string {
	if id, ok := g.names[text]; ok && !strings.HasPrefix(text, "OpTypeStruct") {
		return id
	}
	g.next++
	id := fmt.Sprintf("%%t%d", g.next)
	g.names[text] = id
	g.types = append(g.types, id+" = "+text)
	return id
}

func (g *interfaces) scalar() string {
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4:
		return g.named("OpTypeFloat 32")
	case 5, 6:
		return g.named("OpTypeInt 32 0")
	case 7, 8:
		return g.named("OpTypeInt 32 1")
	case 9:
		g.need("Float64")
		return g.named("OpTypeFloat 64")
	case 10:
		g.need("Int64")
		return g.named("OpTypeInt 64 0")
	}
	return g.named("OpTypeBool")
}

func (g *soup) need(capability string) {
	if g.usable[capability] {
		g.declare(spirv.KindCapability.EnumerantByName(capability))
	}
}

func (g *interfaces) vector() string {
	if g.IntN(3) == 0 {
		return g.scalar()
	}
	return g.named(fmt.Sprintf("OpTypeVector %s %d", g.scalar(), 2+g.IntN(3)))
}

func (g *interfaces) constant() string {
	return g.named(fmt.Sprintf("OpConstant %s %d", g.named("OpTypeInt 32 0"), 1+g.IntN(4)))
}

// value returns a type of numbers.
func (g *interfaces) value(depth int) string {
	switch k := g.IntN(12); {
	case k < 7 || depth == 0:
		return g.vector()
	case k < 9:
		t := g.value(depth - 1)
		return g.named(fmt.Sprintf("OpTypeArray %s %s", t, g.constant()))
	case k == 9:
		return g.named(fmt.Sprintf("OpTypeMatrix %s %d", g.named("OpTypeVector "+g.named("OpTypeFloat 32")+" "+fmt.Sprint(2+g.IntN(3))), 2+g.IntN(3)))
	}
	return g.structure(depth)
}

func (g *interfaces) structure(depth int) string {
	text := "OpTypeStruct"
	members := 1 + g.IntN(3)
	for range members {
		text += " " + g.value(depth-1)
	}
	id := g.named(text)
	block := g.IntN(3) == 0
	if block {
		g.note("OpDecorate %s Block", id)
	}
	for m := range members {
		switch g.IntN(6) {
		case 0:
			g.note("OpMemberDecorate %s %d Location %d", id, m, g.IntN(5))
		case 1:
			g.note("OpMemberDecorate %s %d %s", id, m, g.interpolation())
		case 2:
			if g.IntN(4) == 0 {
				g.note("OpMemberDecorate %s %d Component %d", id, m, g.IntN(5))
			}
		}
	}
	return id
}

func (g *interfaces) interpolation() string {
	list := []string{"Flat", "Flat", "NoPerspective", "Centroid", "Sample", "Patch", "Invariant", "RelaxedPrecision"}
	s := list[g.IntN(len(list))]
	if s == "Sample" {
		g.need("SampleRateShading")
	}
	if s == "Patch" {
		g.need("Tessellation")
	}
	return s
}

func (g *interfaces) note(format string, args ...any) { g.line(&g.notes, fmt.Sprintf(format, args...)) }

// storages are the storage classes of variables, the frequent ones several times.
var storages = []string{"Input", "Input", "Input", "Input", "Output", "Output", "Output", "Output", "Uniform", "StorageBuffer", "PushConstant",
	"UniformConstant", "UniformConstant", "Private", "Workgroup"}

// variable writes a variable and returns its id.
func (g *interfaces) variable(n int, model string) string {
	v := fmt.Sprintf("%%var%d", n)
	storage := storages[g.IntN(len(storages))]
	var t string
	switch storage {
	case "Input", "Output":
		t = g.port(v, storage, model)
	case "Uniform", "StorageBuffer", "PushConstant":
		t = g.block(v, storage)
	case "UniformConstant":
		t = g.resource(v)
	default:
		t = g.value(2)
	}
	if g.IntN(8) == 0 { // a decoration of another kind of variable
		list := []string{"Location 1", "Component 1", "Index 0", "Index 1", "Binding 1", "DescriptorSet 0", "NonWritable", "NonReadable", "Coherent", "Volatile",
			"Restrict", "Aliased", "Invariant", "BuiltIn Position", "BuiltIn PointSize", "BuiltIn FragDepth", "InputAttachmentIndex 0", "NoPerspective", "Flat"}
		if model == "Geometry" {
			g.need("GeometryStreams")
			list = append(list, "Stream 0", "Stream 1")
		}
		g.need("TransformFeedback")
		list = append(list, "XfbBuffer 0", "XfbStride 16", "Offset 0")
		g.note("OpDecorate %s %s", v, list[g.IntN(len(list))])
	}
	p := g.named("OpTypePointer " + storage + " " + t)
	g.types = append(g.types, fmt.Sprintf("%s = OpVariable %s %s", v, p, storage))
	return v
}

// port returns the type of an input or output, and decorates it.
func (g *interfaces) port(v, storage, model string) string {
	if g.IntN(4) == 0 {
		return g.builtIn(v, storage, model)
	}
	t := g.value(2)
	arrayed := storage == "Input" && (model == "Geometry" || strings.HasPrefix(model, "Tess")) || storage == "Output" && (model == "TessellationControl" || model == "MeshEXT")
	patch := strings.HasPrefix(model, "Tess") && g.IntN(3) == 0
	if patch {
		g.note("OpDecorate %s Patch", v)
	}
	if arrayed && (patch == (g.IntN(20) == 0)) {
		t = g.named(fmt.Sprintf("OpTypeArray %s %s", t, g.named("OpConstant "+g.named("OpTypeInt 32 0")+" 3")))
	}
	if g.IntN(15) != 0 {
		g.note("OpDecorate %s Location %d", v, g.IntN(4))
	}
	if g.IntN(5) == 0 {
		g.note("OpDecorate %s Component %d", v, g.IntN(4))
	}
	if model == "Fragment" && storage == "Output" && g.IntN(5) == 0 {
		g.note("OpDecorate %s Index %d", v, g.IntN(3))
	}
	if model == "Fragment" && storage == "Input" && g.IntN(2) == 0 {
		g.note("OpDecorate %s Flat", v)
	}
	if g.IntN(8) == 0 {
		g.note("OpDecorate %s %s", v, g.interpolation())
	}
	return t
}

// builtIn returns the type of a built-in: mostly a common type.
func (g *interfaces) builtIn(v, storage, model string) string {
	r := g.pick(spirv.KindBuiltIn)
	if g.IntN(2) == 0 {
		g.note("OpDecorate %s Flat", v)
	}
	f, u := g.named("OpTypeFloat 32"), g.named("OpTypeInt 32 0")
	list := []string{f, u, u, g.named("OpTypeInt 32 1"), g.named("OpTypeVector " + f + " 4"), g.named("OpTypeVector " + f + " 3"), g.named("OpTypeVector " + u + " 3"),
		g.named("OpTypeVector " + u + " 4"), g.named("OpTypeVector " + f + " 2"), g.named("OpTypeBool"),
		g.named("OpTypeArray " + f + " " + g.constant()), g.named("OpTypeArray " + u + " " + g.constant())}
	t := list[g.IntN(len(list))]
	if g.IntN(6) == 0 {
		g.note("OpDecorate %s Patch", v)
		g.need("Tessellation")
	}
	if g.IntN(5) == 0 {
		t = g.named("OpTypeArray " + t + " " + g.constant())
	}
	if g.IntN(4) == 0 { // in a block
		t = g.named("OpTypeStruct " + t)
		g.note("OpMemberDecorate %s 0 BuiltIn %s", t, r.Name())
		g.note("OpDecorate %s Block", t)
		if g.IntN(3) == 0 {
			t = g.named("OpTypeArray " + t + " " + g.constant())
		}
		return t
	}
	g.note("OpDecorate %s BuiltIn %s", v, r.Name())
	return t
}

// block returns the type of a buffer, with its layout.
func (g *interfaces) block(v, storage string) string {
	f, u := g.named("OpTypeFloat 32"), g.named("OpTypeInt 32 0")
	v4 := g.named("OpTypeVector " + f + " 4")
	list := []string{f, u, v4, g.named("OpTypeVector " + f + " 2"), g.named("OpTypeMatrix " + v4 + " 2"), g.named("OpTypeVector " + f + " 3")}
	text, at := "OpTypeStruct", 0
	var notes []string
	for m := range 1 + g.IntN(3) {
		t := list[g.IntN(len(list))]
		size := 16
		if strings.Contains(t, g.named("OpTypeMatrix "+v4+" 2")) {
			size = 32
			if g.IntN(20) != 0 {
				notes = append(notes, fmt.Sprintf("%d MatrixStride %d", m, 16+g.IntN(10)/9*4))
			}
			if g.IntN(20) != 0 {
				notes = append(notes, fmt.Sprintf("%d %s", m, [...]string{"ColMajor", "RowMajor"}[g.IntN(2)]))
			}
		}
		if g.IntN(30) != 0 {
			notes = append(notes, fmt.Sprintf("%d Offset %d", m, at+g.IntN(20)/19*4))
		}
		text, at = text+" "+t, at+size
	}
	s := g.named(text)
	for _, n := range notes {
		g.note("OpMemberDecorate %s %s", s, n)
	}
	if g.IntN(25) != 0 {
		g.note("OpDecorate %s Block", s)
	}
	if storage != "PushConstant" || g.IntN(20) == 0 {
		g.bind(v)
	}
	if g.version < 1<<16|3<<8 && storage == "StorageBuffer" {
		g.line(&g.declared, `OpExtension "SPV_KHR_storage_buffer_storage_class"`)
	}
	if g.IntN(8) == 0 {
		return g.named("OpTypeArray " + s + " " + g.constant())
	}
	return s
}

func (g *interfaces) bind(v string) {
	if g.IntN(20) != 0 {
		g.note("OpDecorate %s DescriptorSet %d", v, g.IntN(2))
	}
	if g.IntN(20) != 0 {
		g.note("OpDecorate %s Binding %d", v, g.IntN(4))
	}
}

// resource returns the type of an image or sampler.
func (g *interfaces) resource(v string) string {
	g.bind(v)
	f := g.named("OpTypeFloat 32")
	dim := []string{"1D", "2D", "2D", "2D", "3D", "Cube", "Rect", "Buffer", "SubpassData"}[g.IntN(9)]
	sampled := 1 + g.IntN(2)
	if dim == "SubpassData" {
		g.need("InputAttachment")
		sampled = 2
		if g.IntN(10) != 0 {
			g.note("OpDecorate %s InputAttachmentIndex %d", v, g.IntN(2))
		}
	}
	for _, c := range []string{"Sampled1D", "Image1D", "SampledBuffer", "ImageBuffer", "StorageImageMultisample", "ImageCubeArray", "SampledCubeArray", "ImageMSArray", "StorageImageExtendedFormats"} {
		g.need(c)
	}
	format := "Unknown"
	if sampled == 2 && dim != "SubpassData" {
		format = []string{"Rgba8", "R32f", "R32ui", "Unknown"}[g.IntN(4)]
		g.need("StorageImageReadWithoutFormat")
	}
	component := f
	if g.IntN(6) == 0 {
		component = g.scalar()
	}
	image := g.named(fmt.Sprintf("OpTypeImage %s %s %d %d %d %d %s", component, dim, g.IntN(8)/6, g.IntN(5)/4, g.IntN(6)/5, sampled, format))
	switch g.IntN(5) {
	case 0:
		return g.named("OpTypeSampledImage " + image)
	case 1:
		return g.named("OpTypeArray " + image + " " + g.constant())
	case 2:
		if g.IntN(2) == 0 {
			return g.named("OpTypeSampler")
		}
	}
	return image
}
