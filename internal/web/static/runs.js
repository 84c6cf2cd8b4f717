// The runs, and a run: its items and the causes of its failures.
import { el, get, number, problem } from "./dom.js";

export const stateMark = (s) => el("span", { class: "state " + s.replace(" ", "-") }, s);

function bar(counts, total) {
  return el("div", { class: "bar", "aria-hidden": "true" }, Object.entries(counts).map(([s, n]) => {
    const part = el("i", { class: s.replace(" ", "-") });
    part.style.width = (100 * n) / Math.max(total, 1) + "%";
    return part;
  }));
}

const countsText = (counts) => Object.entries(counts).map(([s, n]) => [stateMark(s), ` ${number(n)}  `]);

// runsView shows all runs.
export async function runsView(state) {
  const body = el("tbody");
  const empty = el("p", { class: "note" }, "The folder has no reports yet. A run writes one with ", el("code", {}, "chiaro run --out jsonl=FILE.jsonl"), "; the page shows it while it grows.");
  const draw = (runs) => {
    const focused = document.activeElement?.dataset?.row;
    empty.hidden = runs.length > 0;
    body.parentElement.hidden = !runs.length;
    body.replaceChildren(...runs.map((r) => el("tr", {},
      el("td", { class: "name" }, el("a", { href: `#/runs/${r.id}`, "data-row": r.id }, r.name)),
      el("td", { class: "n" }, number(r.total) + (r.over ? ` + ${number(r.over)}` : "")),
      el("td", {}, countsText(r.counts)), el("td", {}, bar(r.counts, r.total)), el("td", { class: "n" }, number(r.causes)),
      el("td", {}, new Date(r.modified).toLocaleString()))));
    if (focused) body.querySelector(`[data-row="${CSS.escape(focused)}"]`)?.focus();
  };
  const node = el("section", {}, el("h1", {}, "Runs"), empty, el("table", {},
    el("thead", {}, el("tr", {}, ...["Report", "Items", "Results", "", "Causes", "Changed"].map((t, i) => el("th", { class: i === 1 || i === 4 ? "n" : null, scope: "col" }, t)))), body));
  draw(await get("api/runs"));
  return { node, event: (kind, data) => kind === "runs" && draw(data) };
}

// runView shows a run.
export async function runView(id) {
  const query = { state: "", cause: "", q: "", from: 0 };
  const title = el("h1", {}, "Run"), counts = el("div", { class: "row", role: "group", "aria-label": "Results" });
  const causes = el("ul", { class: "causes" }), body = el("tbody"), pages = el("div", { class: "row" }), problems = el("div");
  const search = el("input", { type: "search", placeholder: "name", "aria-label": "Part of the name", class: "grow", input: () => { query.q = search.value; query.from = 0; items(); } });
  let run = null, asked = 0;

  // button is a filter that can be pressed.
  const filter = (key, value, kids, focusKey) => el("button", { type: "button", "aria-pressed": String(query[key] === value), "data-filter": focusKey,
    click: () => { query[key] = query[key] === value ? "" : value; query.from = 0; draw(); document.querySelector(`[data-filter="${CSS.escape(focusKey)}"]`)?.focus(); } }, kids);

  async function draw() {
    title.textContent = run.name;
    counts.replaceChildren(...Object.entries(run.counts).map(([s, n]) => filter("state", s, [stateMark(s), " " + number(n)], "state-" + s)));
    const [list] = await Promise.all([get(`api/runs/${id}/causes`), items()]);
    causes.replaceChildren(...list.map((c) => el("li", {}, filter("cause", String(c.n), [el("b", {}, number(c.items)),
      el("span", {}, c.title, el("small", {}, c.text && c.text !== c.title ? c.text : c.kind))], "cause-" + c.n))));
    if (!list.length) causes.replaceChildren(el("li", { class: "note" }, "No failures."));
  }

  async function items() {
    const n = ++asked;
    const a = await get(`api/runs/${id}/items?` + new URLSearchParams({ ...query, most: 200 }));
    if (n !== asked) return;
    body.replaceChildren(...a.items.map((i) => el("tr", {}, el("td", {}, stateMark(i.state)),
      el("td", { class: "name" }, el("a", { href: `#/runs/${id}/${i.n}`, "data-row": i.n }, i.file + (i.test ? ": " + i.test : ""))),
      el("td", { class: "name note" }, i.cause ?? "", i.causes > 1 && ` and ${i.causes - 1} more`), el("td", { class: "n" }, i.seconds ? i.seconds.toFixed(2) + " s" : ""))));
    const step = (text, from, on) => el("button", { type: "button", disabled: !on, click: () => { query.from = from; items(); } }, text);
    pages.replaceChildren(...[el("span", { class: "note", role: "status" }, a.total ? `${number(a.from + 1)} to ${number(a.from + a.items.length)} of ${number(a.total)}` : "no items"),
      a.total > a.items.length && step("previous", Math.max(a.from - 200, 0), a.from > 0), a.total > a.items.length && step("next", a.from + 200, a.from + a.items.length < a.total)].filter(Boolean));
  }

  async function update(runs) {
    const now = runs.find((r) => r.id === id);
    if (!now) throw new Error("no such run");
    if (run && now.modified === run.modified && now.total === run.total) return;
    run = now;
    await draw();
  }
  await update(await get("api/runs"));
  const node = el("section", {}, title, problems, counts, el("div", { class: "split" },
    el("section", { class: "panel" }, el("h2", {}, "Causes"), causes),
    el("section", { class: "panel" }, el("div", { class: "row" }, search, pages), el("table", {},
      el("thead", {}, el("tr", {}, ...["Result", "Item", "Cause", "Time"].map((t) => el("th", { scope: "col" }, t)))), body))));
  return {
    node,
    event: (kind, data) => kind === "runs" && update(data).then(() => problems.replaceChildren(), (err) => problems.replaceChildren(problem(err))),
    key: (e) => {
      if (e.key !== "u" || e.target.matches("input")) return false;
      location.hash = "#/runs";
      return true;
    },
  };
}
