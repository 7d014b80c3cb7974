// What every part of the front end stands on: building elements from text, the words of a show, the state of a run at
// a turn, badges, keys, and what is said to a screen reader. Text of people's is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; a function as attribute listens, null and false leave the attribute out. */
function h(tag, attrs, ...children) {
  return furnish(document.createElement(tag), attrs, children);
}

/** An SVG element, in the same way. */
function s(tag, attrs, ...children) {
  return furnish(document.createElementNS(SVG, tag), attrs, children);
}

function furnish(made, attrs, children) {
  for (const [name, value] of Object.entries(attrs || {})) {
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A name or value of people's: what is read from right to left stays inside. */
function own(text, class_) {
  return h("bdi", { class: class_ || null }, text);
}

/** Markup that Python made and escaped: the SVG of graph and lanes, and samples of the legend. */
function drawn(markup) {
  const box = document.createElement("template");
  box.innerHTML = markup;
  return box.content;
}

/** The words of a show: `t("turn_of", {n: 3, all: 8})`. */
function wordsOf(texts) {
  return (key, fields) => fill(texts[key] ?? key, fields);
}

function fill(text, fields) {
  return fields ? text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole)) : text;
}

/** The same, with elements in the places of the fields. */
function fillWith(text, fields) {
  return text.split(/(\{\w+\})/).map((part) => fields[part.slice(1, -1)] ?? part);
}

const ICONS = {
  first: "M3 3v10M13 3v10L5.5 8z",
  previous: "M11.5 3v10L4 8z",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4.5 3v10L12 8z",
  last: "M13 3v10M3 3v10L10.5 8z",
  branch: "M4 13V3M4 10c0-4 7-2 7-6M4 3L2.2 5.6M4 3l1.8 2.6M11 4L9 6.4M11 4l2.2 2.2",
};

