package vk

import "github.com/chiaro-gpu/chiaro/link"

// The flags of shaders that count (VK_ARM_shader_instrumentation).
const (
	InstrumentShaders link.PipelineFlags = 1 << 39
	InstrumentShader  link.ObjectFlags   = 1 << 11
)
