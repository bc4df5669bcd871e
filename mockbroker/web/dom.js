// Elements, and the update of a tree of them in place.
//
// Names of topics, clients and records are hostile input: texts become text nodes and attributes,
// never markup.

/** Make an element; `on` has its handlers by event, null children are left out. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") element.handlers = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false).map((each) => (each instanceof Node ? each : String(each))));
  return element;
}

const DELEGATED = ["click", "submit", "input", "change", "keydown", "toggle", "pointerdown"];

/** Call the handlers of elements: they are fields, so that an update replaces them. */
export function delegate(root) {
  for (const type of DELEGATED)
    root.addEventListener(
      type,
      (event) => {
        for (let each = event.target; each && each !== root.parentNode; each = each.parentNode)
          if (each.handlers?.[type]) return void each.handlers[type](event, each);
      },
      type === "toggle",
    );
}

/** Make the children of an element equal to new ones; what is equal stays, with its focus. */
export function update(element, ...children) {
  const wanted = document.createDocumentFragment();
  wanted.append(...children.flat(Infinity).filter(Boolean));
  morphChildren(element, wanted);
}

function morphChildren(element, wanted) {
  // Elements that go are removed first: those after them then stay where they are, and with them
  // the focus and a selection of text.
  const keys = new Set([...wanted.children].map((child) => child.dataset.key));
  const byKey = new Map();
  for (const child of [...element.children]) {
    const { key } = child.dataset;
    if (key && !keys.has(key)) child.remove();
    else if (key) byKey.set(key, child);
  }
  let present = element.firstChild;
  for (let next = wanted.firstChild; next; ) {
    const following = next.nextSibling;
    const keyed = next.dataset?.key && byKey.get(next.dataset.key);
    if (keyed && keyed !== present) element.insertBefore(keyed, present);
    else if (keyed) present = present.nextSibling;
    const same = keyed || (present && !present.dataset?.key && !next.dataset?.key && alike(present, next) && present);
    if (same) {
      if (!keyed) present = present.nextSibling;
      morph(same, next);
    } else {
      element.insertBefore(next, present);
    }
    next = following;
  }
  while (present) {
    const gone = present;
    present = present.nextSibling;
    gone.remove();
  }
}

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName;
}

function morph(present, next) {
  if (present.nodeType === Node.TEXT_NODE) {
    if (present.data !== next.data) present.data = next.data;
    return;
  }
  if (present.isEqualNode(next)) {
    copyHandlers(present, next);
    return;
  }
  present.handlers = next.handlers;
  for (const { name } of [...present.attributes])
    if (!next.hasAttribute(name) && !(name === "open" && present.dataset.keepOpen !== undefined))
      present.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (present.getAttribute(name) !== value) present.setAttribute(name, value);
  morphChildren(present, next);
}

function copyHandlers(present, next) {
  present.handlers = next.handlers;
  for (let a = present.firstElementChild, b = next.firstElementChild; a && b; a = a.nextElementSibling, b = b.nextElementSibling)
    copyHandlers(a, b);
}
