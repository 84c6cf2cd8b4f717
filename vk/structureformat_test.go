package vk

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/link"
)

// requiredVertices are the formats that "Mandatory Format Support" requires for vertices of acceleration structures.
var requiredVertices = []string{"R32G32_SFLOAT", "R32G32B32_SFLOAT", "R16G16_SFLOAT", "R16G16B16A16_SFLOAT", "R16G16_SNORM", "R16G16B16A16_SNORM"}

// vertexPart is a component of a format: its letter, its bits and the place of its lowest bit.
type vertexPart struct {
	letter    string
	bits, low int
}

// vertexParts reads the components of a format in its name: one after the other in memory, or from the highest bit of a word on.
func vertexParts(name string) (parts []vertexPart, numeric string) {
	list, rest, _ := strings.Cut(name, "_")
	numeric, pack, _ := strings.Cut(strings.TrimSuffix(rest, "_ARM"), "_")
	total, word := 0, 0
	for _, m := range regexp.MustCompile(`([RGBAEX])(\d+)`).FindAllStringSubmatch(list, -1) {
		n, _ := strconv.Atoi(m[2])
		parts = append(parts, vertexPart{m[1], n, total})
		total += n
	}
	if _, bits, ok := strings.Cut(pack, "PACK"); ok {
		word, _ = strconv.Atoi(bits)
	}
	for i := range parts {
		p := &parts[i]
		if word > 0 {
			first := p.low / word * word
			p.low = first + word - (p.low - first) - p.bits
		}
	}
	return parts, numeric
}

// vertexCode returns the bits of a component with the value −1, 0, ½ or 1, and the exact value: ½ is no value of a normalized component.
func vertexCode(numeric string, bits int, x float64) (uint64, float64) {
	switch numeric {
	case "UNORM":
		most := float64(uint64(1)<<bits - 1)
		k := math.Floor(x * most)
		return uint64(k), k / most
	case "SNORM":
		most := float64(uint64(1)<<(bits-1) - 1)
		k := math.Floor(x * most)
		return uint64(int64(k)) & (1<<bits - 1), k / most
	}
	mantissa := map[int]int{10: 5, 11: 6, 16: 10, 32: 23}[bits]
	bias := uint64(15)
	if bits == 32 {
		bias = 127
	}
	switch x {
	case 0:
		return 0, 0
	case 0.5:
		return (bias - 1) << mantissa, x
	case -1:
		return 1<<(bits-1) | bias<<mantissa, x
	}
	return bias << mantissa, x
}

// vertexBytes returns a vertex in a format and the exact value of z. All other bits are set.
func vertexBytes(name string, x, y, z float64, size int) ([]byte, float64) {
	parts, numeric := vertexParts(name)
	b := make([]byte, size)
	exact := 0.0
	for _, p := range parts {
		code := uint64(1)<<p.bits - 1
		value := map[string]float64{"R": x, "G": y, "B": z}
		switch v, ok := value[p.letter]; {
		case name == "E5B9G9R9_UFLOAT_PACK32" && ok:
			code = uint64(256 * v) // with the exponent 16: 1 is 256/512 · 2
			exact = 0.5
		case name == "E5B9G9R9_UFLOAT_PACK32":
			code = 16
		case ok:
			var e float64
			if code, e = vertexCode(numeric, p.bits, v); p.letter == "B" {
				exact = e
			}
		}
		for i := range p.bits {
			if code>>i&1 != 0 {
				b[(p.low+i)/8] |= 1 << ((p.low + i) % 8)
			}
		}
	}
	return b, exact
}

// TestVertexFormats builds a triangle in each format that the device has for vertices of acceleration structures, from bits that the test
// makes of the name of the format. The components R, G and B are x, y and z; z is 0 without the third one, and the fourth one has no meaning.
// Signed formats have −1 as the first x.
func TestVertexFormats(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	seen := map[string]bool{}
	for n := range uint32(1 << 20) {
		id := n // of core formats
		if n >= 1000 {
			id = 1_000_000_000 + n - 1000 // of extensions
		}
		i := format.ByID(id)
		if i == nil || r.dev.Physical().FormatProperties(link.Format(id)).Buffer&FormatStructureVertex == 0 {
			continue
		}
		seen[i.Name] = true
		r.vertexFormat(t, i, bottom, top)
	}
	for _, name := range requiredVertices {
		if !seen[name] {
			t.Errorf("%s: no format of vertices; must be one", name)
		}
	}
	t.Logf("%d formats", len(seen))
}

// vertexFormat traces rays at a triangle with vertices in a format.
func (r *rays) vertexFormat(t *testing.T, i *format.Info, bottom, top *AccelerationStructure) {
	t.Helper()
	signed := strings.Contains(i.Name, "SNORM") || strings.Contains(i.Name, "SFLOAT")
	first := 0.0
	if signed {
		first = -1
	}
	stride := (i.Bytes + 7) &^ 7
	var z float64
	for k, at := range [][2]float64{{first, 0}, {1, 0}, {1, 1}} {
		b, exact := vertexBytes(i.Name, at[0], at[1], 0.5, i.Bytes)
		copy(r.memory.Bytes()[rayVertices+256+stride*k:], b)
		z = exact
	}
	build := r.bottom(bottom, 1)
	build.Geometries = []Geometry{{Triangles: &TriangleGeometry{Format: link.Format(i.ID), Vertices: r.at(rayVertices + 256), Stride: uint64(stride), MaxVertex: 2}}}
	r.build(t, build, r.top(top, 1))
	hit := func(x, y float32) float64 {
		q := ray.Query{Origin: [3]float32{x, y, 5}, Direction: [3]float32{0, 0, -1}, TMax: 100, Mask: 255}
		w := ray.NewWalker()
		for s := r.dev.heap.structures.now()[top.number]; w.Next(s, &q); {
			q.Confirm()
		}
		if q.Committed.Kind == ray.None {
			return math.NaN()
		}
		return float64(q.Committed.T)
	}
	if got, want := hit(.75, .25), 5-z; !(math.Abs(got-want) < 1e-6) {
		t.Errorf("%s: the distance is %v; must be %v", i.Name, got, want)
	}
	if got := hit(.25, .75); got == got {
		t.Errorf("%s: a ray beside the triangle hits at %v", i.Name, got)
	}
	if got := hit(-.5, .125); (got == got) != signed {
		t.Errorf("%s: a ray at x = −½ has the distance %v; a hit must be %t", i.Name, got, signed)
	}
}
