// Package amber reads and runs the two script languages for shaders: AmberScript, which has
// #!amber as its first line, and VkScript, which has sections in brackets. Load reads
// either into a Script; Run executes a Script and checks its expectations.
//
// The package does not execute shaders. The objects of package vk do: machine*.go makes them
// for a script. For the scripts that onDevice excludes, device.go and graphics.go pass compiled
// programs to the stages. Pipelines for ray tracing are read completely, but Run returns
// Unsupported for them.
package amber
