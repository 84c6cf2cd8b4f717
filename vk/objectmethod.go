package vk

// The methods of all objects, one by one: a promoted method would panic if the pointer to the object is nil.

// closeObject closes an object that is not nil.
func closeObject[T any, P pointer[T]](p P) error {
	if p == nil {
		return nil
	}
	return p.base().close()
}

// setName names an object that is not nil.
func setName[T any, P pointer[T]](p P, name string) {
	if p != nil {
		p.base().setName(name)
	}
}

// nameOf returns the kind of an object and its name.
func nameOf[T any, P pointer[T]](p P) string {
	if p == nil {
		return "<nil>"
	}
	return p.base().String()
}

// Close frees the acceleration structure; see the package comment. It does nothing if a is nil.
func (a *AccelerationStructure) Close() error { return closeObject(a) }

// SetName sets the name of the acceleration structure for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (a *AccelerationStructure) SetName(name string) { setName(a, name) }

// String returns the kind of the acceleration structure and its name.
func (a *AccelerationStructure) String() string { return nameOf(a) }

// Close frees the buffer; see the package comment. It does nothing if b is nil.
func (b *Buffer) Close() error { return closeObject(b) }

// SetName sets the name of the buffer for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (b *Buffer) SetName(name string) { setName(b, name) }

// String returns the kind of the buffer and its name.
func (b *Buffer) String() string { return nameOf(b) }

// Close frees the view; see the package comment. It does nothing if b is nil.
func (b *BufferView) Close() error { return closeObject(b) }

// SetName sets the name of the view for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (b *BufferView) SetName(name string) { setName(b, name) }

// String returns the kind of the view and its name.
func (b *BufferView) String() string { return nameOf(b) }

// Close frees the command buffer; see the package comment. It does nothing if c is nil.
func (c *CommandBuffer) Close() error { return closeObject(c) }

// SetName sets the name of the command buffer for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (c *CommandBuffer) SetName(name string) { setName(c, name) }

// String returns the kind of the command buffer and its name.
func (c *CommandBuffer) String() string { return nameOf(c) }

// Close frees the pipeline; see the package comment. It does nothing if c is nil.
func (c *ComputePipeline) Close() error { return closeObject(c) }

// SetName sets the name of the pipeline for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (c *ComputePipeline) SetName(name string) { setName(c, name) }

// String returns the kind of the pipeline and its name.
func (c *ComputePipeline) String() string { return nameOf(c) }

// Close frees the event; see the package comment. It does nothing if e is nil.
func (e *Event) Close() error { return closeObject(e) }

// SetName sets the name of the event for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (e *Event) SetName(name string) { setName(e, name) }

// String returns the kind of the event and its name.
func (e *Event) String() string { return nameOf(e) }

// Close frees the fence; see the package comment. It does nothing if f is nil.
func (f *Fence) Close() error { return closeObject(f) }

// SetName sets the name of the fence for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (f *Fence) SetName(name string) { setName(f, name) }

// String returns the kind of the fence and its name.
func (f *Fence) String() string { return nameOf(f) }

// Close frees the framebuffer; see the package comment. It does nothing if f is nil.
func (f *Framebuffer) Close() error { return closeObject(f) }

// SetName sets the name of the framebuffer for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (f *Framebuffer) SetName(name string) { setName(f, name) }

// String returns the kind of the framebuffer and its name.
func (f *Framebuffer) String() string { return nameOf(f) }

// Close frees the pipeline; see the package comment. It does nothing if g is nil.
func (g *GraphicsPipeline) Close() error { return closeObject(g) }

// SetName sets the name of the pipeline for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (g *GraphicsPipeline) SetName(name string) { setName(g, name) }

// String returns the kind of the pipeline and its name.
func (g *GraphicsPipeline) String() string { return nameOf(g) }

// Close frees the image; see the package comment. It does nothing if i is nil.
func (i *Image) Close() error { return closeObject(i) }

// SetName sets the name of the image for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (i *Image) SetName(name string) { setName(i, name) }

// String returns the kind of the image and its name.
func (i *Image) String() string { return nameOf(i) }

// Close frees the view; see the package comment. It does nothing if i is nil.
func (i *ImageView) Close() error { return closeObject(i) }

// SetName sets the name of the view for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (i *ImageView) SetName(name string) { setName(i, name) }

// String returns the kind of the view and its name.
func (i *ImageView) String() string { return nameOf(i) }

// Close frees the memory; see the package comment. It does nothing if m is nil.
func (m *Memory) Close() error { return closeObject(m) }

// SetName sets the name of the memory for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (m *Memory) SetName(name string) { setName(m, name) }

// String returns the kind of the memory and its name.
func (m *Memory) String() string { return nameOf(m) }

// Close frees the binary; see the package comment. It does nothing if p is nil.
func (p *PipelineBinary) Close() error { return closeObject(p) }

// SetName sets the name of the binary for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (p *PipelineBinary) SetName(name string) { setName(p, name) }

// String returns the kind of the binary and its name.
func (p *PipelineBinary) String() string { return nameOf(p) }

// Close frees the cache; see the package comment. It does nothing if p is nil.
func (p *PipelineCache) Close() error { return closeObject(p) }

// SetName sets the name of the cache for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (p *PipelineCache) SetName(name string) { setName(p, name) }

// String returns the kind of the cache and its name.
func (p *PipelineCache) String() string { return nameOf(p) }

