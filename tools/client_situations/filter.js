"use strict";

// Returns whether a row has all chosen values. Several values of a row are separated by "|".
function isShown(facts, text, chosen) {
  return Object.entries(chosen).every(([name, value]) => {
    if (value === "") return true;
    if (name === "text") return text.toLowerCase().includes(value.toLowerCase());
    return (facts[name] ?? "").split("|").includes(value);
  });
}

// Returns the choice that a query such as "?client=Java+4.4.0" names.
function choiceOf(query, names) {
  const given = new URLSearchParams(query);
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""]));
}

// Returns the query of a choice, without what is not chosen.
function queryOf(chosen) {
  const given = Object.entries(chosen).filter(([, value]) => value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

function start() {
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll("tbody tr")];
  const names = [...form.elements].map((element) => element.name).filter(Boolean);

  const show = () => {
    const chosen = Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !isShown(row.dataset, row.textContent, chosen);
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} cells`;
    history.replaceState(null, "", `${location.pathname}${queryOf(chosen)}${location.hash}`);
  };
  const choose = () => {
    const anchor = decodeURIComponent(location.hash.slice(1));
    const row = rows.find((each) => each.id === anchor);
    const command = document.getElementById("command");
    document.getElementById("chosen").hidden = !row;
    command.textContent = row ? `${command.dataset.command} ${anchor}` : "";
    if (row) row.hidden = false;
  };

  for (const [name, value] of Object.entries(choiceOf(location.search, names))) {
    form.elements[name].value = value;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  window.addEventListener("hashchange", choose);
  show();
  choose();
}

if (typeof document === "undefined") {
  module.exports = { isShown, choiceOf, queryOf };
} else {
  start();
}
