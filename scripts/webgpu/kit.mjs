// Kit has the objects that most programs need: buffers, textures, a dispatch, a render pass, and comparisons.
export class Kit {
	constructor(device) {
		this.device = device;
		this.owned = [];
	}

	// close destroys the buffers and textures of the program.
	close() {
		for (const o of this.owned) o.destroy();
	}

	own(o) {
		this.owned.push(o);
		return o;
	}

	// buffer returns a buffer with the bytes of a typed array, or of a size with zeros.
	buffer(data, usage = GPUBufferUsage.STORAGE) {
		const bytes = typeof data === 'number' ? data : data.byteLength;
		const b = this.own(this.device.createBuffer({
			size: Math.max(16, (bytes + 3) & ~3),
			usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
		}));
		if (typeof data !== 'number') this.device.queue.writeBuffer(b, 0, data);
		return b;
	}

	// read returns the values of a buffer.
	async read(buffer, Type = Float32Array) {
		const copy = this.own(this.device.createBuffer({
			size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
		}));
		this.submit((e) => e.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size));
		await copy.mapAsync(GPUMapMode.READ);
		return new Type(copy.getMappedRange().slice(0));
	}

	// submit records commands and submits them.
	submit(record) {
		const e = this.device.createCommandEncoder();
		record(e);
		this.device.queue.submit([e.finish()]);
	}

	module(code) {
		return this.device.createShaderModule({ code });
	}

	computePipeline(code, constants) {
		return this.device.createComputePipeline({ layout: 'auto', compute: { module: this.module(code), constants } });
	}

	// bind returns a bind group of a pipeline; each resource is a buffer, a texture view or a sampler.
	bind(pipeline, resources, group = 0) {
		const entries = resources.map((r, binding) => ({ binding, resource: r instanceof GPUBuffer ? { buffer: r } : r }));
		return this.device.createBindGroup({
			layout: pipeline.getBindGroupLayout(group), entries: entries.filter((e) => e.resource),
		});
	}

	// dispatch runs a compute shader.
	dispatch(code, resources, groups, constants) {
		const pipeline = this.computePipeline(code, constants);
		const bound = this.bind(pipeline, resources);
		this.submit((e) => {
			const pass = e.beginComputePass();
			pass.setPipeline(pipeline);
			pass.setBindGroup(0, bound);
			pass.dispatchWorkgroups(...[groups].flat());
			pass.end();
		});
	}

	// texture returns a texture; the usage has copies, sampling and rendering unless it is given.
	texture(format, size, more = {}) {
		return this.own(this.device.createTexture({
			format, size,
			usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
			...more,
		}));
	}

	// write fills a level of a texture with texels of a size in bytes.
	write(texture, data, texel, size, mipLevel = 0, origin = [0, 0, 0]) {
		const [w, h = 1] = size;
		this.device.queue.writeTexture({ texture, mipLevel, origin }, data, { bytesPerRow: w * texel, rowsPerImage: h }, size);
	}

	// pixels returns the texels of a level of a texture, rows without padding.
	async pixels(texture, texel, Type = Uint8Array, mipLevel = 0, aspect = 'all', layer = 0) {
		const w = Math.max(1, texture.width >> mipLevel), h = Math.max(1, texture.height >> mipLevel);
		const stride = (w * texel + 255) & ~255;
		const b = this.buffer(stride * h);
		this.submit((e) => e.copyTextureToBuffer(
			{ texture, mipLevel, aspect, origin: [0, 0, layer] }, { buffer: b, bytesPerRow: stride }, [w, h]));
		const rows = await this.read(b, Uint8Array), out = new Uint8Array(w * texel * h);
		for (let y = 0; y < h; y++) out.set(rows.subarray(y * stride, y * stride + w * texel), y * w * texel);
		return new Type(out.buffer);
	}

	// renderPipeline returns a pipeline of a module with the entry points vs and fs; the description's fields are added.
	renderPipeline(code, formats, more = {}) {
		const module = this.module(code);
		const { buffers, targets, ...rest } = more;
		return this.device.createRenderPipeline({
			layout: 'auto',
			vertex: { module, entryPoint: 'vs', buffers },
			fragment: formats.length === 0 && !targets ? undefined : {
				module, entryPoint: 'fs', targets: targets ?? formats.map((format) => ({ format })),
			},
			...rest,
		});
	}

	// pass renders into views with a cleared colour; draw receives the pass.
	pass(views, draw, more = {}) {
		const { clear = [0, 0, 0, 0], loadOp = 'clear', ...rest } = more;
		this.submit((e) => {
			const pass = e.beginRenderPass({
				colorAttachments: views.map((v) => ({
					loadOp, storeOp: 'store', clearValue: clear, ...(v instanceof GPUTexture ? { view: v.createView() } : v),
				})),
				...rest,
			});
			draw(pass);
			pass.end();
		});
	}

	// equal throws if two lists differ by more than a tolerance.
	equal(got, want, tolerance = 0, name = 'value') {
		if (got.length < want.length) throw new Error(`${name}: ${got.length} values instead of ${want.length}`);
		const wrong = [];
		for (let i = 0; i < want.length; i++) {
			const d = Math.abs(Number(got[i]) - Number(want[i]));
			if (!(d <= tolerance) && got[i] !== want[i] && !(Number.isNaN(got[i]) && Number.isNaN(want[i]))) wrong.push(i);
		}
		if (wrong.length > 0) {
			const some = wrong.slice(0, 6).map((i) => `[${i}] ${got[i]} instead of ${want[i]}`);
			throw new Error(`${name}: ${wrong.length} of ${want.length} differ: ${some.join(', ')}`);
		}
	}
}

// fill returns a list of n values of a function.
export const fill = (n, f) => Array.from({ length: n }, (_, i) => f(i));

// whole is a vertex shader that covers the target with one triangle.
export const whole = `
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
	return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}`;
