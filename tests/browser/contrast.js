// Texts of the stepper or the seat that do not stand out against what lies under their middle: [how many were looked
// at, those under 4.5].

() => {
  const style = document.createElement("style");
  style.textContent = "* { pointer-events: auto !important }"; // so that whatever is drawn can be found by its place
  document.head.append(style);
  const parse = (text) => {
    const [r, g, b, a] = text.match(/[\d.]+/g).map(Number);
    return [r, g, b, a === undefined ? 1 : a];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((one, i) => a * one + (1 - a) * under[i]);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opacity = (el) => (el instanceof Element ? Number(getComputedStyle(el).opacity) * opacity(el.parentNode) : 1);
  const ground = parse(getComputedStyle(document.querySelector(".dxs")).backgroundColor).slice(0, 3);
  // What one element paints at a point; null for nothing, or for lines alone.
  const paint = (el, x, y) => {
    const own = getComputedStyle(el);
    if (!(el instanceof SVGElement)) return parse(own.backgroundColor);
    if (!(el instanceof SVGGeometryElement) || own.fill === "none" || !own.fill.startsWith("rgb")) return null;
    const at = new DOMPoint(x, y).matrixTransform(el.getScreenCTM().inverse());
    if (!el.isPointInFill(at)) return null;
    const [r, g, b, a] = parse(own.fill);
    return [r, g, b, a * Number(own.fillOpacity) * opacity(el)];
  };
  const beneath = (owner, x, y) => {
    const stack = document.elementsFromPoint(x, y);
    const at = stack.indexOf(owner);
    if (at < 0) return null; // it is covered, or clipped away
    return stack.slice(at + (owner instanceof SVGElement ? 1 : 0)).reverse().reduce((under, el) => {
      const painted = paint(el, x, y);
      return painted ? over(painted, under) : under;
    }, ground);
  };
  const found = [];
  let looked = 0;
  const walk = document.createTreeWalker(document.querySelector(".dxs"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const owner = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || owner.closest(":disabled, [aria-disabled=true], .s-unseen, title, option, defs")) continue;
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    const box = range.getBoundingClientRect();
    if (!box.width || !owner.checkVisibility()) continue;
    const text = owner.closest("text") || owner;
    const own = getComputedStyle(owner);
    const svg = owner instanceof SVGElement;
    const halo = svg && own.paintOrder.startsWith("stroke") && own.stroke.startsWith("rgb") && parseFloat(own.strokeWidth) >= 2;
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    const under = halo ? parse(own.stroke).slice(0, 3) : beneath(text, ...middle);
    if (!under) continue;
    looked += 1;
    const [r, g, b, a] = parse(svg ? own.fill : own.color);
    const drawn = over([r, g, b, a * opacity(owner)], under);
    const [low, high] = [light(drawn), light(under)].sort((one, two) => one - two);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(`${walk.currentNode.data.trim().slice(0, 40)}: ${ratio.toFixed(2)} (${drawn.map(Math.round)} on ${under.map(Math.round)})`);
  }
  style.remove();
  return [looked, [...new Set(found)]];
}
