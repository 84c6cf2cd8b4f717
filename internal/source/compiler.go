package source

import (
	"slices"
	"strings"
)

// target is an environment of a module as compilers name it.
type target struct {
	client string // vulkan1.0 to vulkan1.3
	spirv  string // a version such as 1.4 that is not the newest of client, else ""
}

// newest is the newest client that all compilers know. It has the same SPIR-V as vulkan1.4.
const newest = "vulkan1.3"

// targets are the environments without a client of their name.
var targets = map[string]target{
	"spv1.0": {"vulkan1.0", ""}, "spv1.1": {"vulkan1.1", "1.1"}, "spv1.2": {"vulkan1.1", "1.2"}, "spv1.3": {"vulkan1.1", ""},
	"spv1.4": {"vulkan1.1", "1.4"}, "spv1.5": {"vulkan1.2", ""}, "spv1.6": {"vulkan1.3", ""}, "vulkan1.1spv1.4": {"vulkan1.1", "1.4"},
}

// targetOf returns the target of an environment; the newest for one that no compiler of shaders knows.
func targetOf(environment string) target {
	if t, ok := targets[environment]; ok {
		return t
	}
	switch environment {
	case "vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3":
		return target{client: environment}
	}
	return target{client: newest}
}

// compiler is one program that compiles a language.
type compiler struct {
	program string
	pack    string // the package that has it
	args    func(j *job, in, out string) []string
}

// compilers has the compilers of each language, the preferred one first.
var compilers = map[Language][]compiler{
	GLSL: {{"glslc", "glslc", glslc}, {"glslangValidator", "glslang-tools", glslang}},
	HLSL: {
		{"dxc", "directx-shader-compiler (https://github.com/microsoft/DirectXShaderCompiler)", dxc},
		{"glslc", "glslc", glslc}, {"glslangValidator", "glslang-tools", glslang},
	},
	WGSL: {
		{"naga", "naga-cli (cargo install naga-cli)", stageless("-g", "IN", "OUT")},
		{"tint", "dawn (https://dawn.googlesource.com/dawn; not the game tint of Debian)", stageless("--format", "spirv", "-o", "OUT", "IN")},
	},
	Slang: {{"slangc", "slang (https://github.com/shader-slang/slang)", stageless("-g", "-target", "spirv", "-o", "OUT", "IN")}},
}

// glslangVersion returns the version of SPIR-V that glslc and glslangValidator need besides the client; "" for its
// newest. Their storage buffers of HLSL are BufferBlock in every version, which SPIR-V 1.4 does not have: such modules
// are of 1.3 at most, and every later environment accepts them.
func (j *job) glslangVersion() string {
	if j.language == HLSL && (j.target.spirv == "1.4" || j.target.client >= "vulkan1.2") {
		return "1.3"
	}
	return j.target.spirv
}

// glslc has the arguments of shaderc's compiler.
func glslc(j *job, in, out string) []string {
	args := []string{"-g", "-fshader-stage=" + j.stage, "--target-env=" + j.target.client}
	if v := j.glslangVersion(); v != "" {
		args = append(args, "--target-spv=spv"+v)
	}
	if j.language == HLSL {
		args = append(args, "-x", "hlsl", "-fentry-point="+j.entry)
	} else {
		args = append(args, limitFlag())
	}
	for _, dir := range j.search {
		args = append(args, "-I"+dir)
	}
	return append(args, "-o", out, in)
}

// glslang has the arguments of glslangValidator.
func glslang(j *job, in, out string) []string {
	args := []string{"-g", "-V", "-S", j.stage, "--target-env", j.target.client}
	if v := j.glslangVersion(); v != "" {
		args = append(args, "--target-env", "spirv"+v)
	}
	if j.language == HLSL {
		args = append(args, "-D", "-e", j.entry)
	}
	for _, dir := range j.search {
		args = append(args, "-I"+dir)
	}
	return append(args, "-o", out, in)
}

// profiles are the shader models of dxc.
var profiles = map[string]string{"vert": "vs_6_6", "tesc": "hs_6_6", "tese": "ds_6_6", "geom": "gs_6_6", "frag": "ps_6_6", "comp": "cs_6_6",
	"task": "as_6_6", "mesh": "ms_6_6", "rgen": "lib_6_6", "rint": "lib_6_6", "rahit": "lib_6_6", "rchit": "lib_6_6", "rmiss": "lib_6_6", "rcall": "lib_6_6"}

// dxc has the arguments of DirectX's compiler. It has no SPIR-V 1.1 and 1.2; modules of 1.0 are in all that may be in
// those.
func dxc(j *job, in, out string) []string {
	env := j.target.client
	switch j.target.spirv {
	case "1.1", "1.2":
		env = "vulkan1.0"
	case "1.4":
		env = "vulkan1.1spirv1.4"
	}
	args := []string{"-spirv", "-Zi", "-fspv-target-env=" + env, "-T", profiles[j.stage], "-E", j.entry}
	for _, dir := range j.search {
		args = append(args, "-I", dir)
	}
	return append(args, "-Fo", out, in)
}

// stageless are compilers that make one module of all entry points.
func stageless(args ...string) func(j *job, in, out string) []string {
	return func(_ *job, in, out string) []string {
		full := slices.Clone(args)
		for i := range full {
			full[i] = strings.NewReplacer("IN", in, "OUT", out).Replace(full[i])
		}
		return full
	}
}
