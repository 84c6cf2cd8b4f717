// Package link says whether entry points fit each other and a layout: the
// outputs of one stage and the inputs of the next, resources and push constants
// and the pipeline layout, stages and the kinds of pipelines (Vulkan, Shader
// Interfaces and Pipelines). It refuses to know what is wrong inside a module,
// which is valid's, and what an entry point looks like, which is iface's.
//
// [Link] takes a [Description] and returns every finding. What a description
// does not say, no rule judges.
package link
