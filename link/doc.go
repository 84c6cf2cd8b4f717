// Package link checks that entry points fit each other and a pipeline layout: the outputs
// of one stage and the inputs of the next, resources and push constants and the layout,
// stages and the kinds of pipelines (Vulkan, Shader Interfaces and Pipelines). It does not
// check the inside of a module, which is the task of package valid, and does not extract
// the interface of an entry point, which is the task of package iface.
//
// [Link] checks a [Description] and returns every finding. No rule checks a property that
// the description leaves open.
package link
