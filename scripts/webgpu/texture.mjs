// Textures: formats, filters, addressing, levels, cubes, arrays, volumes, gathers, comparisons, storage textures and copies.
import { fill, whole } from './kit.mjs';

const storage = { usage: 0x0b | 0x04 }; // COPY_SRC, COPY_DST, STORAGE_BINDING and TEXTURE_BINDING

// sampled evaluates an expression of WGSL for n values of i, with a texture t and a sampler s; it returns n vectors.
async function sampled(k, type, view, sampler, n, expression) {
	const out = k.buffer(16 * n);
	k.dispatch(`
		@group(0) @binding(0) var t: ${type};
		${sampler ? '@group(0) @binding(1) var s: sampler' + (type.includes('depth') && sampler.compared ? '_comparison' : '') + ';' : ''}
		@group(0) @binding(2) var<storage, read_write> o: array<vec4f>;
		@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
			let i = i32(id.x); let x = f32(i);
			o[i] = ${expression};
		}`, [view, sampler?.sampler, out], n);
	return await k.read(out);
}

// ramp is a texture of 4 by 4 texels of 8 bits: red 16 times the index, green 255 minus it.
function ramp(k) {
	const t = k.texture('rgba8unorm', [4, 4]);
	k.write(t, Uint8Array.from(fill(16, (i) => [16 * i, 255 - 16 * i, 0, 255]).flat()), 4, [4, 4]);
	return t;
}

