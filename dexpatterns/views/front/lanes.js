// The swim lanes at a turn. Python draws a window of turns once; here it lies in two layers, what has happened and what
// has not, and a turn moves only the edge between them and the frame of its column.

const MANY_LANES = 22; // more lanes than this scroll by themselves
const PINNED = 200; // the head that stays is no higher than this
const MOMENT = 6; // by time a turn is a point: its frame is as wide as this

/** Where the turns of a panel stand: a column each, or by `times` points of virtual time. */
class Columns {
  constructor(data, times) {
    for (const name of ["first", "last", "x", "column", "top", "bottom"]) this[name] = Number(data[name]);
    this.times = data.high === undefined ? null : times;
    if (this.times) [this.low, this.high, this.right] = [data.low, data.high, data.right].map(Number);
    else this.right = this.x + this.column * (this.last - this.first + 1);
  }

  /** The right edge of a turn, that of the turn before where the first one begins. */
  end(turn) {
    if (!this.times) return this.x + this.column * (Math.max(this.first - 1, Math.min(turn, this.last)) - this.first + 1);
    const time = Math.max(this.low, Math.min(turn ? this.times[turn - 1] : 0, this.high));
    return this.x + ((this.right - this.x) * (time - this.low)) / (this.high - this.low);
  }

  begin(turn) {
    return this.times ? this.end(turn) : Math.max(this.x, this.end(turn) - this.column);
  }

  turnAt(x) {
    if (!this.times) return Math.max(this.first, Math.min(this.last, this.first + Math.floor((x - this.x) / this.column)));
    let turn = this.first;
    while (turn < this.last && this.end(turn + 1) <= x) turn++;
    return turn;
  }
}

/** The marks of a picture twice: what has been up to a place, and behind it in outlines what is not yet. */
class Layers {
  constructor(svg, wide, high) {
    this.id = newId();
    this.marks = [];
    this.yet = s("g", { class: "s-yet ny", "aria-hidden": "true" });
    for (const past of svg.querySelectorAll("[data-a]")) {
      const copy = past.cloneNode(true);
      const family = past.closest("[data-lane]")?.getAttribute("class");
      this.add(past, copy);
      this.yet.append(family ? s("g", { class: family }, copy) : copy);
    }
    this.past = s("rect", { x: 0, y: 0, width: 0, height: high });
    this.future = s("rect", { x: 0, y: 0, width: wide, height: high });
    svg.append(s("defs", null, s("clipPath", { id: `${this.id}p` }, this.past), s("clipPath", { id: `${this.id}y` }, this.future)), this.yet);
  }

  add(past, yet) {
    this.marks.push({ a: Number(past.dataset.a), b: Number(past.dataset.b), now: 1, past, yet });
    yet.style.display = "none";
  }

  draw(turn, end) {
    this.past.setAttribute("width", Math.max(0, end + 1));
    this.future.setAttribute("x", end);
    for (const mark of this.marks) {
      const now = mark.b <= turn ? 1 : mark.a > turn ? -1 : 0; // has been, is not yet, reaches over
      if (now === mark.now) continue;
      mark.now = now;
      mark.past.style.display = now < 0 ? "none" : "";
      mark.yet.style.display = now > 0 ? "none" : "";
      setClip(mark.past, now === 0 ? `${this.id}p` : "");
      setClip(mark.yet, now === 0 ? `${this.id}y` : "");
    }
  }
}

class LanesPane {
  /** `go(turn)` is called when a bar is clicked, `choose(lane)` when the arrows choose a branch; `setAxis(axis)` when
   * another axis is wanted, null where there is one alone. */
  constructor(show, t, go, choose, setAxis) {
    this.show = show;
    this.t = t;
    this.axis = "turns";
    this.windows = show.windows;
    this.window = null;
    this.turn = 0;
    this.narrow = false;
    this.focus = -1;
    this.choose = choose;
    this.titleKey = show.machine === "js7" ? "orders_lanes" : "lanes";
    const title = t(this.titleKey);
    this.title = h("span", null, title);
    this.head = h("span", { class: "s-quiet" });
    const clock = show.kind !== "run" && !show.clock ? h("span", { class: "s-quiet s-right" }, t("no_clock")) : this.axes(setAxis);
    this.box = h("div", {
      class: "s-scroll s-window", tabindex: 0, role: "group", "aria-label": `${title}${t("colon")}${t("lanes_hint")}`,
      onclick: (event) => {
        const mark = event.target.closest("[data-turn]");
        if (mark) go(Number(mark.dataset.turn));
      },
    });
    this.map = show.overview ? this.mapOf(show.overview, go) : "";
    this.el = h("section", { class: "s-lanes", "aria-label": title },
      h("h3", null, this.title, " ", this.head, clock), this.map, (this.asked = new AskedLanes(this)).el, this.box, this.legend());
    this.box.addEventListener("scroll", () => this.pin());
  }

