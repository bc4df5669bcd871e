// Filters of a report's findings, and the arrow keys of its overview. The page works without it.
"use strict";
(() => {
  const textOf = (element, name) => element.querySelector(name)?.textContent ?? "";
  const found = [...document.querySelectorAll(".finding")].map((element) => ({
    element,
    number: element.id.replace("finding-", ""),
    severity: textOf(element, ".badge"),
    rule: textOf(element, ".rule"),
    partition: textOf(element, ".where"),
    producer: textOf(element, ".producer").split(" ")[0],
    "transactional id": textOf(element, ".transaction"),
    source: textOf(element, ".source"),
  }));
  const byNumber = new Map(found.map((each) => [each.number, each]));
  const marks = [...document.querySelectorAll(".mark")].map((element) => ({
    element,
    numbers: element.dataset.findings.split(" "),
    count: element.querySelector("text"),
    all: element.querySelector("text").textContent,
    row: Number(element.dataset.row),
    column: Number(element.dataset.column),
    overview: element.closest("svg"),
  }));

  // Filters

  const form = document.querySelector(".filters");
  const shown = document.querySelector(".filters output");
  const severities = ["ERROR", "WARNING", "INFO"];
  const facets = ["severity", "rule", "partition", "producer", "transactional id", "source"];
  const topicOf = (partition) => partition.replace(/-\d+$/, "");
  const inOrder = new Intl.Collator("en", { numeric: true }).compare;

  function fits(each, facet, value) {
    if (value === "") return true;
    if (value.startsWith("topic ")) return topicOf(each[facet]) === value.slice(6);
    return each[facet] === value.slice(1);
  }

  function option(value, text, count) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = `${text} (${count.toLocaleString("en")})`;
    return made;
  }

  function counted(values) {
    const counts = new Map();
    for (const value of values) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].sort(([one], [other]) => inOrder(one, other));
  }

  function selectOf(facet) {
    const values = counted(found.map((each) => each[facet]));
    if (values.length < 2) return null;
    const select = document.createElement("select");
    select.name = facet;
    select.setAttribute("aria-label", facet);
    select.append(option("", "all", found.length));
    if (facet === "partition") {
      const topics = counted(found.map((each) => topicOf(each.partition)));
      select.append(...topics.map(([name, count]) => option(`topic ${name}`, `topic ${name}`, count)));
    }
    select.append(...values.map(([value, count]) => option(`=${value}`, value, count)));
    const label = document.createElement("label");
    label.append(facet, select);
    return label;
  }

  function show() {
    const wanted = [...form.querySelectorAll("select")].map(({ name, value }) => [name, value]);
    let count = 0;
    for (const each of found) {
      each.isShown = wanted.every(([facet, value]) => fits(each, facet, value));
      each.element.hidden = !each.isShown;
      count += each.isShown;
    }
    shown.textContent = `${count.toLocaleString("en")} of ${found.length.toLocaleString("en")} findings`;
    for (const mark of marks) {
      const left = mark.numbers.filter((number) => byNumber.get(number)?.isShown ?? count === found.length);
      mark.isOff = left.length === 0;
      const worst = severities.find((name) => left.some((number) => byNumber.get(number)?.severity === name));
      mark.element.setAttribute("class", `mark ${worst ?? severities[0]}${mark.isOff ? " off" : ""}`);
      mark.count.textContent =
        left.length === mark.numbers.length ? mark.all : left.length > 1 ? left.length : "";
      if (left.length) mark.element.setAttribute("href", `#finding-${left[0]}`);
    }
    document.querySelector(".none").hidden = count > 0;
    stop(marks.find((mark) => !mark.isOff));
  }

  // Arrow keys: one mark is a stop of the tab key, and the others are beside it.

  function stop(chosen) {
    for (const mark of marks) mark.element.setAttribute("tabindex", mark === chosen ? "0" : "-1");
  }

  function beside(mark, key) {
    const others = marks.filter((each) => each !== mark && !each.isOff && each.overview === mark.overview);
    const along = (each) => (each.row - mark.row) * (key === "ArrowDown" ? 1 : -1);
    if (key === "ArrowLeft") return others.findLast((each) => marks.indexOf(each) < marks.indexOf(mark));
    if (key === "ArrowRight") return others.find((each) => marks.indexOf(each) > marks.indexOf(mark));
    const far = (each) => along(each) * 1000 + Math.abs(each.column - mark.column);
    return others.filter((each) => along(each) > 0).sort((one, other) => far(one) - far(other))[0];
  }

  document.addEventListener("keydown", (event) => {
    const mark = marks.find(({ element }) => element === document.activeElement);
    if (!mark || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const next = beside(mark, event.key);
    if (next) {
      stop(next);
      next.element.focus();
    }
  });

  // The link's target takes the focus, so that the tab key goes on from there.
  document.addEventListener("click", (event) => {
    const number = event.target.closest(".mark")?.getAttribute("href").replace("#finding-", "");
    byNumber.get(number)?.element.setAttribute("tabindex", "-1");
  });

  if (form) {
    form.prepend(...facets.map(selectOf).filter(Boolean));
    form.addEventListener("change", show);
    form.addEventListener("reset", () => setTimeout(show));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  } else {
    stop(marks[0]);
  }
})();
