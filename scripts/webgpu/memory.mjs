// Buffers: layouts of structs, uniform buffers, dynamic offsets, bounds, copies and mapping.
import { fill } from './kit.mjs';

export const cases = {
	async 'structs have the layout of WGSL'(k) {
		const data = new ArrayBuffer(96), v = new DataView(data);
		for (let i = 0; i < 24; i++) v.setFloat32(4 * i, i + 0.5, true);
		const out = k.buffer(64);
		k.dispatch(`
			struct Inner { a: f32, b: vec2f }
			struct S { x: vec3f, y: f32, m: mat2x3f, s: Inner, t: array<vec3f, 1> }
			@group(0) @binding(0) var<storage> s: S;
			@group(0) @binding(1) var<storage, read_write> o: array<f32, 16>;
			@compute @workgroup_size(1) fn main() {
				o = array(s.x.x, s.x.z, s.y, s.m[0].y, s.m[1].x, s.m[1].z, s.s.a, s.s.b.x, s.s.b.y, s.t[0].x, s.t[0].z, 0, 0, 0, 0, 0);
			}`, [k.buffer(new Float32Array(data)), out], 1);
		k.equal(await k.read(out), [0, 2, 3, 5, 8, 10, 12, 14, 15, 16, 18].map((i) => i + 0.5));
	},

	async 'dynamic offsets select a part of a uniform buffer'(k) {
		const uniform = new Float32Array(64 * 4);
		for (let i = 0; i < 4; i++) uniform[64 * i] = 10 * i + 3;
		const out = k.buffer(1024);
		const layout = k.device.createBindGroupLayout({ entries: [
			{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } },
			{ binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage', hasDynamicOffset: true } },
		] });
		const pipeline = k.device.createComputePipeline({
			layout: k.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
			compute: { module: k.module(`
				@group(0) @binding(0) var<uniform> u: vec4f;
				@group(0) @binding(1) var<storage, read_write> o: array<f32>;
				@compute @workgroup_size(1) fn main() { o[0] = u.x; }`) },
		});
		const bound = k.device.createBindGroup({ layout, entries: [
			{ binding: 0, resource: { buffer: k.buffer(uniform, GPUBufferUsage.UNIFORM), size: 16 } },
			{ binding: 1, resource: { buffer: out, size: 16 } },
		] });
		k.submit((e) => {
			const pass = e.beginComputePass();
			pass.setPipeline(pipeline);
			for (let i = 0; i < 4; i++) {
				pass.setBindGroup(0, bound, [256 * (3 - i), 256 * i]);
				pass.dispatchWorkgroups(1);
			}
			pass.end();
		});
		const got = await k.read(out);
		k.equal(fill(4, (i) => got[64 * i]), [33, 23, 13, 3]);
	},

	async 'indices outside of a buffer do not reach other memory'(k) {
		const out = k.buffer(4 * 8), guard = k.buffer(Uint32Array.from(fill(64, () => 77)));
		k.dispatch(`
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@group(0) @binding(1) var<storage, read_write> guard: array<u32>;
			@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
				o[i * 1000003u + 8u] = i;
				if (guard[i] != 77u) { o[0] = 1u; }
			}`, [out, guard], 1);
		k.equal(await k.read(guard, Uint32Array), fill(64, () => 77));
	},

	async 'copies and clears of ranges'(k) {
		const a = k.buffer(Uint32Array.from(fill(64, (i) => i))), b = k.buffer(256);
		k.submit((e) => {
			e.copyBufferToBuffer(a, 64, b, 16, 128);
			e.clearBuffer(b, 32, 32);
			e.copyBufferToBuffer(a, 0, b, 200, 8);
		});
		k.equal(await k.read(b, Uint32Array), fill(64, (i) => i >= 50 && i < 52 ? i - 50 : i >= 8 && i < 16 ? 0 : i >= 4 && i < 36 ? i + 12 : 0));
	},

	async 'a buffer is mapped at its creation and again'(k) {
		const b = k.own(k.device.createBuffer({ size: 64, usage: GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC, mappedAtCreation: true }));
		new Uint32Array(b.getMappedRange()).set(fill(16, (i) => 5 * i));
		b.unmap();
		await b.mapAsync(GPUMapMode.WRITE, 16, 16);
		new Uint32Array(b.getMappedRange(16, 16)).set([1, 2, 3, 4]);
		b.unmap();
		const c = k.buffer(64);
		k.submit((e) => e.copyBufferToBuffer(b, 0, c, 0, 64));
		k.equal(await k.read(c, Uint32Array), fill(16, (i) => i >= 4 && i < 8 ? i - 3 : 5 * i));
	},
};
