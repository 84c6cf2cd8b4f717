// Elements and requests. All text becomes text nodes, so that no name of a report or a module is markup.

// el makes an element. Properties that are functions are listeners, others are attributes; false and null are absent.
export function el(tag, props = {}, ...kids) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (typeof v === "function") e.addEventListener(k, v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...kids.flat(Infinity).filter((x) => x != null && x !== false));
  return e;
}

// get returns the answer to a GET request.
export async function get(path, signal) {
  return answer(await fetch(path, { signal }));
}

// post returns the answer to a POST request.
export async function post(path, body, signal) {
  return answer(await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}), signal }));
}

async function answer(r) {
  if (!r.ok) throw new Error((await r.text()).trim() || r.statusText);
  return r.json();
}

// problem shows an error.
export const problem = (err) => el("p", { class: "problem", role: "alert" }, err.message ?? String(err));

// number writes a number with spaces between groups of digits.
export const number = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

// plural returns a number of things in words.
export const plural = (n, thing) => `${number(n)} ${thing}${n === 1 ? "" : "s"}`;

// typing reports whether a key belongs to a field.
export const typing = (e) => e.target.matches("input, textarea, select");
