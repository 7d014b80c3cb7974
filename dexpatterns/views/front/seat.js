// The scheduler's seat: the moves of a machine as buttons, what they did so far, and what may break from here. What is
// shown comes from Python whole after each move; here it is drawn, and what a person does is sent back.

const SEAT_MARKS = { holds: "holds", proved: "PROVED", broken: "REFUTED", open: "none" };
const SEAT_KEYED = 9; // so many moves have a key of their own
const SEAT_NEXT = 56; // the widest column that asks what comes next
const SEAT_PATH = 202; // the width of the list of moves, and its gap

class SeatPane {
  constructor(el, host) {
    this.host = host;
    this.filter = "";
    this.build(host.get("seat"));
    el.replaceChildren(this.root);
    this.undo = [listenKeys(this.root, (name) => this.key(name)), onWidth(this.root, (width) => this.layOut(width))];
    this.undo.push(host.on("seat", () => host.get("seat") && this.draw()) || (() => {}));
    this.draw();
    // Whoever came here by a key goes on with keys; what has the focus elsewhere keeps it.
    if (document.activeElement === document.body) this.root.focus({ preventScroll: true });
  }

  remove() {
    this.undo.forEach((undo) => undo());
    this.root.remove();
  }

  build(view) {
    const t = (this.t = wordsOf(view.texts));
    this.speaker = new Speaker();
    this.about = h("span", { class: "s-quiet" });
    this.pills = h("div", { class: "s-pills" });
    this.undoButton = this.button(() => this.send("undo"), undoIcon(), (this.undoWord = h("span")));
    this.redoButton = this.button(() => this.send("redo"), t("redo"));
    this.restartButton = this.button(() => this.send("restart"), t("restart"));
    this.backButton = this.button(() => this.host.send({ do: "back" }), t("back"));
    this.count = h("span", { class: "s-quiet" });
    this.copyButton = this.button(() => this.copy(), t("copy"));
    this.hintButton = this.button(() => this.hint(), t("hint_button"));
    this.hintButton.classList.add("s-hint");
    this.paper = h("textarea", { class: "s-paper", readonly: true, hidden: true, rows: 6, "aria-label": t("copy_failed") });
    this.sentence = h("p", { class: "s-sentence" });
    this.changes = h("p", { class: "s-changes" });
    this.note = h("p", { class: "s-quiet" });
    this.aside = h("div");
    this.breaks = h("div", { class: "s-breaks" });
    this.filterBox = h("input", {
      type: "search", class: "s-filter", placeholder: t("filter"), "aria-label": t("filter"), autocomplete: "off", spellcheck: "false",
      oninput: () => this.drawMoves((this.filter = this.filterBox.value)), onkeydown: (event) => this.filterKey(event),
    });
    this.moves = h("div", { class: "s-choices" });
    this.table = new TablePane(t("properties"), [t("property"), "", t("ahead")], "s-properties");
    this.afterHead = this.table.el.querySelectorAll("th")[1];
    this.graph = h("div", { class: "s-seat-graph" });
    this.lanes = h("div", { class: "s-seat-lanes" });
    this.path = h("section", { class: "s-path", "aria-label": t("your_moves") });
    this.defs = h("div", { class: "s-defs" });
    this.root = h("div", { class: "dxs s-seat", role: "group", lang: view.lang === "zh" ? "zh-Hans" : "en", "aria-label": `${t("seat")}${t("colon")}${view.name}`, tabindex: -1 },
      this.defs,
      h("header", { class: "s-head" }, h("h2", null, t("seat")), this.about, this.pills),
      h("div", { class: "s-controls", role: "group", "aria-label": t("controls") },
        h("div", { class: "s-buttons" }, this.undoButton, this.redoButton, this.restartButton, this.backButton),
        h("div", { class: "s-other" }, this.count, this.copyButton, this.hintButton)),
      this.paper,
      (this.told = h("div", { class: "s-said" }, h("div", { class: "s-what" }, this.sentence, this.changes, this.note), this.aside)),
      h("div", { class: "s-table-top" },
        (this.left = h("div", { class: "s-seat-left" }, this.moves, this.table.el)),
        (this.right = h("div", { class: "s-seat-right" }, this.breaks, (this.now = h("div", { class: "s-seat-now" }, this.graph, this.path)), this.lanes))),
      this.keys(), this.speaker.el);
  }

