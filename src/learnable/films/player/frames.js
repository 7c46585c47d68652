// Frames from differences; the patches are described in deltas.py. Frames share what does not change.

export function applied(patch, before) {
  if (patch === null) return before;
  const [kind, what, rest] = patch;
  if (kind === 0) return what;
  if (kind === 1) {
    const after = { ...before };
    for (const key of rest) delete after[key];
    for (const [key, each] of Object.entries(what)) after[key] = applied(each, before[key]);
    return after;
  }
  const after = before.slice();
  if (kind === 2) what.forEach((place, i) => (after[place] = rest[i]));
  else {
    for (const [place, each] of Object.entries(what)) after[place] = applied(each, before[place]);
    after.push(...rest);
  }
  return after;
}

export function framesOf(film) {
  const frames = [];
  for (const patch of film.deltas) frames.push(applied(patch, frames.length ? frames[frames.length - 1] : null));
  return frames;
}
