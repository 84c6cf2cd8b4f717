// Package vuid declares the names of Vulkan's rules on shaders, one constant per
// VUID, so that a misspelled name does not compile. It refuses to know the text
// of a rule, and how one is checked.
package vuid
