package driver

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	profiles "github.com/chiaro-gpu/chiaro/device"
)

// TestPromotedProperties: a property has one value, in the struct of its version of Vulkan and in the one of its extension or first version
// (Vulkan, VkPhysicalDeviceVulkan11Properties: "the same as" each of them).
func TestPromotedProperties(t *testing.T) {
	p := &physicalDevice{profile: selfProfile()}
	values := map[string][]byte{} // by the name of a property, of VkPhysicalDeviceVulkan*Properties
	each := func(versions bool, visit func(name, structure string, value []byte)) {
		for sType, c := range propertyStructs() {
			if strings.HasPrefix(c.Name, "VkPhysicalDeviceVulkan") != versions || !isAnnounced(c) {
				continue
			}
			s := make([]uint64, c.Size/8+1)
			p.putProperties(c, unsafe.Pointer(&s[0]))
			putStructs(sType, unsafe.Pointer(&s[0]))
			memory := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), c.Size)
			for _, m := range c.Members {
				visit(profiles.PropertyName(c.Name, m.Name), c.Name, memory[m.Offset:][:m.Kind.Size()*uintptr(m.Count)])
			}
		}
	}
	each(true, func(name, _ string, value []byte) { values[name] = value })
	n := 0
	each(false, func(name, structure string, value []byte) {
		if want, ok := values[name]; ok {
			if n++; !bytes.Equal(value, want) {
				t.Errorf("%s of %s is %x, of its version %x", name, structure, value, want)
			}
		}
	})
	if n < 100 {
		t.Errorf("%d promoted properties; must be more", n)
	}
}
