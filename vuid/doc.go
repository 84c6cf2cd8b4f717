// Package vuid is the names of Vulkan's rules on shaders, one constant each, so
// that a name that is written wrongly does not compile. It knows no rule's
// words, and refuses to know how one is judged.
package vuid
