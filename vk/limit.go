package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Limits of draws, by the names of VkPhysicalDeviceLimits and of the properties of extensions.
const (
	MaxColorAttachments             = state.MaxColors
	MaxViewports                    = state.MaxViewports
	MaxTransformFeedbackStreams     = state.MaxStreams
	MaxTransformFeedbackBuffers     = state.MaxFeedbackBuffers
	MaxTransformFeedbackStride      = state.MaxStride // of vertices in a buffer, in bytes
	MaxLineWidth                    = raster.MaxLineWidth
	MaxLineStippleFactor            = state.MaxStipple
	MaxExtraPrimitiveOverestimation = raster.MaxExtraSize        // in pixels
	DrawIndirectBytes               = state.IndirectBytes        // of VkDrawIndirectCommand
	DrawIndexedIndirectBytes        = state.IndexedIndirectBytes // of VkDrawIndexedIndirectCommand
	DrawMeshTasksIndirectBytes      = state.MeshIndirectBytes    // of VkDrawMeshTasksIndirectCommandEXT
	DrawMeshTasksIndirectBytesNV    = state.TaskRangeBytes       // of VkDrawMeshTasksIndirectCommandNV
)
