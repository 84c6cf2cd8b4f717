// Formats of textures: each format is copied, loaded, rendered to and stored to, and compared with a decoder in JavaScript.
const formats = [];

// add appends the format of n components with a number of bits each.
function add(prefix, n, bits, type, more = {}) {
	formats.push({ name: `${prefix}${bits}${type}`, n, bits, type, texel: n * bits / 8, ...more });
}

for (const [prefix, n] of [['r', 1], ['rg', 2], ['rgba', 4]]) {
	for (const type of ['unorm', 'snorm', 'uint', 'sint']) add(prefix, n, 8, type);
	for (const type of ['uint', 'sint', 'float']) add(prefix, n, 16, type);
	for (const type of ['uint', 'sint', 'float']) add(prefix, n, 32, type);
}

const signed = (f) => f.type === 'snorm' || f.type === 'sint' || f.type === 'float';
const wgsl = (f) => ({ uint: 'u32', sint: 'i32' })[f.type] ?? 'f32';
const Values = (f) => ({ uint: Uint32Array, sint: Int32Array })[f.type] ?? Float32Array;

// max is the number that represents 1.
const max = (f) => f.type === 'unorm' ? 2 ** f.bits - 1 : 2 ** (f.bits - 1) - 1;

// half returns the bits of a 16-bit float for a multiple of 1/8 below 16, and number the float of such bits.
function half(v) {
	if (v === 0) return 0;
	const e = Math.floor(Math.log2(Math.abs(v)));
	return (v < 0 ? 0x8000 : 0) | e + 15 << 10 | (Math.abs(v) / 2 ** e - 1) * 1024;
}
const number = (h) => (h & 0x8000 ? -1 : 1) * ((h & 0x7fff) === 0 ? 0 : (1 + (h & 1023) / 1024) * 2 ** ((h >> 10 & 31) - 15));

// values returns texels of four components that the format represents exactly.
function values(f, count) {
	return Array.from({ length: count }, (_, i) => [0, 1, 2, 3].map((c) => {
		if (c >= f.n) return c === 3 ? 1 : 0;
		const k = (i * 37 + c * 11) % 101;
		if (f.type === 'unorm') return k / 100 > 0.5 ? Math.round(k / 100 * max(f)) / max(f) : k % 2;
		if (f.type === 'snorm') return Math.round((k / 50 - 1) * max(f)) / max(f);
		return signed(f) ? (k - 50) / (f.type === 'float' ? 8 : 1) : k;
	}));
}

// encode returns the bytes of texels.
function encode(f, texels) {
	const bytes = new Uint8Array(f.texel * texels.length), view = new DataView(bytes.buffer);
	texels.forEach((texel, i) => {
		for (let c = 0; c < f.n; c++) {
			const at = i * f.texel + c * f.bits / 8, v = f.type.endsWith('norm') ? Math.round(texel[c] * max(f)) : texel[c];
			if (f.bits === 8) view.setInt8(at, v);
			else if (f.bits === 16) view.setInt16(at, f.type === 'float' ? half(v) : v, true);
			else if (f.type === 'float') view.setFloat32(at, v, true);
			else view.setInt32(at, v, true);
		}
	});
	return bytes;
}

// decode returns the components of texels; a component that the format lacks is 0, or 1 for alpha.
function decode(f, bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset), out = [];
	for (let i = 0; i < bytes.length / f.texel; i++) {
		for (let c = 0; c < 4; c++) {
			const at = i * f.texel + c * f.bits / 8;
			if (c >= f.n) out.push(c === 3 ? 1 : 0);
			else if (f.type === 'float') out.push(f.bits === 16 ? number(view.getUint16(at, true)) : view.getFloat32(at, true));
			else {
				const v = view[`get${signed(f) ? 'Int' : 'Uint'}${f.bits}`](at, true);
				out.push(f.type.endsWith('norm') ? Math.max(-1, v / max(f)) : v);
			}
		}
	}
	return out;
}

const width = 7, height = 5, count = width * height;

