// Draws: vertex formats, indices, instances, primitives, interpolation, culling, viewports, bundles and indirect draws.
import { fill, whole } from './kit.mjs';

// corners has the corner of a square for each of six vertices.
const corners = 'const corners = array(vec2f(0, 0), vec2f(1, 0), vec2f(0, 1), vec2f(0, 1), vec2f(1, 0), vec2f(1, 1));';

// cells draws square i of a grid of 8 by 8 with a colour.
const cells = `${corners}
struct Out { @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: u32 }
fn cell(i: u32, c: vec2f, value: u32) -> Out {
	let at = (vec2f(f32(i % 8u), f32(i / 8u)) + c) / 4.0 - 1.0;
	return Out(vec4f(at.x, -at.y, 0, 1), value);
}
@fragment fn fs(i: Out) -> @location(0) u32 { return i.c; }`;

const uints = (k) => k.texture('r32uint', [8, 8]);

export const cases = {
	async 'a triangle covers the centres inside of it'(k) {
		const t = k.texture('rgba8unorm', [16, 16]);
		const p = k.renderPipeline(`
			@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
				return vec4f(array(vec2f(-1, 1), vec2f(1, 1), vec2f(-1, -1))[i], 0, 1);
			}
			@fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0.5, 0, 1); }`, ['rgba8unorm']);
		k.pass([t], (pass) => { pass.setPipeline(p); pass.draw(3); });
		const px = await k.pixels(t, 4);
		// Centres on the diagonal belong to one of two triangles: they are not compared.
		for (let y = 0; y < 16; y++) for (let x = 0; x < 16; x++) if (x + y !== 15) {
			k.equal(px.subarray(4 * (16 * y + x)), x + y < 15 ? [255, 128, 0, 255] : [0, 0, 0, 0], 1, `pixel ${x},${y}`);
		}
	},

	async 'colours are interpolated with perspective'(k) {
		const t = k.texture('rgba32float', [16, 1]);
		const p = k.renderPipeline(`
			struct Out { @builtin(position) p: vec4f, @location(0) a: f32, @location(1) @interpolate(linear) b: f32 }
			@vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
				let x = f32(i & 1u); let w = 1.0 + 3.0 * x;
				return Out(vec4f((x * 2.0 - 1.0) * w, (f32(i >> 1u) * 2.0 - 1.0) * w, 0, w), x, x);
			}
			@fragment fn fs(i: Out) -> @location(0) vec4f { return vec4f(i.a, i.b, i.p.w, 1); }`,
		['rgba32float'], { primitive: { topology: 'triangle-strip' } });
		k.pass([t], (pass) => { pass.setPipeline(p); pass.draw(4); });
		k.equal(await k.pixels(t, 16, Float32Array), fill(16, (i) => {
			const s = (i + 0.5) / 16, w = (1 - s) + s / 4;
			return [s / 4 / w, s, w, 1];
		}).flat(), 1e-5);
	},

	async 'as many values as the limit go from the vertex to the fragment'(k) {
		const n = k.device.limits.maxInterStageShaderVariables, t = k.texture('rgba32float', [8, 1]);
		const p = k.renderPipeline(`
			struct Out { @builtin(position) p: vec4f, ${fill(n, (i) => `@location(${i}) v${i}: vec4f`).join(', ')} }
			@vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
				let x = f32(i & 1u) * 4.0 - 1.0;
				return Out(vec4f(x, f32(i >> 1u) * 4.0 - 1.0, 0, 1), ${fill(n, (i) => `vec4f(x * ${i}.0, ${i}.0, 1, x)`).join(', ')});
			}
			@fragment fn fs(o: Out) -> @location(0) vec4f { return ${fill(n, (i) => `o.v${i}`).join(' + ')}; }`, ['rgba32float']);
		k.pass([t], (pass) => { pass.setPipeline(p); pass.draw(3); });
		const sum = n * (n - 1) / 2;
		k.equal(await k.pixels(t, 16, Float32Array), fill(8, (i) => {
			const x = (i + 0.5) / 4 - 1;
			return [x * sum, sum, n, x * n];
		}).flat(), 1e-2);
	},

	async 'vertex formats convert to floats and integers'(k) {
		const bytes = new Uint8Array(32), v = new DataView(bytes.buffer);
		v.setUint8(0, 255); v.setUint8(1, 51); v.setInt8(2, -127); v.setInt8(3, 64);
		v.setUint16(4, 65535, true); v.setInt16(6, -32767, true);
		v.setUint32(8, 0x3ff | 511 << 10 | 0 << 20 | 3 << 30, true);
		v.setFloat32(12, 2.5, true); v.setInt32(16, -9, true); v.setUint16(20, 0x3c00, true); v.setUint16(22, 0xc000, true);
		v.setUint8(24, 7); v.setUint8(25, 200); v.setInt16(28, -300, true); v.setInt16(30, 400, true);
		const formats = [['unorm8x2', 0, 'vec2f'], ['snorm8x2', 2, 'vec2f'], ['unorm16x2', 4, 'vec2f'], ['snorm16x2', 4, 'vec2f'],
			['unorm10-10-10-2', 8, 'vec4f'], ['float32', 12, 'f32'], ['sint32', 16, 'i32'], ['float16x2', 20, 'vec2f'],
			['uint8x2', 24, 'vec2u'], ['sint16x2', 28, 'vec2i']];
		const want = [1, 0.2, -1, 64 / 127, 1, 0x8001 / 65535, -1 / 32767, -1, 1, 511 / 1023, 0, 1, 2.5, -9, 1, -2, 7, 200, -300, 400];
		const sizes = { vec2f: 2, vec4f: 4, f32: 1, i32: 1, vec2u: 2, vec2i: 2 };
		const vertices = k.buffer(bytes, GPUBufferUsage.VERTEX), out = k.buffer(4 * want.length);
		let at = 0;
		for (const [format, offset, type] of formats) {
			const n = sizes[type], part = k.buffer(16), t = k.texture('r8unorm', [1, 1]);
			const p = k.renderPipeline(`
				struct Out { @builtin(position) p: vec4f, @location(0) @interpolate(flat) v: ${type} }
				@group(0) @binding(0) var<storage, read_write> o: array<f32>;
				@vertex fn vs(@location(3) v: ${type}) -> Out { return Out(vec4f(0, 0, 0, 1), v); }
				@fragment fn fs(i: Out) -> @location(0) f32 {
					${n === 1 ? 'o[0] = f32(i.v);' : fill(n, (j) => `o[${j}] = f32(i.v[${j}]);`).join(' ')}
					return 1;
				}`, ['r8unorm'], {
				primitive: { topology: 'point-list' },
				buffers: [{ arrayStride: 32, attributes: [{ shaderLocation: 3, offset, format }] }],
			});
			k.pass([t], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, k.bind(p, [part])); pass.setVertexBuffer(0, vertices); pass.draw(1); });
			k.submit((e) => e.copyBufferToBuffer(part, 0, out, 4 * at, 4 * n));
			at += n;
		}
		k.equal(await k.read(out), want, 2e-5);
	},

	async 'indices with a base, instances and two steps'(k) {
		const t = uints(k);
		const p = k.renderPipeline(`${cells}
			@vertex fn vs(@location(0) c: vec2f, @location(1) i: u32, @builtin(vertex_index) v: u32, @builtin(instance_index) n: u32) -> Out {
				return cell(i, c, v * 100u + n);
			}`, ['r32uint'], { buffers: [
			{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] },
			{ arrayStride: 4, stepMode: 'instance', attributes: [{ shaderLocation: 1, offset: 0, format: 'uint32' }] },
		] });
		const vertices = k.buffer(Float32Array.of(9, 9, 9, 9, 0, 0, 1, 0, 0, 1, 1, 1), GPUBufferUsage.VERTEX);
		const places = k.buffer(Uint32Array.of(0, 0, 5, 12, 63, 40), GPUBufferUsage.VERTEX);
		const indices = k.buffer(Uint16Array.of(9, 9, 0, 1, 2, 2, 1, 3), GPUBufferUsage.INDEX);
		k.pass([t], (pass) => {
			pass.setPipeline(p);
			pass.setVertexBuffer(0, vertices);
			pass.setVertexBuffer(1, places);
			pass.setIndexBuffer(indices, 'uint16');
			pass.drawIndexed(6, 4, 2, 2, 2);
		});
		// Flat values come from the first vertex: vertex 2 and vertex 4 begin the two triangles, both on a cell's only pixel.
		const got = await k.pixels(t, 4, Uint32Array);
		k.equal(got.map((v) => v % 100), fill(64, (i) => ({ 5: 2, 12: 3, 63: 4, 40: 5 })[i] ?? 0));
		k.equal(got.filter((v) => v > 0).map((v) => v >= 200 && v < 500 ? 1 : 0), [1, 1, 1, 1]);
	},

	async 'strips restart at the largest index'(k) {
		const t = k.texture('r8unorm', [8, 8]);
		const p = k.renderPipeline(`
			@vertex fn vs(@location(0) v: vec2f) -> @builtin(position) vec4f { return vec4f(v.x / 4 - 1, 1 - v.y / 4, 0, 1); }
			@fragment fn fs() -> @location(0) f32 { return 1; }`, ['r8unorm'], {
			primitive: { topology: 'triangle-strip', stripIndexFormat: 'uint32' },
			buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] }],
		});
		const square = (x, y) => [x, y, x + 2, y, x, y + 2, x + 2, y + 2];
		const vertices = k.buffer(Float32Array.from([...square(1, 1), ...square(5, 4)]), GPUBufferUsage.VERTEX);
		const indices = k.buffer(Uint32Array.of(0, 1, 2, 3, 0xffffffff, 4, 5, 6, 7), GPUBufferUsage.INDEX);
		k.pass([t], (pass) => { pass.setPipeline(p); pass.setVertexBuffer(0, vertices); pass.setIndexBuffer(indices, 'uint32'); pass.drawIndexed(9); });
		const inside = (x, y, a, b) => x >= a && x < a + 2 && y >= b && y < b + 2;
		k.equal(await k.pixels(t, 1), fill(64, (i) => inside(i % 8, i >> 3, 1, 1) || inside(i % 8, i >> 3, 5, 4) ? 255 : 0));
	},

	async 'lines and points cover their pixels'(k) {
		const t = k.texture('r8unorm', [8, 8]);
		const code = `
			@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
				let v = array(vec2f(0, 2.5), vec2f(8, 2.5), vec2f(5.5, 6.5))[i];
				return vec4f(v.x / 4 - 1, 1 - v.y / 4, 0, 1);
			}
			@fragment fn fs() -> @location(0) f32 { return 1; }`;
		const lines = k.renderPipeline(code, ['r8unorm'], { primitive: { topology: 'line-list' } });
		const points = k.renderPipeline(code, ['r8unorm'], { primitive: { topology: 'point-list' } });
		k.pass([t], (pass) => { pass.setPipeline(lines); pass.draw(2); pass.setPipeline(points); pass.draw(1, 1, 2); });
		k.equal(await k.pixels(t, 1), fill(64, (i) => i >> 3 === 2 || i === 53 ? 255 : 0));
	},

	async 'back and front faces are culled'(k) {
		for (const [frontFace, cullMode, want] of [['ccw', 'back', 255], ['ccw', 'front', 0], ['cw', 'back', 0], ['cw', 'none', 255]]) {
			const t = k.texture('r8unorm', [2, 2]);
			const p = k.renderPipeline(`${whole}
				@fragment fn fs(@builtin(front_facing) f: bool) -> @location(0) f32 { return select(1.0, 1.0, f); }`,
			['r8unorm'], { primitive: { frontFace, cullMode } });
			k.pass([t], (pass) => { pass.setPipeline(p); pass.draw(3); });
			k.equal(await k.pixels(t, 1), fill(4, () => want), 0, `${frontFace} ${cullMode}`);
		}
	},

	async 'viewports and scissors limit a draw'(k) {
		const t = k.texture('rg32float', [8, 8]);
		const p = k.renderPipeline(`${whole}
			@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec2f { return vec2f(p.x, p.z); }`, ['rg32float']);
		k.pass([t], (pass) => {
			pass.setPipeline(p);
			pass.setViewport(2, 1, 4, 6, 0.25, 0.75);
			pass.setScissorRect(0, 3, 4, 5);
			pass.draw(3);
		});
		k.equal(await k.pixels(t, 8, Float32Array), fill(64, (i) => {
			const x = i % 8, y = i >> 3;
			return x >= 2 && x < 4 && y >= 3 && y < 7 ? [x + 0.5, 0.25] : [0, 0];
		}).flat());
	},

	async 'bundles draw as their commands do'(k) {
		const t = uints(k);
		const p = k.renderPipeline(`${cells}
			@group(0) @binding(0) var<uniform> base: vec4u;
			@vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) n: u32) -> Out { return cell(n + base.x, corners[v], n + base.y); }
			`, ['r32uint']);
		const bundles = [[0, 100], [20, 200]].map((b) => {
			const e = k.device.createRenderBundleEncoder({ colorFormats: ['r32uint'] });
			e.setPipeline(p);
			e.setBindGroup(0, k.bind(p, [k.buffer(Uint32Array.of(...b, 0, 0), GPUBufferUsage.UNIFORM)]));
			e.draw(6, 3);
			return e.finish();
		});
		k.pass([t], (pass) => { pass.executeBundles(bundles); pass.executeBundles([bundles[0]]); });
		k.equal(await k.pixels(t, 4, Uint32Array), fill(64, (i) => i < 3 ? 100 + i : i >= 20 && i < 23 ? 180 + i : 0));
	},

	async 'indirect draws read counts and first instances'(k) {
		const t = uints(k);
		const p = k.renderPipeline(`${cells}
			@vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) n: u32) -> Out { return cell(n, corners[v], n + 1u); }
			`, ['r32uint']);
		const args = k.buffer(Uint32Array.of(6, 4, 0, 10, 6, 2, 0, 0, 50), GPUBufferUsage.INDIRECT);
		const indices = k.buffer(Uint16Array.from(fill(6, (i) => i)), GPUBufferUsage.INDEX);
		k.pass([t], (pass) => {
			pass.setPipeline(p);
			pass.drawIndirect(args, 0);
			pass.setIndexBuffer(indices, 'uint16');
			pass.drawIndexedIndirect(args, 16);
		});
		k.equal(await k.pixels(t, 4, Uint32Array), fill(64, (i) => i >= 10 && i < 14 || i >= 50 && i < 52 ? i + 1 : 0));
	},

	async 'several targets receive different types'(k) {
		const formats = ['rgba8unorm', 'r32uint', 'rgba16float', 'rg8sint'];
		const targets = formats.map((f) => k.texture(f, [4, 4]));
		const p = k.renderPipeline(`${whole}
			struct Out { @location(0) a: vec4f, @location(1) b: u32, @location(2) c: vec4f, @location(3) d: vec2i }
			@fragment fn fs(@builtin(position) p: vec4f) -> Out { return Out(vec4f(0.2, 0.4, 0.6, 1), u32(p.x) * 7u, vec4f(p.y), vec2i(-3, i32(p.x))); }
			`, formats);
		k.pass(targets, (pass) => { pass.setPipeline(p); pass.draw(3); });
		k.equal(await k.pixels(targets[0], 4), fill(16, () => [51, 102, 153, 255]).flat());
		k.equal(await k.pixels(targets[1], 4, Uint32Array), fill(16, (i) => i % 4 * 7));
		k.equal(await k.pixels(targets[2], 8, Uint16Array), fill(16, (i) => fill(4, () => [0x3800, 0x3e00, 0x4100, 0x4300][i >> 2])).flat());
		k.equal(await k.pixels(targets[3], 2, Int8Array), fill(16, (i) => [-3, i % 4]).flat());
	},

	async 'discarded fragments write nothing, derivatives see neighbours'(k) {
		const t = k.texture('rg32float', [8, 8]), hits = k.buffer(4);
		const p = k.renderPipeline(`${whole}
			@group(0) @binding(0) var<storage, read_write> hits: atomic<u32>;
			@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec2f {
				let d = vec2f(dpdx(p.x * p.x), fwidth(p.y * 3));
				if ((u32(p.x) + u32(p.y)) % 2u == 1u) { discard; }
				atomicAdd(&hits, 1u);
				return d;
			}`, ['rg32float']);
		k.pass([t], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, k.bind(p, [hits])); pass.draw(3); });
		k.equal(await k.pixels(t, 8, Float32Array), fill(64, (i) => {
			const x = i % 8, y = i >> 3;
			return (x + y) % 2 === 1 ? [0, 0] : [2 * (x & ~1) + 2, 3];
		}).flat());
		k.equal(await k.read(hits, Uint32Array), [32]);
	},
};
