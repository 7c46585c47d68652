// Two axes with marks on them: points, segments, curves, boxes, ellipses, rasters, trails.
import { COLOURS, children, colour, layers, picture, say, scale, set, svgElement, text, ticks } from "./draw.js";

const WIDTH = 480, HEIGHT = 384, LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 38;
const LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz";

export function makePlane(parent, panel) {
  const view = picture(parent, WIDTH, HEIGHT, panel.title);
  const layer = layers(view.svg);
  layer("raster"); layer("axes", "g", { class: "axes" });
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  const area = svgElement(svgElement(layer("axes"), "clipPath", { id: clip }), "rect");
  set(area, { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM });
  const marks = layer("marks", "g", { "clip-path": `url(#${clip})` });
  layer("ticks", "g", { class: "axes" });
  return { view, layer, marks, drawn: [] };
}

export function drawPlane(made, panel, context) {
  const { view, layer, marks } = made;
  say(view, panel);
  view.svg.setAttribute("aria-label", `${panel.title}: ${panel.y || "second axis"} over ${panel.x}. ${context.caption}`);
  const [x, y] = scales(panel);
  view.svg.scales = { x, y };
  axes(layer("ticks"), panel, x, y);
  while (made.drawn.length > panel.marks.length) made.drawn.pop().remove();
  panel.marks.forEach((mark, k) => {
    if (made.drawn[k] && made.drawn[k].dataset.mark !== mark.mark) made.drawn.splice(k).forEach((old) => old.remove());
    if (!made.drawn[k]) {
      made.drawn[k] = svgElement(marks, "g");
      made.drawn[k].dataset.mark = mark.mark;
    }
    DRAWN[mark.mark](made.drawn[k], mark, x, y, context, k);
  });
}

function scales(panel) {
  let [left, right, bottom, top] = panel.box;
  if (panel.equal) {  // one unit is as long on both axes
    const unit = Math.max((right - left) / (WIDTH - LEFT - RIGHT), (top - bottom) / (HEIGHT - TOP - BOTTOM));
    const wide = (unit * (WIDTH - LEFT - RIGHT) - (right - left)) / 2;
    const high = (unit * (HEIGHT - TOP - BOTTOM) - (top - bottom)) / 2;
    [left, right, bottom, top] = [left - wide, right + wide, bottom - high, top + high];
  }
  const x = scale(left, right, LEFT, WIDTH - RIGHT), y = scale(bottom, top, HEIGHT - BOTTOM, TOP);
  x.ends = [left, right]; y.ends = [bottom, top];
  return [x, y];
}