// Close frees the layout; see the package comment. It does nothing if p is nil.
func (p *PipelineLayout) Close() error { return closeObject(p) }

// SetName sets the name of the layout for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (p *PipelineLayout) SetName(name string) { setName(p, name) }

// String returns the kind of the layout and its name.
func (p *PipelineLayout) String() string { return nameOf(p) }

// SetName sets the name of the pool for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (p *Pool) SetName(name string) { setName(p, name) }

// String returns the kind of the pool and its name.
func (p *Pool) String() string { return nameOf(p) }

// Close frees the slot; see the package comment. It does nothing if p is nil.
func (p *PrivateDataSlot) Close() error { return closeObject(p) }

// SetName sets the name of the slot for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (p *PrivateDataSlot) SetName(name string) { setName(p, name) }

// String returns the kind of the slot and its name.
func (p *PrivateDataSlot) String() string { return nameOf(p) }

// Close frees the pool; see the package comment. It does nothing if q is nil.
func (q *QueryPool) Close() error { return closeObject(q) }

// SetName sets the name of the pool for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (q *QueryPool) SetName(name string) { setName(q, name) }

// String returns the kind of the pool and its name.
func (q *QueryPool) String() string { return nameOf(q) }

// Close frees the pipeline; see the package comment. It does nothing if r is nil.
func (r *RayTracingPipeline) Close() error { return closeObject(r) }

// SetName sets the name of the pipeline for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (r *RayTracingPipeline) SetName(name string) { setName(r, name) }

// String returns the kind of the pipeline and its name.
func (r *RayTracingPipeline) String() string { return nameOf(r) }

// Close frees the render pass; see the package comment. It does nothing if r is nil.
func (r *RenderPass) Close() error { return closeObject(r) }

// SetName sets the name of the render pass for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (r *RenderPass) SetName(name string) { setName(r, name) }

// String returns the kind of the render pass and its name.
func (r *RenderPass) String() string { return nameOf(r) }

// Close frees the sampler; see the package comment. It does nothing if s is nil.
func (s *Sampler) Close() error { return closeObject(s) }

// SetName sets the name of the sampler for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *Sampler) SetName(name string) { setName(s, name) }

// String returns the kind of the sampler and its name.
func (s *Sampler) String() string { return nameOf(s) }

// Close frees the semaphore; see the package comment. It does nothing if s is nil.
func (s *Semaphore) Close() error { return closeObject(s) }

// SetName sets the name of the semaphore for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *Semaphore) SetName(name string) { setName(s, name) }

// String returns the kind of the semaphore and its name.
func (s *Semaphore) String() string { return nameOf(s) }

// Close frees the set; see the package comment. It does nothing if s is nil.
func (s *Set) Close() error { return closeObject(s) }

// SetName sets the name of the set for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *Set) SetName(name string) { setName(s, name) }

// String returns the kind of the set and its name.
func (s *Set) String() string { return nameOf(s) }

// Close frees the layout; see the package comment. It does nothing if s is nil.
func (s *SetLayout) Close() error { return closeObject(s) }

// SetName sets the name of the layout for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *SetLayout) SetName(name string) { setName(s, name) }

// String returns the kind of the layout and its name.
func (s *SetLayout) String() string { return nameOf(s) }

// Close frees the shader; see the package comment. It does nothing if s is nil.
func (s *Shader) Close() error { return closeObject(s) }

// SetName sets the name of the shader for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *Shader) SetName(name string) { setName(s, name) }

// String returns the kind of the shader and its name.
func (s *Shader) String() string { return nameOf(s) }

// Close frees the instrumentation; see the package comment. It does nothing if s is nil.
func (s *ShaderInstrumentation) Close() error { return closeObject(s) }

// SetName sets the name of the instrumentation for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *ShaderInstrumentation) SetName(name string) { setName(s, name) }

// String returns the kind of the instrumentation and its name.
func (s *ShaderInstrumentation) String() string { return nameOf(s) }

// Close frees the module; see the package comment. It does nothing if s is nil.
func (s *ShaderModule) Close() error { return closeObject(s) }

// SetName sets the name of the module for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (s *ShaderModule) SetName(name string) { setName(s, name) }

// String returns the kind of the module and its name.
func (s *ShaderModule) String() string { return nameOf(s) }

// Close frees the template; see the package comment. It does nothing if u is nil.
func (u *UpdateTemplate) Close() error { return closeObject(u) }

// SetName sets the name of the template for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (u *UpdateTemplate) SetName(name string) { setName(u, name) }

// String returns the kind of the template and its name.
func (u *UpdateTemplate) String() string { return nameOf(u) }

// Close frees the cache; see the package comment. It does nothing if v is nil.
func (v *ValidationCache) Close() error { return closeObject(v) }

// SetName sets the name of the cache for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (v *ValidationCache) SetName(name string) { setName(v, name) }

// String returns the kind of the cache and its name.
func (v *ValidationCache) String() string { return nameOf(v) }

// Close frees the conversion; see the package comment. It does nothing if y is nil.
func (y *YcbcrConversion) Close() error { return closeObject(y) }

// SetName sets the name of the conversion for messages (vkSetDebugUtilsObjectNameEXT); "" is none.
func (y *YcbcrConversion) SetName(name string) { setName(y, name) }

// String returns the kind of the conversion and its name.
func (y *YcbcrConversion) String() string { return nameOf(y) }
