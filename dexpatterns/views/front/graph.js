// The graph at a turn: drawn once by Python, and lit up here. The marks are those of Python's own picture of a moment.

class GraphPane {
  constructor(show, t) {
    this.show = show;
    this.t = t;
    this.ended = h("div", { class: "s-ended" });
    const title = t(show.machine === "js7" ? "workflows" : "flow");
    this.el = h("section", { class: "s-graph", "aria-label": title }, h("h3", null, title));
    const graph = show.graph;
    if (!graph.svg) {
      this.el.append(h("p", { class: "s-quiet" }, graph.why || ""), this.ended);
      return;
    }
    const content = drawn(graph.svg);
    this.svg = content.firstElementChild;
    this.el.append(h("div", { class: "s-scroll", tabindex: 0, role: "group", "aria-label": title }, content), this.ended);
    this.nodes = new Map();
    for (const el of this.svg.querySelectorAll("[data-node]")) this.nodes.set(el.dataset.node, el);
    this.edges = new Map();
    for (const el of this.svg.querySelectorAll("[data-edge]")) this.edges.set(el.dataset.edge, el);
    this.bands = [...this.svg.querySelectorAll("[data-band]")];
    this.words = [...this.svg.querySelectorAll(".words:not([class*=of-])")];
    const first = this.svg.querySelector("[data-node]");
    this.moment = s("g", { class: "moment" });
    if (first) first.parentNode.append(this.moment);
    const pattern = this.svg.querySelector("pattern[id$=x]");
    this.hatch = pattern ? `url(#${pattern.id})` : "none";
    this.lit = [];
    // A picture that were made smaller than this could not be read: it is scrolled.
    this.svg.style.minWidth = `${Number(this.svg.getAttribute("width")) * 0.85}px`;
    this.places = new Map(); // of each Channel's and Attribute's node, its places in the state
    for (const [id, [sort]] of Object.entries(graph.nodes)) if (sort in STOCKS) this.places.set(id, []);
    for (const [list, key] of [["channels", "c"], ["attributes", "a"], ["locks", "k"]]) {
      show[list].forEach(([, node], place) => {
        this.places.get(node)?.push([key, place]);
      });
    }
    // An Attribute's name gives way to its value below it.
    for (const [id, [sort, , , y]] of Object.entries(graph.nodes)) {
      const name = sort === "attribute" && this.nodes.get(id)?.querySelector("text.name");
      if (name) name.setAttribute("y", y + 16);
    }
    this.tokens = new Set(show.tokens);
  }

  draw(turn, state, rows) {
    this.drawApart(rows, state);
    if (!this.svg) return;
    for (const [el, name] of this.lit) el.classList.remove(name);
    this.lit = [];
    const [nodes, edges, ends] = turn ? this.show.use[turn - 1] : [[], [], []];
    for (const id of nodes) this.light(this.nodes.get(id), "now");
    for (const id of edges) this.light(this.edges.get(id), "now");
    for (const end of ends) {
      const [id, name] = end.split(" ");
      this.light(this.nodes.get(id)?.querySelector(`[data-end="${name}"]`), "now");
    }
    const marks = [];
    const over = this.drawBands(state, rows, marks);
    this.drawOver(over);
    const at = new Map();
    for (const row of rows) {
      if (row.phase === "ended" || !this.show.graph.nodes[row.node]) continue;
      if (!at.has(row.node)) at.set(row.node, []);
      at.get(row.node).push(row);
    }
    const mover = turn ? this.show.told[turn - 1][0] : -1;
    for (const [node, found] of at) {
      found.sort((a, b) => (b.place === mover) - (a.place === mover) || holding(b) - holding(a) || a.place - b.place);
      marks.push(...this.badges(found, this.show.graph.nodes[node]));
    }
    for (const [node, places] of this.places) marks.push(this.stock(node, places, state));
    for (const [lane, node, step] of state.l || []) {
      const box = this.show.graph.nodes[node];
      if (box) marks.push(waves(box[2] + box[4] - 42, box[3] - 5, `${nameOf(this.show, lane)}: ${step}, ${this.t("late")}`));
    }
    this.moment.replaceChildren(...marks);
  }

  light(el, name) {
    if (!el) return;
    el.classList.add(name);
    this.lit.push([el, name]);
  }

