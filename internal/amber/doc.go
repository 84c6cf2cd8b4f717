// Package amber reads and runs the two script languages of the field for
// shaders: AmberScript, whose first line is #!amber, and VkScript, which is
// cut into sections in brackets. Load reads either into a Script; Run carries
// a Script out and judges what it expects.
//
// It refuses to know how a shader is executed: device.go and graphics.go hand
// ready programs to the stages, which know engines. Pipelines for ray tracing are
// read whole, but Run answers Unsupported for them.
package amber
