package amber_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

const layeredPicture = "BUFFER picture FORMAT R8G8B8A8_UNORM LAYERS "

// layeredMesh returns meshScript with a Layer of each primitive: its number.
func layeredMesh(positions string, layers int) string {
	text := meshText(2, positions, 1, 3)
	text = strings.Replace(text, "%culled = OpIEqual %bool %i %u1\n", "%culled = OpULessThan %bool %i %u0\n%la = OpAccessChain %outint %prims %i %i1\n%li = OpBitcast %int %i\nOpStore %la %li\n", 1)
	return strings.Replace(text, "BUFFER picture FORMAT R8G8B8A8_UNORM", layeredPicture+fmt.Sprint(layers), 1)
}

// layeredGeometry returns geometryScript with a Layer of each primitive: InvocationId.
func layeredGeometry(positions string) string {
	text := strings.NewReplacer("POSITIONS", positions, "INDICES", "0 1 2 3 4 5 6 7 8 9 0 2 4 6", "VERTICES\n", emitted(3), "CORNERS", "3", "INPUT", "Triangles",
		"OUTPUT", "OutputTriangleStrip", "TOPOLOGY", "TRIANGLE_LIST", "STAGE", "  ATTACH g\n").Replace(geometryScript)
	return strings.NewReplacer("%pos %color %prim\n", "%pos %color %prim %layer\n", "OpDecorate %prim BuiltIn PrimitiveId\n", "OpDecorate %prim BuiltIn PrimitiveId\nOpDecorate %layer BuiltIn Layer\n",
		"%prim = OpVariable %outint Output\n", "%prim = OpVariable %outint Output\n%layer = OpVariable %outint Output\n", "OpStore %prim %next\n", "OpStore %prim %next\nOpStore %layer %k\n",
		"BUFFER picture FORMAT R8G8B8A8_UNORM", layeredPicture+"2").Replace(text)
}

// TestPermittedLayers: a primitive is in the layer that its geometry or mesh shader names ("Layer"): no right number is called wrong, and pictures with two
// layers in another order are.
func TestPermittedLayers(t *testing.T) {
	random := rand.New(rand.NewSource(53))
	drawn := 0
	for round := range 18 {
		var positions strings.Builder
		for range 10 {
			fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*1.8-0.9, random.Float32()*1.8-0.9, random.Float32())
		}
		text, layers, pictures := layeredMesh(positions.String(), 3), 3, 1
		if round%2 == 1 {
			text, layers = layeredGeometry(positions.String()), 2
		}
		if round >= 12 { // with several samples, and a resolved picture
			pictures = 2
			image := layeredPicture + fmt.Sprint(layers)
			text = strings.NewReplacer(image, fmt.Sprintf("IMAGE many FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 16 HEIGHT 16 LAYERS %d SAMPLES 4\n%s", layers, image),
				"BIND BUFFER picture AS color LOCATION 0\n", "BIND BUFFER many AS color LOCATION 0\n  BIND BUFFER picture AS resolve\n").Replace(text)
		}
		p, r := permit(t, "layers.amber", text)
		right := r.Contents["picture"]
		if len(p.Pictures) != pictures || len(right) != layers*16*16*4 || p.Pictures[pictures-1].Undecided != "" {
			t.Fatalf("round %d: %v, undecided %q", round, r.Message, p.Pictures[pictures-1].Undecided)
		}
		p.Pictures = p.Pictures[pictures-1:]
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > len(right)/2 {
			t.Errorf("round %d: %d components with any value, %d are not permitted, the first %+v", round, any, len(list), list[:min(len(list), 1)])
		}
		drawn += drawnPixels(right, [4]byte{})
		first, second := right[:16*16*4], right[16*16*4:2*16*16*4]
		if bytes.Equal(first, second) {
			t.Errorf("round %d: two layers are equal", round)
		}
		list, _ := p.Pictures[0].Judge(append(append(bytes.Clone(second), first...), right[2*16*16*4:]...))
		if len(list) == 0 {
			t.Errorf("round %d: layers in another order are permitted", round)
		}
	}
	if drawn < 300 {
		t.Errorf("%d pixels are drawn", drawn)
	}
}

// TestPermittedLayerBeyond: the values of the layers are undefined after a draw to one beyond them.
func TestPermittedLayerBeyond(t *testing.T) {
	p, _ := permit(t, "layers.amber", layeredMesh("-1 -1 0 1\n1 -1 0 1\n1 1 0 1\n-1 1 0 1\n", 2))
	if why := p.Pictures[0].Undecided; !strings.Contains(why, "layer") {
		t.Errorf("%q; must name the layer", why)
	}
}

