package driver

import (
	"math"
	"strconv"
	"sync"
	"unsafe"

	profiles "github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/self"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Identity of the driver. Khronos' list of drivers has no number for it: driverID is 0.
const (
	deviceName    = "Chiaro"
	driverName    = "Chiaro"
	driverVersion = 1
)

func getProperties(a *abi.GetPhysicalDevicePropertiesArgs) {
	if p := physicalOf(a.PhysicalDevice); p != nil {
		p.putCore(a.PProperties)
	}
}

func getProperties2(a *abi.GetPhysicalDeviceProperties2Args) {
	p := physicalOf(a.PhysicalDevice)
	if p == nil {
		return
	}
	p.putCore(&a.PProperties.Properties)
	abi.Chain(a.PProperties.PNext, func(sType uint32, s unsafe.Pointer) {
		if c := propertyStructs()[sType]; c != nil && isAnnounced(c) {
			p.putProperties(c, s)
			p.putExtents(sType, s)
			putStructs(sType, s)
		}
	})
}

// putCore writes VkPhysicalDeviceProperties.
func (p *physicalDevice) putCore(to *abi.PhysicalDeviceProperties) {
	*to = abi.PhysicalDeviceProperties{
		ApiVersion: apiVersion(), DriverVersion: makeVersion(0, driverVersion, 0), VendorID: self.VendorID,
		DeviceType: abi.PhysicalDeviceTypeCpu, PipelineCacheUUID: vk.PipelineCacheUUID(),
	}
	abi.PutString(to.DeviceName[:], deviceName)
	p.putProperties(coreLimits(), unsafe.Pointer(&to.Limits))
	sparse := uint32(abi.True)
	to.SparseProperties = abi.PhysicalDeviceSparseProperties{ResidencyStandard2DBlockShape: sparse, ResidencyStandard2DMultisampleBlockShape: sparse, ResidencyStandard3DBlockShape: sparse} // buffers: a store without memory may be visible in reads
}

// putProperties writes the properties of a struct: those of the profile, those of the table below, else the least that Vulkan
// requires, else zeros.
func (p *physicalDevice) putProperties(c *abi.Chained, s unsafe.Pointer) {
	for _, m := range c.Members {
		if m.Name == "copySrcLayoutCount" || m.Name == "copyDstLayoutCount" || m.Name == "layeredApiCount" {
			continue // the lengths of lists: see putStructs
		}
		to := unsafe.Add(s, m.Offset)
		if text, ok := texts[m.Name]; ok {
			abi.PutString(unsafe.Slice((*byte)(to), m.Count), text)
			continue
		}
		if bytes, ok := identities[m.Name]; ok {
			copy(unsafe.Slice((*byte)(to), m.Count), bytes())
			continue
		}
		for i := range m.Count {
			name := m.Name
			if m.Count > 1 {
				name += "[" + strconv.Itoa(i) + "]"
			}
			putNumber(unsafe.Add(to, uintptr(i)*m.Kind.Size()), m, p.limit(c.Name, name))
		}
	}
}

// hostLayouts are the layouts that images may have during copies by the host: images have no layouts, and all are alike. With
// unifiedImageLayouts the list must have all that are interchangeable with the general one.
var hostLayouts = []uint32{
	abi.ImageLayoutGeneral, abi.ImageLayoutColorAttachmentOptimal, abi.ImageLayoutDepthStencilAttachmentOptimal,
	abi.ImageLayoutDepthStencilReadOnlyOptimal, abi.ImageLayoutShaderReadOnlyOptimal, abi.ImageLayoutTransferSrcOptimal,
	abi.ImageLayoutTransferDstOptimal, abi.ImageLayoutPreinitialized, abi.ImageLayoutReadOnlyOptimal, abi.ImageLayoutAttachmentOptimal,
	abi.ImageLayoutDepthReadOnlyStencilAttachmentOptimal, abi.ImageLayoutDepthAttachmentStencilReadOnlyOptimal,
	abi.ImageLayoutDepthAttachmentOptimal, abi.ImageLayoutDepthReadOnlyOptimal, abi.ImageLayoutStencilAttachmentOptimal,
	abi.ImageLayoutStencilReadOnlyOptimal, abi.ImageLayoutPresentSrcKHR, abi.ImageLayoutAttachmentFeedbackLoopOptimalEXT,
	abi.ImageLayoutRenderingLocalRead, abi.ImageLayoutFragmentShadingRateAttachmentOptimalKHR,
}

// putStructs writes the members of a struct of properties that are structs or lists.
func putStructs(sType uint32, s unsafe.Pointer) {
	put := func(to *uint32, l uint32) { *to = l }
	switch sType {
	case abi.StructureTypePhysicalDeviceDriverProperties:
		(*abi.PhysicalDeviceDriverProperties)(s).ConformanceVersion, _ = conformance()
	case abi.StructureTypePhysicalDeviceVulkan1_2Properties:
		(*abi.PhysicalDeviceVulkan12Properties)(s).ConformanceVersion, _ = conformance()
	case abi.StructureTypePhysicalDeviceLayeredApiPropertiesListKHR:
		(*abi.PhysicalDeviceLayeredApiPropertiesListKHR)(s).LayeredApiCount = 0 // no other API is below
	case abi.StructureTypePhysicalDeviceHostImageCopyProperties:
		x := (*abi.PhysicalDeviceHostImageCopyProperties)(s)
		list(&x.CopySrcLayoutCount, x.PCopySrcLayouts, hostLayouts, put)
		list(&x.CopyDstLayoutCount, x.PCopyDstLayouts, hostLayouts, put)
	case abi.StructureTypePhysicalDeviceVulkan1_4Properties:
		x := (*abi.PhysicalDeviceVulkan14Properties)(s)
		list(&x.CopySrcLayoutCount, x.PCopySrcLayouts, hostLayouts, put)
		list(&x.CopyDstLayoutCount, x.PCopyDstLayouts, hostLayouts, put)
	}
}

// limit returns the value of a property, in the form of valid.Device.
func (p *physicalDevice) limit(structure, name string) uint64 {
	name = profiles.PropertyName(structure, name)
	if v, ok := p.profile.Device.Limits[structure+"::"+name]; ok {
		return v
	}
	if v, ok := p.profile.Device.Limits[name]; ok {
		return v
	}
	if v, ok := properties[name]; ok {
		return v
	}
	least := leastDevice()
	if v, ok := least.Limits[structure+"::"+name]; ok {
		return v
	}
	return least.Limits[name]
}

// leastDevice is the device with the least limits of the version of Vulkan.
var leastDevice = sync.OnceValue(func() *valid.Device {
	least, _ := profiles.Builtin("min1.4", valid.Vulkan14)
	return least.Device
})

// putNumber writes a number as a kind. Numbers that a 32-bit member cannot hold are clamped.
func putNumber(to unsafe.Pointer, m abi.Member, v uint64) {
	switch m.Kind {
	case abi.Bool:
		*(*uint32)(to) = uint32(min(v, 1))
	case abi.Char, abi.Uint8:
		*(*uint8)(to) = uint8(v)
	case abi.Uint32:
		*(*uint32)(to) = uint32(min(v, math.MaxUint32))
	case abi.Int32:
		*(*int32)(to) = int32(v)
	case abi.Uint64, abi.Int64:
		*(*uint64)(to) = v
	case abi.Float:
		f := float64(v)
		if profiles.Floating(m.Name) {
			f = math.Float64frombits(v)
		}
		*(*float32)(to) = float32(f)
	}
}

// texts are the properties that are text.
var texts = map[string]string{"driverName": driverName, "driverInfo": "Chiaro", "deviceName": deviceName}

// identities are the properties that are UUIDs.
var identities = map[string]func() []byte{
	"deviceUUID": func() []byte { return []byte("chiaro device 01") },
	"driverUUID": func() []byte { return vk.DriverUUID[:] },
	"pipelineCacheUUID": func() []byte {
		u := vk.PipelineCacheUUID()
		return u[:]
	},
	"shaderBinaryUUID":                    func() []byte { return vk.ShaderBinaryUUID[:] },
	"shaderModuleIdentifierAlgorithmUUID": func() []byte { return vk.ModuleIdentifierUUID[:] },
	"optimalTilingLayoutUUID":             func() []byte { return []byte("chiaro tiling 01") },
	"validationCacheUUID": func() []byte {
		u := vk.ValidationCacheUUID()
		return u[:]
	},
}

// properties are the properties that are not limits of the profile.
var properties = map[string]uint64{
	"pointClippingBehavior": abi.PointClippingBehaviorAllClipPlanes, "shaderBinaryVersion": vk.ShaderBinaryVersion,
}