  button(act, ...words) {
    return h("button", { type: "button", class: "s-button", onclick: (event) => event.currentTarget.getAttribute("aria-disabled") === "true" || act() }, words);
  }

  keys() {
    const { t } = this;
    const row = (keys, word) => h("span", null, keys.map((name) => h("kbd", null, name)), " ", t(word));
    this.backKey = row(["Esc"], "key_back");
    return h("footer", { class: "s-keys", "aria-label": t("keys") }, row(["1 – 9"], "key_move"), row(["U"], "key_undo"), row(["Shift", "U"], "key_redo"), row(["H"], "key_hint"), this.backKey);
  }

  // What a person does.

  send(what, more) {
    this.host.send({ do: what, made: this.view.made, ...more });
  }

  take(move) {
    this.send("take", { choice: move.choice });
  }

  hint() {
    this.aside.replaceChildren(h("aside", { class: "s-hinting", role: "status" }, this.t("searching")));
    disable(this.hintButton, true);
    this.send("hint");
  }

  copy() {
    const done = () => {
      this.copyButton.textContent = this.t("copied");
      setTimeout(() => (this.copyButton.textContent = this.t("copy")), 1600);
    };
    const show = () => {
      this.paper.hidden = false;
      this.paper.value = this.view.schedule;
      this.paper.select();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(this.view.schedule).then(done, show);
    else show();
  }

  key(name) {
    if (/^[1-9]$/.test(name)) {
      const move = this.view.moves[Number(name) - 1];
      return move ? this.take(move) : undefined; // a number without a move is still no key of the notebook's
    }
    const acts = {
      u: () => this.undoButton.click(),
      "Ctrl+z": () => this.undoButton.click(),
      "Shift+u": () => this.redoButton.click(),
      "Ctrl+Shift+z": () => this.redoButton.click(),
      h: () => this.hintButton.click(),
      Escape: () => (this.view.left_at === null ? false : this.host.send({ do: "back" })),
    };
    return name in acts ? acts[name]() : false;
  }

  filterKey(event) {
    const shown = this.filtered();
    if (event.key === "Enter" && shown.length) this.take(shown[0]);
    else if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.filterBox.value = this.filter = "";
    this.drawMoves();
    this.root.focus({ preventScroll: true });
  }

  filtered() {
    const words = this.filter.toLowerCase().split(/\s+/).filter((word) => word);
    const all = this.view.moves;
    return words.length ? all.filter((move) => words.every((word) => `${move.n} ${move.who} ${move.says} ${move.then}`.toLowerCase().includes(word))) : all;
  }

  // What is shown.

  draw() {
    const view = (this.view = this.host.get("seat"));
    const had = this.root.contains(document.activeElement);
    this.filterBox.value = this.filter = "";
    this.drawHead();
    this.drawSaid();
    this.drawMoves();
    this.drawProperties();
    this.drawPath();
    this.drawPictures();
    this.paper.hidden = true;
    if (had && !this.root.contains(document.activeElement)) this.root.focus({ preventScroll: true });
    const { says, who } = view.said;
    const said = who ? `${who}${this.t("colon")}${says}` : says;
    const broke = view.broken.filter((one) => one.now).map((one) => `${one.title}${this.t("gap")}${one.says}`);
    const hint = view.hinted ? [...view.hint, this.t("live_hint", { n: view.hinted })] : view.hint;
    this.speaker.say([said, ...broke, view.over, ...hint, this.t("live", { said: "", n: view.possible })].filter((part) => part).join(" "));
  }

  drawHead() {
    const { view, t } = this;
    this.about.replaceChildren(own(view.name), ...view.about.flatMap((part) => [" · ", part]));
    this.pills.replaceChildren(...view.properties.map((one) => h("span", { class: `s-pill s-${SEAT_MARKS[one.mark]}`, role: "img", title: one.after, "aria-label": `${one.name}${t("colon")}${t(`mark_${one.mark}`)}` }, verdictMark(SEAT_MARKS[one.mark]), own(one.name))));
    this.undoWord.textContent = view.made ? t("undo", { n: view.made }) : t("undo_none");
    disable(this.undoButton, !view.made);
    disable(this.redoButton, !view.redo);
    disable(this.restartButton, !view.made);
    disable(this.hintButton, !view.possible && !view.broken.length);
    this.backButton.hidden = this.backKey.hidden = view.left_at === null;
    this.count.textContent = counted(view.texts, "made", view.made);
  }

  drawSaid() {
    const { view, t } = this;
    const { lane, who, says, step, changes, note, chose } = view.said;
    const begins = step && says.startsWith(step) ? step : "";
    const told = [who && who !== begins ? [h("b", null, own(who)), t("colon")] : "", begins ? h("b", null, own(begins)) : "", own(says.slice(begins.length))];
    const turn = view.possible ? h("b", null, t("gap"), t("your_move")) : "";
    this.sentence.replaceChildren(this.badge(lane), ...told.flat(), view.over ? h("b", null, t("gap"), own(view.over)) : turn);
    this.changes.replaceChildren(
      ...changes.map(([name, old, new_, more]) => h("span", null, own(name), " ", old ? [h("code", { class: "s-old" }, own(old)), " → "] : " = ", h("code", { class: "s-new" }, own(new_)), more)),
      chose ? h("span", { class: "s-quiet" }, chose) : "");
    this.note.textContent = note;
    this.breaks.replaceChildren(...view.broken.map((one) => h("aside", { class: "s-cause" },
      h("b", { class: "s-fail" }, own(one.title)), t("gap"), own(one.says),
      one.cause.length ? h("p", null, h("b", null, own(one.cause[0])), t("gap"), own(one.cause[1]), t("gap"), own(one.cause[2])) : "",
      one.mend ? h("p", null, own(one.mend)) : "")));
    const hint = view.hint.length ? h("aside", { class: "s-hinting" }, h("b", null, t("hint_word")), t("gap"), view.hint.map((one) => [own(one), t("gap")])) : "";
    this.aside.replaceChildren(view.trouble ? h("aside", { class: "s-cause" }, own(view.trouble)) : "", hint);
  }

  /** The badge of a lane as it stands now; `phase` is of another time, when nothing was held. */
  badge(lane, phase) {
    const one = this.view.badges[lane];
    return one ? badge([one.name, one.label, one.family], phase || one.phase, phase ? 0 : one.tokens) : "";
  }

  drawMoves() {
    const { view, t } = this;
    const shown = this.filtered();
    const of = (groups) => shown.filter((move) => groups.includes(move.group));
    const all = (groups) => view.moves.filter((move) => groups.includes(move.group)).length;
    const many = view.moves.length > SEAT_KEYED;
    const rows = [];
    for (const move of of(["branch"])) {
      const last = rows.at(-1);
      if (last && last.lane === move.lane) last.moves.push(move);
      else rows.push({ lane: move.lane, moves: [move] });
    }
    const branches = rows.map(({ lane, moves }) => this.row(this.who(lane), moves));
    const cannot = this.filter ? [] : view.cannot.map((one) => h("div", { class: "s-row s-cannot" }, h("div", { class: "s-whose" }, one.lanes.slice(0, 6).map((lane) => this.badge(lane))), h("p", { class: "s-quiet" }, own(one.says))));
    const faults = of(["fault"]);
    const outside = of(["outside"]);
    const others = all(["fault", "outside"]);
    const focused = document.activeElement === this.filterBox;
    this.moves.replaceChildren(
      h("h3", null, t(`moves_${view.sort}`), h("span", { class: "s-quiet" }, t(view.possible ? "possible" : "possible_plain", { n: all(["branch"]) }))),
      many ? h("div", { class: "s-filtering" }, this.filterBox, this.filter ? h("span", { class: "s-quiet" }, t("filtered", { n: shown.length, all: view.moves.length })) : "") : "",
      ...branches, ...cannot,
      others || view.left ? h("h3", { class: "s-others" }, t("moves_other"), h("span", { class: "s-quiet" }, t("possible_plain", { n: others }))) : "",
      faults.length || view.left ? this.row([faultIcon(), h("b", null, t("faults"))], faults, view.left) : "",
      outside.length ? this.row([outsideIcon(), h("b", null, t("outside"))], outside) : "");
    if (focused) this.filterBox.focus();
  }

  who(lane) {
    const one = this.view.badges[lane];
    return one ? [this.badge(lane), h("b", { title: one.name === one.brief ? null : one.name }, own(one.brief))] : [];
  }

  row(whose, moves, note) {
    return h("div", { class: "s-row" }, h("div", { class: "s-whose" }, whose),
      h("div", { class: "s-takes" }, moves.map((move) => this.move(move)), note ? h("p", { class: "s-quiet" }, note) : ""));
  }

  move(move) {
    const title = move.group !== "branch" && move.who ? `${move.who}${this.t("colon")}${move.says}` : move.says;
    const label = `${move.n}. ${move.who ? `${move.who}${this.t("colon")}` : ""}${move.says}${move.then ? `. ${move.then}` : ""}${move.hint ? ` (${this.t("hint_mark")})` : ""}`;
    return h("button", { type: "button", class: `s-move s-move-${move.group}${move.hint ? " s-hinted" : ""}`, "aria-label": label, "data-move": move.n, onclick: () => this.take(move) },
      move.n <= SEAT_KEYED ? h("kbd", null, move.n) : h("span", { class: "s-quiet s-nokey" }, move.n),
      h("span", { class: "s-says" }, own(title), move.then ? h("small", null, own(move.then)) : ""),
      move.hint ? h("span", { class: "s-flag" }, this.t("hint_mark")) : "");
  }

  drawProperties() {
    const { view } = this;
    this.afterHead.textContent = counted(view.texts, "after", view.made);
    this.table.fill(view.properties.map((one, i) => [i, false, false, () => [
      [verdictMark(SEAT_MARKS[one.mark]), " ", own(one.name)],
      h("span", { class: one.mark === "broken" ? "s-fail" : null }, own(one.after)), own(one.ahead),
    ], `${one.mark} ${one.after} ${one.ahead}`]));
  }

  drawPath() {
    const { view, t } = this;
    const rows = [];
    [...view.path].reverse().forEach((one, i) => {
      if (one.recorded && (i ? !view.path[view.path.length - i].recorded : view.left_at === view.made)) rows.push(h("li", { class: "s-left" }, t("here_left")));
      rows.push(h("li", { class: i ? null : "s-changed" }, h("button", { type: "button", class: "s-link", "aria-current": i ? null : "step", onclick: () => this.send("back_to", { turn: one.turn }) },
        h("span", { class: "s-n" }, one.turn), this.badge(one.lane, "running") || h("span"), own(one.says, "s-clip"))));
    });
    const before = view.made - view.path.length;
    this.path.replaceChildren(h("h3", null, t("your_moves"), h("span", { class: "s-quiet" }, t("your_moves_note"))), h("ol", { class: "s-scroll", reversed: true }, rows), before > 0 ? h("p", { class: "s-quiet" }, t("before", { n: before })) : "");
  }

  drawPictures() {
    const { show } = this.view;
    this.graph.hidden = this.lanes.hidden = !show;
    if (!show) return;
    const { t } = this;
    const words = wordsOf({ ...show.texts, flow: t("flow_now"), lanes: t("lanes") });
    const state = new States(show).at(show.turns);
    const graph = new GraphPane(show, words);
    graph.draw(show.turns, state, rowsOf(show, state));
    this.pane = new LanesPane(show, words, (turn) => turn < this.view.made && this.send("back_to", { turn }), () => {});
    this.defs.replaceChildren(drawn(`<svg class="dxp" width="0" height="0" aria-hidden="true">${show.defs}</svg>`));
    this.graph.replaceChildren(graph.el);
    this.lanes.replaceChildren(this.pane.el);
    this.least = graph.svg ? parseFloat(graph.svg.style.minWidth) || graph.svg.viewBox.baseVal.width : 0;
    this.placePath();
    this.drawLanes();
  }

  /** The moves stand beside the graph where it need not be cut for them, else under the properties. */
  placePath() {
    const beside = !this.view.show || this.now.clientWidth - SEAT_PATH >= this.least;
    const place = beside ? this.now : this.left;
    if (this.path.parentNode !== place) place.append(this.path);
    this.now.classList.toggle("s-beside", beside);
  }

  /** The lanes end with the last move; a dashed column behind it asks for the next. */
  drawLanes() {
    const { pane, view } = this;
    if (!pane) return;
    pane.draw(view.made, this.width !== undefined && this.width < 620);
    if (!pane.head.textContent) pane.head.textContent = this.t("lanes_note");
    pane.svg.querySelector(".s-next")?.remove();
    if (!pane.svg.dataset.column || !view.possible) return;
    const left = pane.x + pane.column * (pane.last - pane.first + 1);
    const wide = Math.min(pane.column, SEAT_NEXT);
    const asks = this.t("next", { n: view.made + 1 });
    // Beside the number of this turn, which may be wider than its column.
    const from = Math.max(left + wide / 2 - 4 * asks.length, left - pane.column / 2 + 10 + 4 * String(view.made).length);
    const label = s("text", { x: from, y: pane.top - 9 }, asks);
    pane.svg.append(s("g", { class: "s-next" }, s("rect", { x: left, y: pane.top - 4, width: wide, height: pane.bottom - pane.top + 6 }), label));
    const [x, y, w, high] = pane.svg.getAttribute("viewBox").split(" ").map(Number);
    const room = Math.max(w, Math.max(left + wide, from + 8 * asks.length) + 10 - x);
    pane.svg.setAttribute("viewBox", `${x} ${y} ${room} ${high}`);
    pane.svg.setAttribute("width", room);
    pane.box.scrollLeft = pane.box.scrollWidth;
  }

  layOut(width) {
    const before = this.width;
    this.width = width;
    this.root.classList.toggle("s-narrow", width < 868);
    this.root.classList.toggle("s-middle", width >= 868 && width < 1068);
    this.placePath();
    // What broke is told where no button moves for it; in one column, under the sentence.
    if (width < 1068) this.told.append(this.breaks);
    else this.right.prepend(this.breaks);
    if (before !== undefined && (before < 620) !== (width < 620)) this.drawPictures();
    else if (before === undefined) this.drawLanes();
  }
}

/** The words for a number, where there are some of its own. */
function counted(texts, key, n) {
  return fill(texts[`${key}:${n}`] || texts[key], { n });
}

/** A button that has the focus keeps it: it says that it is disabled, and does nothing. */
function disable(button, off) {
  button.setAttribute("aria-disabled", String(Boolean(off)));
}

function undoIcon() {
  return s("svg", { class: "s-icon s-line", viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: "M6 3L2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H7" }));
}

function faultIcon() {
  return s("svg", { class: "s-fault-icon", width: 26, height: 24, viewBox: "0 0 26 24", "aria-hidden": "true" }, s("path", { d: "M13 3L23 21H3zM13 9.5v5M13 16.6v1.6" }));
}

function outsideIcon() {
  return s("svg", { class: "s-outside-icon", width: 26, height: 24, viewBox: "0 0 26 24", "aria-hidden": "true" }, s("path", { d: "M2 12h16M12 6l6 6-6 6M22 4v16" }));
}

/** The seat in an element; gives the function that takes it away. */
function mountSeat(el, host) {
  const pane = new SeatPane(el, host);
  return () => pane.remove();
}
