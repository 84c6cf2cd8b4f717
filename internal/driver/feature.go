package driver

import (
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// featureStructs and propertyStructs are the structs of a chain by sType.
var (
	featureStructs  = sync.OnceValue(func() map[uint32]*abi.Chained { return byType(abi.FeatureStructs) })
	propertyStructs = sync.OnceValue(func() map[uint32]*abi.Chained { return byType(abi.PropertyStructs) })
)

// byType returns the structs of a list by sType, but for the one that is a part of another struct.
func byType(list []abi.Chained) map[uint32]*abi.Chained {
	out := map[uint32]*abi.Chained{}
	for i := range list {
		if list[i].SType != 0 {
			out[list[i].SType] = &list[i]
		}
	}
	return out
}

var (
	coreFeatures = sync.OnceValue(func() *abi.Chained { return plainStruct(abi.FeatureStructs) })
	coreLimits   = sync.OnceValue(func() *abi.Chained { return plainStruct(abi.PropertyStructs) })
)

// plainStruct returns the struct of a list that is a part of another one.
func plainStruct(list []abi.Chained) *abi.Chained {
	for i := range list {
		if list[i].SType == 0 {
			return &list[i]
		}
	}
	return nil
}

func getFeatures(a *abi.GetPhysicalDeviceFeaturesArgs) {
	if p := physicalOf(a.PhysicalDevice); p != nil {
		p.putFeatures(coreFeatures(), unsafe.Pointer(a.PFeatures))
	}
}

func getFeatures2(a *abi.GetPhysicalDeviceFeatures2Args) {
	p := physicalOf(a.PhysicalDevice)
	if p == nil {
		return
	}
	p.putFeatures(coreFeatures(), unsafe.Pointer(&a.PFeatures.Features))
	abi.Chain(a.PFeatures.PNext, func(sType uint32, s unsafe.Pointer) {
		if c := featureStructs()[sType]; c != nil {
			p.putFeatures(c, s)
		}
	})
}

// putFeatures writes the features of a struct.
func (p *physicalDevice) putFeatures(c *abi.Chained, s unsafe.Pointer) {
	known := isAnnounced(c)
	for _, m := range c.Members {
		*at[uint32](s, m.Offset) = flag(known && p.featureOf(c, m.Name))
	}
}

// announcedSet has the names of the announced extensions.
var announcedSet = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, list := range announcement() {
		for _, e := range list {
			out[e.Name] = true
		}
	}
	return out
})

// isAnnounced reports whether the driver announces a version or an extension that has a struct: the features of others are off,
// though the shaders may have them.
func isAnnounced(c *abi.Chained) bool { return blocksEnabled(c.Blocks, apiVersion(), announcedSet()) }

// feature reports whether the driver announces a feature.
func (p *physicalDevice) feature(name string) bool {
	return p.profile.Device.Features[name]
}

// featureOf reports whether the driver announces a feature of a struct. VK_EXT_buffer_device_address replays the addresses of buffers
// without the addresses of their memory, which the driver cannot do.
func (p *physicalDevice) featureOf(c *abi.Chained, name string) bool {
	replays := c.SType == abi.StructureTypePhysicalDeviceBufferDeviceAddressFeaturesEXT && name == "bufferDeviceAddressCaptureReplay"
	return p.feature(name) && !replays
}

// lacking returns the first feature that a struct enables and that the driver does not announce; "" if there is none.
func (p *physicalDevice) lacking(c *abi.Chained, s unsafe.Pointer) string {
	known := isAnnounced(c)
	for _, m := range c.Members {
		if *at[uint32](s, m.Offset) != abi.False && !(known && p.featureOf(c, m.Name)) {
			return m.Name
		}
	}
	return ""
}
