// Package driver is Chiaro's Vulkan driver without its C side: it turns the calls of package abi into objects of package vk, and
// keeps handles, chains of structs, versions and the list of what the driver announces.
//
// cmd/icd calls Call for each command that an application calls; tests call it the same way, without a C compiler. Commands of
// command buffers may arrive in two ways: one by one, or recorded in memory of C; then they run in order before the next call
// that needs the command buffer.
//
// Handles are never pointers of Go. Dispatchable handles point to memory of C that the loader uses; all others are numbers of
// slots with a generation, so that a stale or foreign handle has no object. A call with one has no effect or returns an error.
//
// The package does not know cgo.
//
// # Files
//
//	call.go, name.go    the commands by number and by name
//	handle.go           handles; dispatch.go dispatchable handles; object.go all others
//	form.go             the rules on the memory of calls; formobject.go those that the tables of package abi do not have
//	heaproom.go         space for commands where memory is limited
//	result.go           results of errors, and reports; debug.go messages; debugname.go names, labels and messages of the application;
//	                    leak.go objects that a device leaves
//	instance.go, extension.go, extensionname.go, physical.go, feature.go, property.go, propertystruct.go, format.go
//	device.go, queue.go, wait.go, sparse.go, memory.go, mapping.go, memoryreport.go, image.go
//	setlayout.go, descriptor.go, pipeline.go, graphicspipeline.go, renderpass.go, tileshading.go, query.go
//	hostcopy.go, privatedata.go, clock*.go
//	shaderobject.go, pipelinebinary.go, modulecache.go, devicefault.go, instrumentation.go, cuda.go, executable.go
//	descriptorbuffer.go, descriptorheap.go   descriptors in memory
//	structure.go        acceleration structures; structuresphere.go their spheres; micromap.go micromaps; raytracing.go pipelines that trace rays; executiongraph.go graphs of nodes
//	generatedcommand.go commands with arguments in memory; generatedstream.go in several buffers
//	cooperative.go, shadingrate.go   lists of physical devices
//	surface.go, swapchain.go, present.go   windows
//	externalfd.go, fd_*.go   files of memory, and payloads of semaphores and fences
//	commandbuffer.go    pools and recording
//	dispatchcommand.go, drawcommand.go, meshcommand.go, statecommand.go, extendedstate.go, pushcommand.go,
//	addresscommand.go   commands of buffers, at addresses
//	advancedstate.go, memorycommand.go, extendedcommand.go, renderingcommand.go, transfercommand.go, synccommand.go   the commands
package driver
