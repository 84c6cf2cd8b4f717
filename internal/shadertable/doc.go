// Package shadertable reads tables of tests for shaders: YAML files with inputs and expected outputs. A test becomes a script of
// package amber, which has the objects of Vulkan for all stages; the package compares the contents afterwards with the expected
// ones. It opens no files, which is the task of its caller.
//
// # Files
//
//  1. table.go: the tests as they are written, and their checks.
//  2. value.go: numbers and texts with their positions.
//  3. script.go: the script of a test.
//  4. check.go: the comparison with the expected values, pictures and findings.
//  5. permitted.go: the comparison with the values that Vulkan permits.
package shadertable
