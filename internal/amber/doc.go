// Package amber reads and runs the two script languages for shaders: AmberScript, which has
// #!amber as its first line, and VkScript, which has sections in brackets. Load reads
// either into a Script; Run executes a Script and checks its expectations.
//
// The package does not execute shaders: machine*.go makes the objects of package vk that a
// script needs, and records its commands. permitted.go determines the contents that Vulkan
// permits for the attachments of a script, by package oracle.
package amber