  /** Axis: turns · time. */
  axes(setAxis) {
    if (!setAxis) return "";
    const one = (axis) => h("button", { type: "button", class: "s-link", "data-axis": axis, "aria-pressed": "false", onclick: () => setAxis(axis) }, this.t(`axis_${axis}`));
    this.axisButtons = [one("turns"), one("time")];
    return h("span", { class: "s-right s-axis", role: "group", "aria-label": this.t("axis") }, this.t("axis"), " ", this.axisButtons[0], " · ", this.axisButtons[1]);
  }

  /** Put the turns on another axis; `windows` are its pictures. */
  setAxis(axis, windows) {
    this.axis = axis;
    this.windows = windows;
    this.window = null;
    this.title.textContent = this.t(axis === "time" ? `${this.titleKey}_time` : this.titleKey);
    for (const button of this.axisButtons || []) button.setAttribute("aria-pressed", String(button.dataset.axis === axis));
  }

  /** The map of a long run: a click on it goes there, a frame shows the window. */
  mapOf(markup, go) {
    const content = drawn(markup);
    const svg = content.firstElementChild;
    const [left, right] = [Number(svg.dataset.left), Number(svg.dataset.right)];
    const turns = this.show.turns;
    this.mapX = (turn) => left + ((right - left) * (turn - 1)) / turns;
    const ground = svg.querySelector("rect.b");
    this.mapFrame = svg.querySelector("rect.d");
    this.fade = s("rect", { class: "bg s-fade", y: ground.getAttribute("y"), height: ground.getAttribute("height") });
    this.mapFrame.before(this.fade);
    this.mapEnd = right;
    svg.addEventListener("click", (event) => {
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
      if (x >= left && x <= right) go(Math.max(1, Math.ceil(((x - left) / (right - left)) * turns)));
    });
    return h("div", { class: "s-map" }, content);
  }

  drawMap(turn) {
    if (!this.map) return;
    const [begin, end] = [this.mapX(this.first), this.mapX(this.last + 1)];
    this.mapFrame.setAttribute("x", begin);
    this.mapFrame.setAttribute("width", Math.max(end - begin, 4));
    const now = this.mapX(turn + 1);
    this.fade.setAttribute("x", now);
    this.fade.setAttribute("width", Math.max(this.mapEnd - now, 0));
  }

  legend() {
    const row = ([words, sample]) => h("span", { class: "s-key" }, drawn(`<svg class="dxp" width="26" height="20" aria-hidden="true"><g class="fs">${sample}</g></svg>`), words);
    return h("div", { class: "s-legend", role: "note", "aria-label": this.t("legend") }, this.show.legend.map(row));
  }

  draw(turn, narrow) {
    this.turn = turn;
    this.narrow = narrow;
    const windows = this.windows;
    let place = windows.findIndex(([first, last]) => turn >= first && turn <= last);
    if (place < 0) place = turn ? windows.length - 1 : 0;
    if (place !== this.window) this.mount(place);
    if (!this.svg.dataset.column) return; // nothing to step through
    const { first, last, columns } = this;
    const end = columns.end(turn);
    const begin = columns.times ? end - MOMENT / 2 : columns.begin(turn);
    const middle = columns.times ? end : (begin + end) / 2;
    this.layers.draw(turn, end);
    const shown = turn >= first && turn <= last;
    this.label.style.display = this.arrow.style.display = shown ? "" : "none";
    for (const frame of this.frames) {
      frame.style.display = shown ? "" : "none";
      frame.setAttribute("x", begin);
      frame.setAttribute("width", columns.times ? MOMENT : this.column);
    }
    const half = 5 + 4 * String(turn).length;
    this.label.firstChild.setAttribute("x", middle - half);
    this.label.firstChild.setAttribute("width", 2 * half);
    this.label.lastChild.setAttribute("x", middle);
    this.label.lastChild.textContent = turn;
    this.arrow.setAttribute("d", `M${middle} ${this.bottom + 3}l-6 8h12z`);
    // Figures of the axes give way to the number above and the triangle below.
    for (const tick of this.ticks) tick.el.style.display = shown && Math.abs(tick.x - middle) < half + tick.half ? "none" : "";
    this.crop(narrow, middle);
    this.asked.at(turn, end);
    const whole = first === 1 && last === this.show.turns;
    this.drawMap(turn);
    if (this.many && turn) this.reveal(this.show.told[turn - 1][0]);
    this.pin();
    const [from, to] = this.seen;
    this.head.textContent = whole && !this.cropped ? "" : this.t("window", { first: from, last: to, all: this.show.turns });
  }

