// The stepper of a run: head, controls, sentence, graph beside lanes, tables, keys. All of it shows one turn, which is
// `turn` of the host; where the host can send, another move can be tried.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

class Stepper {
  constructor(el, host) {
    this.el = el;
    this.host = host;
    this.show = host.get("show");
    this.t = wordsOf(this.show.texts);
    this.states = new States(this.show);
    this.turn = 0;
    this.speed = 1;
    this.playing = null;
    this.undo = [];
    this.build();
    this.undo.push(listenKeys(this.root, (name) => this.key(name)));
    this.undo.push(onWidth(this.root, (width) => this.layOut(width)), onWidth(this.slots, () => this.drawSlots()));
    for (const name of ["axis", "by_time"]) {
      this.undo.push(host.on(name, () => {
        this.showAxis();
        this.lanes.draw(this.turn, this.isNarrow());
      }) || (() => {}));
    }
    this.undo.push(host.on("turn", () => this.go(host.get("turn"), true)) || (() => {}));
    this.go(host.get("turn") || 0, true);
  }

  remove() {
    this.pause();
    this.undo.forEach((undo) => undo());
    this.root.remove();
  }

  build() {
    const { show, t } = this;
    this.speaker = new Speaker();
    this.graph = new GraphPane(show, t);
    this.lanes = new LanesPane(show, t, (turn) => this.goBy(turn), () => this.speaker.say(nameOf(show, this.lanes.focus)), this.timed() ? (axis) => this.setAxis(axis) : null);
    this.showAxis();
    this.properties = new PropertiesPane(show, t);
    this.panels = new StatePanels(show, t);
    this.story = show.kind === "counterexample" && show.turns <= 400 ? new StoryPane(show, t, (turn) => this.goBy(turn)) : null;
    this.status = h("span", { class: "s-tag" });
    this.time = h("code", { class: "s-time" });
    this.sentence = h("p", { class: "s-sentence" });
    this.changes = h("p", { class: "s-changes" });
    this.note = h("p", { class: "s-quiet" });
    const judged = show.kind === "run" ? "" : h("div", { class: "s-judged" }, this.story && this.story.el, this.properties.table.el);
    const defs = drawn(`<svg class="dxp s-defs" width="0" height="0" aria-hidden="true">${show.defs}</svg>`);
    this.root = h("div", { class: "dxs", role: "group", lang: show.lang === "zh" ? "zh-Hans" : "en", "aria-label": t("stepper", { name: show.name }), tabindex: -1 },
      defs,
      h("header", { class: "s-head" },
        h("h2", null, own(show.name)), h("span", { class: "s-quiet" }, show.about), this.status, this.time, this.properties.pills),
      this.controls(),
      h("div", { class: "s-said" }, h("div", { class: "s-what", tabindex: 0, role: "group", "aria-label": t("what_happens") }, this.sentence, this.changes, this.note), this.cause()),
      h("div", { class: "s-pictures", style: this.graph.svg ? `--least:${this.graph.svg.style.minWidth}` : null }, this.graph.el, this.lanes.el),
      judged, this.panels.el, this.keys(), this.speaker.el);
    this.el.replaceChildren(this.root);
  }

  /** Whether there is another axis: where the pictures by time are, or somebody who makes them when they are asked for. */
  timed() {
    return this.show.clock && Boolean(this.show.by_time?.length || this.host.send);
  }

  setAxis(axis) {
    this.host.set("axis", axis);
    this.showAxis();
    this.lanes.draw(this.turn, this.isNarrow());
  }

  /** The lanes on the axis that is wanted, as soon as its pictures are there. */
  showAxis() {
    const times = this.show.by_time?.length ? this.show.by_time : this.host.get("by_time") || [];
    const axis = this.host.get("axis") === "time" && times.length ? "time" : "turns";
    this.lanes.setAxis(axis, axis === "time" ? times : this.show.windows);
  }

  isNarrow() {
    return this.width !== undefined && this.width < 620;
  }

  button(name, act, word) {
    const label = this.t(name);
    return h("button", { type: "button", class: `s-button s-${name}`, title: label, "aria-label": word ? null : label, onclick: act }, icon(name), word);
  }

