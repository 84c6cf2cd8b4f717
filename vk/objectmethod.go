package vk

// The methods that all objects have. A type does not take them over from its part object: a call of a promoted method
// panics if the pointer is nil, and Vulkan permits to destroy a null handle.

// closeObject frees an object. It ignores nil, as vkDestroy* ignores VK_NULL_HANDLE.
func closeObject[T any, P pointer[T]](p P) error {
	if p == nil {
		return nil
	}
	return p.base().close()
}

// setName sets the name of an object (vkSetDebugUtilsObjectNameEXT), if it is not nil; "" is none.
func setName[T any, P pointer[T]](p P, name string) {
	if p != nil {
		p.base().name.Store(&name)
	}
}

// describe returns the kind and the name of an object, or "<nil>".
func describe[T any, P pointer[T]](p P) string {
	if p == nil {
		return "<nil>"
	}
	return p.base().String()
}

// Close frees the buffer; see the package comment.
func (b *Buffer) Close() error { return closeObject(b) }

// SetName sets the name of the buffer for messages.
func (b *Buffer) SetName(name string) { setName(b, name) }

// String returns the kind of the buffer and its name.
func (b *Buffer) String() string { return describe(b) }

// Close frees the view; see the package comment.
func (v *BufferView) Close() error { return closeObject(v) }

// SetName sets the name of the view for messages.
func (v *BufferView) SetName(name string) { setName(v, name) }

// String returns the kind of the view and its name.
func (v *BufferView) String() string { return describe(v) }

// Close frees the image; see the package comment.
func (m *Image) Close() error { return closeObject(m) }

// SetName sets the name of the image for messages.
func (m *Image) SetName(name string) { setName(m, name) }

// String returns the kind of the image and its name.
func (m *Image) String() string { return describe(m) }

// Close frees the view; see the package comment.
func (v *ImageView) Close() error { return closeObject(v) }

// SetName sets the name of the view for messages.
func (v *ImageView) SetName(name string) { setName(v, name) }

// String returns the kind of the view and its name.
func (v *ImageView) String() string { return describe(v) }

// Close frees the memory; see the package comment.
func (m *Memory) Close() error { return closeObject(m) }

// SetName sets the name of the memory for messages.
func (m *Memory) SetName(name string) { setName(m, name) }

// String returns the kind of the memory and its name.
func (m *Memory) String() string { return describe(m) }

// Close frees the sampler; see the package comment.
func (s *Sampler) Close() error { return closeObject(s) }

// SetName sets the name of the sampler for messages.
func (s *Sampler) SetName(name string) { setName(s, name) }

// String returns the kind of the sampler and its name.
func (s *Sampler) String() string { return describe(s) }

// Close frees the conversion; see the package comment.
func (c *YcbcrConversion) Close() error { return closeObject(c) }

// SetName sets the name of the conversion for messages.
func (c *YcbcrConversion) SetName(name string) { setName(c, name) }

// String returns the kind of the conversion and its name.
func (c *YcbcrConversion) String() string { return describe(c) }

// Close frees the layout; see the package comment.
func (l *SetLayout) Close() error { return closeObject(l) }

// SetName sets the name of the layout for messages.
func (l *SetLayout) SetName(name string) { setName(l, name) }

// String returns the kind of the layout and its name.
func (l *SetLayout) String() string { return describe(l) }

// SetName sets the name of the pool for messages.
func (p *Pool) SetName(name string) { setName(p, name) }

// String returns the kind of the pool and its name.
func (p *Pool) String() string { return describe(p) }

// Close frees the set; see the package comment.
func (s *Set) Close() error { return closeObject(s) }

// SetName sets the name of the set for messages.
func (s *Set) SetName(name string) { setName(s, name) }

// String returns the kind of the set and its name.
func (s *Set) String() string { return describe(s) }

// Close frees the template; see the package comment.
func (t *UpdateTemplate) Close() error { return closeObject(t) }

// SetName sets the name of the template for messages.
func (t *UpdateTemplate) SetName(name string) { setName(t, name) }

// String returns the kind of the template and its name.
func (t *UpdateTemplate) String() string { return describe(t) }

// Close frees the layout; see the package comment.
func (l *PipelineLayout) Close() error { return closeObject(l) }

