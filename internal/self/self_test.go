package self

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/source"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestSelfRobustness checks that the profile self has the features of robustness and the alignments that the engines use:
// Vulkan permits 1 or 4 for storage buffers, and powers of two up to 256 for uniform buffers.
func TestSelfRobustness(t *testing.T) {
	d := Profile().Device
	for _, name := range []string{"robustBufferAccess", "robustBufferAccess2", "robustImageAccess", "robustImageAccess2", "nullDescriptor", "pipelineRobustness"} {
		if on, known := d.Feature(name); !on || !known {
			t.Errorf("%s: %t, known %t", name, on, known)
		}
	}
	storage, _ := d.Limit("robustStorageBufferAccessSizeAlignment")
	uniform, _ := d.Limit("robustUniformBufferAccessSizeAlignment")
	if storage != exec.StorageAlignment || storage != 1 && storage != 4 {
		t.Errorf("the alignment of storage buffers is %d", storage)
	}
	if uniform != exec.UniformAlignment || uniform == 0 || uniform > 256 || uniform&(uniform-1) != 0 {
		t.Errorf("the alignment of uniform buffers is %d", uniform)
	}
}

// TestSelfDerivatives checks that task and mesh shaders have derivatives, as internal/amber/testdata/meshgroup.amber computes them.
func TestSelfDerivatives(t *testing.T) {
	if n, known := Profile().Device.Limit("meshAndTaskShaderDerivatives"); n != 1 || !known {
		t.Errorf("meshAndTaskShaderDerivatives is %d, known %t; must be 1", n, known)
	}
}

// TestSelfVertexOrder checks that the profile self promises the order of vertices and the sizes of points that TestFeedbackTopologies,
// TestFeedbackGeometryProvoking and TestPolygonPoints of internal/stage/draw test.
func TestSelfVertexOrder(t *testing.T) {
	d := Profile().Device
	if on, known := d.Feature("transformFeedbackPreservesProvokingVertex"); !on || !known {
		t.Errorf("transformFeedbackPreservesProvokingVertex: %t, known %t; must be on", on, known)
	}
	for _, name := range []string{"transformFeedbackPreservesTriangleFanProvokingVertex", "provokingVertexModePerPipeline", "polygonModePointSize"} {
		if n, known := d.Limit(name); n != 1 || !known {
			t.Errorf("%s is %d, known %t; must be 1", name, n, known)
		}
	}
}

// TestSelfSubgroups checks that the profile self has all operations of VkSubgroupFeatureFlagBits, from VK_SUBGROUP_FEATURE_BASIC_BIT to
// VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT. The script group/partition.txtar runs the partitioned ones, whose extensions the driver announces.
func TestSelfSubgroups(t *testing.T) {
	if n, known := Profile().Device.Limit("subgroupSupportedOperations"); n != 0x7ff || !known {
		t.Errorf("subgroupSupportedOperations is %#x, known %t; must be 0x7ff", n, known)
	}
}

// TestSelfExtents checks that the profile self has the extents of images that TestImageExtents of package vk reads.
func TestSelfExtents(t *testing.T) {
	for kind, limit := range []string{"maxImageDimension1D", "maxImageDimension2D", "maxImageDimension3D"} {
		p, err := vk.Chiaro().ImageFormatProperties(vk.ImageInfo{Type: enum.ImageType(kind), Format: link.Format(format.InfoByName("R8_UNORM").ID), Usage: vk.ImageSampled})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := Profile().Device.Limit(limit)
		for axis := range kind + 1 {
			if uint64(p.MaxExtent[axis]) != n {
				t.Errorf("%s is %d; must be %d as axis %d of images", limit, n, p.MaxExtent[axis], axis)
			}
		}
	}
}

// TestSelfSourceLimits checks that sources are compiled with the limits of the profile self.
func TestSelfSourceLimits(t *testing.T) {
	for _, l := range source.Limits {
		if n, known := Profile().Device.Limit(l.Device); !known || n != uint64(l.Value*l.Per) {
			t.Errorf("%s is %d, known %t; must be %d·%d as %s of sources", l.Device, n, known, l.Value, l.Per, l.Name)
		}
	}
}
