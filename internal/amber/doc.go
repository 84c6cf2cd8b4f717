// Package amber reads and runs the two script languages of the field for
// shaders: AmberScript, whose first line is #!amber, and VkScript, which is
// cut into sections in brackets. Load reads either into a Script; Run carries
// a Script out and judges what it expects.
//
// It refuses to know how a shader is executed: that stands in one file,
// device.go, which hands ready programs to an engine. Pipelines for graphics
// and ray tracing are read whole, but Run answers Unsupported for them.
package amber
