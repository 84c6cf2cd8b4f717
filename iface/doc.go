// Package iface is an entry point seen from outside: what it reads from and
// writes to other stages, which resources, push constants and specialization
// constants it has, where everything lies in memory, and what of it it uses
// statically (Vulkan, Shader Interfaces). It states; whether two interfaces fit
// each other or a layout, package link says, and it refuses to know either.
//
// [Reflect] takes any module that decodes, judged or not: what is missing or
// wrong in it is left out.
package iface