const SHAPES = {
  dot: (u, v, r) => `M${short(u - r)} ${v}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  cross: (u, v, r) => `M${short(u - 1.9 * r)} ${short(v - 1.9 * r)}l${3.8 * r} ${3.8 * r}m0 ${-3.8 * r}l${-3.8 * r} ${3.8 * r}`,
};

function short(number) {
  return Math.round(10 * number) / 10;
}

function axes(group, panel, x, y) {
  const key = JSON.stringify([panel.box, panel.x, panel.y]);
  if (group.dataset.key === key) return;
  group.dataset.key = key;
  group.replaceChildren();
  const floor = HEIGHT - BOTTOM;
  svgElement(group, "path", { d: `M${LEFT} ${TOP}V${floor}H${WIDTH - RIGHT}` });
  for (const at of ticks(...x.ends)) {
    svgElement(group, "text", { x: x(at), y: floor + 15, "text-anchor": "middle" }).textContent = text(at);
    svgElement(group, "path", { d: `M${x(at)} ${floor}v4` });
  }
  for (const at of ticks(...y.ends)) {
    svgElement(group, "text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }).textContent = text(at);
    svgElement(group, "path", { d: `M${LEFT} ${y(at)}h-4` });
  }
  const across = svgElement(group, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 5, "text-anchor": "middle", class: "name" });
  across.textContent = panel.x;
  const up = svgElement(group, "text", { x: 11, y: (TOP + floor) / 2, "text-anchor": "middle", class: "name" });
  set(up, { transform: `rotate(-90 11 ${(TOP + floor) / 2})` }).textContent = panel.y;
}

const DRAWN = {
  // One path for all points of a colour: five hundred of them move as quickly as one.
  points(group, mark, x, y) {
    const paths = new Map();
    for (let i = 0; i < mark.x.length; i += 1) {
      if (mark.x[i] === null || mark.y[i] === null) continue;
      const key = `${mark.group ? mark.group[i] : -1} ${mark.ring && mark.ring[i] ? 1 : 0}`;
      const radius = short(3.6 * (mark.size ? mark.size[i] : 1)), u = short(x(mark.x[i])), v = short(y(mark.y[i]));
      paths.set(key, (paths.get(key) ?? "") + SHAPES[mark.shape](u, v, radius));
    }
    // Rings last, so that they lie on top.
    const keys = [...paths.keys()].sort((a, b) => a.split(" ")[1] - b.split(" ")[1]);
    const nodes = children(group, "path", keys.length);
    keys.forEach((key, i) => {
      const [of, ringed] = key.split(" ").map(Number);
      const ink = colour(of);
      if (mark.shape === "cross") set(nodes[i], { d: paths.get(key), stroke: ink, class: "cross" });
      else set(nodes[i], { d: paths.get(key), fill: ink, class: ringed ? "dot ringed" : "dot" });
    });
  },
  segments(group, mark, x, y) {
    const nodes = children(group, "line", mark.ends.length);
    mark.ends.forEach((ends, i) => {
      const there = ends.every((end) => end !== null);
      const [x1, y1, x2, y2] = there ? ends : [0, 0, 0, 0];
      set(nodes[i], {
        x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2), visibility: there ? null : "hidden", stroke: colour(mark.group[i]),
        "stroke-width": mark.width, "stroke-dasharray": mark.dashed ? "5 4" : null,
      });
    });
  },
  curve(group, mark, x, y) {
    set(children(group, "path", 1)[0], {
      d: line(mark.x.map((at, i) => [at === null ? null : x(at), mark.y[i] === null ? null : y(mark.y[i])])),
      stroke: colour(mark.group), class: "curve", "stroke-dasharray": mark.dashed ? "5 4" : null,
    });
  },
  boxes(group, mark, x, y) {
    const nodes = children(group, "rect", mark.corners.length);
    mark.corners.forEach((corners, i) => {
      const there = corners.every((at) => at !== null);
      const [left, right, bottom, top] = there ? corners : [0, 0, 0, 0];
      set(nodes[i], {
        x: x(left), y: y(top), width: Math.max(0, x(right) - x(left)), height: Math.max(0, y(bottom) - y(top)),
        stroke: colour(mark.group[i]), fill: colour(mark.group[i]), class: "box", visibility: there ? null : "hidden",
      });
    });
  },
  ellipses(group, mark, x, y) {
    const nodes = children(group, "path", mark.shapes.length);
    mark.shapes.forEach(([cx, cy, rx, ry, turn], i) => {
      const around = [];
      for (let k = 0; k <= 48; k += 1) {
        const angle = (k * Math.PI) / 24, a = rx * Math.cos(angle), b = ry * Math.sin(angle);
        around.push([x(cx + a * Math.cos(turn) - b * Math.sin(turn)), y(cy + a * Math.sin(turn) + b * Math.cos(turn))]);
      }
      set(nodes[i], { d: line(around), stroke: colour(mark.group[i]), fill: colour(mark.group[i]), class: "ellipse" });
    });
  },
  raster(group, mark, x, y) {
    const [left, right, bottom, top] = mark.box;
    const image = children(group, "image", 1)[0];
    set(image, { x: x(left), y: y(top), width: x(right) - x(left), height: y(bottom) - y(top), preserveAspectRatio: "none" });
    const key = mark.palette + mark.rows.join("");
    if (image.dataset.key === key) return;
    image.dataset.key = key;
    set(image, { href: painted(mark), class: mark.palette });
  },
  trail(group, mark, x, y, context, k) {
    const way = context.before.map((panel) => panel.marks[k]).filter((each) => each && each.mark === "trail");
    const nodes = children(group, "path", 1);
    set(nodes[0], { d: line(way.map((each) => [x(each.x), y(each.y)])), stroke: colour(mark.group), class: "curve" });
    const dots = svgOnly(group.parentNode, group, way.length);
    way.forEach((each, i) => set(dots[i], { cx: x(each.x), cy: y(each.y), r: i === way.length - 1 ? 5 : 2.2, fill: colour(mark.group) }));
  },
};

// The dots of a trail stand in a group inside its own.
function svgOnly(parent, group, count) {
  if (!group.dots) {
    group.dots = svgElement(parent, "g");
    const remove = group.remove.bind(group);
    group.remove = () => { group.dots.remove(); remove(); };
  }
  return children(group.dots, "circle", count);
}

function line(places) {
  let pen = "M";
  return places.map(([x, y]) => {
    if (x === null || y === null) { pen = "M"; return ""; }
    const part = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = "L";
    return part;
  }).join("");
}

function painted({ rows, palette }) {
  const canvas = document.createElement("canvas");
  canvas.width = rows[0].length; canvas.height = rows.length;
  const pen = canvas.getContext("2d");
  rows.forEach((row, i) => {
    for (let j = 0; j < row.length; j += 1) {
      const level = LEVELS.indexOf(row[j]);
      const score = (2 * level) / (LEVELS.length - 1) - 1;
      pen.globalAlpha = palette === "class" ? 0.22 : 0.06 + 0.4 * Math.abs(score);
      pen.fillStyle = palette === "class" ? COLOURS[level % COLOURS.length] : COLOURS[score < 0 ? 0 : 1];
      pen.fillRect(j, rows.length - 1 - i, 1, 1);
    }
  });
  return canvas.toDataURL();
}
