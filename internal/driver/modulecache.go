package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var validationCaches table[vk.ValidationCache]

// moduleCalls are the commands of VK_EXT_validation_cache and VK_EXT_shader_module_identifier.
var moduleCalls = map[int]call{
	abi.CmdCreateValidationCacheEXT: on(func(a *abi.CreateValidationCacheEXTArgs) abi.Result {
		d, i := deviceOf(a.Device), a.PCreateInfo
		if d == nil {
			return abi.ErrorDeviceLost
		}
		c, err := d.vk.NewValidationCache(abi.Bytes(i.PInitialData, uint64(i.InitialDataSize)))
		return created(d, &validationCaches, c, err, unsafe.Pointer(a.PValidationCache))
	}),
	abi.CmdDestroyValidationCacheEXT: run(func(a *abi.DestroyValidationCacheEXTArgs) { destroy(&validationCaches, uint64(a.ValidationCache)) }),
	abi.CmdMergeValidationCachesEXT: on(func(a *abi.MergeValidationCachesEXTArgs) abi.Result {
		others := each(array(a.PSrcCaches, a.SrcCacheCount), func(h *abi.ValidationCacheEXT) *vk.ValidationCache { return validationCaches.get(uint64(*h)) })
		return deviceOf(a.Device).result(validationCaches.get(uint64(a.DstCache)).Merge(others...))
	}),
	abi.CmdGetValidationCacheDataEXT: on(func(a *abi.GetValidationCacheDataEXTArgs) abi.Result {
		return deviceOf(a.Device).putData(validationCaches.get(uint64(a.ValidationCache)), a.PDataSize, a.PData)
	}),
	abi.CmdGetShaderModuleIdentifierEXT: run(func(a *abi.GetShaderModuleIdentifierEXTArgs) {
		id, err := shaderModules.get(uint64(a.ShaderModule)).Identifier()
		deviceOf(a.Device).putIdentifier(a.PIdentifier, id, err)
	}),
	abi.CmdGetShaderModuleCreateInfoIdentifierEXT: run(func(a *abi.GetShaderModuleCreateInfoIdentifierEXTArgs) {
		d := deviceOf(a.Device)
		if d == nil {
			return
		}
		id, err := d.vk.ModuleIdentifier(abi.Bytes(unsafe.Pointer(a.PCreateInfo.PCode), uint64(a.PCreateInfo.CodeSize)))
		d.putIdentifier(a.PIdentifier, id, err)
	}),
}

// putIdentifier writes the identifier of a module: an empty one if there is an error.
func (d *device) putIdentifier(to *abi.ShaderModuleIdentifierEXT, id []byte, err error) {
	d.result(err)
	to.Identifier = [32]uint8{}
	to.IdentifierSize = uint32(copy(to.Identifier[:], id))
}

// newModule makes a module, with the cache of its chain if there is one.
func (d *device) newModule(i *abi.ShaderModuleCreateInfo) (*vk.ShaderModule, error) {
	code := abi.Bytes(unsafe.Pointer(i.PCode), uint64(i.CodeSize))
	if x := abi.Find[abi.ShaderModuleValidationCacheCreateInfoEXT](i.PNext, abi.StructureTypeShaderModuleValidationCacheCreateInfoEXT); x != nil && checking() != vk.None {
		if c := validationCaches.get(uint64(x.ValidationCache)); c != nil {
			return d.vk.NewShaderModuleCached(forever, code, c)
		}
	}
	return d.vk.NewShaderModule(forever, code)
}
