// Runs small WebGPU programs on a Vulkan driver by Dawn for node (npm: webgpu) and compares their results with values that
// JavaScript computes.
//
//	npm install --prefix FOLDER webgpu
//	VK_DRIVER_FILES=build/chiaro_icd.json node scripts/webgpu/run.mjs FOLDER [PATTERN]
//
// FOLDER has node_modules/webgpu. The output has a line for each program, and "ok" or the differences. The exit status is 1 if
// a program has a wrong result.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { Kit } from './kit.mjs';

const folder = join(resolve(process.argv[2] ?? '.'), 'node_modules', 'webgpu');
const main = JSON.parse(readFileSync(join(folder, 'package.json'))).main ?? 'index.js';
const { create, globals } = await import(pathToFileURL(join(folder, main)));
Object.assign(globalThis, globals);

const pattern = new RegExp(process.argv[3] ?? '');
const gpu = create(['backend=vulkan', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
if (!adapter) {
	console.log('no adapter');
	process.exit(1);
}
console.log(`adapter: ${adapter.info.vendor} ${adapter.info.device} ${adapter.info.description}`);
const wanted = ['timestamp-query', 'indirect-first-instance', 'shader-f16', 'float32-filterable', 'dual-source-blending',
	'clip-distances', 'subgroups', 'depth-clip-control', 'depth32float-stencil8', 'rg11b10ufloat-renderable',
	'bgra8unorm-storage', 'texture-compression-bc', 'float32-blendable'];
const device = await adapter.requestDevice({
	requiredFeatures: wanted.filter((f) => adapter.features.has(f)),
	requiredLimits: { maxInterStageShaderVariables: adapter.limits.maxInterStageShaderVariables },
});
device.lost.then((info) => { if (info.reason !== 'destroyed') console.log(`device lost: ${info.message}`); });

let failed = 0, ran = 0, skipped = 0;
for (const part of ['compute', 'random', 'memory', 'draw', 'blend', 'texture', 'format', 'query']) {
	const { cases, needs = {} } = await import(`./${part}.mjs`);
	for (const [name, run] of Object.entries(cases)) {
		const title = `${part}: ${name}`;
		if (!pattern.test(title)) continue;
		const absent = (needs[name] ?? []).filter((f) => !device.features.has(f));
		if (absent.length > 0) {
			console.log(`skipped ${title}: the adapter has no ${absent.join(', ')}`);
			skipped++;
			continue;
		}
		ran++;
		const kit = new Kit(device);
		device.pushErrorScope('validation');
		device.pushErrorScope('internal');
		let problem = '';
		try {
			await run(kit);
		} catch (e) {
			problem = e.stack ?? String(e);
		}
		for (let i = 0; i < 2; i++) {
			const e = await device.popErrorScope();
			if (e) problem += `${problem ? '\n' : ''}${e.message}`;
		}
		if (problem) failed++;
		console.log(problem ? `FAILED  ${title}: ${problem}` : `ok      ${title}`);
		kit.close();
	}
}
console.log(`${ran} programs, ${failed} failed, ${skipped} skipped`);
device.destroy();
process.exitCode = failed > 0 || ran === 0 ? 1 : 0;
