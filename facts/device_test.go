package facts

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestGatherOn checks that a constant that depends on the device, and all that
// is computed from it, is known if and only if there is a device.
func TestGatherOn(t *testing.T) {
	m := gather(t, `OpCapability Shader
OpCapability DescriptorHeapEXT
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%buffer = OpTypeBufferEXT StorageBuffer
%size = OpConstantSizeOfEXT %uint %buffer
%twice = OpSpecConstantOp %uint IMul %size %two
%array = OpTypeArray %uint %twice
`, nil)
	size, twice, array := m.ids["size"], m.ids["twice"], m.ids["array"]
	if m.Const(size).Known || m.Const(twice).Known || m.Type(array).Count != 0 {
		t.Error("a size is known without a device")
	}
	on := GatherOn(m.Code, nil, Device{size: 0x1_0000_0010})
	if c := on.Const(twice); !c.Known || c.Bits != 32 || on.Const(size).Bits != 16 || on.Type(array).Count != 32 {
		t.Errorf("twice 16 is %+v", c)
	}
	if c := GatherOn(m.Code, nil, Device{spirv.ID(m.ids["buffer"]): 7, 1 << 20: 5}).Const(size); c.Known {
		t.Error("what is no constant counts")
	}
}
