// The ground of a plane, in pixels: rasters and dots, of which there are too many to be elements.
import { COLOURS, cover, element } from "./draw.js";

const LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz", RADIUS = 3.6;
const DARK = matchMedia("(prefers-color-scheme: dark)");

// A canvas over one area of a picture, under its lines; `area` is in the picture's units.
export function makeGround(view, area) {
  const canvas = cover(view, element(view.drawing, "canvas", { "aria-hidden": "true" }), area);
  view.svg.before(canvas);
  const ground = { canvas, area, unit: 0, marks: [], sprites: new Map(), cells: document.createElement("canvas") };
  new ResizeObserver(([{ contentRect }]) => sized(ground, contentRect.width)).observe(canvas);
  const turned = () => {
    if (!canvas.isConnected) DARK.removeEventListener("change", turned);
    ground.sprites.clear();
    paint(ground);
  };
  DARK.addEventListener("change", turned);
  return ground;
}

function sized(ground, width) {
  const { canvas, area, sprites } = ground;
  ground.unit = (width * devicePixelRatio) / area.width;
  canvas.width = Math.round(ground.unit * area.width);
  canvas.height = Math.round(ground.unit * area.height);
  sprites.clear();
  paint(ground);
}

// Marks that are as they were are not painted again: frames share what does not change.
export function drawGround(ground, marks, x, y) {
  const same = ground.marks.length === marks.length && marks.every((mark, k) => mark === ground.marks[k]);
  const ends = String([x.ends, y.ends]);
  if (same && ends === ground.ends) return;
  Object.assign(ground, { marks, x, y, ends });
  paint(ground);
}

function paint(ground) {
  const { canvas, marks, unit } = ground;
  if (!unit) return;  // nobody sees it yet
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const mark of marks) (mark.mark === "raster" ? raster : dots)(pen, mark, ground);
}

// Rings last, so that they lie on top.
function dots(pen, mark, ground) {
  const { x, y, area, unit } = ground;
  for (const ringed of mark.ring ? [false, true] : [false])
    for (let i = 0; i < mark.x.length; i += 1) {
      if (mark.x[i] === null || mark.y[i] === null || ringed !== Boolean(mark.ring?.[i])) continue;
      const radius = Math.round(10 * RADIUS * (mark.size ? mark.size[i] : 1)) / 10;
      const dot = sprite(ground, mark.group ? mark.group[i] : -1, ringed, radius);
      const u = (x(mark.x[i]) - area.left) * unit, v = (y(mark.y[i]) - area.top) * unit;
      pen.drawImage(dot, Math.round(u - dot.width / 2), Math.round(v - dot.height / 2));
    }
}

// One dot, drawn once for each look and copied from then on.
function sprite({ canvas, sprites, unit }, group, ringed, radius) {
  const key = `${group} ${ringed} ${radius}`;
  if (sprites.has(key)) return sprites.get(key);
  const dot = document.createElement("canvas"), styles = getComputedStyle(canvas);
  dot.width = dot.height = Math.ceil(2 * unit * (radius + 1.5));
  const pen = dot.getContext("2d");
  pen.beginPath();
  pen.arc(dot.width / 2, dot.width / 2, unit * radius, 0, 2 * Math.PI);
  pen.fillStyle = styles.getPropertyValue(group < 0 ? "--grey" : `--c${group % COLOURS.length}`);
  pen.globalAlpha = 0.88;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = styles.getPropertyValue(ringed ? "--ink" : "--ground");
  pen.lineWidth = unit * (ringed ? 2 : 0.8);
  pen.stroke();
  sprites.set(key, dot);
  return dot;
}

const INKS = {
  class: [...LEVELS].map((_, level) => ink(COLOURS[level % COLOURS.length], 0.22)),
  score: [...LEVELS].map((_, level) => (2 * level) / (LEVELS.length - 1) - 1)
    .map((score) => ink(COLOURS[score < 0 ? 0 : 1], 0.06 + 0.4 * Math.abs(score))),
};

function ink(colour, strength) {
  return [...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)), Math.round(255 * strength)];
}

function raster(pen, mark, { x, y, area, unit, cells }) {
  const [left, right, bottom, top] = mark.box, { rows, palette } = mark;
  cells.width = rows[0].length; cells.height = rows.length;
  const brush = cells.getContext("2d"), image = brush.createImageData(cells.width, cells.height);
  rows.toReversed().forEach((row, i) => {
    for (let j = 0; j < row.length; j += 1) image.data.set(INKS[palette][LEVELS.indexOf(row[j])], 4 * (i * row.length + j));
  });
  brush.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = palette !== "class";
  const u = (at) => (x(at) - area.left) * unit, v = (at) => (y(at) - area.top) * unit;
  pen.drawImage(cells, u(left), v(top), u(right) - u(left), v(bottom) - v(top));
}
