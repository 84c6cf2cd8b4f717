package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// extensionFamily checks OpExtension (SPIR-V §3.3.4): the version of SPIR-V that
// an extension needs.
var extensionFamily = family{
	rules: []Rule{
		{Code: "SPV-Extension-Version", Section: "SPIR-V extensions, Dependencies", Words: "an extension is declared in the version of SPIR-V that it requires, or a later one"},
	},
	insts: map[spirv.Op]judge{spirv.OpExtension: (*checker).extensionVersion},
}

// extensionsSince has the version that an extension needs, if it is not 1.0.
var extensionsSince = map[string]spirv.Version{
	"SPV_KHR_vulkan_memory_model":              spirv.Version13,
	"SPV_KHR_workgroup_memory_explicit_layout": spirv.Version14,
	"SPV_EXT_mesh_shader":                      spirv.Version14,
	"SPV_NV_shader_invocation_reorder":         spirv.Version14,
	"SPV_EXT_shader_invocation_reorder":        spirv.Version14,
	"SPV_KHR_opacity_micromap":                 spirv.Version14,
	"SPV_NV_cluster_acceleration_structure":    spirv.Version14,
	"SPV_NV_linear_swept_spheres":              spirv.Version14,
	"SPV_QCOM_image_processing":                spirv.Version14,
	"SPV_QCOM_image_processing2":               spirv.Version14,
	"SPV_QCOM_image_processing3":               spirv.Version14,
	"SPV_QCOM_cooperative_matrix_conversion":   spirv.Version13,
}

func (c *checker) extensionVersion(i int, in spirv.Inst) {
	name := spirv.String(in[1:])
	if v := extensionsSince[name]; c.version < v {
		c.fail(i, "SPV-Extension-Version", "the extension %s in SPIR-V %s; must be %s or later", name, c.version, v)
	}
}