function icon(name) {
  const line = name === "branch" ? "s-line" : "s-solid";
  return s("svg", { class: `s-icon ${line}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

const MARKS = {
  holds: () => [ring(), s("path", { d: "M4.8 8.2l2.2 2.3 4.2-4.6" })],
  PROVED: () => [s("rect", { x: 2, y: 2, width: 12, height: 12, rx: 2, class: "s-full" }), s("path", { d: "M4.8 8.2l2.2 2.3 4.2-4.6", class: "s-cut" })],
  BOUNDED: () => [s("rect", { x: 2, y: 2, width: 12, height: 12, rx: 2 }), s("rect", { x: 2, y: 8, width: 12, height: 6, class: "s-full" })],
  REFUTED: () => [s("path", { d: "M5.5 1.5h5l4 4v5l-4 4h-5l-4-4v-5z", class: "s-full" }), s("path", { d: "M5.7 5.7l4.6 4.6m0-4.6l-4.6 4.6", class: "s-cut" })],
  none: () => [s("circle", { cx: 8, cy: 8, r: 6.2, "stroke-dasharray": "2.4 1.9" })],
};

function ring() {
  return s("circle", { cx: 8, cy: 8, r: 6.2 });
}

/** What is known of a property, told by shape: ring with tick, filled or half-filled square, octagon, dashed ring. */
function verdictMark(kind) {
  return s("svg", { class: `s-mark s-${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, MARKS[kind]());
}

// Badges: the shape says the branch, its border the phase, as in the pictures that Python draws.

const LOOKS = { running: ["k", "g"], queued: ["line", "ink"], waiting: ["wait", "ink"], retrying: ["ring", "ink"], ended: ["k", "g"], failed: ["bad", "ink"], coming: ["line", "ink"] };
const HEXAGON = [[-1.1, 0], [-0.55, -0.95], [0.55, -0.95], [1.1, 0], [0.55, 0.95], [-0.55, 0.95]];

function corners(points) {
  return points.map((point) => point.join(",")).join(" ");
}

function badgeShape(x, y, label, family, kind) {
  const r = label.length < 3 ? 10 : 12.5;
  if (family === "s" || label.length > 3) {
    const half = Math.max(11, 3.6 * label.length + 4);
    return s("rect", { x: x - half, y: y - 8, width: 2 * half, height: 16, rx: 8, class: kind });
  }
  if (family === "a") return s("circle", { cx: x, cy: y, r, class: kind });
  if (family === "b") return s("rect", { x: x - r + 1, y: y - r + 1, width: 2 * r - 2, height: 2 * r - 2, rx: 2.5, class: kind });
  const points = family === "c" ? [[x - r - 2, y], [x, y - r - 2], [x + r + 2, y], [x, y + r + 2]] : HEXAGON.map(([dx, dy]) => [x + dx * r, y + dy * r]);
  return s("polygon", { points: corners(points), class: kind });
}

/** A padlock: held, or as an outline the wish for it. */
function padlock(x, y, held) {
  return s("g", { class: held ? "lock held" : "lock" }, s("rect", { x, y: y + 5, width: 11, height: 8.5, rx: 1.5 }), s("path", { d: `M${x + 2.5} ${y + 5}v-2a3 3 0 0 1 6 0v2` }));
}

/** The badge of a lane, around a middle point in a picture; of tokens that it holds there are discs, of locks a padlock. */
function badgeAt(lane, phase, x, y, tokens, tip, locks) {
  const [, label, family] = lane;
  const [kind, ink] = LOOKS[phase] || LOOKS.running;
  const made = s("g", { class: `f${family} at ${phase}` });
  if (tip) made.append(s("title", null, tip));
  made.append(badgeShape(x, y, label, family, kind));
  if (phase === "retrying") made.append(badgeShape(x, y, label, family, "hatch"));
  const small = label.length > 2 ? "font-size:10px" : null;
  made.append(s("text", { x, y: y + 4, class: ink, "text-anchor": "middle", style: small }, label));
  for (let i = 0; i < Math.min(tokens, 3); i++) made.append(s("circle", { cx: x + 9 + 6 * i, cy: y - 9, r: 4.6, class: "c" }));
  if (phase === "failed") made.append(s("path", { d: `M${x - 12.4} ${y - 12.4}l6.8 6.8m0 -6.8l-6.8 6.8`, class: "z" }));
  if (locks) made.append(s("g", { transform: `translate(${x + 5} ${y - 15}) scale(.8)` }, padlock(0, 0, true)));
  return made;
}

/** The badge alone, for tables and sentences. */
function badge(lane, phase, tokens) {
  if (!lane) return "";
  const wide = lane[2] === "s" || lane[1].length > 2 ? Math.max(30, 7.2 * lane[1].length + 14) : 30;
  return s("svg", { class: "dxp dxg s-badge", width: wide, height: 28, viewBox: `${-wide / 2} -14 ${wide} 28`, "aria-hidden": "true" }, badgeAt(lane, phase || "running", 0, 0, tokens || 0, ""));
}

function disc() {
  return s("svg", { class: "dxp s-disc", width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" }, s("circle", { cx: 9, cy: 9, r: 7, class: "c" }));
}

// The state of a run at a turn: a keyframe, and what each turn changes.

const KEYFRAMES = 64;

class States {
  constructor(show) {
    this.show = show;
    this.frames = [{ ...show.start }];
    let state = show.start;
    for (let turn = 1; turn <= show.turns; turn++) {
      if (turn % KEYFRAMES === 1) state = { ...state };
      Object.assign(state, show.deltas[turn - 1]);
      if (turn % KEYFRAMES === 0) this.frames.push({ ...state });
    }
    this.turn = 0;
    this.now = { ...this.frames[0] };
  }

  /** The state after a turn, as {key: value}; not to be kept. */
  at(turn) {
    const frame = Math.floor(turn / KEYFRAMES);
    if (turn < this.turn || frame * KEYFRAMES > this.turn) {
      this.turn = frame * KEYFRAMES;
      this.now = { ...this.frames[frame] };
    }
    while (this.turn < turn) Object.assign(this.now, this.show.deltas[this.turn++]);
    return this.now;
  }

  /** Whether this turn changed a key. */
  changed(turn, key) {
    return turn > 0 && key in this.show.deltas[turn - 1];
  }
}

/** The rows of the lanes that have begun, in order; what an order holds and waits for are locks, not tokens. */
function rowsOf(show, state) {
  const rows = [];
  show.lanes.forEach((lane, place) => {
    const row = state[`b/${place}`];
    if (!row) return;
    const [step, method, phase, held, wait, waits, node] = row;
    const of = show.machine === "js7" ? { tokens: [], channels: [], locks: held } : { tokens: held, channels: waits, locks: [] };
    rows.push({ lane, place, step, method, phase, wait, node, ...of });
  });
  return rows;
}

// Keys: only while the focus is inside, never in a text field; what was used is seen by nobody else.

const TYPING = "textarea, select, [contenteditable]:not([contenteditable=false]), input:not([type=range]):not([type=checkbox]):not([type=radio])";

/** Listen while the focus is in `root`; `act(name, event)` gives false for a key that it does not use. */
function listenKeys(root, act) {
  const hear = (event) => {
    if (!root.contains(event.target) || event.defaultPrevented || event.isComposing) return;
    if (event.target.closest(TYPING)) {
      if (event.target.closest("select")) event.stopImmediatePropagation(); // a notebook takes it for no text field
      return;
    }
    const pressed = event.key === " " || event.key === "Enter";
    if (pressed && !event.shiftKey && event.target.closest("button, a, summary")) {
      event.stopImmediatePropagation(); // it presses what has the focus, and nothing around it
      return;
    }
    if (act(keyName(event), event) === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Before anything of the page: a notebook binds Space, Enter and letters on its document.
  window.addEventListener("keydown", hear, true);
  return () => window.removeEventListener("keydown", hear, true);
}

/** Such as "ArrowLeft", "Shift+ArrowLeft", "Ctrl+z", "t". */
function keyName(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key));
  return (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + (event.altKey ? "Alt+" : "") + (shift ? "Shift+" : "") + key;
}

/** A polite live region: what is said last, and nothing while it is silent. */
class Speaker {
  constructor() {
    this.el = h("div", { class: "s-unseen", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    this.silent = false;
  }

  say(text) {
    if (!this.silent && this.el.textContent !== text) this.el.textContent = text;
  }
}

/** Call back with the width of an element, now and whenever it changes. */
function onWidth(el, call) {
  const watch = new ResizeObserver((entries) => call(entries[0].contentRect.width));
  watch.observe(el);
  return () => watch.disconnect();
}

let shows = 0;
/** A new id in this page. */
function newId() {
  return `dxs${++shows}`;
}
