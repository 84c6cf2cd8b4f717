// Fixed functions after the fragment shader: blending, masks, depth, stencil and multisampling.
import { fill, whole } from './kit.mjs';

// flat draws the target with the colour of a uniform buffer at the depth of its second vector.
const flat = `
struct U { c: vec4f, z: vec4f }
@group(0) @binding(0) var<uniform> u: U;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
	return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, u.z.x, 1.0);
}
@fragment fn fs() -> @location(0) vec4f { return u.c; }`;

const colour = (k, p, c, z = 0) => k.bind(p, [k.buffer(Float32Array.of(...c, z, 0, 0, 0), GPUBufferUsage.UNIFORM)]);

export const cases = {
	async 'blend factors and operations'(k) {
		const s = [0.8, 0.5, 0.25, 0.5], d = [0.25, 0.5, 1, 0.75], c = [0.1, 0.2, 0.3, 0.4];
		const factors = {
			'zero': () => 0, 'one': () => 1, 'src': (i) => s[i], 'one-minus-src': (i) => 1 - s[i], 'dst-alpha': () => d[3],
			'one-minus-dst': (i) => 1 - d[i], 'constant': (i) => c[i], 'src-alpha-saturated': (i) => i === 3 ? 1 : Math.min(s[3], 1 - d[3]),
		};
		const operations = {
			'add': (a, b) => a + b, 'subtract': (a, b) => a - b, 'reverse-subtract': (a, b) => b - a,
		};
		for (const [srcFactor, f] of Object.entries(factors)) for (const [operation, o] of Object.entries(operations)) {
			const t = k.texture('rgba16float', [1, 1]), both = { srcFactor, dstFactor: 'src-alpha', operation };
			const p = k.renderPipeline(flat, [], { targets: [{ format: 'rgba16float', blend: { color: both, alpha: both } }] });
			k.pass([t], (pass) => { pass.setPipeline(p); pass.setBlendConstant(c); pass.setBindGroup(0, colour(k, p, s)); pass.draw(3); }, { clear: d });
			const halves = await k.pixels(t, 8, Uint16Array);
			k.equal(Array.from(halves, half), fill(4, (i) => o(s[i] * f(i), d[i] * s[3])), 2e-3, `${srcFactor} ${operation}`);
		}
	},

	async 'minimum and maximum ignore the factors, masks keep channels'(k) {
		for (const [operation, want] of [['min', [51, 102, 64, 128]], ['max', [102, 153, 64, 128]]]) {
			const t = k.texture('rgba8unorm', [2, 2]), b = { operation, srcFactor: 'one', dstFactor: 'one' };
			const p = k.renderPipeline(flat, [], { targets: [{ format: 'rgba8unorm', writeMask: 3, blend: { color: b, alpha: b } }] });
			k.pass([t], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, colour(k, p, [0.2, 0.6, 0.9, 1])); pass.draw(3); },
				{ clear: [0.4, 0.4, 64 / 255, 128 / 255] });
			k.equal(await k.pixels(t, 4), fill(4, () => want).flat(), 0, operation);
		}
	},

	async 'sRGB targets encode and blend in linear light'(k) {
		const t = k.texture('rgba8unorm-srgb', [1, 1]), b = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
		const p = k.renderPipeline(flat, [], { targets: [{ format: 'rgba8unorm-srgb', blend: { color: b, alpha: b } }] });
		k.pass([t], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, colour(k, p, [1, 0, 0.2, 0.5])); pass.draw(3); }, { clear: [0, 1, 0.4, 1] });
		const encode = (l) => 255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055);
		k.equal(await k.pixels(t, 4), [encode(0.5), encode(0.5), encode(0.3), 255 * 0.75], 1.5);
	},

	async 'two outputs of one target blend'(k) {
		const t = k.texture('rgba8unorm', [1, 1]), b = { srcFactor: 'one', dstFactor: 'src1' };
		const p = k.renderPipeline(`enable dual_source_blending; ${whole}
			struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
			@fragment fn fs() -> Out { return Out(vec4f(0.2, 0, 0.4, 0), vec4f(0.5, 0.25, 0, 1)); }`,
		[], { targets: [{ format: 'rgba8unorm', blend: { color: b, alpha: b } }] });
		k.pass([t], (pass) => { pass.setPipeline(p); pass.draw(3); }, { clear: [0.4, 0.8, 1, 1] });
		k.equal(await k.pixels(t, 4), [102, 51, 102, 255], 1);
	},

	async 'depth tests of each comparison'(k) {
		const tests = { less: [1, 0, 0], equal: [0, 1, 0], 'less-equal': [1, 1, 0], greater: [0, 0, 1], 'not-equal': [1, 0, 1], 'greater-equal': [0, 1, 1], always: [1, 1, 1], never: [0, 0, 0] };
		for (const format of ['depth32float', 'depth16unorm', 'depth24plus-stencil8']) for (const [depthCompare, want] of Object.entries(tests)) {
			const t = k.texture('rgba8unorm', [1, 1]), z = k.texture(format, [1, 1]), got = [];
			const p = k.renderPipeline(flat, ['rgba8unorm'], { depthStencil: { format, depthWriteEnabled: false, depthCompare } });
			for (const depth of [0.25, 0.5, 0.75]) {
				k.pass([t], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, colour(k, p, [1, 1, 1, 1], depth)); pass.draw(3); }, {
					depthStencilAttachment: { view: z.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0.5,
						...(format.endsWith('8') ? { stencilLoadOp: 'clear', stencilStoreOp: 'store' } : {}) },
				});
				got.push((await k.pixels(t, 4))[0] / 255);
			}
			k.equal(got, format === 'depth32float' ? want : want.map((v, i) => i === 1 ? got[1] : v), 0, `${format} ${depthCompare}`);
		}
	},

	async 'depth is written by position and by the shader, with a bias'(k) {
		const z = k.texture('depth32float', [1, 1]);
		const written = `${whole} @fragment fn fs() -> @builtin(frag_depth) f32 { return 0.625; }`;
		for (const [code, depthBias, want] of [[flat, 0, 0.375], [written, 0, 0.625], [flat, 1 << 20, 0.375 + 2 ** 20 * 2 ** -25]]) {
			const module = k.module(code.replace('-> @location(0) vec4f { return u.c; }', '{}'));
			const p = k.device.createRenderPipeline({
				layout: 'auto', vertex: { module, entryPoint: 'vs' }, fragment: { module, entryPoint: 'fs', targets: [] },
				depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always', depthBias },
			});
			k.pass([], (pass) => {
				pass.setPipeline(p);
				if (code === flat) pass.setBindGroup(0, colour(k, p, [1, 1, 1, 1], 0.375));
				pass.draw(3);
			}, { depthStencilAttachment: { view: z.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0 } });
			k.equal(await k.pixels(z, 4, Float32Array, 0, 'depth-only'), [want], 1e-6, `bias ${depthBias}`);
		}
	},

	async 'stencil operations change values, masks limit them'(k) {
		const t = k.texture('rgba8unorm', [1, 1]), format = 'depth24plus-stencil8';
		const operations = { keep: 5, zero: 0, replace: 12, invert: 250, 'increment-clamp': 6, 'decrement-clamp': 4, 'increment-wrap': 6, 'decrement-wrap': 4 };
		for (const [passOp, want] of Object.entries(operations)) {
			const s = k.texture(format, [1, 1]), face = { compare: 'less', passOp, failOp: 'zero', depthFailOp: 'zero' };
			const p = k.renderPipeline(flat, ['rgba8unorm'], { depthStencil: {
				format, depthWriteEnabled: false, depthCompare: 'always', stencilFront: { ...face, compare: 'greater' }, stencilBack: face,
				stencilReadMask: 255, stencilWriteMask: 255,
			} });
			k.pass([t], (pass) => { pass.setPipeline(p); pass.setStencilReference(12); pass.setBindGroup(0, colour(k, p, [1, 0, 0, 1])); pass.draw(3); }, {
				depthStencilAttachment: { view: s.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 1,
					stencilLoadOp: 'clear', stencilStoreOp: 'store', stencilClearValue: 5 },
			});
			k.equal(await k.pixels(s, 1, Uint8Array, 0, 'stencil-only'), [want], 0, passOp);
		}
	},

	async 'four samples resolve to their average'(k) {
		const m = k.texture('rgba8unorm', [8, 8], { sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT }), t = k.texture('rgba8unorm', [8, 8]);
		const p = k.renderPipeline(`
			@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
				let v = array(vec2f(0, 0), vec2f(3.5, 0), vec2f(0, 8), vec2f(0, 8), vec2f(3.5, 0), vec2f(3.5, 8))[i];
				return vec4f(v.x / 4 - 1, 1 - v.y / 4, 0, 1);
			}
			@fragment fn fs() -> @location(0) vec4f { return vec4f(1, 1, 1, 1); }`, ['rgba8unorm'], { multisample: { count: 4 } });
		k.pass([{ view: m.createView(), resolveTarget: t.createView() }], (pass) => { pass.setPipeline(p); pass.draw(6); });
		k.equal(await k.pixels(t, 4), fill(64, (i) => fill(4, () => i % 8 < 3 ? 255 : i % 8 === 3 ? 127.5 : 0)).flat(), 0.5);
	},

	async 'sample masks and alpha to coverage'(k) {
		for (const [mask, alpha, want] of [[0b0101, false, 0.5], [0b1110, false, 0.75], [15, true, 0.5]]) {
			const m = k.texture('r16float', [4, 4], { sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING });
			const a = k.texture('rgba8unorm', [4, 4], { sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT }), out = k.buffer(64);
			const p = k.renderPipeline(`${whole}
				struct Out { @location(0) c: vec4f, @location(1) v: f32 }
				@fragment fn fs() -> Out { return Out(vec4f(0, 0, 0, 0.5), 1); }`, ['rgba8unorm', 'r16float'],
			{ multisample: { count: 4, mask, alphaToCoverageEnabled: alpha } });
			k.pass([a, m], (pass) => { pass.setPipeline(p); pass.draw(3); });
			k.dispatch(`
				@group(0) @binding(0) var t: texture_multisampled_2d<f32>;
				@group(0) @binding(1) var<storage, read_write> o: array<f32>;
				@compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
					var s = 0.0;
					for (var i = 0; i < 4; i++) { s += textureLoad(t, id.xy, i).r; }
					o[id.x + 4 * id.y] = s / 4;
				}`, [m.createView(), out], 1);
			const got = await k.read(out);
			k.equal([got.reduce((x, y) => x + y) / 16], [want], 0, `mask ${mask}, alpha ${alpha}`);
		}
	},
};

export const needs = { 'two outputs of one target blend': ['dual-source-blending'] };

// half returns the value of a half float.
function half(h) {
	const e = h >> 10 & 31, m = h & 1023, s = h >> 15 ? -1 : 1;
	return s * (e === 0 ? m * 2 ** -24 : (1024 + m) * 2 ** (e - 25));
}
