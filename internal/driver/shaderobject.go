package driver

import (
	"errors"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// shader is a VkShaderEXT with the pipeline layout of its description.
type shader struct {
	vk     *vk.Shader
	layout *vk.PipelineLayout // nil with descriptor heaps
}

// Close frees the shader and its layout.
func (s *shader) Close() error { return errors.Join(s.vk.Close(), s.layout.Close()) }

// SetName names the shader.
func (s *shader) SetName(name string) { s.vk.SetName(name) }

var shaders table[shader]

var shaderObjectCalls = map[int]call{
	abi.CmdCreateShadersEXT: on(createShaders),
	abi.CmdDestroyShaderEXT: run(func(a *abi.DestroyShaderEXTArgs) { destroy(&shaders, uint64(a.Shader)) }),
	abi.CmdGetShaderBinaryDataEXT: on(func(a *abi.GetShaderBinaryDataEXTArgs) abi.Result {
		s := shaders.get(uint64(a.Shader))
		if s == nil {
			return abi.ErrorDeviceLost
		}
		code, err := s.vk.BinaryCode()
		if err != nil {
			return deviceOf(a.Device).result(err)
		}
		return putBytes(a.PDataSize, a.PData, code)
	}),
}

var shaderObjectCommands = map[int]recorder{abi.CmdCmdBindShadersEXT: rec(bindShaders)}

// shaderStages are the stages of shader objects.
var shaderStages = map[uint32]vk.ShaderStage{
	abi.ShaderStageVertexBit: vk.StageVertex, abi.ShaderStageTessellationControlBit: vk.StageTessControl,
	abi.ShaderStageTessellationEvaluationBit: vk.StageTessEvaluation, abi.ShaderStageGeometryBit: vk.StageGeometry,
	abi.ShaderStageTaskBitEXT: vk.StageTask, abi.ShaderStageMeshBitEXT: vk.StageMesh,
	abi.ShaderStageFragmentBit: vk.StageFragment, abi.ShaderStageComputeBit: vk.StageCompute,
}

// noShaderStage is a stage that shader objects do not have.
const noShaderStage vk.ShaderStage = 0xff

// shaderStage returns a VkShaderStageFlagBits.
func shaderStage(bit uint32) vk.ShaderStage {
	if s, ok := shaderStages[bit]; ok {
		return s
	}
	return noShaderStage
}

func createShaders(a *abi.CreateShadersEXTArgs) abi.Result {
	d, out := deviceOf(a.Device), array(a.PShaders, a.CreateInfoCount)
	clear(out)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	if a.CreateInfoCount > maxElements {
		return outOfHost
	}
	var err error
	infos := each(array(a.PCreateInfos, a.CreateInfoCount), func(i *abi.ShaderCreateInfoEXT) vk.ShaderInfo {
		x, e := d.shaderInfo(i)
		err = errors.Join(err, e)
		return x
	})
	made := make([]*vk.Shader, len(infos))
	if err == nil {
		made, err = d.vk.NewShaders(forever, infos)
	}
	result := d.result(err)
	for k := range infos {
		if k >= len(made) || made[k] == nil {
			_ = infos[k].Layout.Close() // it is not in use
			continue
		}
		if r := created(d, &shaders, &shader{made[k], infos[k].Layout}, nil, unsafe.Pointer(&out[k])); r != abi.Success {
			result = r
		}
	}
	return result
}

// shaderInfo reads the creation of a shader object and makes its layout.
func (d *device) shaderInfo(i *abi.ShaderCreateInfoEXT) (vk.ShaderInfo, error) {
	x := vk.ShaderInfo{
		Stage: shaderStage(i.Stage), Next: link.StagesOf(i.NextStage), Flags: enum.ObjectFlags(i.Flags), Binary: i.CodeType == abi.ShaderCodeTypeBinaryEXT,
		Code: abi.Bytes(i.PCode, uint64(i.CodeSize)), Entry: abi.String(unsafe.Pointer(i.PName)), Specialization: specialization(i.PSpecializationInfo),
	}
	abi.Chain(i.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypePipelineShaderStageRequiredSubgroupSizeCreateInfo:
			x.SubgroupSize = (*abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo)(p).RequiredSubgroupSize
		case abi.StructureTypeShaderDescriptorSetAndBindingMappingInfoEXT:
			x.Mappings = mappings((*abi.ShaderDescriptorSetAndBindingMappingInfoEXT)(p))
		}
	})
	if x.Flags&enum.ObjectFlagsDescriptorHeap != 0 {
		return x, nil
	}
	var err error
	x.Layout, err = d.vk.NewPipelineLayout(vk.PipelineLayoutInfo{
		Flags: layoutFlags(x.Flags), Sets: each(array(i.PSetLayouts, i.SetLayoutCount), setLayoutAt),
		Push: each(array(i.PPushConstantRanges, i.PushConstantRangeCount), pushRange),
	})
	return x, err
}

// layoutFlags are the flags of the layout of a shader object.
func layoutFlags(f enum.ObjectFlags) enum.LayoutFlags {
	if f&enum.ObjectFlagsIndependentSets != 0 {
		return enum.LayoutFlagsIndependentSets
	}
	return 0
}

// bindShaders binds shader objects. Stages that the driver does not have can be unbound.
func bindShaders(c *commandBuffer, a *abi.CmdBindShadersEXTArgs) {
	var stages []vk.ShaderStage
	var objects []*vk.Shader
	handles := array(a.PShaders, a.StageCount)
	for n, bit := range array(a.PStages, a.StageCount) {
		var s *shader
		if handles != nil {
			s = shaders.get(uint64(handles[n]))
		}
		stage := shaderStage(bit)
		if stage == noShaderStage && s == nil {
			continue
		}
		stages = append(stages, stage)
		if s == nil {
			objects = append(objects, nil)
		} else {
			objects = append(objects, s.vk)
		}
	}
	c.vk.BindShaders(stages, objects)
}
