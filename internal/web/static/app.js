// The page: its views, its keys, its events.
import { el, get, problem, typing } from "./dom.js";
import { runsView, runView } from "./runs.js";
import { itemView } from "./item.js";
import { picturesView } from "./pictures.js";
import { fleetView } from "./fleet.js";
import { playView } from "./play.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
let view = null; // {node, event?, key?, close?}
let shown = 0; // the number of the last navigation

// state is what the events say, for views that open later.
const state = { runs: null, fleet: null, about: {} };

const routes = [
  [/^#\/runs\/(\w+)\/(\d+)$/, (run, n) => itemView(run, Number(n))],
  [/^#\/runs\/(\w+)$/, (run) => runView(run)],
  [/^#\/pictures$/, () => picturesView()],
  [/^#\/fleet$/, () => fleetView(state)],
  [/^#\/play$/, () => playView()],
  [/^/, () => runsView(state)],
];

// show opens the view of the address.
async function show() {
  const hash = location.hash || "#/runs", n = ++shown;
  if (!hash.startsWith("#/")) return; // a place in the page
  view?.close?.();
  view = null;
  for (const a of document.querySelectorAll("nav a")) {
    if (hash.startsWith(a.getAttribute("href"))) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  const [pattern, open] = routes.find(([p]) => p.test(hash));
  let next;
  try {
    next = await open(...hash.match(pattern).slice(1));
  } catch (err) {
    next = { node: problem(err) };
  }
  if (n !== shown) return next.close?.();
  view = next;
  main.replaceChildren(view.node);
  document.title = (main.querySelector("h1")?.textContent ?? "Chiaro") + " – Chiaro";
  if (view.focus) view.focus();
  else main.focus({ preventScroll: true });
}

// listen follows the events while the page is visible. A browser has few connections to a server, and hidden tabs must not hold
// them. It connects again by itself.
let source = null;
function listen() {
  source?.close();
  source = null;
  live.textContent = "connecting";
  live.classList.remove("on");
  if (document.visibilityState === "hidden") return;
  source = new EventSource("api/events");
  source.onopen = () => { live.textContent = "live"; live.classList.add("on"); };
  source.onerror = () => { live.textContent = "not connected"; live.classList.remove("on"); };
  for (const kind of ["runs", "fleet"]) {
    source.addEventListener(kind, (e) => {
      state[kind] = JSON.parse(e.data);
      view?.event?.(kind, state[kind]);
    });
  }
}

// theme goes to the next choice of colors, or sets the stored one.
function theme(next) {
  const all = ["auto", "light", "dark"];
  let now = localStorage.getItem("theme") ?? "auto";
  if (next) now = all[(all.indexOf(now) + 1) % all.length];
  localStorage.setItem("theme", now);
  if (now === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
  document.getElementById("theme").textContent = now;
}

// move focuses the next or the previous row of a list.
function move(by) {
  const rows = [...main.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const now = rows.indexOf(document.activeElement);
  rows[Math.min(Math.max(now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by, 0), rows.length - 1)].focus();
}

const keys = document.getElementById("keys");
addEventListener("keydown", (e) => {
  if (keys.open) return;
  if (view?.key?.(e)) return e.preventDefault();
  if (typing(e) || e.ctrlKey || e.metaKey || e.altKey) return;
  const link = document.querySelector(`nav a[data-key="${CSS.escape(e.key)}"]`);
  const search = main.querySelector("[type=search]");
  if (link) location.hash = link.getAttribute("href");
  else if (e.key === "?") keys.showModal();
  else if (e.key === "t") theme(true);
  else if (e.key === "j") move(1);
  else if (e.key === "k") move(-1);
  else if (e.key === "/" && search) search.focus();
  else return;
  e.preventDefault();
});
document.getElementById("theme").addEventListener("click", () => theme(true));
document.getElementById("help").addEventListener("click", () => keys.showModal());
addEventListener("hashchange", show);
let started = false;
document.addEventListener("visibilitychange", () => started && listen());

theme(false);
get("api/about").then((about) => {
  state.about = about;
  document.querySelector(".brand").title = about.version;
  if (!about.fleet) document.querySelector('nav a[href="#/fleet"]').hidden = true;
  show();
  started = true;
  listen();
}, (err) => main.replaceChildren(problem(err), el("p", {}, "The server has ended.")));