  controls() {
    const { t, show } = this;
    this.first = this.button("first", () => this.goBy(0));
    this.previous = this.button("previous", () => this.goBy(this.turn - 1));
    this.playWord = h("span", { class: "s-word" }, t("play"));
    this.play = this.button("play", () => this.toggle(), this.playWord);
    this.next = this.button("next", () => this.goBy(this.turn + 1));
    this.last = this.button("last", () => this.goBy(show.turns));
    this.slider = h("input", { type: "range", min: 0, max: show.turns, step: 1, value: 0, "aria-label": t("slider"), oninput: () => this.goBy(Number(this.slider.value)) });
    this.slots = h("div", { class: "s-slots", "aria-hidden": "true" });
    // As wide as its longest, so that the slider stays as it is.
    this.count = h("span", { class: "s-count", style: `min-width:${t("turn_of", { n: show.turns, all: show.turns }).length * 0.6}em` });
    this.pace = h("select", { "aria-label": t("speed"), onchange: () => this.setSpeed(Number(this.pace.value)) },
      SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    const reason = this.refusal();
    this.other = h("button", { type: "button", class: "s-button s-try", title: reason || t("try"), disabled: Boolean(reason), "aria-label": t("try"), onclick: () => this.tryHere() },
      icon("branch"), h("span", { class: "s-long" }, t("try")), h("span", { class: "s-short" }, t("try_short")));
    this.moves = h("span", { class: "s-quiet s-moves" }, reason);
    return h("div", { class: "s-controls", role: "group", "aria-label": t("controls") },
      h("div", { class: "s-buttons" }, this.first, this.previous, this.play, this.next, this.last),
      h("div", { class: "s-track" }, this.slots, this.slider), this.count,
      h("label", { class: "s-speed" }, h("span", { class: "s-quiet s-word" }, t("speed")), this.pace),
      h("div", { class: "s-other" }, this.other, this.moves));
  }

  /** Why no other move can be tried; "" when it can. */
  refusal() {
    if (this.show.stays) return this.t(this.show.stays);
    return this.host.send ? "" : this.t("open_notebook");
  }

  cause() {
    const { show, t } = this;
    if (!show.cause) return "";
    if (show.cause.plain) return h("aside", { class: "s-cause" }, own(show.cause.plain));
    const { title, sentence, general, mend } = show.cause;
    const gap = t("gap");
    return h("aside", { class: "s-cause" }, h("b", { class: "s-fail" }, t("cause", { title })), gap, own(sentence), gap, own(general), gap, h("b", null, t("mend")), gap, this.mend(mend));
  }

  /** The patterns that mend it are links where the page knows where they are. */
  mend(text) {
    const links = this.host.get("links") || {};
    return text.split(/([a-z]+(?:-[a-z]+)+)/).map((part) => (links[part] ? h("a", { href: links[part] }, part) : own(part)));
  }

  keys() {
    const { t } = this;
    const key = (...names) => names.map((name) => h("kbd", null, name));
    const row = (keys, word, class_) => h("span", { class: class_ || null }, keys, " ", t(word));
    const more = [row(key("PgUp", "PgDn"), "key_ten"), row(key("+", "−"), "key_speed"), row(key("↑", "↓"), "key_lane"), row(key("Esc"), "key_close")];
    this.more = h("span", { class: "s-more", hidden: true }, more);
    this.all = h("button", { type: "button", class: "s-link", "aria-expanded": "false", onclick: () => this.toggleKeys() }, h("kbd", null, "?"), " ", t("key_all"));
    return h("footer", { class: "s-keys", "aria-label": t("keys") },
      row(key("←", "→"), "key_turn"), row([key("Shift"), key("← →")], "key_branch"), row(key("Home", "End"), "key_ends"),
      row(key(t("space")), "key_play"), row(key("T"), "key_try"), this.all, this.more);
  }

  toggleKeys(close) {
    this.more.hidden = close || !this.more.hidden;
    this.all.setAttribute("aria-expanded", String(!this.more.hidden));
  }

  key(name) {
    const turns = this.show.turns;
    const acts = {
      ArrowLeft: () => this.goBy(this.turn - 1),
      ArrowRight: () => this.goBy(this.turn + 1),
      "Shift+ArrowLeft": () => this.follow(-1),
      "Shift+ArrowRight": () => this.follow(1),
      PageUp: () => this.goBy(this.turn - 10),
      PageDown: () => this.goBy(this.turn + 10),
      Home: () => this.goBy(0),
      End: () => this.goBy(turns),
      " ": () => this.toggle(),
      "+": () => this.hurry(1),
      "=": () => this.hurry(1),
      "-": () => this.hurry(-1),
      t: () => this.tryHere(),
      "?": () => this.toggleKeys(),
      Escape: () => (this.more.hidden ? false : this.toggleKeys(true)),
      ArrowUp: () => (this.inLanes() ? this.lanes.move(-1) : false),
      ArrowDown: () => (this.inLanes() ? this.lanes.move(1) : false),
    };
    return name in acts ? acts[name]() : false;
  }

  inLanes() {
    return this.lanes.box.contains(document.activeElement);
  }

  /** To the next turn of the branch in focus, or the one before. */
  follow(by) {
    const lane = this.lanes.lane(this.turn);
    for (let turn = this.turn + by; turn >= 1 && turn <= this.show.turns; turn += by) {
      if (this.show.told[turn - 1][0] === lane) return this.goBy(turn);
    }
    return undefined;
  }

  /** A person goes there: playing ends. */
  goBy(turn) {
    this.pause();
    this.go(turn);
  }

  go(turn, heard) {
    turn = Math.max(0, Math.min(this.show.turns, turn || 0));
    if (turn === this.turn && this.state) return;
    this.turn = turn;
    if (!heard) this.host.set("turn", turn);
    this.draw();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.start();
  }

  start() {
    if (this.turn >= this.show.turns) this.go(0);
    this.speaker.silent = true;
    this.showPlaying(true);
    this.tick();
  }

  tick() {
    this.playing = setTimeout(() => {
      if (!this.root.isConnected) return;
      this.go(this.turn + 1);
      if (this.turn >= this.show.turns) this.pause();
      else this.tick();
    }, 1000 / this.speed);
  }

  pause() {
    if (!this.playing) return;
    clearTimeout(this.playing);
    this.playing = null;
    this.speaker.silent = false;
    this.showPlaying(false);
    this.speak();
  }

  showPlaying(on) {
    this.play.firstChild.replaceWith(icon(on ? "pause" : "play"));
    this.playWord.textContent = this.t(on ? "pause" : "play");
    this.play.title = this.t(on ? "pause" : "play");
  }

  setSpeed(speed) {
    this.speed = speed;
    this.pace.value = String(speed);
  }

  hurry(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    if (SPEEDS[at]) this.setSpeed(SPEEDS[at]);
  }

  tryHere() {
    if (this.refusal()) return;
    this.pause();
    this.host.send({ do: "try", turn: this.turn });
  }

  layOut(width) {
    const before = this.width;
    this.width = width;
    this.root.classList.toggle("s-narrow", width < 868);
    this.root.classList.toggle("s-middle", width >= 868 && width < 1068);
    if (before === undefined || Math.round(before) !== Math.round(width)) {
      if (this.state) this.lanes.draw(this.turn, this.isNarrow());
    }
  }

  /** The marks above the slider, no two nearer than they are wide. */
  drawSlots() {
    const { show } = this;
    const room = Math.max(this.slots.clientWidth - 14, 60);
    const free = {};
    const made = [];
    const rank = { over: 0, fail: 1, token: 2 };
    for (const [turn, kind] of [...show.marks].sort((a, b) => rank[a[1]] - rank[b[1]] || a[0] - b[0])) {
      const x = 7 + (room * turn) / Math.max(show.turns, 1);
      if (x < (free[kind] ?? -20) + 9) continue;
      free[kind] = x;
      made.push(slot(kind, x));
    }
    const pictures = s("svg", { class: "dxp", width: room + 14, height: 16 }, made);
    this.slots.replaceChildren(pictures);
  }

  draw() {
    const { show, t, turn } = this;
    this.state = this.states.at(turn);
    const rows = rowsOf(show, this.state);
    this.drawHead();
    this.drawSentence();
    this.graph.draw(turn, this.state, rows);
    this.lanes.draw(turn, this.isNarrow());
    this.properties.draw(turn);
    this.panels.draw(turn, this.state, rows, this.states);
    if (this.story) this.story.draw(turn);
    this.speak();
  }

  drawHead() {
    const { show, t, turn } = this;
    const status = this.state.s;
    this.status.textContent = status === "RUNNING" ? t("running") : status;
    this.time.textContent = show.clock ? duration(turn ? show.times[turn - 1] : 0) : "";
    this.count.replaceChildren(...fillWith(t("turn_of"), { n: h("b", null, turn), all: show.turns }));
    this.slider.value = turn;
    this.slider.style.setProperty("--done", `${(100 * turn) / Math.max(show.turns, 1)}%`);
    this.slider.setAttribute("aria-valuetext", turn ? t("turn_said", { n: turn, all: show.turns, what: show.told[turn - 1][2] }) : t("at_start"));
    // A button that has the focus keeps it: it says that it is disabled, and does nothing.
    for (const [one, off] of [[this.first, turn === 0], [this.previous, turn === 0], [this.next, turn === show.turns], [this.last, turn === show.turns]]) {
      one.setAttribute("aria-disabled", String(off));
    }
    if (this.refusal()) return;
    const n = show.moves[turn];
    this.moves.textContent = t(n === 0 ? "moves_none" : n === 1 ? "moves_one" : "moves_n", { n });
    this.other.disabled = n === 0;
  }

  drawSentence() {
    const { show, t, turn } = this;
    if (!turn) {
      this.sentence.replaceChildren(own(show.name), t("colon"), t("at_start"));
      this.changes.replaceChildren();
      this.note.textContent = "";
      return;
    }
    const [lane, who, sentence, , , changes, note, step] = show.told[turn - 1];
    this.sentence.replaceChildren(badge(show.lanes[lane], "running", 0), ...this.tell(lane, who, step, sentence));
    this.changes.replaceChildren(...changes.slice(0, 4).map(([name, old, new_, more]) => h("span", null, own(name), " ", old ? [h("code", { class: "s-old", title: old }, own(old)), " → "] : " = ", h("code", { class: "s-new", title: new_ }, own(new_)), more)));
    this.note.textContent = note;
  }

  /** The sentence with the names of its branch and Step in bold, and other branches' badges before theirs. */
  tell(lane, who, step, sentence) {
    if (!who || !sentence.startsWith(who)) return this.named(lane, sentence);
    const rest = sentence.slice(who.length);
    const colon = (rest.match(/^(: |：)/) || [""])[0];
    const does = rest.slice(colon.length);
    const bold = step && does.startsWith(step) ? [h("b", null, own(step))] : [];
    return [h("b", null, own(who)), colon, ...bold, ...this.named(lane, bold.length ? does.slice(step.length) : does)];
  }

  named(lane, text) {
    const others = new Map(this.show.lanes.map((one, place) => [one[0], place]));
    others.delete(this.show.lanes[lane]?.[0]);
    const names = [...others.keys()].filter((name) => name.length > 2 && text.includes(name)).sort((a, b) => b.length - a.length);
    if (!names.length || names.length > 8) return [own(text)];
    const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    return text.split(new RegExp(`(?<![\\w-])(${pattern})(?![\\w-])`)).map((part) =>
      others.has(part) ? h("span", { class: "s-who" }, badge(this.show.lanes[others.get(part)], "running", 0), h("b", null, own(part))) : part);
  }

  speak() {
    const { show, t, turn } = this;
    if (!turn) return this.speaker.say(t("at_start"));
    const [, , sentence, , , changes, note] = show.told[turn - 1];
    return this.speaker.say([t("turn_of", { n: turn, all: show.turns }), sentence, ...changes.slice(0, 4).map((change) => changeText(change).join("")), note].filter((part) => part).join(" "));
  }
}

/** Virtual seconds for people: as `views.texts.duration` writes them. */
function duration(seconds) {
  if (seconds < 120) return `${seconds.toFixed(seconds < 1 ? 2 : 1).replace(/\.?0+$/, "")} s`;
  const whole = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  const days = Math.floor(whole / 86400);
  return `${days ? `${days} d ` : ""}${Math.floor((whole % 86400) / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

function slot(kind, x) {
  if (kind === "token") return s("circle", { cx: x, cy: 8, r: 4, class: "c" });
  if (kind === "fail") return s("path", { d: `M${x - 4} 4l8 8m0 -8l-8 8`, class: "e" });
  return s("path", { d: `M${x - 2.5} 2h5l3.5 3.5v5l-3.5 3.5h-5l-3.5 -3.5v-5z`, class: "s-octagon" });
}

/** The whole stepper of a run in an element; gives the function that takes it away. */
function mountStepper(el, host) {
  let shown = null;
  let off = null;
  const draw = () => {
    if (off) off();
    shown = null;
    const seat = host.get("seat");
    if (seat) {
      el.classList.add("s-seated");
      off = mountSeat(el, host) || null;
      return;
    }
    el.classList.remove("s-seated");
    shown = new Stepper(el, host);
    off = () => shown && shown.remove();
  };
  draw();
  const was = { seat: Boolean(host.get("seat")), inside: false };
  // What had the focus may be gone before the seat is: it was here if nothing else has taken it since.
  const heed = (event) => (was.inside = el.contains(event.target));
  document.addEventListener("focusin", heed);
  const undo = [
    host.on("seat", () => {
      const is = Boolean(host.get("seat"));
      if (is === was.seat) return;
      was.seat = is;
      // Who came by the keyboard goes on with it.
      const focused = was.inside || el.contains(document.activeElement);
      draw();
      if (focused && !el.contains(document.activeElement)) el.querySelector(".dxs")?.focus({ preventScroll: true });
    }),
    host.on("show", draw),
    () => document.removeEventListener("focusin", heed),
  ];
  return () => {
    undo.forEach((one) => one && one());
    if (off) off();
  };
}