// near is how far a value may be from the exact one: conversions are exact here but for the division of a normalized number.
const near = (f) => f.type.endsWith('norm') ? 1e-6 : 0;

// upload returns a texture with texels.
function upload(k, f, texels, usage) {
	const t = k.texture(f.name, [width, height], { usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | usage });
	k.write(t, encode(f, texels), f.texel, [width, height]);
	return t;
}

// loaded returns the texels that a shader loads from a view.
async function loaded(k, f, view, type) {
	const out = k.buffer(16 * count), level = type.includes('storage') ? '' : ', 0';
	k.dispatch(`
		@group(0) @binding(0) var t: ${type};
		@group(0) @binding(1) var<storage, read_write> o: array<vec4<${wgsl(f)}>>;
		@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) p: vec3u) {
			if (p.x < ${width} && p.y < ${height}) { o[p.y * ${width} + p.x] = textureLoad(t, p.xy${level}); }
		}`, [view, out], 1);
	return k.read(out, Values(f));
}

export const cases = {
	async 'formats load, and copies keep their bytes'(k) {
		for (const f of formats) {
			const texels = values(f, count), t = upload(k, f, texels, GPUTextureUsage.TEXTURE_BINDING);
			const to = k.texture(f.name, [width + 2, height + 1, 2], { usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST });
			k.submit((e) => e.copyTextureToTexture({ texture: t, origin: [1, 2] }, { texture: to, origin: [4, 3, 1] }, [5, 3]));
			k.equal(await loaded(k, f, t.createView(), `texture_2d<${wgsl(f)}>`), texels.flat(), near(f), `${f.name} loads`);
			const got = decode(f, await k.pixels(to, f.texel, Uint8Array, 0, 'all', 1));
			for (let y = 0; y < 3; y++) {
				const at = 4 * ((y + 3) * (width + 2) + 4), from = (y + 2) * width + 1;
				k.equal(got.slice(at, at + 20), texels.slice(from, from + 5).flat(), near(f), `${f.name} copy, row ${y}`);
			}
		}
	},

	async 'formats are targets with their own rounding'(k) {
		for (const f of formats.filter((f) => f.type !== 'snorm')) {
			const texels = values(f, count), t = k.texture(f.name, [width, height]);
			const pipeline = k.renderPipeline(`
				@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
					return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
				}
				@group(0) @binding(0) var<storage> v: array<vec4<${wgsl(f)}>>;
				@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4<${wgsl(f)}> {
					return v[u32(p.y) * ${width}u + u32(p.x)];
				}`, [f.name]);
			const bound = k.bind(pipeline, [k.buffer(Values(f).from(texels.flat()))]);
			k.pass([t], (pass) => {
				pass.setPipeline(pipeline);
				pass.setBindGroup(0, bound);
				pass.draw(3);
			});
			k.equal(decode(f, await k.pixels(t, f.texel)), texels.flat(), near(f), f.name);
		}
	},

	async 'storage textures of each format are written and read'(k) {
		const every = (f) => /^rgba(8(unorm|snorm|uint|sint)|16(uint|sint|float)|32)|^rg?32/.test(f.name);
		for (const f of formats.filter(every)) {
			const texels = values(f, count), t = upload(k, f, values(f, 2 * count).slice(count), GPUTextureUsage.STORAGE_BINDING);
			k.dispatch(`
				@group(0) @binding(0) var<storage> v: array<vec4<${wgsl(f)}>>;
				@group(0) @binding(1) var t: texture_storage_2d<${f.name}, write>;
				@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) p: vec3u) {
					if (p.x < ${width} && p.y < ${height}) { textureStore(t, p.xy, v[p.y * ${width} + p.x]); }
				}`, [k.buffer(Values(f).from(texels.flat())), t.createView()], 1);
			k.equal(decode(f, await k.pixels(t, f.texel)), texels.flat(), near(f), `${f.name} written`);
			k.equal(await loaded(k, f, t.createView(), `texture_storage_2d<${f.name}, read>`), texels.flat(), near(f), `${f.name} read`);
		}
	},
};
