// A timeline of the server, with zoom, pan and clicks.

import { h } from "./dom.js";
import { number } from "./text.js";

/** Turn SVG of our server, which has escaped all texts, into an element. */
export function picture(svg) {
  const drawn = new DOMParser().parseFromString(svg, "text/html").body.firstElementChild;
  return document.importNode(drawn, true);
}

/** The view of `from` and `to` after a step: `in`, `out`, `left`, `right` or `all`. */
export function moved(view, step, log) {
  const from = view.first_offset ?? log.log_start_offset;
  const to = view.end_offset ?? log.log_end_offset;
  const size = Math.max(1, to - from);
  const steps = {
    in: [from + Math.floor(size / 4), to - Math.floor(size / 4)],
    out: [from - Math.ceil(size / 2), to + Math.ceil(size / 2)],
    left: [from - Math.ceil(size / 2), to - Math.ceil(size / 2)],
    right: [from + Math.ceil(size / 2), to + Math.ceil(size / 2)],
  };
  if (!steps[step]) return {};
  let [first, end] = steps[step];
  if (first < log.log_start_offset) [first, end] = [log.log_start_offset, Math.max(end, log.log_start_offset + size)];
  if (end > log.log_end_offset) [first, end] = [Math.min(first, Math.max(log.log_start_offset, log.log_end_offset - size)), log.log_end_offset];
  return { from: first, to: Math.max(end, first + 1) };
}

const STEPS = [
  ["left", "←", "Earlier offsets"],
  ["in", "+", "Zoom in"],
  ["out", "−", "Zoom out"],
  ["right", "→", "Later offsets"],
  ["all", "Overview", "The whole partition"],
];
const KEYS = { ArrowLeft: "left", ArrowRight: "right", "+": "in", "=": "in", "-": "out", 0: "all" };

/** A picture without zoom, in a frame that scrolls to its end. */
export const still = (label, svg) =>
  h("div", { class: "picture", tabindex: "0", role: "group", "aria-label": `${label}: timeline`, "data-follows-end": true }, picture(svg));

/** Keep the names of lanes in view while the cells of a picture scroll. */
export const keepNames = (root) =>
  root.addEventListener("scroll", ({ target }) => target.classList.contains("picture") && moveNames(target), true);

const moveNames = (frame) => frame.firstElementChild?.style.setProperty("--scrolled", `${frame.scrollLeft}px`);

/** Run an update; pictures that show their end, and new ones, show it afterwards. */
export function followingEnds(root, run) {
  const all = () => [...root.querySelectorAll("[data-follows-end]")];
  const moved = new Set(all().filter((each) => each.scrollLeft + each.clientWidth < each.scrollWidth - 4));
  run();
  for (const each of all()) if (!moved.has(each)) each.scrollLeft = each.scrollWidth;
  for (const each of root.querySelectorAll(".picture")) moveNames(each);
}

/** A picture in a frame that scrolls; `move` is called with a step, `open` with offsets. */
export function timeline(label, view, { move, open }) {
  const on = {
    click: (event) => {
      const cell = event.target.closest("[data-first-offset]");
      if (cell) open(Number(cell.dataset.firstOffset), Number(cell.dataset.lastOffset), cell.classList.contains("folded"));
    },
    keydown: (event) => {
      if (!KEYS[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(KEYS[event.key]);
    },
  };
  const beyond = [view.before && `${number(view.before)} batches before`, view.after && `${number(view.after)} after`].filter(Boolean).join(", ");
  return [
    view.first_offset !== null && h("div", { class: "zoom", role: "toolbar", "aria-label": `${label}: zoom` },
      STEPS.map(([step, text, title]) => h("button", { type: "button", class: "small", title, "aria-label": title, on: { click: () => move(step) } }, text)),
      h("span", { class: "muted" }, `offsets ${number(view.first_offset)} to ${number(view.end_offset - 1)}`, beyond && ` · ${beyond}`)),
    h("div", { class: "picture", tabindex: "0", role: "group", "aria-label": `${label}: timeline. Arrow keys move, plus and minus zoom`, on }, picture(view.svg)),
  ];
}
