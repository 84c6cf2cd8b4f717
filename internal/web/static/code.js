// A source or a listing with findings and counts.
import { el, number } from "./dom.js";

const chunkLines = 100; // lines that the browser lays out together
const maxLines = 30000;

// code shows entries. An entry may have several lines, and number is that of the first entry. notes has the findings by the number
// of an entry, heat the counts: {executed, share}.
export function code(entries, { notes = new Map(), heat = null, label }) {
  const box = el("div", { class: "code", tabindex: "0", role: "region", "aria-label": label });
  let chunk;
  entries.slice(0, maxLines).forEach((text, i) => {
    if (i % chunkLines === 0) box.append((chunk = el("div", { class: "chunk" })));
    const n = i + 1, found = notes.get(n), counted = heat?.get(n);
    const line = el("div", { class: "l", "data-line": n }, el("span", { class: "num" }, String(n)),
      heat && el("span", { class: "count" }, counted ? number(counted.executed) : ""), el("span", {}, short(text)));
    if (counted) {
      line.classList.add("hot");
      line.style.setProperty("--heat", counted.share);
      line.title = counted.title ?? "";
    }
    chunk.append(line);
    if (found) {
      line.classList.add("hit");
      if (found.every((f) => f.severity === "warning")) line.classList.add("warning");
      chunk.append(...found.map((f) => note(f)));
    }
  });
  if (entries.length > maxLines) box.append(el("p", { class: "note" }, `${number(entries.length - maxLines)} further lines are not shown.`));
  return box;
}

// short returns the first line of an instruction: the others are a source that the module embeds.
const short = (text) => (text.includes("\n") ? text.slice(0, text.indexOf("\n")) + " …" : text) || " ";

// reveal scrolls to a line and marks it. The page itself does not scroll.
export function reveal(box, n) {
  const pane = box.matches(".code") ? box : box.querySelector(".code");
  pane?.querySelector(".at")?.classList.remove("at");
  const line = pane?.querySelector(`[data-line="${n}"]`);
  line?.classList.add("at");
  // Lines that were not laid out have an estimated height until they are near.
  for (let i = 0; line && i < 3; i++) pane.scrollTop += line.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
}

// note shows a finding: {severity, message, code, where, go}.
export function note(f) {
  return el("div", { class: "find " + (f.severity ?? "error") }, el("b", {}, f.title ?? f.severity ?? "error"), " ", f.message, " ", el("code", {}, f.code ?? ""),
    f.where && el("small", {}, " ", f.where), f.go && el("button", { type: "button", click: f.go }, "show"),
    (f.related ?? []).map((r) => el("div", {}, el("small", {}, r.message + " "), el("code", {}, r.text ?? ""))));
}

// shares turns counts by number into heat: the share of the greatest, on a scale of logarithms.
export function shares(counts) {
  const most = Math.log1p(Math.max(0, ...[...counts.values()].map((c) => c.weight)));
  return new Map([...counts].map(([n, c]) => [n, { ...c, share: most ? (Math.log1p(c.weight) / most).toFixed(3) : 0 }]));
}

// lineHeat returns the heat of the lines of a file in the counts of a profile; null for none.
export function lineHeat(heat, file, before = 0) {
  const counts = new Map();
  for (const l of heat?.lines ?? []) {
    if (l.file !== file || l.line <= before) continue;
    counts.set(l.line - before, { executed: l.executed, weight: l.instructions,
      title: `executed ${l.executed}, instructions ${l.instructions}, divergent ${l.divergent}, bytes read ${l.read}, written ${l.written}` });
  }
  return counts.size ? shares(counts) : null;
}

// instructionHeat returns the heat of the instructions of a module with one stage; null for none.
export function instructionHeat(heat) {
  if (heat?.stages.length !== 1) return null;
  return shares(new Map(heat.stages[0].instructions.map((i) => [i.n, { executed: i.executed, weight: i.executed }])));
}

// stageCounts shows the counts of a stage as a list of its instructions.
export function stageCounts(stage) {
  const list = stage.instructions;
  return el("section", { class: "panel" }, el("h2", {}, `${stage.model} ${stage.entryPoint}`),
    code(list.map((i) => `${String(i.n).padStart(6)}  ${i.op}`), { heat: shares(new Map(list.map((i, k) => [k + 1, { executed: i.executed, weight: i.executed }]))), label: stage.model }));
}

// findings returns the findings and the reports of sanitizers of a record in one form.
export function findings(record) {
  const list = [];
  for (const f of record.findings ?? []) {
    const where = f.source ? `${f.source.file}:${f.source.line}` : f.entryPoint ? `in ${f.entryPoint}` : "";
    list.push({ severity: f.severity, message: f.message, code: f.code, file: f.source?.file, line: f.source?.line ?? f.line, instruction: f.instruction,
      where, related: (f.related ?? []).concat((f.sides ?? []).map((s) => ({ message: s.stage ?? "pipeline", text: [s.name, s.place, s.type].filter(Boolean).join(" ") }))) });
  }
  for (const r of record.reports ?? []) {
    list.push({ severity: "error", title: r.sanitizer, message: r.message, code: r.rule, file: r.source?.file, line: r.source?.line, instruction: r.instruction,
      where: [r.source && `${r.source.file}:${r.source.line}`, r.name, r.stage, r.invocation, r.times > 1 && `${r.times} times`].filter(Boolean).join(", ") });
  }
  if (!list.length && record.message?.startsWith(record.file + ":")) { // a failure of a script has its place in its message
    const m = record.message.slice(record.file.length).match(/^:(\d+):\d+: (?:error: )?(.*)/);
    if (m) list.push({ severity: "error", title: record.status ?? "error", message: m[2], line: Number(m[1]) });
  }
  return list;
}

// byNumber groups findings by a number.
export function byNumber(list, numberOf) {
  const m = new Map();
  for (const f of list) {
    const n = numberOf(f);
    if (n) m.set(n, [...(m.get(n) ?? []), f]);
  }
  return m;
}