export const cases = {
	async 'texels of many formats load as their values'(k) {
		const formats = {
			r8unorm: [1, Uint8Array.of(51), [0.2, 0, 0, 1]], rg8snorm: [2, Int8Array.of(-127, 127), [-1, 1, 0, 1]],
			bgra8unorm: [4, Uint8Array.of(255, 51, 0, 102), [0, 0.2, 1, 0.4]], r16float: [2, Uint16Array.of(0x4200), [3, 0, 0, 1]],
			'rgba8unorm-srgb': [4, Uint8Array.of(255, 0, 188, 51), [1, 0, ((188 / 255 + 0.055) / 1.055) ** 2.4, 0.2]], rgb10a2unorm: [4, Uint32Array.of(1023 | 341 << 10 | 2 << 30), [1, 1 / 3, 0, 2 / 3]],
			rg11b10ufloat: [4, Uint32Array.of(0x3c0 | 0x400 << 11 | 0x1c0 << 22), [1, 2, 0.5, 1]], rgb9e5ufloat: [4, Uint32Array.of(256 | 128 << 9 | 64 << 18 | 16 << 27), [1, 0.5, 0.25, 1]],
			rg32float: [8, Float32Array.of(1.5, -2), [1.5, -2, 0, 1]], rgba16float: [8, Uint16Array.of(0x3c00, 0xbc00, 0x3800, 0), [1, -1, 0.5, 0]],
		};
		for (const [format, [texel, data, want]] of Object.entries(formats)) {
			const t = k.texture(format, [1, 1], { usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING });
			k.write(t, data, texel, [1, 1]);
			k.equal(await sampled(k, 'texture_2d<f32>', t.createView(), null, 1, 'textureLoad(t, vec2i(0, 0), 0)'), want, 1e-3, format);
		}
	},

	async 'nearest and linear filters with three address modes'(k) {
		const view = ramp(k).createView();
		const wrap = { 'clamp-to-edge': (i) => Math.min(3, Math.max(0, i)), 'repeat': (i) => (i % 4 + 4) % 4, 'mirror-repeat': (i) => { const m = (i % 8 + 8) % 8; return m < 4 ? m : 7 - m; } };
		for (const [addressModeU, w] of Object.entries(wrap)) for (const magFilter of ['nearest', 'linear']) {
			const sampler = k.device.createSampler({ addressModeU, magFilter });
			const got = await sampled(k, 'texture_2d<f32>', view, { sampler }, 24, 'textureSampleLevel(t, s, vec2f((x - 7.7) / 8.0, 0.125), 0)');
			k.equal(got.filter((_, i) => i % 4 === 0), fill(24, (i) => {
				const u = (i - 7.7) / 2, v = (j) => 16 * w(j) / 255;
				if (magFilter === 'nearest') return v(Math.floor(u));
				const j = Math.floor(u - 0.5), f = u - 0.5 - j;
				return v(j) * (1 - f) + v(j + 1) * f;
			}), magFilter === 'linear' ? 1 / 255 : 1e-4, `${addressModeU} ${magFilter}`);
		}
	},

	async 'levels are selected and blended'(k) {
		const t = k.texture('r8unorm', [8, 8], { mipLevelCount: 4 });
		for (let l = 0; l < 4; l++) k.write(t, new Uint8Array(64 >> 2 * l).fill(60 * l), 1, [8 >> l, 8 >> l], l);
		const at = async (mipmapFilter, lodMaxClamp) => (await sampled(k, 'texture_2d<f32>', t.createView(), { sampler: k.device.createSampler({ mipmapFilter, lodMaxClamp }) }, 9,
			'textureSampleLevel(t, s, vec2f(0.3, 0.6), x * 0.4)')).filter((_, i) => i % 4 === 0);
		k.equal(await at('linear', 32), fill(9, (i) => 60 * Math.min(3, 0.4 * i) / 255), 1 / 255);
		k.equal(await at('linear', 1.5), fill(9, (i) => 60 * Math.min(1.5, 0.4 * i) / 255), 1 / 255);
		k.equal(await at('nearest', 32), fill(9, (i) => 60 * Math.min(3, Math.round(0.4 * i)) / 255), 1e-4);
	},

	async 'a draw chooses levels by its derivatives'(k) {
		const t = k.texture('r8unorm', [16, 16], { mipLevelCount: 5 }), out = k.texture('r8unorm', [4, 4]);
		for (let l = 0; l < 5; l++) k.write(t, new Uint8Array(256 >> 2 * l).fill(50 * l + 10), 1, [16 >> l, 16 >> l], l);
		const sampler = k.device.createSampler({ minFilter: 'linear', mipmapFilter: 'nearest' });
		for (const [scale, level] of [[1, 2], [0.5, 1], [2, 3], [0.25, 0]]) {
			const p = k.renderPipeline(`${whole}
				@group(0) @binding(0) var t: texture_2d<f32>;
				@group(0) @binding(1) var s: sampler;
				@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) f32 { return textureSample(t, s, p.xy / 4.0 * ${scale}).r; }`, ['r8unorm']);
			k.pass([out], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, k.bind(p, [t.createView(), sampler])); pass.draw(3); });
			k.equal(await k.pixels(out, 1), fill(16, () => 50 * level + 10), 0, `scale ${scale}`);
		}
	},

	async 'cubes, arrays and volumes have their coordinates'(k) {
		const sampler = { sampler: k.device.createSampler() };
		const layers = k.texture('r8unorm', [2, 2, 6]), volume = k.texture('r8unorm', [2, 2, 4], { dimension: '3d', usage: 0x07 });
		for (let l = 0; l < 6; l++) k.write(layers, new Uint8Array(4).fill(40 * l + 5), 1, [2, 2, 1], 0, [0, 0, l]);
		k.write(volume, Uint8Array.from(fill(16, (i) => 60 * (i >> 2))), 1, [2, 2, 4]);
		const red = (v) => v.filter((_, i) => i % 4 === 0);
		k.equal(red(await sampled(k, 'texture_cube<f32>', layers.createView({ dimension: 'cube' }), sampler, 6,
			'textureSampleLevel(t, s, array(vec3f(1, 0.1, 0.2), vec3f(-1, 0.1, 0), vec3f(0, 1, 0.3), vec3f(0.2, -1, 0), vec3f(0, 0, 1), vec3f(0, 0.1, -1))[i], 0)')),
		fill(6, (l) => (40 * l + 5) / 255), 1e-4);
		k.equal(red(await sampled(k, 'texture_2d_array<f32>', layers.createView(), sampler, 8, 'textureSampleLevel(t, s, vec2f(0.5), i - 1, 0)')),
			fill(8, (i) => (40 * Math.min(5, Math.max(0, i - 1)) + 5) / 255), 1e-4);
		k.equal(red(await sampled(k, 'texture_3d<f32>', volume.createView(), sampler, 4, 'textureSampleLevel(t, s, vec3f(0.5, 0.5, (x + 0.5) / 4), 0)')),
			fill(4, (i) => 60 * i / 255), 1e-4);
	},

	async 'gathers read four texels, comparisons count them'(k) {
		const sampler = { sampler: k.device.createSampler() };
		k.equal(await sampled(k, 'texture_2d<f32>', ramp(k).createView(), sampler, 1, 'textureGather(1, t, s, vec2f(0.5, 0.25))'),
			[5, 6, 2, 1].map((i) => (255 - 16 * i) / 255), 1e-4);
		const z = k.texture('depth32float', [2, 1]);
		const p = k.renderPipeline(`${whole}
			@fragment fn fs(@builtin(position) p: vec4f) -> @builtin(frag_depth) f32 { return select(0.75, 0.25, p.x < 1); }`, [], {
			targets: [], depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
		});
		k.pass([], (pass) => { pass.setPipeline(p); pass.draw(3); },
			{ depthStencilAttachment: { view: z.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0 } });
		const compared = k.device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
		k.equal((await sampled(k, 'texture_depth_2d', z.createView(), { sampler: compared, compared: true }, 5,
			'vec4f(textureSampleCompareLevel(t, s, vec2f((x + 2) / 8, 0.5), 0.5))')).filter((_, i) => i % 4 === 0), [0, 0.25, 0.5, 0.75, 1], 1 / 128);
	},

	async 'storage textures are written and read'(k) {
		const t = k.texture('r32uint', [8, 8], storage), u = k.texture('rgba8unorm', [8, 8], storage);
		const code = (body) => `
			@group(0) @binding(0) var t: texture_storage_2d<r32uint, read_write>;
			@group(0) @binding(1) var u: texture_storage_2d<rgba8unorm, write>;
			@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) { ${body} }`;
		k.dispatch(code('textureStore(t, id.xy, vec4u(id.x + 8 * id.y)); textureStore(u, id.xy, vec4f(f32(id.x) / 7, 0.2, 2, -1));'), [t.createView(), u.createView()], 1);
		k.dispatch(code('let v = textureLoad(t, id.xy).r; textureStore(t, id.xy, vec4u(v * v)); if (id.x == 9) { textureStore(u, id.xy, vec4f(1)); }'),
			[t.createView(), u.createView()], 1);
		k.equal(await k.pixels(t, 4, Uint32Array), fill(64, (i) => i * i));
		k.equal(await k.pixels(u, 4), fill(64, (i) => [255 * (i % 8) / 7, 51, 255, 0]).flat(), 0.51);
	},

	async 'a fragment shader writes to a storage texture'(k) {
		const t = k.texture('rgba16float', [4, 4], storage), c = k.texture('r8unorm', [4, 4]);
		const p = k.renderPipeline(`${whole}
			@group(0) @binding(0) var t: texture_storage_2d<rgba16float, write>;
			@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) f32 {
				textureStore(t, vec2i(p.yx), vec4f(p.xy - 0.5, 1, 2));
				return 1;
			}`, ['r8unorm']);
		k.pass([c], (pass) => { pass.setPipeline(p); pass.setBindGroup(0, k.bind(p, [t.createView()])); pass.draw(3); });
		const small = [0, 0x3c00, 0x4000, 0x4200];
		k.equal(await k.pixels(t, 8, Uint16Array), fill(16, (i) => [small[i >> 2], small[i % 4], 0x3c00, 0x4000]).flat());
	},

	async 'copies between textures, levels and layers'(k) {
		const a = ramp(k), b = k.texture('rgba8unorm', [8, 8, 2], { mipLevelCount: 2 });
		k.submit((e) => e.copyTextureToTexture({ texture: a, origin: [1, 1] }, { texture: b, mipLevel: 1, origin: [2, 0, 1] }, [2, 3]));
		k.equal(await k.pixels(b, 4, Uint8Array, 1, 'all', 1), fill(16, (i) => {
			const x = i % 4, y = i >> 2, j = x - 1 + 4 * (y + 1);
			return x >= 2 && y < 3 ? [16 * j, 255 - 16 * j, 0, 255] : [0, 0, 0, 0];
		}).flat());
	},

	async 'compressed blocks decode'(k) {
		const t = k.texture('bc1-rgba-unorm', [4, 4], { usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING });
		// Colours red and blue; the rows use the indices 0, 1, 2 and 3.
		k.device.queue.writeTexture({ texture: t }, Uint8Array.of(0x00, 0xf8, 0x1f, 0x00, 0x00, 0x55, 0xaa, 0xff), { bytesPerRow: 8 }, [4, 4]);
		k.equal(await sampled(k, 'texture_2d<f32>', t.createView(), null, 16, 'textureLoad(t, vec2i(i % 4, i / 4), 0)'),
			fill(16, (i) => [[1, 0, 0, 1], [0, 0, 1, 1], [2 / 3, 0, 1 / 3, 1], [1 / 3, 0, 2 / 3, 1]][i >> 2]).flat(), 0.005);
	},

	async 'render to levels and layers, then sample them'(k) {
		const t = k.texture('rgba8unorm', [4, 4, 2], { mipLevelCount: 2 });
		const p = k.renderPipeline(`${whole}
			@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.xy / 8, 0, 1); }`, ['rgba8unorm']);
		for (let l = 0; l < 2; l++) for (let m = 0; m < 2; m++) {
			k.pass([{ view: t.createView({ dimension: '2d', baseArrayLayer: l, baseMipLevel: m, mipLevelCount: 1 }) }],
				(pass) => { pass.setPipeline(p); pass.setScissorRect(0, 0, l + 1, 2); pass.draw(3); }, { clear: [0, 0, l, 1] });
		}
		const got = await sampled(k, 'texture_2d_array<f32>', t.createView(), null, 8, 'textureLoad(t, vec2i(i % 2, 1), i / 4, (i / 2) % 2)');
		k.equal(got, fill(8, (i) => {
			const x = i % 2, l = i >> 2;
			return x <= l ? [(x + 0.5) / 8, 1.5 / 8, 0, 1] : [0, 0, l, 1];
		}).flat(), 1 / 255);
	},
};

export const needs = { 'compressed blocks decode': ['texture-compression-bc'] };
