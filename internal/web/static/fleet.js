// The state of the fleet.
import { el, number } from "./dom.js";

const table = (title, heads, rows, kind = "") => el("section", { class: "panel " + kind }, el("h2", {}, title), rows.length
  ? el("table", {}, el("thead", {}, el("tr", {}, heads.map((h, i) => el("th", { scope: "col", class: i ? "n" : null }, h)))),
    el("tbody", {}, rows.map((r) => el("tr", {}, r.map((v, i) => el("td", { class: i ? "n" : "name" }, String(v)))))))
  : el("p", { class: "note" }, "none"));

// fleetView shows the workers, the streams and the runs.
export function fleetView(state) {
  const box = el("div", { class: "columns" });
  const draw = (f) => {
    if (!f) return box.replaceChildren(el("p", { class: "note" }, "waiting for the fleet"));
    if (f.error) return box.replaceChildren(el("p", { class: "problem", role: "alert" }, f.error));
    box.replaceChildren(
      table("Workers", ["name", "version", "busy", "items", "crashes", "up"], (f.workers ?? []).map((w) => [w.name, w.version, `${w.busy}/${w.slots}`, number(w.done), number(w.crashes), number(w.seconds) + " s"]), "wide"),
      table("Runs with work", ["run", "batches waiting", "done"], (f.runs ?? []).map((r) => [r.run, number(r.waiting), number(r.done)])),
      table("Streams", ["stream", "messages", "MB", "limit"], (f.streams ?? []).map((s) => [s.name, number(s.messages), (s.bytes / 2 ** 20).toFixed(1), s.most > 0 ? Math.round(s.most / 2 ** 20) + " MB" : "none"])));
  };
  draw(state.fleet);
  return { node: el("section", {}, el("h1", {}, "Fleet"), box), event: (kind, data) => kind === "fleet" && draw(data) };
}
