package self

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
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
