// Package iface describes the interface of an entry point: the inputs and outputs
// of its stage, its resources, push constants and specialization constants, their
// layout in memory, and their static use (Vulkan, Shader Interfaces). It only
// describes: package link checks whether two interfaces match each other or a
// layout.
//
// [Reflect] accepts any module that decodes, checked or not. It omits missing or
// malformed parts.
package iface