  /** Put up another window: its picture, a copy of its marks for what is not yet, and the cursor. */
  mount(place) {
    this.window = place;
    const content = drawn(this.windows[place][2]);
    this.svg = content.firstElementChild;
    this.svg.classList.add("s-panel");
    this.box.replaceChildren(content);
    const data = this.svg.dataset;
    if (!data.column) return;
    this.columns = new Columns(data, this.show.times);
    ({ first: this.first, last: this.last, x: this.x, column: this.column, top: this.top, bottom: this.bottom } = this.columns);
    [this.wide, this.high] = this.svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
    // Room for the triangle below the rows.
    this.high = Math.max(this.high, this.bottom + 14);
    this.svg.setAttribute("height", this.high);
    this.layers = new Layers(this.svg, this.wide, this.high);
    this.frame = s("rect", { class: "s-now", y: this.top - 4, height: this.bottom - this.top + 6 });
    this.label = s("g", { class: "s-at" }, s("rect", { y: this.top - 22, height: 18, rx: 2 }), s("text", { y: this.top - 9, "text-anchor": "middle" }));
    this.arrow = s("path", { class: "u" });
    this.chosen = s("rect", { class: "s-chosen", x: 2, width: this.x - 8, rx: 3 });
    this.frames = [this.frame];
    this.svg.append(this.label, this.arrow, this.chosen);
    // Behind everything that is drawn on the page's ground.
    const ground = this.svg.querySelector(":scope > rect.bg");
    if (ground) ground.after(this.frame);
    else this.svg.prepend(this.frame);
    this.ticks = [...this.svg.querySelectorAll(":scope > text.x")].map((el) => ({ el, x: Number(el.getAttribute("x")), half: 3.2 * el.textContent.length + 4 }));
    this.heads = null;
    this.cropped = null;
    this.many = this.svg.querySelectorAll("[data-lane]").length > MANY_LANES;
    this.box.classList.toggle("s-many", this.many);
    this.pinned = this.many ? this.pinnedHead() : null;
    this.asked.draw();
    this.showFocus();
  }

  /** Of lanes that scroll by themselves: all that is above the first one stays. */
  pinnedHead() {
    const high = Math.min(...[...this.svg.querySelectorAll("[data-lane]")].map((el) => Number(el.dataset.y)));
    if (!(high < PINNED)) return null;
    const clip = newId();
    const frame = s("rect", { class: "s-now", y: this.top - 4, height: high - this.top + 4 });
    const head = s("g", { class: "s-pinned", "clip-path": `url(#${clip})` }, s("rect", { class: "bg", x: 0, y: 0, width: this.wide, height: high }), frame);
    for (const { past, yet } of this.layers.marks.filter((mark) => !mark.past.closest("[data-lane]"))) {
      const copies = [past.cloneNode(true), yet.cloneNode(true)];
      this.layers.add(...copies);
      head.append(copies[0], s("g", { class: "ny" }, copies[1]));
    }
    head.append(...[...this.svg.querySelectorAll(":scope > text")].filter((el) => Number(el.getAttribute("y")) < high));
    head.append(this.label, s("path", { class: "r", d: `M14 ${high}H${this.columns.right}` }));
    this.frames.push(frame);
    this.svg.append(s("defs", null, s("clipPath", { id: clip }, s("rect", { x: 0, y: 0, width: this.wide, height: high }))), head);
    return { head, high };
  }

  pin() {
    if (!this.pinned) return;
    const down = this.box.scrollTop ? (this.box.scrollTop * this.high) / this.svg.getBoundingClientRect().height : 0;
    this.pinned.head.setAttribute("transform", `translate(0 ${down})`);
    this.pinned.heads?.setAttribute("transform", `translate(${this.headsAt} ${down})`);
  }