// viewed returns a script with several views of 4 layers: its shaders add a number of ViewIndex.
func viewed(text string, mask string) string {
	text = strings.Replace(text, "BUFFER picture FORMAT R8G8B8A8_UNORM", layeredPicture+"4", 1)
	text = strings.NewReplacer("OpMemoryModel Logical GLSL450\n", "OpCapability MultiView\nOpMemoryModel Logical GLSL450\n", "SPIRV-ASM\n", "SPIRV-ASM TARGET_ENV spv1.3\n", "  STATE\n", "  STATE\n    VIEW_MASK "+mask+"\n").Replace(text)
	fragment := strings.Index(text, "SHADER fragment")
	before, after := text[:fragment], text[fragment:]
	after = strings.NewReplacer("%id %o\n", "%id %o %view\n", "OpDecorate %o Location 0\n", "OpDecorate %o Location 0\nOpDecorate %view BuiltIn ViewIndex\nOpDecorate %view Flat\n",
		"%inint = OpTypePointer Input %int\n", "%inint = OpTypePointer Input %int\n%view = OpVariable %inint Input\n", "%n = OpLoad %int %id\n", "%n0 = OpLoad %int %id\n%vi = OpLoad %int %view\n%n = OpIAdd %int %n0 %vi\n").Replace(after)
	return before + after
}

// moved returns a script with a mesh or geometry shader that moves the color of a vertex by ViewIndex.
func moved(text string) string {
	return strings.NewReplacer("%local %workgroup %positions", "%local %workgroup %positions %view", "OpDecorate %local BuiltIn", "OpDecorate %view BuiltIn ViewIndex\nOpDecorate %local BuiltIn",
		"%local = OpVariable %inuint Input\n", "%local = OpVariable %inuint Input\n%view = OpVariable %inuint Input\n",
		"%c0 = OpFMul %v4 %p %halves\n", "%vi = OpLoad %uint %view\n%vf = OpConvertUToF %float %vi\n%ve = OpFMul %float %vf %eighth\n%vv = OpCompositeConstruct %v4 %ve %ve %ve %ve\n%c00 = OpFMul %v4 %p %halves\n%c0 = OpFAdd %v4 %c00 %vv\n",
		"%p %id %in %pos", "%p %id %in %view %pos", "OpDecorate %in BuiltIn InvocationId\n", "OpDecorate %in BuiltIn InvocationId\nOpDecorate %view BuiltIn ViewIndex\n",
		"%in = OpVariable %inint Input\n", "%in = OpVariable %inint Input\n%view = OpVariable %inint Input\n",
		"%kh = OpFMul %float %kf %half\n", "%vi = OpLoad %int %view\n%vf = OpConvertSToF %float %vi\n%ve = OpFMul %float %vf %eighth\n%kh0 = OpFMul %float %kf %half\n%kh = OpFSub %float %kh0 %ve\n").Replace(text)
}

// TestPermittedViews: a draw with several views is a draw for each one, with its ViewIndex, in the layer of its number ("Multiview"). No right number is
// called wrong, and layers in another order are.
func TestPermittedViews(t *testing.T) {
	random := rand.New(rand.NewSource(59))
	const layer = 16 * 16 * 4
	drawn := 0
	for round := range 8 {
		var positions strings.Builder
		for range 10 {
			fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*1.8-0.9, random.Float32()*1.8-0.9, random.Float32())
		}
		text := meshText(2, positions.String(), 1, 3)
		if round%2 == 1 {
			text = strings.NewReplacer("POSITIONS", positions.String(), "INDICES", "0 1 2 3 4 5 6 7 8 9 0 2 4 6", "VERTICES\n", emitted(3), "CORNERS", "3", "INPUT", "Triangles",
				"OUTPUT", "OutputTriangleStrip", "TOPOLOGY", "TRIANGLE_LIST", "STAGE", "  ATTACH g\n").Replace(geometryScript)
		}
		p, r := permit(t, "views.amber", moved(viewed(text, "0xd")))
		right := r.Contents["picture"]
		if len(p.Pictures) != 1 || len(right) != 4*layer || p.Pictures[0].Undecided != "" {
			t.Fatalf("round %d: %v, undecided %q", round, r.Message, p.Pictures[0].Undecided)
		}
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > 2*layer {
			t.Errorf("round %d: %d components with any value, %d are not permitted, the first %+v", round, any, len(list), list[:min(len(list), 1)])
		}
		drawn += drawnPixels(right, [4]byte{})
		wrong := bytes.Clone(right)
		copy(wrong[2*layer:3*layer], right[3*layer:])
		copy(wrong[3*layer:], right[2*layer:3*layer])
		if list, _ := p.Pictures[0].Judge(wrong); len(list) == 0 {
			t.Errorf("round %d: views in another order are permitted", round)
		}
	}
	if drawn < 200 {
		t.Errorf("%d pixels are drawn", drawn)
	}
}

// TestPermittedViewLayers: no shader may store Layer with several views.
func TestPermittedViewLayers(t *testing.T) {
	text := strings.Replace(layeredMesh("-1 -1 0 1\n1 -1 0 1\n1 1 0 1\n-1 1 0 1\n", 3), layeredPicture+"3", "BUFFER picture FORMAT R8G8B8A8_UNORM", 1)
	p, _ := permit(t, "views.amber", viewed(text, "0x3"))
	if why := p.Pictures[0].Undecided; !strings.Contains(why, "several views") {
		t.Errorf("%q; must name the views", why)
	}
}
