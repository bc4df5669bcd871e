// Parts of which views are made: cards, tables, badges.

import { h } from "./dom.js";
import { tone } from "./text.js";

export const link = (parts, text, attributes = {}) =>
  h("a", { href: `#/${parts.map(encodeURIComponent).join("/")}`, ...attributes }, text);

export const badge = (text, kind = tone(text)) => h("span", { class: `badge ${kind}` }, text);

export const code = (text) => h("code", { class: "name" }, text);

/** The title of a view, with a text below it, and with commands at its right. */
export const title = (heading, about, commands) =>
  h("div", { class: "title", "data-key": "title" }, h("div", {}, h("h1", {}, heading), h("p", {}, about)),
    commands && h("div", { class: "buttons", role: "group", "aria-label": "Commands" }, commands));

/** A card with a heading; `more` stands at the right of the heading. */
export function card(title, id, more, ...children) {
  return h("section", { class: "card", "aria-labelledby": `${id}-title`, "data-key": id, id },
    h("div", { class: "card-head" }, h("h2", { id: `${id}-title` }, title), more), children);
}

/** A table; columns are [heading, class]. Rows are [key, class, cells]. */
export function table(label, columns, rows, empty) {
  if (rows.length === 0) return h("p", { class: "empty", "data-key": `${label}-empty` }, empty);
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${label}, table`, "data-key": label },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))),
      h("tbody", {}, rows.map(([key, kind, cells]) =>
        h("tr", { class: kind, "data-key": key },
          cells.map((cell, at) => h(at === 0 ? "th" : "td", { class: columns[at][1], scope: at === 0 ? "row" : null }, cell)))))));
}

/** Pairs of a name and a value. */
export const facts = (pairs) =>
  h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
