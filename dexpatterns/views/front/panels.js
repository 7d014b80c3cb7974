// The tables of a turn: branches, Channels, Attributes, locks, the story and the properties. A row that this turn
// changed has a bar at its left.

const MOST_ROWS = 60;
const MANY_ROWS = 20; // more branches than this are chosen from

/** A table whose body is drawn anew each turn; `class_` is for the columns' widths. */
class TablePane {
  constructor(title, heads, class_) {
    this.body = h("tbody");
    this.note = h("p", { class: "s-quiet s-note" });
    this.title = h("h3", null, title);
    this.el = h("section", { class: `s-table ${class_}`, "aria-label": title }, this.title,
      h("table", null, h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), this.body), this.note);
  }

  /** Rows are [key, changed, quiet, [cells]]; a row that says the same stays as it is. */
  fill(rows, note) {
    this.el.hidden = !rows.length;
    const before = this.rows || new Map();
    this.rows = new Map();
    for (const [key, changed, quiet, cells, stamp] of rows) {
      let row = before.get(key);
      if (!row || row.stamp !== stamp) row = { el: h("tr", null, cells().map((cell) => h("td", null, cell))), stamp };
      row.el.className = `${changed ? "s-changed" : ""} ${quiet ? "s-quiet" : ""}`.trim();
      this.rows.set(key, row);
    }
    const wanted = [...this.rows.values()].map((row) => row.el);
    const had = [...this.body.children];
    // What stays where it was is not touched: that would lay the whole table out anew.
    const inPlace = wanted.length === had.length && wanted.every((el, i) => el === had[i] || el.parentNode !== this.body);
    if (!inPlace) this.body.replaceChildren(...wanted);
    else wanted.forEach((el, i) => el === had[i] || had[i].replaceWith(el));
    this.note.textContent = note || "";
    this.note.hidden = !note;
  }
}

/** A name in one line, the whole of it in its tooltip. */
function clipped(name) {
  return h("bdi", { class: "s-clip", title: name }, name);
}

class StatePanels {
  constructor(show, t) {
    this.show = show;
    this.t = t;
    const orders = show.machine === "js7";
    this.branches = orders
      ? new TablePane(t("orders"), [t("order"), t("instruction"), t("phase"), t("holds")], "s-branches")
      : new TablePane(t("branches"), [t("branch"), t("step"), t("phase"), t("holds")], "s-branches");
    this.channels = new TablePane(t("channels"), [t("channel"), t("messages"), t("waited")], "s-channels");
    this.attributes = new TablePane(t("attributes"), [t("attribute"), t("value"), t("last_change")], "s-attributes");
    this.locks = new TablePane(t("locks"), orders ? [t("lock"), t("taken"), t("held"), t("queue")] : [t("lock"), t("held")], "s-locks");
    const aside = orders ? [this.locks.el] : [this.channels.el, h("div", { class: "s-stack" }, this.attributes.el, this.locks.el)];
    this.el = h("div", { class: orders ? "s-panels s-two" : "s-panels", tabindex: 0, role: "group", "aria-label": t("tables") }, this.branches.el, aside);
  }

  draw(turn, state, rows, states) {
    this.drawBranches(turn, rows, states);
    this.drawChannels(turn, state, rows, states);
    const { show, t } = this;
    const attributes = show.attributes.map(([name], place) => {
      const [value, at, lane] = state[`a/${place}`] || [];
      if (value === undefined) return null;
      const when = () => (lane < 0 ? (at ? `${t("turn").toLowerCase()} ${at}` : "–") : fillWith(t("turn_by"), { n: at, who: clipped(nameOf(show, lane)) }));
      return [place, states.changed(turn, `a/${place}`), false, () => [clipped(name), h("code", { title: value }, own(value)), h("span", null, when())], `${value} ${at} ${lane}`];
    });
    this.attributes.fill(attributes.filter((row) => row).slice(0, MOST_ROWS));
    const locks = show.locks.map(([name], place) => {
      const lock = state[`k/${place}`];
      if (!lock) return null;
      const [used, limit, holders, queue] = lock;
      const taken = show.machine === "js7" ? [`${used} / ${limit}`] : [];
      const cells = () => [clipped(name), ...taken, this.shares(holders, "running"), ...(taken.length ? [this.shares(queue, "waiting")] : [])];
      return [place, states.changed(turn, `k/${place}`), !used, cells, JSON.stringify(lock)];
    });
    this.locks.fill(locks.filter((row) => row).slice(0, MOST_ROWS));
  }

  shares(parts, phase) {
    if (!parts.length) return h("span", { class: "s-quiet" }, phase === "running" ? this.t("free") : "–");
    const shown = parts.slice(0, 3).map(([lane, weight]) => h("span", { class: "s-who" }, badge(this.show.lanes[lane], phase, 0), own(nameOf(this.show, lane)), weight === null ? "" : ` ×${weight}`, " "));
    return [shown, parts.length > 3 ? `+${parts.length - 3}` : ""];
  }