// SetName sets the name of the layout for messages.
func (l *PipelineLayout) SetName(name string) { setName(l, name) }

// String returns the kind of the layout and its name.
func (l *PipelineLayout) String() string { return describe(l) }

// Close frees the module; see the package comment.
func (s *ShaderModule) Close() error { return closeObject(s) }

// SetName sets the name of the module for messages.
func (s *ShaderModule) SetName(name string) { setName(s, name) }

// String returns the kind of the module and its name.
func (s *ShaderModule) String() string { return describe(s) }

// Close frees the shader object; see the package comment.
func (s *Shader) Close() error { return closeObject(s) }

// SetName sets the name of the shader object for messages.
func (s *Shader) SetName(name string) { setName(s, name) }

// String returns the kind of the shader object and its name.
func (s *Shader) String() string { return describe(s) }

// Close frees the pipeline; see the package comment.
func (p *ComputePipeline) Close() error { return closeObject(p) }

// SetName sets the name of the pipeline for messages.
func (p *ComputePipeline) SetName(name string) { setName(p, name) }

// String returns the kind of the pipeline and its name.
func (p *ComputePipeline) String() string { return describe(p) }

// Close frees the pipeline; see the package comment.
func (p *GraphicsPipeline) Close() error { return closeObject(p) }

// SetName sets the name of the pipeline for messages.
func (p *GraphicsPipeline) SetName(name string) { setName(p, name) }

// String returns the kind of the pipeline and its name.
func (p *GraphicsPipeline) String() string { return describe(p) }

// Close frees the pipeline; see the package comment.
func (p *RayTracingPipeline) Close() error { return closeObject(p) }

// SetName sets the name of the pipeline for messages.
func (p *RayTracingPipeline) SetName(name string) { setName(p, name) }

// String returns the kind of the pipeline and its name.
func (p *RayTracingPipeline) String() string { return describe(p) }

// Close frees the graph; see the package comment.
func (p *GraphPipeline) Close() error { return closeObject(p) }

// SetName sets the name of the graph for messages.
func (p *GraphPipeline) SetName(name string) { setName(p, name) }

// String returns the kind of the graph and its name.
func (p *GraphPipeline) String() string { return describe(p) }

// Close frees the cache; see the package comment.
func (c *PipelineCache) Close() error { return closeObject(c) }

// SetName sets the name of the cache for messages.
func (c *PipelineCache) SetName(name string) { setName(c, name) }

// String returns the kind of the cache and its name.
func (c *PipelineCache) String() string { return describe(c) }

// Close frees the binary; see the package comment.
func (b *PipelineBinary) Close() error { return closeObject(b) }

// SetName sets the name of the binary for messages.
func (b *PipelineBinary) SetName(name string) { setName(b, name) }

// String returns the kind of the binary and its name.
func (b *PipelineBinary) String() string { return describe(b) }

// Close frees the cache; see the package comment.
func (c *ValidationCache) Close() error { return closeObject(c) }

// SetName sets the name of the cache for messages.
func (c *ValidationCache) SetName(name string) { setName(c, name) }

// String returns the kind of the cache and its name.
func (c *ValidationCache) String() string { return describe(c) }

// Close frees the instrumentation; see the package comment.
func (s *ShaderInstrumentation) Close() error { return closeObject(s) }

// SetName sets the name of the instrumentation for messages.
func (s *ShaderInstrumentation) SetName(name string) { setName(s, name) }

// String returns the kind of the instrumentation and its name.
func (s *ShaderInstrumentation) String() string { return describe(s) }

// Close frees the render pass; see the package comment.
func (p *RenderPass) Close() error { return closeObject(p) }

// SetName sets the name of the render pass for messages.
func (p *RenderPass) SetName(name string) { setName(p, name) }

// String returns the kind of the render pass and its name.
func (p *RenderPass) String() string { return describe(p) }

// Close frees the framebuffer; see the package comment.
func (f *Framebuffer) Close() error { return closeObject(f) }

// SetName sets the name of the framebuffer for messages.
func (f *Framebuffer) SetName(name string) { setName(f, name) }