  /** How many are inside; gives the Steps in which more are than may be. */
  drawBands(state, rows, marks) {
    const over = new Set();
    this.show.graph.bands.forEach(([id, name, limit, x, y, w], place) => {
      const section = this.show.sections.findIndex((one) => one[0] === name);
      const inside = state[`i/${section < 0 ? place : section}`] || [];
      const broken = inside.length > limit;
      const words = this.words[place];
      if (broken) {
        this.light(this.bands.find((el) => el.dataset.band === id), "over");
        for (const row of rows) if (inside.includes(row.place) && row.phase !== "ended") over.add(row.node);
      }
      if (words) words.style.display = broken ? "none" : "";
      const count = this.t(broken ? "too_many" : "inside", { n: inside.length, limit });
      const text = s("text", { x: broken ? x + 10 : x + w - 10, y: y + 17, "text-anchor": broken ? "start" : "end" }, count);
      marks.push(s("g", { class: `words${broken ? " over" : ""}` }, inside.length ? s("title", null, inside.map((lane) => nameOf(this.show, lane)).join(this.t("list"))) : "", text));
    });
    return over;
  }

  /** Letters on the hatching need a ground. */
  drawOver(over) {
    for (const [id, el] of this.nodes) {
      const is = over.has(id);
      if (is === el.classList.contains("over")) continue;
      el.classList.toggle("over", is);
      const box = el.querySelector(".box");
      if (box) box.style.fill = is ? this.hatch : "";
      el.querySelector(".s-ground")?.remove();
      const text = el.querySelector("text");
      if (!is || !text) continue;
      const [, , x, y, w, high] = this.show.graph.nodes[id];
      const half = Math.min(w / 2 - 4, text.textContent.length * 3.9 + 6);
      text.before(s("rect", { class: "bg s-ground", x: x + w / 2 - half, y: y + high / 2 - 9, width: 2 * half, height: 18 }));
    }
  }

  badges(found, [, , x, y]) {
    const shown = found.length <= 3 ? found : found.slice(0, 2);
    const made = [];
    let left = x + 13;
    for (const row of shown) {
      made.push(badgeAt(row.lane, row.phase, left, y, row.tokens.length, tipOf(row, this.t), row.locks.length));
      left += row.lane[1].length < 3 ? 25 : 30;
    }
    if (found.length > shown.length) {
      const rest = found.slice(shown.length).map((row) => row.lane[0]);
      const names = rest.slice(0, 12).join(this.t("list")) + (rest.length > 12 ? " …" : "");
      made.push(s("g", null, s("title", null, names), s("text", { x: left - 8, y: y - 3, class: "halo on" }, `+${rest.length}`)));
    }
    return made;
  }

  /** What lies in a queue, an Attribute's value, who has a lock. */
  stock(node, places, state) {
    const box = this.show.graph.nodes[node];
    const told = places.map(([key, place]) => [key, place, state[`${key}/${place}`]]).filter(([, , one]) => one);
    return s("g", { class: "stock" }, STOCKS[box[0]](this, box, told));
  }

  queue([, , x, y, w, high], told) {
    const top = y + high - 24;
    const cells = told.flatMap(([, , queue]) => queue.slice(1));
    const all = told.reduce((sum, [, , queue]) => sum + queue[0], 0);
    const room = Math.floor((w - 14) / 19);
    const shown = all <= room ? cells : cells.slice(0, room - 1);
    const made = shown.map(([token, lane, text], i) => this.cell(token, lane, text, x + 9 + 19 * i, top));
    if (all > shown.length) made.push(s("text", { x: x + 9 + 19 * shown.length, y: top + 16, class: "tiny" }, `+${all - shown.length}`));
    if (!all && told.some(([, place]) => this.tokens.has(place))) made.push(s("rect", { x: x + 9, y: top + 5, width: 16, height: 14, rx: 1.5, class: "none" }));
    return made;
  }

  value([, , x, y, w, high], told) {
    const held = told.filter(([key]) => key === "a").map(([, , one]) => one[0]);
    const said = held.length === 1 ? held[0] : held.length ? `${held.length} …` : "–";
    const locked = told.some(([key, , one]) => key === "k" && one[0]);
    const most = Math.floor((w - 26 - (locked ? 16 : 0)) / 7.3);
    const text = s("text", { x: x + 18, y: y + 31, class: "mono" }, said.length > most ? `${said.slice(0, most - 1)}…` : said);
    return [text, locked ? padlock(x + w - 18, y + high / 2 - 7, true) : ""];
  }