  drawBranches(turn, rows, states) {
    const { t } = this;
    const all = rows.filter((row) => row.lane[3] !== "start" || row.phase !== "ended");
    let shown = all;
    let note = "";
    if (all.length > MANY_ROWS) {
      // Of many those that do something, then those that wait; who has ended is a number.
      const living = all.filter((row) => row.phase !== "ended");
      const rank = (row) => (states.changed(turn, `b/${row.place}`) ? 0 : row.phase !== "waiting" ? 1 : 2);
      shown = living.sort((a, b) => rank(a) - rank(b) || a.place - b.place).slice(0, MANY_ROWS);
      const [more, ended] = [living.length - shown.length, all.length - living.length];
      note = [more ? t("rows_more", { n: more }) : "", ended ? t("ended_more", { n: ended }) : ""].filter((one) => one).join(t("comma"));
    }
    const made = shown.map((row) => {
      const locks = row.locks.map((lock) => this.show.locks[lock][0]).join(t("list"));
      const holds = () => (locks ? clipped(locks) : row.tokens.length ? [disc(), row.tokens.length > 1 ? `${row.tokens.length} ${t("token")}` : t("token")] : "");
      const cells = () => [
        [badge(row.lane, row.phase, 0), clipped(row.lane[0])], clipped(row.step),
        h("span", { title: row.wait || null }, t(row.phase)), holds(),
      ];
      const stamp = `${row.step} ${row.phase} ${row.tokens.length} ${locks} ${row.wait}`;
      return [row.place, states.changed(turn, `b/${row.place}`), row.phase === "ended", cells, stamp];
    });
    this.branches.fill(made, note);
  }

  drawChannels(turn, state, rows, states) {
    const { show, t } = this;
    const made = [];
    show.channels.forEach(([name], place) => {
      const queue = state[`c/${place}`];
      const waiting = rows.filter((row) => row.phase === "waiting" && row.channels.includes(place));
      if (!queue && !waiting.length) return;
      const [n, ...cells] = queue || [0];
      const token = show.tokens.includes(place);
      const holders = rows.filter((row) => row.tokens.includes(place));
      const needs = new Set(waiting.map((row) => (row.wait.match(/\.for_n\((\d+)\)$/) || [])[1]).filter((k) => k));
      const stamp = JSON.stringify([queue, waiting.map((row) => row.place), holders.map((row) => row.place)]);
      const changed = turn > 0 && states.changed(turn, `c/${place}`);
      made.push([place, changed, false, () => [clipped(name), this.messages(n, cells, token, holders), this.waited(waiting, needs)], stamp]);
    });
    const more = made.length - MOST_ROWS;
    this.channels.fill(made.slice(0, MOST_ROWS), more > 0 ? this.t("rows_more", { n: more }) : "");
  }

  messages(n, cells, token, holders) {
    const { show, t } = this;
    if (!n) {
      const who = holders.map((row) => row.lane[0]).join(t("list"));
      return h("span", { class: "s-quiet" }, holders.length ? fillWith(t("held_by"), { who: own(who) }) : t("empty"));
    }
    // Two values if they are short, so that a row stays one line.
    const most = cells.slice(0, 2).every(([, , text]) => text.length <= 16) ? 2 : 1;
    const said = cells.slice(0, most).map(([, lane, text]) => h("code", { title: lane >= 0 ? `${nameOf(show, lane)}${t("colon")}${text}` : text }, own(text)));
    const parts = said.flatMap((one, i) => (i ? [", ", one] : [one]));
    return [token ? Array.from({ length: Math.min(n, 3) }, disc) : h("b", null, n), " ", parts, n > said.length ? h("span", { class: "s-quiet" }, ` +${n - said.length}`) : ""];
  }

  waited(waiting, needs) {
    if (!waiting.length) return h("span", { class: "s-quiet" }, "–");
    const shown = waiting.slice(0, 4).map((row) => h("span", { title: `${row.lane[0]}: ${row.wait}`, role: "img", "aria-label": row.lane[0] }, badge(row.lane, "waiting", 0)));
    const more = waiting.length > 4 ? h("span", { class: "s-quiet" }, `+${waiting.length - 4} `) : "";
    const n = needs.size === 1 ? [...needs][0] : "";
    return [shown, more, n ? this.t("needs", { n }) : ""];
  }
}

