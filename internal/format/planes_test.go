package format

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPlanes checks planes and channels of formats of each sort by hand (Vulkan,
// tables of multi-planar formats and of compatible formats of planes).
func TestPlanes(t *testing.T) {
	for _, c := range []struct {
		name   string
		planes []Plane
		parts  [3]ChannelSource
	}{
		{"G8_B8_R8_3PLANE_420_UNORM", []Plane{{"R8_UNORM", 1, 1}, {"R8_UNORM", 2, 2}, {"R8_UNORM", 2, 2}},
			[3]ChannelSource{{2, "R8_UNORM", R, 2, 2}, {0, "R8_UNORM", R, 1, 1}, {1, "R8_UNORM", R, 2, 2}}},
		{"G8_B8R8_2PLANE_422_UNORM", []Plane{{"R8_UNORM", 1, 1}, {"R8G8_UNORM", 2, 1}},
			[3]ChannelSource{{1, "R8G8_UNORM", G, 2, 1}, {0, "R8_UNORM", R, 1, 1}, {1, "R8G8_UNORM", R, 2, 1}}},
		{"G16_B16_R16_3PLANE_444_UNORM", []Plane{{"R16_UNORM", 1, 1}, {"R16_UNORM", 1, 1}, {"R16_UNORM", 1, 1}},
			[3]ChannelSource{{2, "R16_UNORM", R, 1, 1}, {0, "R16_UNORM", R, 1, 1}, {1, "R16_UNORM", R, 1, 1}}},
		{"G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16", []Plane{{"R10X6_UNORM_PACK16", 1, 1}, {"R10X6G10X6_UNORM_2PACK16", 1, 1}},
			[3]ChannelSource{{1, "R10X6G10X6_UNORM_2PACK16", G, 1, 1}, {0, "R10X6_UNORM_PACK16", R, 1, 1}, {1, "R10X6G10X6_UNORM_2PACK16", R, 1, 1}}},
		{"G14X2_B14X2R14X2_2PLANE_420_UNORM_3PACK16_ARM", []Plane{{"R14X2_UNORM_PACK16_ARM", 1, 1}, {"R14X2G14X2_UNORM_2PACK16_ARM", 2, 2}},
			[3]ChannelSource{{1, "R14X2G14X2_UNORM_2PACK16_ARM", G, 2, 2}, {0, "R14X2_UNORM_PACK16_ARM", R, 1, 1}, {1, "R14X2G14X2_UNORM_2PACK16_ARM", R, 2, 2}}},
		{"G8B8G8R8_422_UNORM", []Plane{{"G8B8G8R8_422_UNORM", 1, 1}},
			[3]ChannelSource{{0, "R8G8B8A8_UNORM", A, 2, 1}, {0, "R8G8_UNORM", R, 1, 1}, {0, "R8G8B8A8_UNORM", G, 2, 1}}},
		{"B12X4G12X4R12X4G12X4_422_UNORM_4PACK16", []Plane{{"B12X4G12X4R12X4G12X4_422_UNORM_4PACK16", 1, 1}},
			[3]ChannelSource{{0, "R12X4G12X4B12X4A12X4_UNORM_4PACK16", B, 2, 1}, {0, "R12X4G12X4_UNORM_2PACK16", G, 1, 1}, {0, "R12X4G12X4B12X4A12X4_UNORM_4PACK16", R, 2, 1}}},
		{"B16G16R16G16_422_UNORM", []Plane{{"B16G16R16G16_422_UNORM", 1, 1}},
			[3]ChannelSource{{0, "R16G16B16A16_UNORM", B, 2, 1}, {0, "R16G16_UNORM", G, 1, 1}, {0, "R16G16B16A16_UNORM", R, 2, 1}}},
	} {
		i := InfoByName(c.name)
		if got := i.PlaneList(); fmt.Sprint(got) != fmt.Sprint(c.planes) {
			t.Errorf("%s: planes %v; want %v", c.name, got, c.planes)
		}
		if got, ok := i.ChannelSources(); !ok || got != c.parts {
			t.Errorf("%s: parts %v; want %v", c.name, got, c.parts)
		}
	}
	if _, ok := InfoByName("R8G8B8A8_UNORM").ChannelSources(); ok {
		t.Error("R8G8B8A8_UNORM has parts")
	}
	if got := InfoByName("BC1_RGB_UNORM_BLOCK").PlaneList(); len(got) != 1 || got[0] != (Plane{"BC1_RGB_UNORM_BLOCK", 1, 1}) {
		t.Errorf("the only plane is %v", got)
	}
}

// TestPlanesOfEveryFormat demands of each format in planes, or with shared
// chroma, planes and channels of formats that are known, in the bytes that it
// has: the bits of a component are those of the name.
func TestPlanesOfEveryFormat(t *testing.T) {
	planar, pairs := 0, 0
	for k := range infos {
		i := &infos[k]
		parts, ok := i.ChannelSources()
		if want := i.Planes > 0 || strings.Contains(i.Name, "_422_"); ok != want {
			t.Errorf("%s has parts: %t", i.Name, ok)
		}
		if !ok {
			continue
		}
		bits := strings.TrimLeft(i.Name, "G")
		bits = bits[:strings.IndexAny(bits, "X_BGR")]
		if i.Name[0] == 'B' {
			bits = i.Name[1:][:strings.IndexAny(i.Name[1:], "XG")]
		}
		for ch, p := range parts {
			f, known := ByName(p.Format)
			if !known || !f.Has(p.Component) || fmt.Sprint(f.Components()[0].Bits) != bits {
				t.Errorf("%s: channel %d stands in %+v", i.Name, ch, p)
			}
		}
		if i.Planes == 0 {
			pairs++
			continue
		}
		planar++
		sum := 0
		for n, p := range i.PlaneList() {
			f, _ := ByName(p.Format)
			sum += f.Bytes
			for _, q := range parts {
				if q.Plane == n && (q.Format != p.Format || q.DivX != p.DivX || q.DivY != p.DivY) {
					t.Errorf("%s: plane %v, part %v", i.Name, p, q)
				}
			}
		}
		if sum != i.Bytes || len(i.PlaneList()) != i.Planes {
			t.Errorf("%s: planes of %d bytes; want %d", i.Name, sum, i.Bytes)
		}
	}
	if planar != 26 || pairs != 8 {
		t.Errorf("%d formats in planes and %d of pairs", planar, pairs)
	}
}

// TestFormatsTable compares blocks and planes with the table of all formats that
// the working folder has.
func TestFormatsTable(t *testing.T) {
	file, err := os.Open("../../../shared/spec/formats.tsv")
	if err != nil {
		t.Skip("there is no ../shared/spec")
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		i := InfoByName(strings.TrimPrefix(row[0], "VK_FORMAT_"))
		if i == nil {
			t.Errorf("%s is not known", row[0])
			continue
		}
		if f, ok := ByName(i.Name); ok {
			checkComponents(t, &f, row[8], row[11])
		}
		l := i.Layout()
		if got := fmt.Sprintf("%d %d,%d,%d", l.Bytes, l.Width, l.Height, l.Depth); got != row[4]+" "+row[6] {
			t.Errorf("%s: %s; want %s %s", row[0], got, row[4], row[6])
		}
		var planes []string
		for n, p := range i.PlaneList() {
			part := func(d int) string { return fmt.Sprintf("/%d", d) }
			planes = append(planes, fmt.Sprintf("%d:%s%s:VK_FORMAT_%s", n, part(p.DivX), part(p.DivY), p.Format))
		}
		if i.Planes > 0 && strings.Join(planes, ";") != row[10] {
			t.Errorf("%s: %s; want %s", row[0], strings.Join(planes, ";"), row[10])
		}
	}
}

// checkComponents compares components with those of a row, such as "R:5:UNORM",
// and their places with its order: packed ones from the highest bit down of each
// word, others from the first byte up.
func checkComponents(t *testing.T, f *Format, packed, row string) {
	word, at := 0, 0
	fmt.Sscan(packed, &word)
	var want, got []string
	for _, c := range strings.Fields(row) {
		part := strings.Split(c, ":")
		bits := 0
		fmt.Sscan(part[1], &bits)
		padded := bits
		if (bits == 10 || bits == 12 || bits == 14) && word == 16 {
			padded = 16
		}
		shift := at
		if word > 0 {
			shift = at/word*word + word - at%word - bits
		}
		want = append(want, fmt.Sprintf("%s %d at %d", part[0], bits, shift))
		at += padded
	}
	for _, k := range f.Components() {
		if k.Channel != X {
			got = append(got, fmt.Sprintf("%c %d at %d", "RGBADSEX"[k.Channel], k.Bits, k.Shift))
		}
	}
	if f.Name == "X8_D24_UNORM_PACK32" { // the table leaves out the padding, which is above
		want = []string{"D 24 at 0"}
	}
	if f.Has(E) {
		return // the exponent is no component of the table
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: components %v; want %v", f.Name, got, want)
	}
}

// TestComponentBits compares the widths of the components that a conversion has with the names of the formats.
func TestComponentBits(t *testing.T) {
	for name, want := range map[string]int{"A2R10G10B10_UNORM_PACK32": 10, "R5G6B5_UNORM_PACK16": 5, "R8G8B8A8_UNORM": 8, "A8_UNORM": 8, "G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16": 12} {
		if got := InfoByName(name).ComponentBits(); got != want {
			t.Errorf("%s: %d bits; must be %d", name, got, want)
		}
	}
}
