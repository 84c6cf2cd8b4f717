// Pictures of the folder, and the difference of two.
import { el, get, problem } from "./dom.js";

const gap = 8; // pixels between the parts of the picture of a difference

// montage shows the picture of a difference: the expected picture, the pixels that differ, the result.
export function montage(src) {
  const parts = ["expected", "difference", "result"].map((name) => ({ name, canvas: el("canvas", { width: 1, height: 1, role: "img", "aria-label": name }) }));
  const trio = el("div", { class: "trio" }, parts.map((p) => el("figure", {}, p.canvas, el("figcaption", {}, p.name))));
  const mixed = el("canvas", { role: "img", "aria-label": "expected and result" });
  const one = el("div", { class: "trio one", hidden: true }, el("figure", {}, mixed, el("figcaption", {}, "left of the slider: expected; right of it: the result")));
  const slider = el("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": "Border of expected and result", input: () => mix(slider.value / 100), hidden: true });
  const box = el("div");
  let size = null, blink = 0;

  const mix = (at) => {
    if (!size) return;
    const c = mixed.getContext("2d"), x = Math.round(at * size.w);
    c.clearRect(0, 0, size.w, size.h);
    c.drawImage(parts[0].canvas, 0, 0, x, size.h, 0, 0, x, size.h);
    c.drawImage(parts[2].canvas, x, 0, size.w - x, size.h, x, 0, size.w - x, size.h);
  };
  const modes = ["side by side", "slider", "blink"].map((name) => el("button", { type: "button", "aria-pressed": String(name === "side by side"), click: () => mode(name) }, name));
  function mode(name) {
    clearInterval(blink);
    modes.forEach((b) => b.setAttribute("aria-pressed", String(b.textContent === name)));
    trio.hidden = name !== "side by side";
    one.hidden = name === "side by side";
    slider.hidden = name !== "slider";
    trio.style.display = trio.hidden ? "none" : "";
    one.style.display = one.hidden ? "none" : "";
    if (name === "slider") mix(slider.value / 100);
    if (name === "blink") {
      let on = 0;
      mix(1);
      blink = setInterval(() => (box.isConnected ? mix((on = 1 - on)) : clearInterval(blink)), 600);
    }
  }
  const image = new Image();
  image.onload = () => {
    size = { w: Math.floor((image.naturalWidth - 2 * gap) / 3), h: image.naturalHeight };
    if (size.w < 1) return box.replaceChildren(problem(new Error("no picture of a difference")));
    for (const [i, p] of parts.entries()) {
      p.canvas.width = size.w;
      p.canvas.height = size.h;
      p.canvas.getContext("2d").drawImage(image, i * (size.w + gap), 0, size.w, size.h, 0, 0, size.w, size.h);
    }
    mixed.width = size.w;
    mixed.height = size.h;
    box.dataset.ready = "";
  };
  image.onerror = () => box.replaceChildren(problem(new Error("The picture cannot be read.")));
  image.src = src;
  mode("side by side");
  box.append(el("div", { class: "row", role: "group", "aria-label": "Comparison" }, modes, slider), trio, one);
  return box;
}

// picturesView lists the pictures and compares two.
export async function picturesView() {
  const list = await get("api/pictures");
  const said = el("p", { role: "status" }), result = el("div");
  const choose = (label) => el("select", { "aria-label": label, change: compare }, el("option", { value: "" }, label), list.map((p) => el("option", { value: p.id }, p.name)));
  const want = choose("expected"), got = choose("result");

  async function compare() {
    result.replaceChildren();
    said.textContent = "";
    if (!want.value || !got.value) return;
    const query = new URLSearchParams({ want: want.value, got: got.value });
    try {
      said.textContent = (await get("api/compare?" + query)).text;
      result.replaceChildren(montage("api/compare/picture?" + query));
    } catch (err) {
      result.replaceChildren(problem(err));
    }
  }
  const pick = (p) => {
    if (!want.value || got.value) { want.value = p.id; got.value = ""; } else got.value = p.id;
    compare();
  };
  const node = el("section", {}, el("h1", {}, "Pictures"),
    list.length ? el("div", { class: "row" }, want, got, el("span", { class: "note" }, "or choose two pictures below")) : el("p", { class: "note" }, "The folder has no pictures (*.png)."),
    said, result, el("div", { class: "columns thumbs" }, list.map((p) => el("figure", { class: "panel" },
      el("button", { type: "button", "data-row": p.id, click: () => pick(p) }, el("img", { class: "picture", src: "api/pictures/" + p.id, alt: "", loading: "lazy" })), el("figcaption", {}, p.name)))));
  return { node };
}
