// The playground: an editor, the result with the reports of sanitizers, and the disassembly.
import { el, get, plural } from "./dom.js";
import { byNumber, code, findings, instructionHeat, lineHeat, note, reveal } from "./code.js";

const files = { comp: "shader.comp", frag: "shader.frag", spvasm: "shader.spvasm", hlsl: "shader.comp.hlsl", wgsl: "shader.wgsl", slang: "shader.slang", amber: "script.amber" };
const languages = { comp: "GLSL, compute", frag: "GLSL, fragment", spvasm: "SPIR-V assembly", hlsl: "HLSL, compute", wgsl: "WGSL, compute", slang: "Slang, compute", amber: "AmberScript" };
const maxValues = 4096; // of a buffer that text shows
const listed = (text) => text.split("\n").map((s) => s.trim()).filter(Boolean);
const select = (label, all, props = {}) => el("select", { "aria-label": label, ...props }, Object.entries(all).map(([v, t]) => el("option", { value: v }, t)));

export async function playView() {
  const samples = await get("api/samples");
  const text = el("textarea", { spellcheck: "false", wrap: "off", "aria-label": "Shader", autocomplete: "off" });
  const gutter = el("div", { class: "gutter", "aria-hidden": "true" });
  const kind = select("Language", languages, { change: fit });
  const sample = select("Example", { "": "examples", ...Object.fromEntries(samples.map((s) => [s.name, s.title])) }, { change: () => load(samples.find((s) => s.name === sample.value)) });
  const sanitize = select("Sanitizers", { "": "no sanitizer", faults: "sanitizers: faults", all: "sanitizers: all" });
  const listing = select("Listing", { spirv: "SPIR-V", ir: "IR", asm: "machine code" }, { change: () => run() });
  const count = el("input", { type: "checkbox", id: "heat" });
  const start = el("button", { type: "button", class: "primary", id: "run", title: "Ctrl+Enter", click: () => run() }, "Run");
  const halt = el("button", { type: "button", id: "stop", disabled: true, click: () => stop?.abort() }, "Stop");
  const said = el("span", { id: "said", class: "note", role: "status" }, "not run");

  // A field is of some languages.
  const fields = el("div", { class: "fields" });
  const field = (id, label, node, kinds) => {
    node.id = id;
    fields.append(el("label", { for: id, "data-kinds": kinds }, label), el("div", { "data-kinds": kinds }, node));
    return node;
  };
  const compute = "comp spvasm hlsl wgsl slang";
  const groups = field("groups", "Workgroups", el("input", { placeholder: "X,Y,Z" }), compute);
  const buffers = field("buffers", "Buffers", el("textarea", { rows: 3, placeholder: "BINDING=float:1,2,3 or BINDING=uint*64", spellcheck: "false" }), compute);
  const push = field("push", "Push constants", el("input", { placeholder: "float:2.5" }), compute);
  const spec = field("spec", "Specialization", el("input", { placeholder: "NAME=VALUE NAME=VALUE" }), compute);
  const shown = field("shown", "Picture of buffer", el("input", { placeholder: "NAME WIDTHxHEIGHT" }), compute);
  const size = field("size", "Picture", el("input", { placeholder: "320x240" }), "frag");
  const show = field("show", "Show", el("input", { placeholder: "picture, or the name of a buffer" }), "amber");

  const results = el("div", { id: "results" }), found = el("div", { id: "found" }), dis = el("div", { id: "dis" });
  let stop = null, notes = new Map(), heat = null, state = {};

  function fit() {
    for (const e of fields.children) e.hidden = !e.dataset.kinds.split(" ").includes(kind.value);
  }
  function drawGutter() {
    const rows = text.value.split("\n").map((_, i) => {
      const e = el("div", { class: notes.has(i + 1) ? "hit" : null }, String(i + 1)), h = heat?.get(i + 1);
      if (h) {
        e.classList.add("hot");
        e.style.setProperty("--heat", h.share);
        e.title = h.title;
      }
      return e;
    });
    gutter.replaceChildren(...rows);
    gutter.scrollTop = text.scrollTop;
  }
  function load(s) {
    if (!s) return;
    kind.value = s.kind;
    text.value = s.text;
    groups.value = s.groups ?? "";
    buffers.value = (s.buffers ?? []).join("\n");
    push.value = (s.push ?? []).join(" ");
    spec.value = (s.spec ?? []).join(" ");
    sanitize.value = s.sanitize ?? "";
    size.value = `${s.width ?? 256}x${s.height ?? 256}`;
    show.value = s.show ?? "";
    shown.value = s.shown ? `${s.shown.buffer} ${s.shown.width}x${s.shown.height}` : "";
    notes = new Map();
    heat = null;
    fit();
    drawGutter();
  }
  const [width, height] = [0, 1].map((i) => () => Number(size.value.split("x")[i]) || 0);
  const request = () => ({ kind: kind.value, text: text.value, groups: groups.value.trim(), buffers: listed(buffers.value), push: push.value.trim() ? [push.value.trim()] : [],
    spec: spec.value.split(/\s+/).filter(Boolean), width: width(), height: height(), show: show.value.trim(), sanitize: sanitize.value, listing: listing.value, heat: count.checked });

  // save keeps the shader for the next visit of the page in this tab.
  const save = () => sessionStorage.setItem("play", JSON.stringify({ ...request(), shown: shownBuffer() }));
  function shownBuffer() {
    const m = shown.value.trim().match(/^(.+?)\s+(\d+)\s*x\s*(\d+)$/);
    return m ? { buffer: m[1], width: Number(m[2]), height: Number(m[3]) } : null;
  }

  // run asks the server and shows the parts of the answer as they come.
  async function run() {
    stop?.abort();
    const mine = (stop = new AbortController());
    save();
    state = { list: [], logs: [] };
    notes = new Map();
    heat = null;
    for (const box of [results, found, dis]) box.replaceChildren();
    said.textContent = "running";
    halt.disabled = false;
    const began = performance.now();
    try {
      const r = await fetch("api/play", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request()), signal: mine.signal });
      if (!r.ok) throw new Error((await r.text()).trim());
      for await (const p of lines(r.body)) part(p);
      said.textContent = `${verdict()} after ${((performance.now() - began) / 1000).toFixed(2)} s`;
    } catch (err) {
      if (mine !== stop) return;
      const stopped = err.name === "AbortError";
      said.textContent = stopped ? "stopped" : "failed";
      state.logs.push(stopped ? "stopped before the end" : err.message);
    }
    halt.disabled = true;
    if (!dis.children.length) dis.append(el("p", { class: "note" }, kind.value === "amber" ? "The shaders of a script have no disassembly here." : "none"));
    drawFound();
    drawGutter();
  }
  const verdict = () => state.ended ? "ended" : state.failed ? "failed" : state.list.length ? `done with ${plural(state.list.length, "finding")},` : "done";

  // part shows a part of the answer.
  function part(p) {
    if (p.ended) {
      state.ended = true;
      state.logs.push(p.ended);
    }
    if (p.part === "heat") {
      heat = lineHeat(p.heat, p.before ? "frame.amber" : files[kind.value], p.before);
      state.heat = p.heat;
      if (state.listing) drawListing();
      drawGutter();
      return;
    }
    if (p.log && !(p.part === "run" && p.result && state.checked)) state.logs.push(p.log.trim());
    if (p.part === "check") {
      const record = p.result?.files?.[0] ?? {};
      state.checked = record.verdict === "clean";
      state.failed ||= p.code >= 2;
      add(record, 0);
    } else if (p.part === "listing" && p.code === 0) {
      state.listing = p.lines;
      drawListing();
    } else if (p.part === "run") {
      const record = p.result?.files?.[0] ?? p.result ?? {};
      state.failed ||= p.code >= 2 || !p.result || (record.status ?? "pass") !== "pass";
      add(record, p.before ?? 0);
      for (const [name, values] of Object.entries(record.buffers ?? {})) drawBuffer(name, values);
      if (record.log?.length) results.append(el("h2", {}, "Output of printf"), el("pre", {}, record.log.join("\n")));
    } else if (p.part === "picture") {
      results.append(el("img", { class: "picture", id: "picture", alt: "The picture of the shader", src: "data:image/png;base64," + p.picture }));
    } else if (p.part === "buffer") {
      results.append(el("h2", {}, "Buffer"), el("pre", { class: "values" }, p.lines.join("\n")));
    }
    drawFound();
  }
  // add adds the findings of a record, whose shader is after some lines of the page.
  function add(record, before) {
    const list = findings(record);
    if (record.message && !list.some((f) => record.message.includes(f.message))) state.logs.push(record.message);
    for (const f of list) {
      if (before && f.line) f.line -= before;
      const line = f.line;
      if (f.where && before) f.where = f.where.replace(/^[^,]+/, "line " + line);
      if (line) f.go = () => goTo(line);
      state.list.push(f);
    }
    notes = byNumber(state.list, (f) => f.line);
    drawGutter();
    if (state.listing) drawListing();
  }
  function drawFound() {
    found.replaceChildren(...state.list.map((f) => note(f)), ...state.logs.filter(Boolean).map((l) => el("pre", { class: "problem" }, l)));
    if (!found.children.length && said.textContent !== "running") found.append(el("p", { class: "note" }, sanitize.value ? "No findings, no reports of sanitizers." : "No findings. No sanitizer has looked at the execution."));
  }
  function drawListing() {
    const spirv = listing.value === "spirv";
    dis.replaceChildren(code(state.listing, { notes: spirv ? byNumber(state.list, (f) => f.instruction) : new Map(), heat: spirv ? instructionHeat(state.heat) : null, label: "Disassembly" }));
    const first = spirv && state.list.find((f) => f.instruction);
    if (first) requestAnimationFrame(() => reveal(dis, first.instruction));
  }
  function drawBuffer(name, values) {
    const s = shownBuffer();
    if (s?.buffer === name) results.append(drawPicture(values, s));
    const all = values.slice(0, maxValues).join(" ");
    results.append(el("details", { open: s?.buffer === name ? null : true }, el("summary", {}, `${name}, ${plural(values.length, "value")}`),
      el("div", { class: "values", tabindex: "0" }, all, values.length > maxValues ? " …" : "")));
  }
  // drawPicture draws texels: of integers as 0xAABBGGRR, of other numbers as four from 0 to 1.
  function drawPicture(values, s) {
    const canvas = el("canvas", { id: "picture", width: s.width, height: s.height, role: "img", "aria-label": "The picture of the buffer" });
    const picture = new ImageData(s.width, s.height), texels = s.width * s.height;
    if (values.length >= 4 * texels) {
      for (let i = 0; i < 4 * texels; i++) picture.data[i] = Math.round(255 * Math.min(Math.max(Number(values[i]), 0), 1));
    } else {
      const words = new Uint32Array(picture.data.buffer);
      for (let i = 0; i < Math.min(texels, values.length); i++) words[i] = Number(values[i]);
    }
    canvas.getContext("2d").putImageData(picture, 0, 0);
    return canvas;
  }
  function goTo(line) {
    const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const length = text.value.split("\n")[line - 1]?.length ?? 0;
    text.focus();
    text.setSelectionRange(before, before + length);
    text.scrollTop = (line - 5) * parseFloat(getComputedStyle(text).lineHeight);
  }

  text.addEventListener("input", () => { notes = new Map(); heat = null; drawGutter(); });
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });
  load(JSON.parse(sessionStorage.getItem("play")) ?? samples[0]);
  const node = el("section", {}, el("h1", {}, "Playground"), el("div", { class: "play" },
    el("section", { class: "panel", "aria-label": "Shader" }, el("div", { class: "row" }, sample, kind), el("div", { class: "editor" }, gutter, text), fields,
      el("div", { class: "row" }, start, halt, sanitize, el("label", {}, count, "count instructions")), said),
    el("section", { class: "panel", "aria-label": "Result" }, el("h2", {}, "Result"), results, el("h2", {}, "Findings"), found),
    el("section", { class: "panel", "aria-label": "Disassembly" }, el("div", { class: "row" }, el("h2", {}, "Disassembly"), listing), dis)));
  return {
    node,
    focus: () => text.focus(),
    close: () => { save(); stop?.abort(); },
    key: (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) run();
      else if (e.key === "Escape" && !halt.disabled) stop.abort();
      else return false;
      return true;
    },
  };
}

// lines reads one JSON value a line.
async function* lines(stream) {
  let rest = "";
  const decoder = new TextDecoder();
  for (const r = stream.getReader(); ; ) {
    const { done, value } = await r.read();
    const all = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = all.pop();
    for (const l of all) if (l) yield JSON.parse(l);
    if (done) return;
  }
}
