// An item: its record, its sources with findings and counts, its listing, its pictures.
import { el, get, plural, post, problem, typing } from "./dom.js";
import { byNumber, code, findings, instructionHeat, lineHeat, note, reveal, stageCounts } from "./code.js";
import { stateMark } from "./runs.js";
import { montage } from "./pictures.js";

// itemView shows item n of a run.
export async function itemView(run, n) {
  const base = `api/runs/${run}/items/${n}`;
  const x = await get(base);
  const list = findings(x.record);
  const sources = [], listingBox = el("div"), stages = el("div", { class: "columns" }), heatSaid = el("span", { class: "note", role: "status" });
  let heat = null, listing = null;
  const stop = new AbortController();

  // fileOf reports whether a finding is in a source: by its name, or in the subject of the item.
  const inFile = (f, k) => (f.file ? f.file === x.sources[k] : k === 0 && !f.instruction) || (k === 0 && !f.file && f.line);

  async function drawSource(k) {
    const box = sources[k];
    try {
      box.data ??= await get(`${base}/sources/${k}`, stop.signal);
    } catch (err) {
      return box.replaceChildren(problem(err));
    }
    const found = list.filter((f) => inFile(f, k));
    const pane = code(box.data.lines, { notes: byNumber(found, (f) => f.line), heat: lineHeat(heat, heatName(x.sources[k])), label: x.sources[k] });
    box.replaceChildren(el("h2", {}, x.sources[k]), pane);
    const first = found.find((f) => f.line);
    if (first) requestAnimationFrame(() => reveal(pane, first.line));
  }
  // heatName is the name of a source in a profile, whose subject has a path that begins with "./".
  const heatName = (name) => heat?.lines.some((l) => l.file === name) ? name : "./" + name;

  function drawListing() {
    if (!listing) return;
    const spirv = listing.kind === "spirv";
    const pane = code(listing.lines, { notes: spirv ? byNumber(list, (f) => f.instruction) : new Map(), heat: spirv ? instructionHeat(heat) : null, label: "Disassembly" });
    listingBox.replaceChildren(listing.log ? el("pre", { class: "problem" }, listing.log) : "", pane);
    const first = spirv && list.find((f) => f.instruction);
    if (first) requestAnimationFrame(() => reveal(pane, first.instruction));
  }
  async function loadListing(kind) {
    try {
      listing = { kind, ...(await post(`${base}/listing?kind=${kind}`, {}, stop.signal)) };
      drawListing();
    } catch (err) {
      if (err.name !== "AbortError") listingBox.replaceChildren(problem(err));
    }
  }
  async function count() {
    heatSaid.textContent = "running";
    try {
      const a = await post(`${base}/heat`, {}, stop.signal);
      heat = a.heat ?? null;
      heatSaid.textContent = a.ended || (heat?.stages.length ? "counted" : a.log.trim() || "no shader has run");
    } catch (err) {
      heatSaid.textContent = err.message;
    }
    sources.forEach((_, k) => drawSource(k));
    drawListing();
    const unseen = heat && !x.listable && !x.sources.some((name) => lineHeat(heat, heatName(name))); // the shaders have no source here
    stages.replaceChildren(...(unseen ? heat.stages.map(stageCounts) : []));
  }

  const place = (f) => ({ ...f, go: f.line || f.instruction ? () => {
    const k = x.sources.findIndex((_, i) => inFile(f, i));
    const pane = f.line && k >= 0 ? sources[k].querySelector(".code") : listingBox.querySelector(".code");
    if (pane) { reveal(pane, pane === listingBox.querySelector(".code") ? f.instruction : f.line); pane.focus({ preventScroll: true }); pane.scrollIntoView({ block: "nearest" }); }
  } : null });

  const log = x.record.log ?? [];
  const kinds = el("select", { "aria-label": "Listing", change: (e) => loadListing(e.target.value) }, ...["spirv", "ir", "asm"].map((k) => el("option", { value: k }, { spirv: "SPIR-V", ir: "IR", asm: "machine code" }[k])));
  const node = el("section", {},
    el("p", { class: "note" }, el("a", { href: `#/runs/${run}` }, x.run), ` item ${n + 1} of ${x.total} `,
      n > 0 && el("a", { href: `#/runs/${run}/${n - 1}` }, "previous"), " ", n + 1 < x.total && el("a", { href: `#/runs/${run}/${n + 1}` }, "next")),
    el("h1", {}, stateMark(x.row.state), " ", x.record.file, x.record.test ? ": " + x.record.test : ""),
    x.record.message && !(list.length === 1 && x.record.message.includes(list[0].message) && !x.record.message.includes("\n")) && el("pre", { class: "panel" }, x.record.message),
    x.pictures.map((name, k) => el("section", { class: "panel" }, el("h2", {}, name), montage(`${base}/pictures/${k}`))),
    list.length > 0 && el("section", { class: "panel", id: "findings" }, el("h2", {}, plural(list.length, "finding")), list.map((f) => note(place(f)))),
    log.length > 0 && el("section", { class: "panel" }, el("h2", {}, "Output of printf"), el("pre", {}, log.join("\n"))),
    x.runnable && el("div", { class: "row" }, el("button", { type: "button", id: "count", click: count }, "Run and count instructions"), heatSaid),
    el("div", { class: "columns" },
      x.sources.map((_, k) => (sources[k] = el("section", { class: "panel source" }))),
      x.listable && el("section", { class: "panel" }, el("div", { class: "row" }, el("h2", {}, "Disassembly"), kinds), listingBox)),
    stages, !x.sources.length && el("p", { class: "note" }, "The files of this item are not in the folder of sources."));
  sources.forEach((_, k) => drawSource(k));
  if (x.listable) loadListing("spirv");
  return {
    node,
    close: () => stop.abort(),
    key: (e) => {
      const to = { n: n + 1 < x.total ? `/${n + 1}` : null, p: n > 0 ? `/${n - 1}` : null, u: "" }[e.key];
      if (to == null || typing(e) || e.ctrlKey || e.metaKey) return false;
      location.hash = `#/runs/${run}${to}`;
      return true;
    },
  };
}
