package device

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/valid"
)

// rows returns the cells of a table of Vulkan, by the names of the columns.
func rows(t *testing.T, name string) (out []map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../shared/spec/" + name)
	if err != nil {
		t.Skip("the tables of the Vulkan specification are not beside this repository, so the profiles are not compared with them: ", err)
	}
	var columns []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns == nil {
			columns = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			row[columns[i]] = c
		}
		out = append(out, row)
	}
	return out
}

// values reads a cell of the table of limits: the required value by the suffix of the name of the limit, and whether it is
// a floating-point number. It is empty for a cell without a fixed value.
func values(limit, cell string) (out map[string]float64, floating bool) {
	cell = strings.NewReplacer("VK_TRUE", "1", "TRUE", "1", "VK_FALSE", "0", "false", "0").Replace(cell)
	switch limit {
	case "maxInterpolationOffset": // 0.5 - (1 ULP)
		cell = "0.4375"
	case "pointSizeRange": // a unit in the last place is the granularity
		cell = strings.NewReplacer("64.0 - ULP", "63", "256.0 - pointSizeGranularity", "255.875").Replace(cell)
	case "lineWidthRange":
		cell = strings.Replace(cell, "8.0 - ULP", "7", 1)
	}
	inner, isTuple := strings.CutPrefix(cell, "(")
	inner = strings.TrimSuffix(inner, ")")
	parts := []string{inner}
	if isTuple && !strings.Contains(cell, "|") {
		parts = strings.Split(inner, ",")
	}
	out = map[string]float64{}
	for i, part := range parts {
		v, ok := value(strings.TrimSpace(part))
		if !ok {
			return nil, false
		}
		suffix := ""
		if len(parts) > 1 {
			suffix = "[" + strconv.Itoa(i) + "]"
		}
		out[suffix] = v
	}
	return out, Floating(limit)
}

// value reads a number, a power of two, a power of two minus one, or names of flags.
func value(s string) (float64, bool) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, true
	}
	if power, ok := strings.CutPrefix(s, "2^"); ok {
		power, less := strings.CutSuffix(power, "-1")
		n, err := strconv.Atoi(power)
		v := math.Ldexp(1, n)
		if less {
			v--
		}
		return v, err == nil
	}
	sum := uint64(0)
	for name := range strings.SplitSeq(s, "|") {
		b, ok := bits[strings.TrimSpace(name)]
		if !ok {
			return 0, false
		}
		sum |= b
	}
	return float64(sum), true
}

// amount returns the value of a limit of a profile.
func amount(name string, got uint64, floats bool) float64 {
	switch {
	case floats:
		return math.Float64frombits(got)
	case Signed(name):
		return float64(int64(got))
	}
	return float64(got)
}

// weaker reports whether a limit of a profile is weaker than the required value.
func weaker(name string, got uint64, want float64, floats bool) bool {
	have := amount(name, got, floats)
	switch properties[name].stronger {
	case smaller:
		return have > want
	case union:
		return got&uint64(want) != uint64(want)
	case last: // a range, or neither order
		return name == "primitiveOverestimationSize" && have != want
	}
	return have < want
}

