package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const repository = "../../.."

// TestGenerated demands that the committed files equal the output of the generator.
func TestGenerated(t *testing.T) {
	dir := repository + "/../shared/spec"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the tables of the Vulkan specification are not beside this repository, so the files are not generated again: ", err)
	}
	files, err := Generate(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the tables give; run go run ./internal/gen/vulkangen", name)
		}
	}
}

// TestWays checks how the ways of a capability are read.
func TestWays(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"version:VK_VERSION_1_1 | extension:VK_KHR_multiview", `{since: Vulkan11}, {extension: "VK_KHR_multiview"}`},
		{"feature:S::shaderInt8 [requires VK_VERSION_1_2,VK_KHR_x]", `{since: Vulkan12, extension: "VK_KHR_x", feature: "shaderInt8"}`},
		{"feature:VkPhysicalDeviceVulkan11Features::multiview [requires VK_VERSION_1_2] | feature:S::multiview [requires VK_KHR_multiview]", `{since: Vulkan11, feature: "multiview"}, {extension: "VK_KHR_multiview", feature: "multiview"}`},
		{"feature:VkPhysicalDeviceVulkan11Features::f [requires VK_VERSION_1_2] | feature:S::f [requires VK_VERSION_1_1]", `{since: Vulkan11, feature: "f"}`},
		{"property:S::p==VK_TRUE [requires VK_VERSION_1_2]", `{since: Vulkan12, property: "p", bits: 0x1}`},
	} {
		if got := ways(c.cell); got != c.want {
			t.Errorf("%s: %s; want %s", c.cell, got, c.want)
		}
	}
}

// TestAmounts checks how the cell of a limit is read.
func TestAmounts(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"16384", "16384"}, {"2^27", "1 << 27"}, {"-8", "1<<64 - 8"}, {"(128,128,64)", "128 128 64"},
		{"", ""}, {"-", ""}, {"0.5 - (1 ULP)", ""}, {"(1.0,64.0 - ULP)", ""}, {"maxDescriptorSetSamplers", ""}, {"2^64", ""},
	} {
		got, ok := amounts(c.cell)
		if !ok {
			got = nil
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: %q; want %q", c.cell, g, c.want)
		}
	}
}