// String returns the kind of the framebuffer and its name.
func (f *Framebuffer) String() string { return describe(f) }

// Close frees the structure; see the package comment.
func (a *AccelerationStructure) Close() error { return closeObject(a) }

// SetName sets the name of the structure for messages.
func (a *AccelerationStructure) SetName(name string) { setName(a, name) }

// String returns the kind of the structure and its name.
func (a *AccelerationStructure) String() string { return describe(a) }

// Close frees the micromap; see the package comment.
func (m *Micromap) Close() error { return closeObject(m) }

// SetName sets the name of the micromap for messages.
func (m *Micromap) SetName(name string) { setName(m, name) }

// String returns the kind of the micromap and its name.
func (m *Micromap) String() string { return describe(m) }

// Close frees the command buffer; see the package comment.
func (c *CommandBuffer) Close() error { return closeObject(c) }

// SetName sets the name of the command buffer for messages.
func (c *CommandBuffer) SetName(name string) { setName(c, name) }

// String returns the kind of the command buffer and its name.
func (c *CommandBuffer) String() string { return describe(c) }

// Close frees the semaphore; see the package comment.
func (s *Semaphore) Close() error { return closeObject(s) }

// SetName sets the name of the semaphore for messages.
func (s *Semaphore) SetName(name string) { setName(s, name) }

// String returns the kind of the semaphore and its name.
func (s *Semaphore) String() string { return describe(s) }

// Close frees the fence; see the package comment.
func (f *Fence) Close() error { return closeObject(f) }

// SetName sets the name of the fence for messages.
func (f *Fence) SetName(name string) { setName(f, name) }

// String returns the kind of the fence and its name.
func (f *Fence) String() string { return describe(f) }

// Close frees the event; see the package comment.
func (e *Event) Close() error { return closeObject(e) }

// SetName sets the name of the event for messages.
func (e *Event) SetName(name string) { setName(e, name) }

// String returns the kind of the event and its name.
func (e *Event) String() string { return describe(e) }

// Close frees the pool; see the package comment.
func (q *QueryPool) Close() error { return closeObject(q) }

// SetName sets the name of the pool for messages.
func (q *QueryPool) SetName(name string) { setName(q, name) }

// String returns the kind of the pool and its name.
func (q *QueryPool) String() string { return describe(q) }

// Close frees the slot; see the package comment.
func (p *PrivateDataSlot) Close() error { return closeObject(p) }

// SetName sets the name of the slot for messages.
func (p *PrivateDataSlot) SetName(name string) { setName(p, name) }

// String returns the kind of the slot and its name.
func (p *PrivateDataSlot) String() string { return describe(p) }

// Close frees the module; see the package comment.
func (m *CudaModule) Close() error { return closeObject(m) }

// SetName sets the name of the module for messages.
func (m *CudaModule) SetName(name string) { setName(m, name) }

// String returns the kind of the module and its name.
func (m *CudaModule) String() string { return describe(m) }

// Close frees the function; see the package comment.
func (f *CudaFunction) Close() error { return closeObject(f) }

// SetName sets the name of the function for messages.
func (f *CudaFunction) SetName(name string) { setName(f, name) }

// String returns the kind of the function and its name.
func (f *CudaFunction) String() string { return describe(f) }

// Close frees the layout; see the package comment.
func (l *IndirectCommandsLayout) Close() error { return closeObject(l) }

// SetName sets the name of the layout.
func (l *IndirectCommandsLayout) SetName(name string) { setName(l, name) }

// String returns the kind and the name of the layout.
func (l *IndirectCommandsLayout) String() string { return describe(l) }

// Close frees the layout; see the package comment.
func (l *StreamLayout) Close() error { return closeObject(l) }

// SetName sets the name of the layout.
func (l *StreamLayout) SetName(name string) { setName(l, name) }

// String returns the kind and the name of the layout.
func (l *StreamLayout) String() string { return describe(l) }

// Close frees the set; see the package comment.
func (s *IndirectExecutionSet) Close() error { return closeObject(s) }

// SetName sets the name of the set.
func (s *IndirectExecutionSet) SetName(name string) { setName(s, name) }

// String returns the kind and the name of the set.
func (s *IndirectExecutionSet) String() string { return describe(s) }