/** The story of a counterexample: a row a turn, of which only those near the turn are built when it is long. */
class StoryPane {
  constructor(show, t, go) {
    this.show = show;
    this.named = new Set(show.cause?.turns || []);
    const heads = ["turn", show.machine === "js7" ? "order" : "branch", "what_happens", "read_or_changed"].map((key) => h("th", { scope: "col" }, t(key)));
    this.rows = show.told.map((told, i) => storyRow(show, t, told, i + 1, this.named, go));
    this.box = h("div", { class: "s-scroll s-tall", tabindex: 0, role: "group", "aria-label": t("story") }, h("table", null, h("thead", null, h("tr", null, heads)), h("tbody", null, this.rows)));
    this.el = h("section", { class: "s-table s-story", "aria-label": t("story") },
      h("h3", null, t("story"), " ", h("span", { class: "s-quiet" }, t("story_hint"))), this.box);
    this.at = null;
  }

  draw(turn) {
    if (this.at) this.at.classList.remove("s-changed");
    if (this.at) this.at.removeAttribute("aria-current");
    this.at = this.rows[turn - 1];
    if (!this.at) return;
    this.at.classList.add("s-changed");
    this.at.setAttribute("aria-current", "step");
    const [top, bottom] = [this.at.offsetTop, this.at.offsetTop + this.at.offsetHeight];
    if (top < this.box.scrollTop + 30) this.box.scrollTop = top - 30;
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
  }
}

function storyRow(show, t, told, turn, named, go) {
  const [lane, who, , happens, reads, changes] = told;
  const said = [...reads.map(([name, value]) => [t("reads", { what: `${name} = ${value}` })]), ...changes.map((change) => changeText(change))];
  const broken = show.properties.some((one) => one.broken && one.broken[0] === turn);
  const changed = said.slice(0, 4).flatMap((one, i) => (i ? ["; ", own(one.join(""))] : [own(one.join(""))]));
  return h("tr", { class: `${named.has(turn) ? "s-named " : ""}${broken ? "s-broken" : ""}`, onclick: () => go(turn) },
    h("td", { class: "s-number" }, h("button", { type: "button", class: "s-link", "aria-label": t("turn_of", { n: turn, all: show.turns }) }, turn)),
    h("td", null, badge(show.lanes[lane], "running", 0), own(who)), h("td", null, own(happens)), h("td", null, changed));
}

function changeText([name, old, new_, note]) {
  return old ? [`${name} ${old} → ${new_}${note}`] : [`${name} = ${new_}${note}`];
}

/** What holds so far, by property and turn, and what a search said. */
class PropertiesPane {
  constructor(show, t) {
    this.show = show;
    this.t = t;
    this.pills = h("div", { class: "s-pills" });
    this.table = new TablePane(t("properties"), [t("property"), t("in_this_run"), t("by_search")], "s-properties");
    this.drawnAt = null;
  }

  /** [mark, what to say in the pill, in the table] of a property at a turn. */
  judge(one, turn) {
    const { t, show } = this;
    const broken = one.broken && one.broken[0] <= turn;
    const here = !one.judged ? t("not_judged") : broken ? t("broken_at", { n: one.broken[0] }) : one.goal ? t(turn === show.turns && one.verdict === "PROVED" ? "holds_so_far" : "still_open") : t(show.kind === "run" ? "holds_so_far" : "not_broken");
    const told = one.verdict ? (one.verdict === "BOUNDED" && show.kind === "counterexample" ? "" : one.verdict) : "";
    if (told === "REFUTED" || told === "PROVED" || told === "BOUNDED") return [told, `${one.name}${t("colon")}${told}`, here];
    if (broken) return ["REFUTED", `${one.name}${t("colon")}${t("broken_at", { n: one.broken[0] })}`, here];
    if (!one.judged || one.goal) return ["none", `${one.name}${t("colon")}${t(one.judged ? "still_open" : "not_judged")}`, here];
    return ["holds", show.kind === "counterexample" ? `${one.name}${t("colon")}${t("not_broken_here")}` : one.name, here];
  }

  draw(turn) {
    const found = this.show.properties.map((one) => [one, ...this.judge(one, turn)]);
    const key = found.map(([, mark, said, here]) => `${mark} ${said} ${here}`).join("|");
    if (key === this.drawnAt) return;
    this.drawnAt = key;
    const some = this.show.kind === "run" && found.length;
    this.pills.replaceChildren(...(some ? [h("span", { class: "s-quiet" }, this.t("so_far"))] : []), ...found.map(([, mark, said, here]) => h("span", { class: `s-pill s-${mark}`, title: here, role: "img", "aria-label": mark === "holds" ? `${said}${this.t("colon")}${here}` : said }, verdictMark(mark), own(said))));
    const rows = found.map(([one, mark, , here], i) => [i, one.broken?.[0] === turn, false, () => [
      [verdictMark(mark), mark === "REFUTED" ? h("b", null, own(one.name)) : own(one.name)],
      mark === "REFUTED" && one.broken ? h("span", null, h("b", { class: "s-fail" }, here), h("br"), one.broken[0] <= turn ? own(one.broken[1]) : "") : here,
      h("span", { class: mark === "holds" || mark === "none" ? "s-quiet" : null }, one.by),
    ], `${mark} ${here}`]);
    this.table.fill(rows);
  }
}
