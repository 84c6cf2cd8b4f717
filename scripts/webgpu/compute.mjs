// Compute shaders: arithmetic, control flow, memory of workgroups, atomics and dispatches.
import { fill } from './kit.mjs';

export const cases = {
	async 'a kernel adds two arrays'(k) {
		const n = 1000, a = Float32Array.from(fill(n, (i) => i * 0.5)), b = Float32Array.from(fill(n, (i) => 1 - i));
		const out = k.buffer(4 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage> a: array<f32>;
			@group(0) @binding(1) var<storage> b: array<f32>;
			@group(0) @binding(2) var<storage, read_write> c: array<f32>;
			@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
				if (id.x < arrayLength(&c)) { c[id.x] = a[id.x] + b[id.x]; }
			}`, [k.buffer(a), k.buffer(b), out], Math.ceil(n / 64));
		k.equal(await k.read(out), fill(n, (i) => a[i] + b[i]));
	},

	async 'integers wrap, shift and divide'(k) {
		const n = 256, x = Int32Array.from(fill(n, (i) => Math.imul(i * 7919 + 13, 104729))), out = k.buffer(16 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage> x: array<i32>;
			@group(0) @binding(1) var<storage, read_write> o: array<vec4i>;
			@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
				let v = x[id.x];
				o[id.x] = vec4i(v * v, v >> (id.x & 31u), v / i32(id.x + 1u), v % i32(id.x + 1u));
			}`, [k.buffer(x), out], n / 64);
		k.equal(await k.read(out, Int32Array), fill(n, (i) =>
			[Math.imul(x[i], x[i]), x[i] >> (i & 31), Math.trunc(x[i] / (i + 1)), x[i] % (i + 1)]).flat());
	},

	async 'bits are counted, reversed, extracted and inserted'(k) {
		const n = 64, x = Uint32Array.from(fill(n, (i) => Math.imul(i + 1, 0x9e3779b9) >>> 0)), out = k.buffer(32 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage> x: array<u32>;
			@group(0) @binding(1) var<storage, read_write> o: array<array<u32, 8>>;
			@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
				let v = x[i];
				o[i] = array(countOneBits(v), reverseBits(v), countLeadingZeros(v), countTrailingZeros(v), firstLeadingBit(v),
					firstTrailingBit(v), extractBits(v, i % 20u, 9u), insertBits(v, 0xabcdu, i % 20u, 7u));
			}`, [k.buffer(x), out], 1);
		const bits = (v) => { let c = 0; for (let b = 0; b < 32; b++) c += v >>> b & 1; return c; };
		const reversed = (v) => { let r = 0; for (let b = 0; b < 32; b++) r |= (v >>> b & 1) << (31 - b); return r >>> 0; };
		const trailing = (v) => v === 0 ? 32 : 31 - Math.clz32(v & -v);
		k.equal(await k.read(out, Uint32Array), fill(n, (i) => {
			const v = x[i], s = i % 20, m = 127 << s;
			return [bits(v), reversed(v), Math.clz32(v), trailing(v), 31 - Math.clz32(v), trailing(v), v >>> s & 511,
				(v & ~m | 0xabcd << s & m) >>> 0];
		}).flat());
	},

	async 'functions of floats are near those of JavaScript'(k) {
		const n = 128, x = Float32Array.from(fill(n, (i) => 0.02 + i / 16)), out = k.buffer(32 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage> x: array<f32>;
			@group(0) @binding(1) var<storage, read_write> o: array<array<f32, 8>>;
			@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
				let v = x[id.x];
				o[id.x] = array(sin(v), cos(v), exp(-v), log2(v), sqrt(v), atan2(v, 2.0), pow(v, 1.5), tanh(v));
			}`, [k.buffer(x), out], 2);
		k.equal(await k.read(out), Array.from(x, (v) =>
			[Math.sin(v), Math.cos(v), Math.exp(-v), Math.log2(v), Math.sqrt(v), Math.atan2(v, 2), v ** 1.5, Math.tanh(v)]).flat(), 1e-3);
	},

	async 'loops end at different times, with break and continue'(k) {
		const n = 512, out = k.buffer(4 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
				var v = id.x + 1u; var steps = 0u;
				loop {
					if (v == 1u || steps > 200u) { break; }
					steps++;
					if (v % 2u == 0u) { v /= 2u; continue; }
					v = 3u * v + 1u;
				}
				o[id.x] = steps;
			}`, [out], n / 32);
		k.equal(await k.read(out, Uint32Array), fill(n, (i) => {
			let v = i + 1, s = 0;
			while (v !== 1 && s <= 200) { v = v % 2 === 0 ? v / 2 : 3 * v + 1; s++; }
			return s;
		}));
	},

	async 'a switch with a default selects by value'(k) {
		const n = 64, out = k.buffer(4 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage, read_write> o: array<i32>;
			@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
				var r = 0;
				switch (i % 7u) {
					case 0u, 3u { r = 10; }
					case 1u: { r = 20; if (i > 30u) { break; } r = 21; }
					case 5u: { r = 50; }
					default { r = -i32(i); }
				}
				o[i] = r;
			}`, [out], 1);
		k.equal(await k.read(out, Int32Array), fill(n, (i) => ({ 0: 10, 3: 10, 1: i > 30 ? 20 : 21, 5: 50 })[i % 7] ?? -i));
	},

	async 'a workgroup sums with barriers'(k) {
		const groups = 10, x = Uint32Array.from(fill(256 * groups, (i) => i % 97)), out = k.buffer(4 * groups);
		k.dispatch(`
			@group(0) @binding(0) var<storage> x: array<u32>;
			@group(0) @binding(1) var<storage, read_write> o: array<u32>;
			var<workgroup> part: array<u32, 256>;
			@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32,
				@builtin(workgroup_id) g: vec3u) {
				part[i] = x[id.x];
				for (var s = 128u; s > 0u; s >>= 1u) {
					workgroupBarrier();
					if (i < s) { part[i] += part[i + s]; }
				}
				if (i == 0u) { o[g.x] = part[0]; }
			}`, [k.buffer(x), out], groups);
		k.equal(await k.read(out, Uint32Array), fill(groups, (g) => x.subarray(256 * g, 256 * g + 256).reduce((a, b) => a + b)));
	},

	async 'atomics of many workgroups make a histogram'(k) {
		const n = 4096, x = Uint32Array.from(fill(n, (i) => Math.imul(i, 0x45d9f3b) >>> 27)), out = k.buffer(4 * 34);
		k.dispatch(`
			@group(0) @binding(0) var<storage> x: array<u32>;
			@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
			@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
				atomicAdd(&bins[x[id.x]], 1u);
				atomicMax(&bins[32], id.x * 3u);
				atomicXor(&bins[33], 1u << (id.x & 31u));
			}`, [k.buffer(x), out], n / 64);
		const want = new Array(34).fill(0);
		for (const v of x) want[v]++;
		want[32] = 3 * (n - 1);
		k.equal(await k.read(out, Uint32Array), want);
	},

	async 'a compare and exchange gives each index once'(k) {
		const n = 1024, next = k.buffer(4), out = k.buffer(4 * n);
		k.dispatch(`
			@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
			@group(0) @binding(1) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(16) fn main() {
				var old = atomicLoad(&next);
				loop {
					let r = atomicCompareExchangeWeak(&next, old, old + 1u);
					if (r.exchanged) { break; }
					old = r.old_value;
				}
				o[old] = old + 7u;
			}`, [next, out], n / 16);
		k.equal(await k.read(out, Uint32Array), fill(n, (i) => i + 7));
	},

	async 'dispatches take their size from a buffer'(k) {
		const out = k.buffer(4 * 64), size = k.buffer(Uint32Array.of(9, 9, 9, 4, 3, 2), GPUBufferUsage.INDIRECT);
		const pipeline = k.computePipeline(`
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
				o[g.x + n.x * (g.y + n.y * g.z)] = g.x + 10u * g.y + 100u * g.z + 1u;
			}`);
		const bound = k.bind(pipeline, [out]);
		k.submit((e) => {
			const pass = e.beginComputePass();
			pass.setPipeline(pipeline);
			pass.setBindGroup(0, bound);
			pass.dispatchWorkgroupsIndirect(size, 12);
			pass.end();
		});
		k.equal(await k.read(out, Uint32Array), fill(64, (i) =>
			i < 24 ? i % 4 + 10 * (Math.floor(i / 4) % 3) + 100 * Math.floor(i / 12) + 1 : 0));
	},

	async 'overridable constants set the size of the workgroup'(k) {
		const out = k.buffer(4 * 60);
		k.dispatch(`
			override size = 4u;
			@id(7) override factor: f32;
			@group(0) @binding(0) var<storage, read_write> o: array<f32>;
			@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = factor * f32(id.x) + f32(size); }
			`, [out], 5, { size: 12, 7: 0.25 });
		k.equal(await k.read(out), fill(60, (i) => i / 4 + 12));
	},

	async 'passes of one submit see the results of the pass before'(k) {
		const n = 256, a = k.buffer(Uint32Array.from(fill(n, (i) => i))), b = k.buffer(4 * n);
		const pipeline = k.computePipeline(`
			@group(0) @binding(0) var<storage> a: array<u32>;
			@group(0) @binding(1) var<storage, read_write> b: array<u32>;
			@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
				b[id.x] = a[(id.x + 1u) % arrayLength(&a)] * 3u + 1u;
			}`);
		const there = k.bind(pipeline, [a, b]), back = k.bind(pipeline, [b, a]);
		k.submit((e) => {
			for (let i = 0; i < 10; i++) {
				const pass = e.beginComputePass();
				pass.setPipeline(pipeline);
				pass.setBindGroup(0, i % 2 === 0 ? there : back);
				pass.dispatchWorkgroups(n / 64);
				pass.end();
			}
		});
		let v = Uint32Array.from(fill(n, (i) => i));
		for (let i = 0; i < 10; i++) v = v.map((_, j) => Math.imul(v[(j + 1) % n], 3) + 1);
		k.equal(await k.read(a, Uint32Array), [...v]);
	},

	async 'half floats add, multiply and convert'(k) {
		const n = 64, out = k.buffer(8 * n);
		k.dispatch(`
			enable f16;
			@group(0) @binding(0) var<storage, read_write> o: array<vec2f>;
			@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
				let h = f16(i) * 0.5h + 3.0h;
				o[i] = vec2f(f32(h), f32(h * h));
			}`, [out], 1);
		k.equal(await k.read(out), fill(n, (i) => [i / 2 + 3, (i / 2 + 3) ** 2]).flat(), 0.6);
	},

	async 'subgroups add and broadcast'(k) {
		const n = 128, out = k.buffer(12 * n);
		k.dispatch(`
			enable subgroups;
			@group(0) @binding(0) var<storage, read_write> o: array<array<u32, 3>>;
			@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) s: u32) {
				o[i] = array(subgroupAdd(i), subgroupBroadcastFirst(i), s);
			}`, [out], 1);
		const got = await k.read(out, Uint32Array), s = got[2];
		k.equal(got, fill(n, (i) => {
			const first = Math.floor(i / s) * s;
			return [first * s + s * (s - 1) / 2, first, s];
		}).flat());
	},
};

export const needs = { 'half floats add, multiply and convert': ['shader-f16'], 'subgroups add and broadcast': ['subgroups'] };
