// Package vk has Vulkan's objects with the manners of Go: a device, memory, buffers, descriptor sets, pipelines,
// command buffers, queues, semaphores and fences, over Chiaro's engines.
//
// A creation function takes one struct and returns a pointer and an error; a zero field is "not given". Names are the
// names of Vulkan without prefixes. There is no sType, no pNext, no two-call enumeration and no result code. Errors
// have types: see error.go.
//
// Formats, descriptor types, stages and the parts of fixed-function state are those of package link, such as
// [link.FormatR8G8B8A8Unorm], [link.StorageBuffer] and [link.StageCompute]; other enumerations are in package enum. Texels
// have one place in any layout of an image, and barriers need no masks: only full checking reads the layouts, and only a sanitizer
// the masks. The examples go from the shader to its result.
//
// # Lifetime
//
// Close frees an object. It returns an *InUseError if a submission that is not finished uses the object, unless the
// device was made with DeferFree: then the object is freed after the last such submission. A second Close does nothing, nor does Close of nil.
//
// # Threads
//
// Functions that create, and Close, may be called from any goroutine. As in Vulkan, an object that one goroutine
// changes (a command buffer that it records, a set that it updates, a pool) must not be used by another at the same
// time; a queue may.
//
// # Checking
//
// No call crashes, whatever its arguments; memory outside the bound ranges is out of reach of every shader. Beyond
// that, [DeviceInfo.Checking] decides how much is checked: modules and pipelines when they are made, the state of draws, and all
// rules of commands that bound objects decide. [DeviceInfo.Messages] receives the findings on commands.
//
// # Limits of this package
//
// Pipelines of NV_ray_tracing are not in it yet. docs/cuda.md names the instructions of PTX that CUDA
// kernels cannot have. A render pass has no attachment of
// an external format. With commandBufferInheritance, a push of some descriptors of a set drops those that an earlier command buffer pushed.
// The heap counts the memory of a sparse image that
// may be bound in part as a whole. Unbound pages of all other sparse resources share one scratch allocation, which it counts too.
// It refuses to know C, handles, windows and the loader.
//
// # Files
//
//	error.go            the types of errors; location.go the place of one in a shader
//	limit.go            limits of draws
//	object.go           lifetime and ownership of all objects; objectmethod.go their methods
//	physical.go, device.go, queue.go, queuefamily.go
//	memory.go, buffer.go, image.go, imageview.go, sampler.go, ycbcr.go
//	definedness.go      which bytes and texels something has written, tiledefined.go in tile memory; commandorder.go, attachmentorder.go, eventorder.go, fixedorder.go, imageorder.go, queueorder.go races between commands
//	imageplane.go       planes, and rules on images and their views; hostcopy.go copies by the host
//	imagelayout.go      layouts of images, for full checking
//	formatproperties.go uses of formats
//	requirements.go     memory that resources need; sparse*.go resources to which queues bind memory
//	setlayout.go, pool.go, set.go, copyset.go, updatetemplate.go, pipelinelayout.go
//	pushdescriptor.go   sets without objects
//	descriptor.go       descriptors in memory; descriptortable.go the numbers of the objects that they name
//	descriptorbuffer.go sets in memory
//	bordercolor.go      border colors that heaps share
//	descriptorheap.go   descriptor heaps; mapping.go the places of resources in them, mappingbinary.go their form in shader binaries
//	module.go, validationcache.go, pipeline.go, graphicspipeline.go
//	pipelinecreate.go   the common part of all pipelines; graphicslibrary.go the parts of graphics pipelines
//	piece.go            compiled stages; pipelinecache.go, pipelinebinary.go hold them
//	instrumentation.go  shaders that count; executable.go their programs
//	profile.go          counts of source blocks
//	shaderobject.go     shader objects; combinations.go their pipelines; shaderbinary.go their binary code;
//	requiredstate.go    the states that their draws need
//	finding.go          findings on commands; drawrule.go, staterule.go, attributerule.go, objectrule.go, descriptorrule.go, heaprule.go, mappingrule.go the
//	                    rules of full checking; imageuse.go, accessuse.go the accesses of shaders that they need
//	state.go            fixed-function state; dynamicstate.go, dynamicenable.go the parts that commands set
//	advancedblend.go    advanced blend operations
//	depthstate.go       ranges and biases of depths; samplelocations.go places of samples
//	customresolve.go    resolves by draws
//	subpassshading.go   compute shaders for the pixels of a subpass
//	tileshading.go      commands that run for each tile of a rendering; tileimage.go rules on tile attachments
//	tilememory.go       memory with contents for one submission
//	clusterculling.go   shaders that emit draws of vertices
//	rendering.go        attachments of a rendering; renderexecute.go its begin and end; scope.go the one of a recording
//	singlesampled.go    implicit images of several samples of attachments of one
//	localread.go        locations and indices of attachments; inheritance.go renderings in secondary command buffers
//	renderpass.go       render passes; renderpassform.go their subpasses as renderings; framebuffer.go with the views of attachments
//	commandbuffer.go    states of a command buffer; bindpoint.go the stages that a bind affects; carriedstate.go the state that the next one inherits
//	record*.go          its commands; execute*.go their execution; stall.go, doze_linux.go, doze_other.go end those without progress
//	transformfeedback.go, conditional.go, multidraw.go, meshdraw.go, vertexbind.go
//	semaphore.go, wait.go, event.go, query.go, querycommand.go, syncfile.go
//	privatedata.go, label.go   numbers and labels of the program
//	cooperative.go      cooperative matrices and vectors: properties, conversion of layouts; matrixquery.go queries for products
//	copyindirect.go     copies between addresses that are in memory
//	structure.go        acceleration structures; structurebuild.go their builds, structuresphere.go spheres, structuremotion.go motion, structurerun.go the execution;
//	structurecommand.go the commands for builds, structurecopy.go sizes, copies, properties; structuretable.go their contents, structuregarbage.go the memory of dropped ones, structureorder.go their races;
//	featurerule.go the features that structures need; structurerule.go the rules on the structures that rays are traced in; micromap.go micromaps, micromapcommand.go their commands, structuremicromap.go those that are acceleration structures
//	cuda.go             modules and functions of CUDA kernels, launches
//	viewhandle.go       handles of views and samplers, the textures of CUDA kernels
//	raypipeline.go      ray tracing pipelines, replayorder.go the order of their creation in a replay; raycommand.go the commands that
//	trace rays, rayexecute.go their execution
//	executiongraph.go   execution graphs; graphcommand.go the commands that run them
//	generatedlayout.go, generatedcommand.go   commands whose arguments are in memory
//	shadergroup.go, generatedstream.go        the same with shader groups and arguments in several buffers; pipelineaddress.go pipelines
//	that they select by address
//	work.go             commands that run by themselves; address.go memory at device addresses
//	bytes.go            memory of words
//	print.go            the output of debugPrintf
package vk