  /** Who holds a lock, behind the double bar who waits for it, and how much of it is taken. */
  shares([, , x, y, w, high], told) {
    const [, , [used, limit, holders, queue]] = told[0] || [0, 0, [0, 0, [], []]];
    const bar = x + w * 0.52;
    const middle = y + 20 + (high - 20) / 2 - 1;
    const made = [s("text", { x: x + w - 7, y: y + 14.5, class: "tiny q", "text-anchor": "end" }, `${used}/${limit}`)];
    if (used && limit) made.push(s("rect", { x: x + 1, y: y + high - 4, width: Math.max(w * 0.52 * Math.min(used / limit, 1) - 2, 2), height: 3, class: "taken" }));
    return [...made, ...this.share(holders, "running", x + 15, middle, bar - 8), ...this.share(queue, "waiting", bar + 19, middle, x + w)];
  }

  share(parts, phase, x, y, end) {
    const made = [];
    for (const [place, [lane, weight]] of parts.entries()) {
      const said = weight === null ? this.t("weight_all") : `×${weight}`;
      const wide = 28 + 6 * said.length;
      const left = parts.length - place - 1;
      if (x + wide - 12 > end - (left ? 22 : 0)) {
        const names = parts.slice(place, place + 12).map(([other]) => nameOf(this.show, other)).join(this.t("list"));
        made.push(s("g", null, s("title", null, names), s("text", { x: x - 8, y: y + 4, class: "tiny" }, `+${left + 1}`)));
        return made;
      }
      const tip = `${nameOf(this.show, lane)}${this.t("colon")}${said}`;
      const mark = badgeAt(this.show.lanes[lane] || ["?", "?", "s"], phase, 0, 0, 0, tip);
      mark.setAttribute("transform", `translate(${x} ${y}) scale(.85)`);
      made.push(mark, s("text", { x: x + 12, y: y + 4, class: "tiny" }, said));
      x += wide + 2;
    }
    return made;
  }

  cell(token, lane, text, x, top) {
    const title = s("title", null, text || nameOf(this.show, lane));
    if (token) return s("g", null, title, s("circle", { cx: x + 8, cy: top + 12, r: 7.5, class: "c" }));
    const label = this.show.lanes[lane]?.[1] ?? "?";
    return s("g", null, title, s("rect", { x, y: top + 5, width: 16, height: 14, rx: 1.5, class: "cell" }), s("text", { x: x + 8, y: top + 15.5, class: "tiny", "text-anchor": "middle" }, label.slice(0, 2)));
  }

  /** Who stands nowhere in the picture: they are still to come, or have ended. */
  drawApart(rows, state) {
    const coming = (state.o || []).map((place) => this.show.lanes[place]);
    const ended = rows.filter((row) => row.phase === "ended" && row.lane[3] !== "call").map((row) => row.lane);
    const key = `${coming.length} ${ended.map((lane) => lane[0]).join()}`;
    if (this.apartKey === key) return;
    this.apartKey = key;
    this.ended.replaceChildren(...this.apart("coming", coming), ...this.apart("ended", ended));
  }

  apart(word, lanes) {
    if (!lanes.length) return [];
    const shown = lanes.length <= 16 ? lanes : lanes.slice(0, 15);
    const badges = shown.map((lane) => h("span", { title: lane[0] }, badge(lane, word, 0)));
    const more = lanes.length > shown.length ? h("span", null, `+${lanes.length - shown.length}`) : "";
    return [h("span", { class: "s-word" }, this.t(word)), ...badges, more];
  }
}

const STOCKS = {
  channel: (pane, box, told) => pane.queue(box, told),
  attribute: (pane, box, told) => pane.value(box, told),
  resource: (pane, box, told) => pane.shares(box, told),
};

function holding(row) {
  return Number(row.tokens.length + row.locks.length > 0);
}

function nameOf(show, lane) {
  return show.lanes[lane]?.[0] ?? "?";
}

function tipOf(row, t) {
  const step = row.method && row.method !== "execute" && row.method !== "rpc" ? `${row.step}.${row.method}` : row.step;
  const phase = row.wait ? t("waits_for", { wait: row.wait }) : t(row.phase);
  return `${row.lane[0]}${t("colon")}${step}${t("comma")}${phase}${row.tokens.length ? `${t("comma")}${t("token")}` : ""}`;
}

function waves(x, y, tip) {
  const one = "q2 -3 4 0t4 0t4 0t4 0t4 0t4 0";
  return s("g", null, s("title", null, tip), s("path", { d: `M${x} ${y}${one}M${x} ${y + 4}${one}`, class: "e" }));
}