// TestRequiredLimits compares the built-in profiles with Vulkan's tables of required limits, the first row of each
// limit. A profile has the required value, neither less nor more. A width of lines is an exception, since its unit in the
// last place differs between versions.
func TestRequiredLimits(t *testing.T) {
	seen, compared := map[string]bool{}, 0
	for _, r := range rows(t, "limits.tsv") {
		limit := r["limit"]
		if seen[limit] {
			continue
		}
		seen[limit] = true
		for profile, columns := range map[string][]string{
			"min1.0": {"required_core"}, "min1.1": {"required_core"}, "min1.2": {"required_core"}, "min1.3": {"required_core"},
			"min1.4":              {"vk14", "required_core"},
			"VP_KHR_roadmap_2022": {"roadmap2022", "required_core"}, "VP_KHR_roadmap_2024": {"roadmap2024", "roadmap2022", "required_core"},
			"VP_KHR_roadmap_2026": {"roadmap2026", "roadmap2024", "roadmap2022", "vk14", "required_core"},
		} {
			for _, c := range columns {
				want, floats := values(limit, r[c])
				if len(want) == 0 {
					continue
				}
				p, _ := Builtin(profile, valid.Vulkan10)
				for suffix, v := range want {
					compared++
					if got, ok := p.Device.Limits[limit+suffix]; !ok || weaker(limit, got, v, floats) {
						t.Errorf("%s: %s is %d, %t; must be %g", profile, limit+suffix, got, ok, v)
					} else if have := amount(limit, got, floats); have != v && properties[limit].stronger != union && limit != "lineWidthRange" {
						t.Errorf("%s: %s is %g; no more than %g is required", profile, limit+suffix, have, v)
					}
				}
				break
			}
		}
	}
	if compared < 2000 {
		t.Errorf("%d values were compared; want at least 2000", compared)
	}
}

// TestRoadmaps checks facts of the published roadmap profiles.
func TestRoadmaps(t *testing.T) {
	for _, c := range []struct {
		name              string
		version           valid.Version
		on, off           string
		limit             string
		value             uint64
		extension, absent string
	}{
		{"VP_KHR_roadmap_2022", valid.Vulkan13, "runtimeDescriptorArray", "shaderInt8", "maxPerStageDescriptorSampledImages", 200, "VK_KHR_global_priority", "VK_KHR_shader_quad_control"},
		{"VP_KHR_roadmap_2024", valid.Vulkan13, "shaderFloat16", "cooperativeMatrix", "maxBoundDescriptorSets", 7, "VK_KHR_shader_quad_control", "VK_KHR_robustness2"},
		{"VP_KHR_roadmap_2026", valid.Vulkan14, "cooperativeMatrix", "geometryShader", "maxComputeSharedMemorySize", 32768, "VK_KHR_robustness2", "VK_EXT_mesh_shader"},
	} {
		p, ok := Builtin(c.name, valid.Vulkan10)
		if !ok || p.Version != c.version {
			t.Errorf("%s: %t, Vulkan %s", c.name, ok, p.Version)
			continue
		}
		on, _ := p.Device.Feature(c.on)
		off, known := p.Device.Feature(c.off)
		if !on || off || !known {
			t.Errorf("%s: %s is %t, %s is %t", c.name, c.on, on, c.off, off)
		}
		if got := p.Device.Limits[c.limit]; got != c.value {
			t.Errorf("%s: %s is %d, must be %d", c.name, c.limit, got, c.value)
		}
		with, _ := p.Device.Extension(c.extension)
		without, _ := p.Device.Extension(c.absent)
		if !with || without {
			t.Errorf("%s: %s is %t, %s is %t", c.name, c.extension, with, c.absent, without)
		}
		if p.Device.Limits["shaderSignedZeroInfNanPreserveFloat32"] != 1 {
			t.Errorf("%s: shaderSignedZeroInfNanPreserveFloat32 is off", c.name)
		}
		for f := range p.Device.Features {
			if !Feature(f) {
				t.Errorf("%s: %s is no feature", c.name, f)
			}
		}
	}
	if _, ok := Builtin("VP_KHR_roadmap_2023", valid.Vulkan10); ok {
		t.Error("VP_KHR_roadmap_2023 is a profile")
	}
}

// TestCheckLimit tests that the limits of all built-in devices have names of limits.
func TestCheckLimit(t *testing.T) {
	for _, name := range BuiltinNames() {
		p, _ := Builtin(name, valid.Vulkan14)
		for n := range p.Device.Limits {
			if err := CheckLimit(n); err != nil {
				t.Errorf("%s: %s: %v", name, n, err)
			}
		}
	}
}
