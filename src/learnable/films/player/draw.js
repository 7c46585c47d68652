// What all panels share: SVG elements that are reused from frame to frame, scales, ticks, colours, texts.

const SVG = "http://www.w3.org/2000/svg";

// Colours that people with colour blindness can tell apart (Okabe and Ito); player.css has them too, brighter in the dark.
export const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a90a", "#7a5bc7"];

export function colour(group) {
  return group === null || group === undefined || group < 0 ? "var(--grey)" : `var(--c${group % COLOURS.length})`;
}

export function element(parent, name, attributes = {}, text = null) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent.append(made);
  return made;
}

export function svgElement(parent, name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  parent.append(made);
  return made;
}

// Attributes that are as they were are not touched: most marks stand still from frame to frame.
export function set(target, attributes) {
  const kept = (target.kept ??= {});
  for (const key in attributes) {
    const value = attributes[key] ?? null;
    if (kept[key] === value) continue;
    kept[key] = value;
    if (value === null) target.removeAttribute(key);
    else target.setAttribute(key, value);
  }
  return target;
}

// Nor are texts: a new one makes the browser lay out its surroundings again.
export function write(target, words) {
  if (target.words !== words) target.textContent = target.words = words;
}

// A picture with a title for the eye and a label for screen readers.
export function picture(parent, width, height, title) {
  const figure = element(parent, "figure", { class: "panel" });
  const caption = element(figure, "figcaption", {}, title);
  const drawing = element(figure, "div", { class: "drawing" });
  const svg = svgElement(drawing, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  const note = element(figure, "p", { class: "note" });
  return { drawing, caption, svg, note, width, height };
}

// Lays an element over an area of a picture, given in its units.
export function cover(view, target, { left, top, width, height }) {
  target.style.left = `${(100 * left) / view.width}%`;
  target.style.top = `${(100 * top) / view.height}%`;
  target.style.width = `${(100 * width) / view.width}%`;
  target.style.height = `${(100 * height) / view.height}%`;
  return target;
}

export function say(view, panel) {
  write(view.caption, panel.title);
  write(view.note, panel.note);
  view.note.hidden = !panel.note;
}

// Exactly `count` children of one kind in a group: those that are there stay, so scrubbing only changes attributes.
export function children(parent, name, count) {
  while (parent.childElementCount > count) parent.lastElementChild.remove();
  while (parent.childElementCount < count) svgElement(parent, name);
  return parent.children;
}

// Groups of a picture by name, made when first asked for.
export function layers(svg) {
  const known = new Map();
  return (name, tag = "g", attributes = {}) => {
    if (!known.has(name)) known.set(name, svgElement(svg, tag, attributes));
    return known.get(name);
  };
}

export function scale(from, to, start, end) {
  const width = to - from || 1;
  return (value) => start + ((value - from) / width) * (end - start);
}

export function ticks(from, to, about = 5) {
  const width = to - from;
  if (!(width > 0) || !isFinite(width)) return [from];
  const rough = width / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to + 1e-9 * step; k += 1) found.push(k * step);
  return found;
}

export function text(number) {
  if (number === null || number === undefined) return "no number";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e5 || size < 1e-3) return number.toExponential(1).replace("e+", "e");
  return String(Number(number.toPrecision(3)));
}
