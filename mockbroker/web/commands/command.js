// Commands: each shows the Python and the curl that do the same, before it runs.

import { ask, get, path } from "../api.js";
import { delegate, h, update } from "../dom.js";

/** A value in Python's notation. */
export function python(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, each]) => `${python(name)}: ${python(each)}`).join(", ")}}`;
  return JSON.stringify(value);
}

/** A call in Python, without the named arguments that were not given. */
export function call(method, given = [], named = {}) {
  const texts = Object.entries(named).filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => `${name}=${python(value)}`);
  return `${method}(${[...given.map(python), ...texts].join(", ")})`;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a command line of curl. */
export function curl({ method, where, body }, needsToken) {
  const parts = [`curl -X ${method}`];
  if (needsToken) parts.push('-H "Authorization: Bearer $MOCKBROKER_ADMIN_TOKEN"');
  if (body !== undefined) parts.push(`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`);
  const url = quoted(new URL(`api/v1${where}`, document.baseURI.replace(/#.*/, "")).href);
  return parts.length === 1 ? `${parts[0]} ${url}` : [...parts, url].join(" \\\n");
}

const session = { needs_token: false, may_command: true };

/** Ask whether commands need a token. */
export async function readSession() {
  Object.assign(session, await get("/session"));
}

/** Ask for the token, where commands need one; return whether commands are accepted now. */
async function loggedIn() {
  if (session.may_command) return true;
  return new Promise((resolve) => {
    const dialog = open("Log in", [
      h("p", {}, "Commands need the token of MOCKBROKER_ADMIN_TOKEN or, if that is not set, the one in the log of the start."),
      h("label", {}, "Token", h("input", { name: "token", type: "password", required: true, autocomplete: "current-password" })),
    ], "Log in", async (values) => {
      await ask("POST", "/session", { token: values.token });
      await readSession();
    });
    dialog.addEventListener("close", () => resolve(session.may_command));
  });
}

/** Open a dialog with a form; `run` gets its values, and an error of it stays in the dialog. */
function open(title, content, submit, run, { onInput, danger = false } = {}) {
  const form = h("form", { class: "form", method: "dialog" }, h("h2", { id: "dialog-title" }, title), content,
    h("p", { class: "refusal", role: "alert" }),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "cancel" }, "Cancel"), h("button", { class: danger ? "primary danger" : "primary" }, submit)));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  const values = () => Object.fromEntries(new FormData(form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await run(values());
      dialog.close();
    } catch (problem) {
      form.querySelector(".refusal").textContent = problem.message;
    }
  });
  const onChange = () => {
    for (const label of form.querySelectorAll("[data-when]")) show(label, values());
    onInput?.(values());
  };
  form.addEventListener("input", onChange);
  form.querySelector(".cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.getElementById("dialogs").append(dialog);
  dialog.showModal();
  onChange();
  return dialog;
}

/** Show a field while others have one of its values; a hidden one has no value itself. */
function show(label, given) {
  const isShown = Object.entries(JSON.parse(label.dataset.when)).every(([name, among]) => among.includes(given[name]));
  label.hidden = !isShown;
  for (const input of label.querySelectorAll("input, select, textarea")) input.disabled = !isShown;
}

const copied = (text) =>
  h("div", { class: "copied" }, h("pre", { tabindex: "0" }, h("code", {}, text)),
    h("button", { type: "button", class: "small", on: { click: () => navigator.clipboard?.writeText(text) } }, "Copy"));

/** A button that shows what was done to the cluster, as a scenario's file. */
export function scenario() {
  const click = async () => {
    const { scenario: document, left_out } = await get("/scenario");
    const left = left_out.length > 0 && h("p", {}, `Left out, since a file has no form for it: ${left_out.join("; ")}.`);
    const shown = copied(JSON.stringify(document, null, 2));
    delegate(shown);
    open("What was done, as a scenario", [h("p", {}, "Save it as a file that ends in .json, for mockbroker run --scenario or a test."), left, shown], "Close", async () => {});
  };
  return h("button", { type: "button", class: "small", on: { click } }, "Copy as a scenario");
}

/** A button that opens a command. `build` makes {method, where, body, python} of the form's values. */
export function command(text, { title = text, about, fields = [], submit = text, build, done, act, danger = false }) {
  const click = async () => {
    if (!(await loggedIn())) return;
    const same = h("div", { class: "same" });
    delegate(same);
    open(title, [about && h("p", {}, about), fields.filter(Boolean).map(field), same], submit,
      async (values) => {
        const request = build(values);
        const answer = await ask(request.method, request.where, request.body);
        await act(async () => answer, done ?? `${title}: done.`);
      },
      {
        danger,
        onInput: (values) => {
          const request = build(values);
          update(same,
            h("h3", { "data-key": "python-title" }, "The same in Python"), h("div", { "data-key": `python ${request.python}` }, copied(request.python)),
            h("h3", { "data-key": "curl-title" }, "The same with curl"), h("div", { "data-key": `curl ${JSON.stringify(request.body)} ${request.where}` }, copied(curl(request, session.needs_token))));
        },
      });
  };
  return h("button", { type: "button", class: danger ? "small danger" : "small", on: { click } }, text);
}

/** A field of a form, or a hint; with `when` it is shown while other fields have one of some values. */
function field({ name, label, value = "", choices, lines, type = "text", required = false, placeholder, hint, when }) {
  if (hint) return h("p", { class: "hint", "data-when": JSON.stringify(when) }, hint);
  const input = choices
    ? h("select", { name }, choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)))
    : lines
      ? h("textarea", { name, placeholder, rows: lines, spellcheck: "false" }, value)
      : h("input", { name, value, type, required, placeholder, autocomplete: "off", spellcheck: "false", step: type === "number" ? "any" : null });
  return h("label", when ? { "data-when": JSON.stringify(when) } : {}, label, input);
}

/** A button that opens a menu of further commands: `groups` are lists of them. */
export function menu(of, ...groups) {
  const click = (_event, button) => {
    const shown = groups.map((group) => group.filter(Boolean)).filter((group) => group.length);
    const items = shown.flat();
    for (const item of items) {
      item.setAttribute("role", "menuitem");
      item.setAttribute("tabindex", "-1");
    }
    const list = h("div", { class: "menu", role: "menu", "aria-label": `Commands of ${of}`, popover: "auto" },
      shown.map((group, at) => [at > 0 && h("hr", { role: "separator" }), group]));
    list.addEventListener("click", (event) => event.target.closest("button") && list.hidePopover(), true);
    list.addEventListener("keydown", (event) => moveFocus(event, items));
    list.addEventListener("toggle", ({ newState }) => newState === "closed" && list.remove());
    list.addEventListener("beforetoggle", ({ newState }) => newState === "closed" && list.contains(document.activeElement) && button.focus());
    delegate(list);
    document.querySelector("header").append(list); // a landmark; an open menu is above all others
    list.showPopover();
    place(list, button);
    items[0].focus();
  };
  return h("button", { type: "button", class: "small more", "aria-haspopup": "menu", "aria-label": `More commands of ${of}`, on: { click } }, "More…");
}

function moveFocus(event, items) {
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length).focus();
}

/** Place a menu at its button, and within the window. */
function place(list, button) {
  const [at, size] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
  const isBelow = at.bottom + size.height + 8 <= innerHeight || at.top < size.height + 8;
  list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  list.style.top = `${isBelow ? Math.min(at.bottom + 4, innerHeight - size.height - 8) : at.top - size.height - 4}px`;
}

export const post = (parts, body, code) => ({ method: "POST", where: path(parts), body, python: code });

/** The number in a field, or undefined if it is empty. */
export const numberIn = (text) => (text === undefined || text === "" ? undefined : Number(text));

/** A choice of a broker, or of the first text. */
export const brokerChoices = (ids, first, note = () => "") => [...(first ? [["", first]] : []), ...ids.map((id) => [String(id), `broker ${id}${note(id)}`])];
