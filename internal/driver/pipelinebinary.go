package driver

import (
	"errors"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var pipelineBinaries table[vk.PipelineBinary]

var pipelineBinaryCalls = map[int]call{
	abi.CmdCreatePipelineBinariesKHR: on(createPipelineBinaries),
	abi.CmdDestroyPipelineBinaryKHR:  run(func(a *abi.DestroyPipelineBinaryKHRArgs) { destroy(&pipelineBinaries, uint64(a.PipelineBinary)) }),
	abi.CmdGetPipelineKeyKHR:         on(getPipelineKey),
	abi.CmdGetPipelineBinaryDataKHR:  on(getPipelineBinaryData),
	abi.CmdReleaseCapturedPipelineDataKHR: on(func(a *abi.ReleaseCapturedPipelineDataKHRArgs) abi.Result {
		return onDevice(a.Device, func(d *vk.Device) error {
			return d.ReleaseCapturedPipelineData(pipelines.get(uint64(a.PInfo.Pipeline)).vk())
		})
	}),
}

// pipelineDescription reads the description of a pipeline in the chain of a VkPipelineCreateInfoKHR, if there is one.
func pipelineDescription(i *abi.PipelineCreateInfoKHR) (out vk.PipelineBinaryInfo) {
	if i == nil {
		return out
	}
	if c := abi.Find[abi.ComputePipelineCreateInfo](i.PNext, abi.StructureTypeComputePipelineCreateInfo); c != nil {
		x := computeInfo(c, 0)
		out.Compute = &x
	}
	if g := abi.Find[abi.GraphicsPipelineCreateInfo](i.PNext, abi.StructureTypeGraphicsPipelineCreateInfo); g != nil {
		x := graphicsInfo(g, 0)
		out.Graphics = &x
	}
	if r := abi.Find[abi.RayTracingPipelineCreateInfoKHR](i.PNext, abi.StructureTypeRayTracingPipelineCreateInfoKHR); r != nil {
		x := rayInfo(r, 0, false)
		out.RayTracing = &x
	}
	return out
}

func createPipelineBinaries(a *abi.CreatePipelineBinariesKHRArgs) abi.Result {
	d, i, to := deviceOf(a.Device), a.PCreateInfo, a.PBinaries
	out := array(to.PPipelineBinaries, to.PipelineBinaryCount)
	clear(out)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	var info vk.PipelineBinaryInfo
	switch {
	case i.PKeysAndDataInfo != nil:
		info.Data = []vk.PipelineBinaryData{}
		data := array(i.PKeysAndDataInfo.PPipelineBinaryData, i.PKeysAndDataInfo.BinaryCount)
		for n, k := range array(i.PKeysAndDataInfo.PPipelineBinaryKeys, i.PKeysAndDataInfo.BinaryCount) {
			if n < len(data) {
				info.Data = append(info.Data, vk.PipelineBinaryData{Key: k.Key, Data: abi.Bytes(data[n].PData, uint64(data[n].DataSize))})
			}
		}
	case i.Pipeline != 0:
		info.Pipeline = pipelines.get(uint64(i.Pipeline)).vk()
	default:
		info = pipelineDescription(i.PPipelineCreateInfo)
	}
	made, err := d.vk.NewPipelineBinaries(info)
	if to.PPipelineBinaries == nil {
		to.PipelineBinaryCount = uint32(len(made))
		closeAll(made)
		return d.result(err)
	}
	result := d.result(err)
	if len(made) > len(out) {
		closeAll(made[len(out):])
		result = abi.Incomplete
	}
	n := min(len(made), len(out))
	for k, b := range made[:n] {
		if b == nil {
			continue
		}
		if r := created(d, &pipelineBinaries, b, nil, unsafe.Pointer(&out[k])); r != abi.Success {
			result = r
		}
	}
	to.PipelineBinaryCount = uint32(n)
	return result
}

// closeAll closes binaries without handles.
func closeAll(list []*vk.PipelineBinary) {
	for _, b := range list {
		_ = b.Close() // it is not in use
	}
}

func getPipelineKey(a *abi.GetPipelineKeyKHRArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	var key vk.PipelineBinaryKey
	var err error
	switch x := pipelineDescription(a.PPipelineCreateInfo); {
	case x.Compute != nil:
		key, err = d.vk.ComputePipelineKey(x.Compute)
	case x.Graphics != nil:
		key, err = d.vk.GraphicsPipelineKey(x.Graphics)
	case x.RayTracing != nil:
		key, err = d.vk.RayTracingPipelineKey(x.RayTracing)
	case a.PPipelineCreateInfo != nil:
		err = errors.New("the description of a pipeline is of an unknown kind")
	default:
		key, err = d.vk.GlobalPipelineKey()
	}
	if err == nil {
		putKey(a.PPipelineKey, key)
	}
	return d.result(err)
}

// putKey writes a key.
func putKey(to *abi.PipelineBinaryKeyKHR, key vk.PipelineBinaryKey) {
	to.KeySize, to.Key = uint32(len(key)), key
}

func getPipelineBinaryData(a *abi.GetPipelineBinaryDataKHRArgs) abi.Result {
	b := pipelineBinaries.get(uint64(a.PInfo.PipelineBinary))
	if b == nil {
		return abi.ErrorDeviceLost
	}
	data, err := b.Data()
	if err != nil {
		return deviceOf(a.Device).result(err)
	}
	putKey(a.PPipelineBinaryKey, data.Key)
	if a.PPipelineBinaryData != nil && *a.PPipelineBinaryDataSize < uint(len(data.Data)) {
		*a.PPipelineBinaryDataSize = uint(len(data.Data))
		return abi.ErrorNotEnoughSpaceKHR
	}
	return putBytes(a.PPipelineBinaryDataSize, a.PPipelineBinaryData, data.Data)
}

// binaries reads the binaries of the stages of a pipeline.
func binaries(chain unsafe.Pointer) []*vk.PipelineBinary {
	i := abi.Find[abi.PipelineBinaryInfoKHR](chain, abi.StructureTypePipelineBinaryInfoKHR)
	if i == nil {
		return nil
	}
	return each(array(i.PPipelineBinaries, i.BinaryCount), func(h *abi.PipelineBinaryKHR) *vk.PipelineBinary { return pipelineBinaries.get(uint64(*h)) })
}
