// Random programs: statements with control flow, which run on the adapter and in JavaScript.
const names = ['x', 'y', 'z'];

// Generator makes expressions and statements; each is a pair of its WGSL and a function on the variables in JavaScript.
class Generator {
	constructor(seed) {
		this.state = seed * 7919 + 1;
		this.loops = 0;
	}

	// below returns a random integer below n.
	below(n) {
		this.state = Math.imul(this.state ^ this.state >>> 15, 0x2c1b3c6d) + 0x3779 | 0;
		return ((this.state ^ this.state >>> 13) >>> 0) % n;
	}

	pick(list) {
		return list[this.below(list.length)];
	}

	// expression returns a signed integer; operands of constants alone have the variable zero, so that WGSL accepts any value.
	expression(depth) {
		if (depth === 0 || this.below(6) === 0) {
			const name = this.pick(names), k = this.pick([0, 1, 2, 7, 255, 65537, 2147483647, this.below(1000)]);
			if (this.below(3) > 0) return [name, (e) => e[name]];
			return [`(${k} + zero)`, () => k];
		}
		const [a, fa] = this.expression(depth - 1), [b, fb] = this.expression(depth - 1), n = 1 + this.below(30);
		return this.pick([
			[`(${a} + ${b})`, (e) => fa(e) + fb(e) | 0],
			[`(${a} - ${b})`, (e) => fa(e) - fb(e) | 0],
			[`(${a} * ${b})`, (e) => Math.imul(fa(e), fb(e))],
			[`(${a} % ${n})`, (e) => fa(e) % n | 0],
			[`(${a} / ${n})`, (e) => fa(e) / n | 0],
			[`(${a} ^ ${b})`, (e) => fa(e) ^ fb(e)],
			[`(${a} & ${b})`, (e) => fa(e) & fb(e)],
			[`(${a} << (u32(${b}) & 31u))`, (e) => fa(e) << (fb(e) & 31)],
			[`(${a} >> (u32(${b}) & 31u))`, (e) => fa(e) >> (fb(e) & 31)],
			[`max(${a}, ${b})`, (e) => Math.max(fa(e), fb(e))],
			[`select(${a}, ${b}, ${a} < ${b})`, (e) => fa(e) < fb(e) ? fb(e) : fa(e)],
			[`list[u32(${a}) % 8u]`, (e) => e.list[(fa(e) >>> 0) % 8]],
		]);
	}

	condition() {
		const [a, fa] = this.expression(2), [b, fb] = this.expression(2);
		return this.pick([
			[`${a} < ${b}`, (e) => fa(e) < fb(e)],
			[`${a} == ${b}`, (e) => fa(e) === fb(e)],
			[`(${a} & 3) != 1 && ${b} >= 0`, (e) => (fa(e) & 3) !== 1 && fb(e) >= 0],
			[`${a} > 100 || (${b} & 1) == 0`, (e) => fa(e) > 100 || (fb(e) & 1) === 0],
		]);
	}

	// block returns statements; the function returns 'break' or 'continue' if one of them leaves the loop or the iteration.
	block(depth, inLoop, count) {
		const parts = Array.from({ length: count }, () => this.statement(depth, inLoop));
		return [parts.map((p) => p[0]).join('\n'), (e) => {
			for (const [, run] of parts) {
				const leave = run(e);
				if (leave) return leave;
			}
		}];
	}

	statement(depth, inLoop) {
		const kind = depth > 0 ? this.below(8) : 5 + this.below(3);
		if (kind === 0) return this.branch(depth, inLoop);
		if (kind === 1) return this.loop(depth);
		if (kind === 2) return this.choice(depth);
		if (kind === 3 && inLoop) {
			const [c, fc] = this.condition(), leave = this.pick(['break', 'continue']);
			return [`if (${c}) { ${leave}; }`, (e) => fc(e) ? leave : undefined];
		}
		const [v, fv] = this.expression(4);
		if (kind === 5) {
			const [i, fi] = this.expression(1);
			return [`list[u32(${i}) % 8u] = ${v};`, (e) => { e.list[(fi(e) >>> 0) % 8] = fv(e); }];
		}
		const name = this.pick(names);
		return [`${name} = ${v};`, (e) => { e[name] = fv(e); }];
	}

	branch(depth, inLoop) {
		const [c, fc] = this.condition();
		const [yes, runYes] = this.block(depth - 1, inLoop, 2), [no, runNo] = this.block(depth - 1, inLoop, 1);
		return [`if (${c}) {\n${yes}\n} else {\n${no}\n}`, (e) => fc(e) ? runYes(e) : runNo(e)];
	}

	// loop runs at most seven times, a number that differs between invocations.
	loop(depth) {
		const i = `i${this.loops++}`, [n, fn] = this.expression(2), [body, run] = this.block(depth - 1, true, 3);
		return [`for (var ${i} = u32(${n}) % 8u; ${i} > 0; ${i}--) {\nz += i32(${i});\n${body}\n}`, (e) => {
			for (let k = (fn(e) >>> 0) % 8; k > 0; k--) {
				e.z = e.z + k | 0;
				if (run(e) === 'break') break;
			}
		}];
	}

	// choice makes a switch. Its blocks have no break and no continue: a break would leave the switch alone.
	choice(depth) {
		const [v, fv] = this.expression(2);
		const blocks = [1, 2, 1].map((n) => this.block(depth - 1, false, n));
		return [`switch (${v} % 4) { case 0, 3 {\n${blocks[0][0]}\n} case -1 {\n${blocks[1][0]}\n} default {\n${blocks[2][0]}\n} }`, (e) => {
			const k = fv(e) % 4;
			blocks[k === 0 || k === 3 ? 0 : k === -1 ? 1 : 2][1](e);
		}];
	}
}

const invocations = 64;

// check runs a random program and compares the variables of each invocation.
async function check(k, seed) {
	const [body, run] = new Generator(seed).block(4, false, 8), out = k.buffer(16 * invocations);
	k.dispatch(`
		var<private> zero: i32;
		@group(0) @binding(0) var<storage, read_write> out: array<vec4i>;
		@compute @workgroup_size(${invocations}) fn main(@builtin(local_invocation_index) id: u32) {
			var x = i32(id);
			var y = i32(id * 0x9e3779b9u);
			var z = x % 5;
			var list = array<i32, 8>();
			${body}
			var sum = 0;
			for (var i = 0; i < 8; i++) { sum = sum * 31 + list[i]; }
			out[id] = vec4i(x, y, z, sum);
		}`, [out], 1);
	const want = [];
	for (let id = 0; id < invocations; id++) {
		const e = { x: id, y: Math.imul(id, 0x9e3779b9), z: id % 5, list: Array(8).fill(0) };
		run(e);
		want.push(e.x, e.y, e.z, e.list.reduce((sum, v) => Math.imul(sum, 31) + v | 0, 0));
	}
	k.equal(await k.read(out, Int32Array), want, 0, `program ${seed}`);
}

export const cases = {
	async 'a hundred random programs'(k) {
		for (let seed = 0; seed < 100; seed++) await check(k, seed);
	},
};
