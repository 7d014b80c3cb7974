// Runs in a page that was made ahead: every show in it becomes a stepper, and nobody is there to be sent something.

const linksAt = document.getElementById("dxs-links");
const links = linksAt ? JSON.parse(linksAt.textContent) : {};
for (const box of document.querySelectorAll("[data-dxs]")) {
  const show = JSON.parse(box.querySelector("script[type='application/json']").textContent);
  const data = { show, links, seat: null, axis: "turns", turn: show.kind === "counterexample" ? show.turns : 0 };
  const heard = {};
  const host = {
    get: (name) => data[name],
    set: (name, value) => {
      data[name] = value;
      for (const call of heard[name] || []) call();
    },
    on: (name, call) => {
      (heard[name] ||= []).push(call);
      return () => (heard[name] = heard[name].filter((one) => one !== call));
    },
    send: null,
  };
  box.classList.add("dxs-on");
  const view = document.createElement("div");
  box.append(view);
  mountStepper(view, host);
}
