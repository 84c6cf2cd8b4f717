package enum

import (
	"errors"
	"strings"
	"testing"
)

// TestValues compares some values with the registry's: a plain one, one of an extension, and a flag.
func TestValues(t *testing.T) {
	for name, x := range map[string][2]uint64{
		"VK_COMPARE_OP_ALWAYS":                         {uint64(CompareOpAlways), 7},
		"VK_FILTER_CUBIC_EXT":                          {uint64(FilterCubic), 1000015000},
		"VK_POLYGON_MODE_FILL_RECTANGLE_NV":            {uint64(PolygonModeFillRectangle), 1000153000},
		"VK_CULL_MODE_BACK_BIT":                        {uint64(CullModeBack), 2},
		"VK_COMPONENT_SWIZZLE_A":                       {uint64(SwizzleA), 6},
		"VK_IMAGE_VIEW_TYPE_CUBE_ARRAY":                {uint64(ViewTypeCubeArray), 6},
		"VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA":         {uint64(BlendFactorOneMinusSrc1Alpha), 18},
		"VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE": {uint64(AddressModeMirrorClampToEdge), 4},
	} {
		if x[0] != x[1] {
			t.Errorf("%s is %d; want %d", name, x[0], x[1])
		}
	}
}

// TestNames reads and prints names.
func TestNames(t *testing.T) {
	var op CompareOp
	if err := op.UnmarshalText([]byte("less_or_equal")); err != nil || op != CompareOpLessOrEqual || op.String() != "less_or_equal" {
		t.Errorf("less_or_equal is read as %v: %v", op, err)
	}
	var wrong *ValueError
	if err := op.UnmarshalText([]byte("smaller")); !errors.As(err, &wrong) || !strings.Contains(wrong.Want, "less_or_equal") {
		t.Errorf("%v; want a *ValueError with the names", err)
	}
	if s := CompareOp(99).String(); s != "99" {
		t.Errorf("a value without a name is %q; want its number", s)
	}
	var cull CullMode
	list := func(to any) error { *to.(*[]string) = []string{"front", "back"}; return nil }
	if err := cull.UnmarshalYAML(list); err != nil || cull != CullModeFront|CullModeBack || cull.String() != "front, back" {
		t.Errorf("front and back are read as %v: %v", cull, err)
	}
	if s := (CullMode(0)).String(); s != "none" {
		t.Errorf("no flag is %q; want none", s)
	}
}
