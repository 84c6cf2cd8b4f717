// Queries, timestamps and asynchronous creation.
import { fill, whole } from './kit.mjs';

export const cases = {
	async 'occlusion queries count visible samples'(k) {
		const t = k.texture('r8unorm', [8, 8]), z = k.texture('depth32float', [8, 8]);
		const set = k.own(k.device.createQuerySet({ type: 'occlusion', count: 3 })), out = k.buffer(24, GPUBufferUsage.QUERY_RESOLVE);
		const p = k.renderPipeline(`${whole} @fragment fn fs() -> @location(0) f32 { return 1; }`, ['r8unorm'],
			{ depthStencil: { format: 'depth32float', depthWriteEnabled: false, depthCompare: 'less' } });
		k.submit((e) => {
			const pass = e.beginRenderPass({
				colorAttachments: [{ view: t.createView(), loadOp: 'clear', storeOp: 'store' }], occlusionQuerySet: set,
				depthStencilAttachment: { view: z.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0.5 },
			});
			pass.setPipeline(p);
			pass.beginOcclusionQuery(0); pass.draw(3); pass.endOcclusionQuery();
			pass.setViewport(0, 0, 8, 8, 0.75, 1);
			pass.beginOcclusionQuery(1); pass.draw(3); pass.endOcclusionQuery();
			pass.beginOcclusionQuery(2); pass.endOcclusionQuery();
			pass.end();
			e.resolveQuerySet(set, 0, 3, out, 0);
		});
		const got = await k.read(out, BigUint64Array);
		k.equal(Array.from(got, (v) => v > 0n ? 1 : 0), [1, 0, 0]);
	},

	async 'timestamps of passes do not decrease'(k) {
		const set = k.own(k.device.createQuerySet({ type: 'timestamp', count: 4 })), out = k.buffer(32, GPUBufferUsage.QUERY_RESOLVE);
		const o = k.buffer(4), p = k.computePipeline(`
			@group(0) @binding(0) var<storage, read_write> o: atomic<u32>;
			@compute @workgroup_size(64) fn main() { for (var i = 0; i < 100; i++) { atomicAdd(&o, 1u); } }`);
		const bound = k.bind(p, [o]);
		k.submit((e) => {
			for (let i = 0; i < 2; i++) {
				const pass = e.beginComputePass({ timestampWrites: { querySet: set, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 } });
				pass.setPipeline(p);
				pass.setBindGroup(0, bound);
				pass.dispatchWorkgroups(100);
				pass.end();
			}
			e.resolveQuerySet(set, 0, 4, out, 0);
		});
		const got = await k.read(out, BigUint64Array);
		k.equal([0, 1, 2].map((i) => got[i + 1] >= got[i] ? 1 : 0), [1, 1, 1]);
		k.equal([got[1] - got[0] < 10_000_000_000n ? 1 : 0], [1], 0, 'nanoseconds of a pass');
		k.equal(await k.read(o, Uint32Array), [2 * 64 * 100 * 100]);
	},

	async 'pipelines are made asynchronously, in parallel'(k) {
		const made = await Promise.all(fill(8, (i) => k.device.createComputePipelineAsync({ layout: 'auto', compute: { module: k.module(`
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(1) fn main() { o[${i}] = ${i}u * ${i}u + 1u; }`) } })));
		const out = k.buffer(32);
		k.submit((e) => {
			const pass = e.beginComputePass();
			for (const p of made) { pass.setPipeline(p); pass.setBindGroup(0, k.bind(p, [out])); pass.dispatchWorkgroups(1); }
			pass.end();
		});
		k.equal(await k.read(out, Uint32Array), fill(8, (i) => i * i + 1));
	},

	async 'many submits finish in order'(k) {
		const o = k.buffer(4), p = k.computePipeline(`
			@group(0) @binding(0) var<storage, read_write> o: u32;
			@compute @workgroup_size(1) fn main() { o = o * 3u + 1u; }`);
		const bound = k.bind(p, [o]);
		let want = 0, done = 0;
		for (let i = 0; i < 200; i++) {
			k.submit((e) => { const pass = e.beginComputePass(); pass.setPipeline(p); pass.setBindGroup(0, bound); pass.dispatchWorkgroups(1); pass.end(); });
			want = Math.imul(want, 3) + 1;
			if (i % 50 === 0) k.device.queue.onSubmittedWorkDone().then(() => done++);
		}
		k.equal(await k.read(o, Uint32Array), [want >>> 0]);
		await k.device.queue.onSubmittedWorkDone();
		k.equal([done], [4]);
	},
};

export const needs = { 'timestamps of passes do not decrease': ['timestamp-query'] };
