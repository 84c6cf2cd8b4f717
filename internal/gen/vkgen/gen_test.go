package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const repository = "../../.."

// TestGenerated demands that the committed files equal the output for a registry of their
// version.
func TestGenerated(t *testing.T) {
	f, err := os.Open(Registry)
	if err != nil {
		t.Skip("no registry at hand:", err)
	}
	defer f.Close()
	files, err := Generate(f)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := bytes.Cut(want, []byte("\n"))
		if !bytes.HasPrefix(got, head) {
			t.Skipf("the registry at hand is of another version: %s", head)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the registry gives; run go run ./internal/gen/vkgen", name)
		}
	}
}

// TestRead checks how values and names are read.
func TestRead(t *testing.T) {
	const text = `<registry><types><type><name>VK_HEADER_VERSION</name> 7</type></types>
<enums name="VkLogicOp"><enum value="0" name="VK_LOGIC_OP_AND_REVERSE"/></enums>
<enums name="VkCullModeFlagBits"><enum bitpos="1" name="VK_CULL_MODE_BACK_BIT"/><enum value="0x3" name="VK_CULL_MODE_FRONT_AND_BACK"/></enums>
<extensions><extension number="154"><require><enum offset="0" extends="VkPolygonMode" name="VK_POLYGON_MODE_FILL_RECTANGLE_NV"/>
<enum extends="VkPolygonMode" name="VK_OTHER" alias="VK_POLYGON_MODE_FILL_RECTANGLE_NV"/></require></extension></extensions></registry>`
	files, err := Generate(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got := files["enum/enum_gen.go"]
	for _, want := range []string{"version 7.", "LogicOpAndReverse LogicOp = 0", "CullModeBack ", "= 3", "PolygonModeFillRectangle PolygonMode = 1000153000", `{0, "and_reverse"}`, `{2, "back"}`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "VK_OTHER") || strings.Contains(string(got), "front_and_back") {
		t.Error("what stands for another name is written")
	}
}