  /** Narrow: badges instead of names, and as many columns around the cursor as fit. */
  crop(narrow, middle) {
    this.seen = [this.first, this.last];
    if (!narrow) {
      if (this.cropped !== false) {
        this.svg.setAttribute("viewBox", `0 0 ${this.wide} ${this.high}`);
        this.svg.setAttribute("width", this.wide);
        if (this.heads) this.heads.style.display = "none";
        if (this.pinned?.heads) this.pinned.heads.style.display = "none";
        this.asked.crop(null);
      }
      this.cropped = false;
      return;
    }
    const room = this.box.clientWidth || this.wide; // asked only here: it costs a layout
    this.cropped = true;
    if (!this.heads) {
      this.svg.append((this.heads = this.narrowHeads()));
      if (this.pinned) this.svg.append(this.pinned.heads);
    }
    this.heads.style.display = "";
    const edge = 42; // the badges
    const columns = this.columns.right - this.x + 12;
    const width = Math.min(room - edge, columns);
    const from = Math.max(this.x, Math.min(middle - width * 0.55, this.x + columns - width));
    this.svg.setAttribute("viewBox", `${from - edge} 0 ${width + edge} ${this.high}`);
    this.svg.setAttribute("width", width + edge);
    this.heads.setAttribute("transform", `translate(${from - edge} 0)`);
    this.headsAt = from - edge;
    if (this.pinned?.heads) this.pinned.heads.style.display = "";
    this.asked.crop([from - edge, width + edge]);
    const part = this.columns.times ? 0 : this.column;
    this.seen = [this.columns.turnAt(from + part * 0.5), this.columns.turnAt(from + width - part * 0.6)];
  }

  narrowHeads() {
    const made = s("g", null, s("rect", { class: "bg", x: 0, y: 0, width: 40, height: this.high }));
    // Rows without a branch: a Channel of tokens is a disc, of any other name there is the beginning.
    const pinned = this.pinned && (this.pinned.heads = s("g", null, s("rect", { class: "bg", x: 0, y: 0, width: 40, height: this.pinned.high })));
    const tokens = new Set(this.show.tokens.map((place) => this.show.channels[place][0]));
    for (const name of this.svg.querySelectorAll(":scope > text:not(.x), .s-pinned > text:not(.x)")) {
      const y = Number(name.getAttribute("y"));
      if (y < this.top || y > this.bottom || name.hasAttribute("text-anchor")) continue;
      const said = name.textContent;
      (pinned || made).append(tokens.has(said) ? s("circle", { cx: 19, cy: y - 4, r: 7, class: "c" }) : s("text", { x: 4, y, style: "font-size:10px" }, said.slice(0, 5), s("title", null, said)));
    }
    for (const el of this.svg.querySelectorAll("[data-lane]")) {
      const lane = this.show.lanes[this.laneOf(el)];
      if (!lane) continue;
      const mark = badgeAt(lane, "running", 19, Number(el.dataset.y) + Number(el.dataset.h) / 2, 0, lane[0]);
      if (Number(el.dataset.h) < 26) mark.setAttribute("style", "transform-box:fill-box;transform-origin:center;transform:scale(.7)");
      made.append(mark);
    }
    return made;
  }

  rowOf(lane) {
    return [...this.svg.querySelectorAll("[data-lane]")].find((el) => this.laneOf(el) === lane);
  }

  /** Scroll the lanes so that this one is seen. */
  reveal(lane) {
    const row = this.rowOf(lane);
    if (!row) return;
    const scale = this.svg.getBoundingClientRect().height / this.high;
    const [top, bottom] = [Number(row.dataset.y), Number(row.dataset.y) + Number(row.dataset.h)].map((y) => y * scale);
    const above = this.pinned ? this.pinned.high * scale : 0;
    if (top - above < this.box.scrollTop) this.box.scrollTop = top - above;
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
  }

  /** Whose lane a row of the picture is. */
  laneOf(el) {
    const row = Number(el.dataset.lane);
    return this.show.rows ? this.show.rows[row] : row;
  }

  /** The branch that Shift and the arrows follow: the one that was chosen, else whose turn it is. */
  lane(turn) {
    if (this.focus >= 0) return this.focus;
    return turn ? this.show.told[turn - 1][0] : -1;
  }

  move(by) {
    const places = [...new Set([...this.svg.querySelectorAll("[data-lane]")].map((el) => this.laneOf(el)))];
    if (!places.length) return;
    const at = places.indexOf(this.lane(this.turn));
    this.focus = places[Math.max(0, Math.min(places.length - 1, at < 0 ? 0 : at + by))];
    this.showFocus();
    this.choose(this.focus);
  }

  showFocus() {
    const el = this.focus >= 0 && this.rowOf(this.focus);
    this.chosen.style.display = el ? "" : "none";
    if (!el) return;
    if (this.many) this.reveal(this.focus);
    this.chosen.setAttribute("y", Number(el.dataset.y) + 2);
    this.chosen.setAttribute("height", Number(el.dataset.h) - 4);
  }
}

function setClip(el, id) {
  if (id) el.setAttribute("clip-path", `url(#${id})`);
  else el.removeAttribute("clip-path");
}
