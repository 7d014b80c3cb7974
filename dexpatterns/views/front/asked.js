// Lanes that a person asks for by name, where not every branch has one in the picture: drawn here from the states of
// the run, on the columns of the window. They say phases, tokens' holders and visits, not how an attempt ended.

const ASKED_MOST = 8;
const ASKED_ROW = 32;

class AskedLanes {
  constructor(pane) {
    this.pane = pane;
    this.found = [];
    const { t, show } = pane;
    const id = newId();
    this.field = h("input", { type: "search", class: "s-ask", autocomplete: "off", list: id, "aria-label": t("ask_lane"), oninput: () => this.ask(), onkeydown: (event) => this.key(event) });
    this.count = h("span", { class: "s-quiet", "aria-live": "polite" });
    const names = h("datalist", { id }, show.lanes.map(([name]) => h("option", { value: name })));
    this.form = h("label", { class: "s-asking" }, h("span", { class: "s-quiet" }, t("ask_lane")), this.field, names, this.count);
    this.rows = h("div", { class: "s-scroll s-asked" });
    this.el = h("div", { hidden: true }, this.form, this.rows);
  }

  /** Enter goes on in the lanes, where Shift and the arrows follow the first that was found; Escape takes all away. */
  key(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      this.field.value = "";
      this.ask();
    }
    this.pane.focus = this.found.length ? this.found[0] : -1;
    this.pane.showFocus();
    this.pane.box.focus({ preventScroll: true });
  }

  ask() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter((word) => word);
    const { lanes } = this.pane.show;
    const exact = lanes.findIndex(([name]) => name.toLowerCase() === this.field.value.trim().toLowerCase());
    const all = words.length ? [...lanes.keys()].filter((lane) => words.every((word) => lanes[lane][0].toLowerCase().includes(word))) : [];
    this.found = exact >= 0 ? [exact] : all.slice(0, ASKED_MOST);
    const key = exact >= 0 || !words.length ? "" : !all.length ? "ask_none" : all.length > ASKED_MOST ? "ask_some" : "ask_found";
    this.count.textContent = key ? this.pane.t(key, { n: all.length, m: ASKED_MOST }) : "";
    this.draw();
    this.pane.draw(this.pane.turn, this.pane.narrow);
  }

  /** Another window, another axis or other names: draw the rows anew. */
  draw() {
    const { pane } = this;
    const { show, columns } = pane;
    const drawn = new Set([...pane.svg.querySelectorAll("[data-lane]")].map((el) => pane.laneOf(el)));
    this.el.hidden = !this.found.length && !this.field.value && drawn.size >= show.lanes.length;
    this.layers = null;
    this.rows.replaceChildren();
    if (!this.found.length) return;
    const high = ASKED_ROW * this.found.length + 8;
    this.svg = s("svg", { class: "dxp s-panel", width: pane.wide, height: high, viewBox: `0 0 ${pane.wide} ${high}`, role: "img", "aria-label": this.found.map((lane) => show.lanes[lane][0]).join(pane.t("comma")) });
    this.frame = s("rect", { class: "s-now", y: 2, height: high - 4 });
    this.svg.append(s("rect", { class: "bg", width: "100%", height: "100%" }), this.frame);
    this.heads = s("g", null);
    const spans = this.spans();
    this.found.forEach((lane, row) => {
      const y = 4 + ASKED_ROW * row;
      const [name, , family] = show.lanes[lane];
      const group = s("g", { class: `f${family}`, "data-lane": lane }, s("path", { class: "r", d: `M14 ${y + ASKED_ROW}H${columns.right}` }));
      for (const span of spans[row]) group.append(this.mark(span, y + ASKED_ROW / 2));
      this.svg.append(group);
      this.heads.append(s("g", null, s("title", null, name), badgeAt(show.lanes[lane], "running", 26, y + ASKED_ROW / 2, 0), s("text", { class: "s-askname", x: 46, y: y + ASKED_ROW / 2 + 4 }, name.length > 26 ? `${name.slice(0, 25)}…` : name)));
    });
    this.ground = s("rect", { class: "bg", x: 0, y: 0, width: 44, height: high });
    this.heads.prepend(this.ground);
    this.layers = new Layers(this.svg, pane.wide, high);
    this.svg.append(this.heads);
    this.rows.append(this.svg);
  }

  /** Of each lane that was found: {a, b, phase, method, step, inside} of the turns after which it stood so. */
  spans() {
    const { show, first, last } = this.pane;
    const states = (this.states ||= new States(show));
    const made = this.found.map(() => []);
    for (let turn = first - 1; turn < last; turn++) {
      const state = states.at(turn);
      this.found.forEach((lane, row) => {
        const [step, method, phase] = state[`b/${lane}`] || ["", "", ""];
        const inside = show.sections.some((_, i) => (state[`i/${i}`] || []).includes(lane));
        for (const [kind, key] of [["phase", phase && phase !== "ended" ? `${phase} ${method} ${step}` : ""], ["inside", inside ? "in" : ""]]) {
          const before = made[row].findLast((span) => span.kind === kind);
          if (!key) continue;
          if (before && before.key === key && before.b === turn - 1) before.b = turn;
          else made[row].push({ kind, key, a: turn, b: turn, step, method, phase });
        }
      });
    }
    for (const row of made) row.sort((one, other) => (one.kind === "inside" ? 0 : 1) - (other.kind === "inside" ? 0 : 1));
    return made;
  }

  mark({ kind, a, b, step, method, phase }, y) {
    const { columns, t } = this.pane;
    const works = kind === "inside" || phase === "running";
    const [x, end] = [works && a >= columns.first ? columns.begin(a) : columns.end(a), columns.end(b + 1)];
    const wide = Math.max(end - x, 1);
    const title = s("title", null, kind === "inside" ? t("inside_tip") : `${step}${method && method !== "execute" ? `.${method}` : ""}, ${t(phase)}`);
    const thin = method === "wait_for";
    const shape =
      kind === "inside" ? s("rect", { x, y: y - 13, width: wide, height: 26, class: "n" })
      : phase === "running" ? s("rect", { x: x + 1.2, y: y - (thin ? 4 : 7), width: Math.max(wide - 2.4, 1), height: thin ? 8 : 14, class: thin ? "t" : "k" })
      : phase === "waiting" ? s("path", { d: `M${x} ${y}H${end}`, class: "m" })
      : s("path", { d: `M${x} ${y}H${end}`, class: phase === "queued" ? "o" : "l" });
    return s("g", { "data-a": Math.max(a + (works ? 0 : 1), 0), "data-b": b + 1, "data-turn": Math.max(a, 1) }, title, shape);
  }

  at(turn, end) {
    if (!this.layers) return;
    const { columns, first, last } = this.pane;
    this.layers.draw(turn, end);
    this.frame.style.display = turn >= first && turn <= last ? "" : "none";
    this.frame.setAttribute("x", columns.times ? end - MOMENT / 2 : columns.begin(turn));
    this.frame.setAttribute("width", columns.times ? MOMENT : columns.column);
  }

  /** The same part of the columns as the lanes show: [left edge, width], null for all. */
  crop(part) {
    if (!this.layers) return;
    const high = this.svg.getAttribute("height");
    const [left, wide] = part || [0, this.pane.wide];
    this.svg.setAttribute("viewBox", `${left} 0 ${wide} ${high}`);
    this.svg.setAttribute("width", wide);
    this.ground.style.display = part ? "" : "none";
    this.heads.setAttribute("transform", `translate(${part ? left - 7 : 0} 0)`);
    for (const name of this.heads.querySelectorAll(".s-askname")) name.style.display = part ? "none" : "";
  }
}
