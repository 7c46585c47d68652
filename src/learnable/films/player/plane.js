// Two axes with marks on them: points, segments, curves, boxes, ellipses, rasters, trails.
import { children, colour, layers, picture, say, scale, set, svgElement, text, ticks } from "./draw.js";
import { drawGround, makeGround } from "./ground.js";

const WIDTH = 480, HEIGHT = 384, LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 38;
const AREA = { left: LEFT, top: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };

export function makePlane(parent, panel) {
  const view = picture(parent, WIDTH, HEIGHT, panel.title);
  const layer = layers(view.svg), ground = makeGround(view, AREA);
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  const area = svgElement(layer("clip", "clipPath", { id: clip }), "rect");
  set(area, { x: AREA.left, y: AREA.top, width: AREA.width, height: AREA.height });
  const marks = layer("marks", "g", { "clip-path": `url(#${clip})` });
  layer("ticks", "g", { class: "axes" });
  return { view, layer, ground, marks, drawn: [] };
}

export function drawPlane(made, panel, context) {
  const { view, layer, ground, marks } = made;
  say(view, panel);
  view.svg.setAttribute("aria-label", `${panel.title}: ${panel.y || "second axis"} over ${panel.x}. ${context.caption}`);
  const [x, y] = scales(panel);
  view.svg.scales = { x, y };
  axes(layer("ticks"), panel, x, y);
  const [pixels, elements] = [panel.marks.filter(inPixels), panel.marks.filter((mark) => !inPixels(mark))];
  drawGround(ground, pixels, x, y);
  while (made.drawn.length > elements.length) made.drawn.pop().remove();
  elements.forEach((mark, k) => {
    if (made.drawn[k] && made.drawn[k].dataset.mark !== mark.mark) made.drawn.splice(k).forEach((old) => old.remove());
    if (!made.drawn[k]) {
      made.drawn[k] = svgElement(marks, "g");
      made.drawn[k].dataset.mark = mark.mark;
    }
    DRAWN[mark.mark](made.drawn[k], mark, x, y, context, panel.marks.indexOf(mark));
  });
}

function inPixels(mark) {
  return mark.mark === "raster" || mark.shape === "dot";
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
  points(group, mark, x, y) {
    const there = [...mark.x.keys()].filter((i) => mark.x[i] !== null && mark.y[i] !== null);
    const nodes = children(group, "path", there.length);
    there.forEach((i, k) => {
      const arm = 6.8 * (mark.size ? mark.size[i] : 1), u = x(mark.x[i]) - arm, v = y(mark.y[i]) - arm;
      const d = `M${u.toFixed(1)} ${v.toFixed(1)}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
      set(nodes[k], { d, stroke: colour(mark.group ? mark.group[i] : -1), class: "cross" });
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
  trail(group, mark, x, y, context, place) {
    const way = context.before.map((panel) => panel.marks[place]).filter((each) => each && each.mark === "trail");
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
