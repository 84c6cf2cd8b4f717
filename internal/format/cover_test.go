package format

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// sortOf returns which tests compare the texels of a format with a model of the
// specification's formulas, "" where none does.
func sortOf(i *Info) string {
	f, one := ByName(i.Name)
	parts, apart := i.ChannelSources()
	b, inBlocks := i.Blocks()
	switch {
	case one && f.Has(E):
		return "TestSharedExponent"
	case one && !slices.Contains(names[:], i.Name):
		return "" // those that TestEveryTexel and TestEveryPattern go through
	case one && f.Bytes <= 2:
		return "TestEveryTexel, TestEveryPattern, TestRounding: all texels"
	case one:
		return "TestEveryTexel, TestEveryPattern, TestRounding: all patterns of components of up to 16 bits, else boundaries"
	case apart:
		for _, p := range parts {
			if !slices.Contains(names[:], p.Format) {
				return ""
			}
		}
		return "TestPlanesOfEveryFormat: the texels of its planes, which stand above"
	case inBlocks:
		switch b.class {
		case bc1, bc2, bc3, bc4, bc5:
			return "TestBC"
		case bc6:
			return "TestBC6H"
		case bc7:
			return "TestBC7"
		case etc2, etc2Alpha, eac1, eac2:
			return "TestETC2, TestEAC"
		case astc:
			return "TestASTC"
		case pvrtc1, pvrtc2:
			return "TestPVRTC"
		}
	}
	return ""
}

// TestEveryFormatIsCovered demands a model of every format that there is, but for
// those that images are not built of, and that the specification's table, where it is
// at hand, has no other.
func TestEveryFormatIsCovered(t *testing.T) {
	count := map[string]int{}
	for k := range infos {
		i := &infos[k]
		tests := sortOf(i)
		none := i.Name == "R8_BOOL_ARM"
		if none != (tests == "") {
			t.Errorf("%s is tested by %q", i.Name, tests)
		}
		count[tests]++
	}
	for tests, n := range count {
		t.Logf("%d formats: %s", n, tests)
	}
	table, err := os.ReadFile("../../../shared/spec/formats.tsv")
	if err != nil {
		t.Skip("the table of formats is not at hand")
	}
	for _, l := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(l, "VK_FORMAT_"), "\t")
		if name != "UNDEFINED" && InfoByName(name) == nil {
			t.Errorf("%s is in the table and not known", name)
		}
	}
}
