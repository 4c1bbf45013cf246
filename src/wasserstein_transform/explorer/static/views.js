// Interaction in the browser: frames, the cut, balls, colors. Nothing here needs a server.
// Arrays are changed in place, and models by `set` (theme.js), so that a live page sends nothing back.

const SMALL = -1, ABOVE = -2, MIXED = -3, TIE = 1e-9, NEAR = 15, CUT_STEPS = 500;

function text(model, said) { if (model.text !== said) set(model, {text: said}); }

function number(value) {
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

function counted(n, thing) { return `${n.toLocaleString("en-US")} ${thing}${n === 1 ? "" : "s"}`; }

// Clusters of the merges up to a height, by decreasing size, ties by the first point; −1 for small ones.
function cutAt(tree, n, height) {
  const {a, b, h} = tree, smallest = Math.max(2, Math.ceil(0.01 * n));  // as `smallest_size` of distances.py
  const part = new Int32Array(2 * n - 1).fill(-1);
  let count = 0;
  for (let k = n - 2; k >= 0; k--) {
    if (part[n + k] < 0 && h[k] <= height * (1 + TIE)) part[n + k] = count++;
    if (part[n + k] >= 0) part[a[k]] = part[b[k]] = part[n + k];
  }
  for (let i = 0; i < n; i++) if (part[i] < 0) part[i] = count++;
  const sizes = new Int32Array(count), first = new Int32Array(count).fill(n);
  for (let i = 0; i < n; i++) { sizes[part[i]]++; if (first[part[i]] > i) first[part[i]] = i; }
  const order = Array.from(sizes.keys()).sort((p, q) => sizes[q] - sizes[p] || first[p] - first[q]);
  const rank = new Int32Array(count);
  order.forEach((p, k) => { rank[p] = sizes[p] >= smallest ? k : -1; });
  return part.subarray(0, n).map((p) => rank[p]);
}

// The label that the leaves below each node share, apart from noise; MIXED if there are several.
function labelsOfNodes({a, b}, labels) {
  const n = labels.length, out = new Int32Array(2 * n - 1);
  out.set(labels);
  for (let k = 0; k < n - 1; k++) {
    const one = out[a[k]], other = out[b[k]];
    out[n + k] = one === SMALL ? other : other === SMALL || other === one ? one : MIXED;
  }
  return out;
}

// A color as the pixel of an image.
function pixel(color, alpha = 255) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// Squared Bures distance of covariances xx, xy, yy.
function bures(a, b, c, x, y, z) {
  const dets = Math.max(a * c - b * b, 0) * Math.max(x * z - y * y, 0);
  const root = Math.sqrt(Math.max(a * x + 2 * b * y + c * z + 2 * Math.sqrt(dets), 0));
  return Math.max(a + c + x + z - 2 * root, 0);
}

class Page {
  constructor(models) {
    this.m = models;
    this.picked = null;
    this.pinned = false;
    this.playing = null;
  }

  begin() {
    if (this.begun) { this.redraw(); return; }
    this.begun = true;
    whenDark(() => this.dress());
    const {cloud: {x_range, y_range, properties}} = this.m, redraw = () => this.redraw();
    for (const range of [x_range, y_range]) for (const end of ["start", "end"]) range.properties[end].change.connect(redraw);
    properties.inner_height.change.connect(redraw);
    this.load();
    this.dress();
    if (window.matchMedia("(pointer: coarse)").matches) this.letScroll();
    document.documentElement.dataset.ready = "yes";
  }

  // Touch scrolls the page over figures; panning must be turned on.
  letScroll() {
    for (const name of ["cloud", "scaling", "matrix"]) {
      for (const tool of this.m[name].toolbar.tools) if (tool.active && tool.type === "PanTool") set(tool, {active: false});
    }
  }

  load() {
    const read = this.m.meta.data, before = this.about?.title;
    this.about = {};
    for (const name of Object.keys(read)) this.about[name] = read[name][0];
    this.at = this.m.frames.data;
    this.n = this.at.row.length;
    this.eps = this.about.eps;
    this.told = null;
    const {is_partial, title} = this.about;
    if (!is_partial || this.n !== this.m.points.data.x.length) this.unpick();
    this.fill();
    for (const card of this.m.dimmed) Bokeh.index.find_one(card)?.el.classList.toggle("stale", is_partial);
    if (title !== before) this.wasCut = false;
    if (is_partial) { this.follow(); return; }
    this.treeRows = this.at.row;
    this.putCut();
    this.cutNow();
    this.move();
    this.paint();
  }

  // Arrays of the points, of the type and the size of the frames; dots without a size are not drawn.
  fill() {
    const {points} = this.m, like = this.at.x0, size = this.n > this.about.many ? NaN : this.about.dot;
    if (points.data.x.length === this.n && points.data.x.constructor === like.constructor) return;
    set(points.selected, {indices: []});
    set(points, {data: {x: like.slice(), y: like.slice(), c: new Float32Array(this.n), size: new Float32Array(this.n).fill(size)}});
  }

  // Before tree and distances are there, only the points and what depends on them are updated.
  follow() {
    set(this.m.corners, {data: this.about.corners});
    this.cutNow();
    this.colorPoints();
    this.move();
  }

  // Many points are drawn as an image: a glyph for each would take seconds.
  redraw() {
    this.drawing ??= requestAnimationFrame(() => { this.drawing = null; this.rasterize(); });
  }

  rasterize() {
    const {cloud, image, points, colors} = this.m, {x_range, y_range} = cloud, isMany = this.n > this.about.many;
    if (!isMany && image.data.image[0].shape[0] === 1) return;
    const scale = window.devicePixelRatio || 1, kind = image.data.image[0].constructor;
    const wide = isMany ? Math.max(1, Math.round(cloud.inner_width * scale)) : 1, high = isMany ? Math.max(1, Math.round(cloud.inner_height * scale)) : 1;
    const dw = x_range.end - x_range.start, dh = y_range.end - y_range.start, out = new Uint32Array(wide * high);
    if (isMany) {
      const chosen = points.selected.indices, {x, y, c} = points.data, r = this.about.dot * scale / 2;
      const inks = colors.palette.map((one) => pixel(one)), pale = colors.palette.map((one) => pixel(one, 30));
      const stamp = [];
      for (let v = -Math.ceil(r); v <= r; v++) for (let u = -Math.ceil(r); u <= r; u++) if (u * u + v * v <= (r + 0.3) ** 2) stamp.push([u, v]);
      const put = (i, ink) => {
        const across = Math.floor((x[i] - x_range.start) / dw * wide), up = Math.floor((y[i] - y_range.start) / dh * high);
        for (const [u, v] of stamp) {
          const p = across + u, q = up + v;
          if (p >= 0 && p < wide && q >= 0 && q < high) out[q * wide + p] = ink;
        }
      };
      for (let i = 0; i < this.n; i++) put(i, (chosen.length ? pale : inks)[c[i] + 2]);
      for (const i of chosen) put(i, inks[c[i] + 2]);
    }
    set(image, {data: {image: [new kind(out.buffer, [high, wide])], x: [x_range.start], y: [y_range.start], dw: [dw], dh: [dh]}});
  }

  // What is selected among the points or in the scaling is selected in both.
  select(from) {
    if (this.selecting) return;
    this.selecting = true;
    const {points, scaled} = this.m, {point} = scaled.data;
    const chosen = new Set(from === points.selected ? from.indices : from.indices.map((k) => point[k]));
    if (from === points.selected) {
      const indices = [];
      point?.forEach((i, k) => { if (chosen.has(i)) indices.push(k); });
      set(scaled.selected, {indices});
    } else set(points.selected, {indices: [...chosen]});
    this.selecting = false;
    this.redraw();
  }

  // Frames

  frameAt(tau) {
    const times = this.about.times;
    let k = times.length - 1;
    while (k > 0 && times[k] > tau) k--;
    const share = k + 1 < times.length ? (tau - times[k]) / (times[k + 1] - times[k]) : 0;
    return {k, share, near: share < 0.5 ? k : k + 1};
  }

  move() {
    const {k, share} = this.frameAt(this.m.frame.value);
    const to = this.m.points.data;
    for (const name of ["x", "y"]) {
      const from = this.at[name + k], next = share > 0 ? this.at[name + (k + 1)] : from, out = to[name];
      for (let i = 0; i < this.n; i++) out[i] = from[i] + share * (next[i] - from[i]);
    }
    this.m.points.change.emit();
    this.redraw();
    if (this.picked !== null) this.pick(this.picked);
  }

  run() {
    const {play, frame} = this.m;
    set(play, {label: play.active ? "❚❚ pause" : "▶ play"});
    if (!play.active) { cancelAnimationFrame(this.playing); this.playing = null; return; }
    if (this.playing !== null) return;
    const last = this.about.times[this.about.times.length - 1];
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const seconds = Math.min(Math.max(8 / last, 0.12), 1.2) * (still ? 1.5 : 1);  // per iteration
    let from = frame.value >= last ? 0 : frame.value, began = null;
    const step = (now) => {
      if (!play.active) return;
      began ??= now;
      let tau = from + (now - began) / 1000 / seconds;
      if (tau > last + 0.8) { from = 0; began = now; tau = 0; }
      tau = Math.min(still ? Math.floor(tau) : tau, last);
      if (tau !== frame.value) set(frame, {value: tau});
      this.playing = requestAnimationFrame(step);
    };
    this.playing = requestAnimationFrame(step);
  }

  // The cut

  putCut() {
    const {cut, cut_line} = this.m, from = this.about.cut;
    if (!from) return;
    const at = this.wasCut ? cut.value / cut.end * from.end : from.at;
    this.putAt = at;  // callbacks run later: they see that nobody moved the cut
    set(cut, {end: from.end, step: from.end / CUT_STEPS, value: at, format: from.end >= 0.01 && from.end < 1e6 ? "0[.]0000" : "0.000e+0"});
    set(cut_line, {location: at});
  }

  // The tree may be one of all points while a sample is shown: labels belong to rows.
  cutNow() {
    const tree = this.m.tree.data, k = tree.h.length + 1;
    this.hasTree = k > 1 && this.treeRows?.length === k;
    this.treeCuts = this.hasTree ? cutAt(tree, k, this.m.cut.value) : new Int32Array(0);
    if (this.hasTree && this.treeRows !== this.at.row) {
      const cutOf = new Map();
      this.treeRows.forEach((row, i) => cutOf.set(row, this.treeCuts[i]));
      this.cuts = this.at.row.map((row) => cutOf.get(row) ?? SMALL);
    } else this.cuts = this.hasTree ? this.treeCuts : new Int32Array(this.n);
  }

  // What the colors are.
  sayColors() {
    const by = this.m.color_by.value, labels = by === "cut" ? this.treeCuts : this.labels();
    let found = 0, rest = 0;
    for (const label of labels) { if (label < 0) rest++; else if (label >= found) found = label + 1; }
    const noise = rest ? ` and ${counted(rest, "point")} without a cluster` : "";
    const said = {
      cut: `${counted(found, "cluster")}${rest ? `, ${counted(rest, "point")} in smaller ones` : ""}`,
      labels: `colors: ${counted(found, "cluster")} found${noise}`, truth: `colors: ${counted(found, "known label")}`,
    };
    text(this.m.said, said[by] ?? "");
    set(this.m.cut_line, {visible: by === "cut"});
  }

  slide() {
    const {cut, cut_line, color_by} = this.m;
    if (cut.value === this.putAt) return;
    this.wasCut = true;
    this.putAt = null;
    if (Math.abs(cut_line.location - cut.value) > 1e-12 * cut.end) cut_line.location = cut.value;
    this.cutNow();
    if (color_by.value === "cut") this.paint(); else color_by.value = "cut";
  }

  drag() {
    const {cut, cut_line} = this.m;
    if (cut_line.location === this.putAt) return;
    const at = Math.min(Math.max(cut_line.location, 0), cut.end);
    if (at !== cut_line.location) { cut_line.location = at; return; }
    if (Math.abs(cut.value - at) > 1e-12 * cut.end) cut.value = at;
  }

  // Colors

  labels() {
    const by = this.m.color_by.value;
    if (by === "cut") return this.cuts;
    return this.at[by] ?? new Int32Array(this.n);
  }

  look(label) { return label < 0 ? SMALL : label % this.about.n_colors; }

  colorPoints() {
    const labels = this.labels(), {c} = this.m.points.data;
    for (let i = 0; i < this.n; i++) c[i] = this.look(labels[i]);
  }

  paint() {
    const labels = this.labels(), {points, scaled, branches, strip} = this.m;
    this.colorPoints();
    points.change.emit();
    this.redraw();
    if (this.about.is_partial) return;  // the other views show the points before
    for (const {data} of [scaled, strip]) data.point?.forEach((i, k) => { data.c[k] = this.look(labels[i]); });
    scaled.change.emit();
    strip.change.emit();
    if (this.hasTree) {
      const isCut = this.m.color_by.value === "cut", height = this.m.cut.value * (1 + TIE);
      const below = labelsOfNodes(this.m.tree.data, labels);
      const {c, node, h} = branches.data;
      for (let k = 0; k < h.length; k++) {
        const isAbove = below[node[k]] === MIXED || (isCut && h[k] > height);
        c[k] = isAbove ? ABOVE : this.look(below[node[k]]);
      }
      branches.change.emit();
    }
    this.sayColors();
    if (this.picked !== null) this.pick(this.picked);
  }

  // Balls

  nearest(event) {
    const {x, y} = this.m.points.data, {cloud} = this.m;
    const wide = cloud.inner_width / (cloud.x_range.end - cloud.x_range.start);
    const high = cloud.inner_height / (cloud.y_range.end - cloud.y_range.start);
    let best = NEAR * NEAR, at = null;
    for (let i = 0; i < this.n; i++) {
      const d = ((x[i] - event.x) * wide) ** 2 + ((y[i] - event.y) * high) ** 2;
      if (d <= best) { best = d; at = i; }
    }
    return at;
  }

  hover(event) {
    if (this.pinned) return;
    const at = this.nearest(event);
    if (at === null) this.unpick(); else if (at !== this.picked) this.pick(at);
  }

  leave() { if (!this.pinned) this.unpick(); }

  pin(event) {
    const at = this.nearest(event);
    this.pinned = at !== null && !(this.pinned && at === this.picked);
    if (at === null) this.unpick(); else this.pick(at);
  }

  members(i, k) {
    const x = this.at["x" + k], y = this.at["y" + k];
    const a = this.at["a" + k], b = this.at["b" + k], d = this.at["d" + k], lam = this.about.lam;
    const most = this.eps * this.eps * (1 + this.about.rim), found = [];
    for (let j = 0; j < this.n; j++) {
      let square = (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2;
      if (square <= most && a && lam > 0) square += lam * bures(a[i], b[i], d[i], a[j], b[j], d[j]);
      if (square <= most) found.push(j);
    }
    return found;
  }

  // If distances cannot be computed from the drawn points, a live page asks its server (`wtAskBall`); a report shows no ball.
  pick(i) {
    const {near} = this.frameAt(this.m.frame.value), known = this.about.known[near];
    const told = this.told?.point === i && this.told.frame === near && this.told.eps === this.eps;
    this.picked = i;
    if (!known && !told && window.wtAskBall) window.wtAskBall(i, near);
    this.surround(i, near, known ? this.members(i, near) : told ? this.told.ball : []);
  }

  tell(answer) {
    this.told = answer;
    if (answer.point === this.picked) this.pick(this.picked);
  }

  surround(i, near, members) {
    const {x, y} = this.m.points.data, known = this.about.known[near], shown = members.length ? members : [i];
    this.inBall = members;
    set(this.m.ball, {data: {x: shown.map((j) => x[j]), y: shown.map((j) => y[j])}});
    set(this.m.ring, {data: known ? this.around(x[i], y[i], this.eps, 0, this.eps) : {x: [], y: []}});
    const covs = ["a", "b", "d"].map((name) => this.at[name + near]?.[i]);
    set(this.m.ellipse, {data: covs[0] === undefined ? {x: [], y: []} : this.gauss(x[i], y[i], ...covs)});
    this.say(i, near, known, covs[0] !== undefined);
  }

  say(i, near, known, shaped) {
    const {x, y} = this.m.points.data, {tip, cloud} = this.m, [across, up] = this.about.axes;
    const lines = [`row ${this.at.row[i]}`, `${across} ${number(x[i])}`, `${up} ${number(y[i])}`];
    if (this.hasTree) lines.push(this.cuts[i] < 0 ? "in a small cluster" : `cluster ${this.cuts[i]}`);
    if (this.at.labels) lines.push(this.at.labels[i] < 0 ? "found: noise" : `found: ${this.at.labels[i]}`);
    if (this.at.truth) lines.push(`known label ${this.at.truth[i]}`);
    if (this.inBall.length) lines.push(`${counted(this.inBall.length, "point")} in its ball`);
    const right = x[i] > (cloud.x_range.start + cloud.x_range.end) / 2;
    const above = y[i] > (cloud.y_range.start + cloud.y_range.end) / 2;
    tip.text.text = lines.join("\n");
    set(tip, {
      x: x[i], y: y[i], visible: true, anchor: `${above ? "top" : "bottom"}_${right ? "right" : "left"}`,
      x_offset: right ? -14 : 14, y_offset: above ? -14 : 14,
    });
    const drawn = [];
    if (known) drawn.push(`dashed: radius ε = ${number(this.eps)}; marked: the ball at τ = ${this.about.times[near]}`);
    if (shaped) drawn.push(`solid: the Gaussian at ${this.about.deviations} standard deviations`);
    if (!known && this.inBall.length) drawn.push(`circled: the ball of radius ε = ${number(this.eps)} at τ = ${this.about.times[near]}`);
    if (!known && !window.wtAskBall) drawn.push("no ball is shown: distances cannot be computed from the two coordinates");
    text(this.m.caption, drawn.join("; "));
  }

  unpick() {
    this.picked = null;
    this.pinned = false;
    this.inBall = [];
    for (const name of ["ball", "ring", "ellipse"]) {
      if (this.m[name].data.x.length) set(this.m[name], {data: {x: [], y: []}});
    }
    if (this.m.tip.visible) set(this.m.tip, {visible: false});
    text(this.m.caption, "");
  }

  // The image of a circle under a lower triangular matrix.
  around(x, y, a, b, c) {
    const out = {x: [], y: []};
    for (let k = 0; k <= 72; k++) {
      const u = Math.cos(k * Math.PI / 36), v = Math.sin(k * Math.PI / 36);
      out.x.push(x + a * u);
      out.y.push(y + b * u + c * v);
    }
    return out;
  }

  gauss(x, y, xx, xy, yy) {
    const times = this.about.deviations, a = Math.sqrt(Math.max(xx, 0)), b = a > 0 ? xy / a : 0;
    return this.around(x, y, times * a, times * b, times * Math.sqrt(Math.max(yy - b * b, 0)));
  }

  // Files

  columns(kind) {
    const {x, y} = this.m.points.data, [across, up] = this.about.axes;
    const columns = [["row", (i) => this.at.row[i]]];
    if (kind === "points") columns.push([across || "x", (i) => x[i]]);
    if (kind === "points" && up) columns.push([up, (i) => y[i]]);
    if (this.hasTree) columns.push(["cut", (i) => this.cuts[i]]);
    if (this.at.labels) columns.push(["found", (i) => this.at.labels[i]]);
    if (this.at.truth) columns.push(["known", (i) => this.at.truth[i]]);
    return columns;
  }

  csv(kind) {
    const columns = this.columns(kind), quoted = (name) => /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
    const lines = [columns.map(([name]) => quoted(name)).join(",")];
    for (let i = 0; i < this.n; i++) lines.push(columns.map(([, value]) => value(i)).join(","));
    return lines.join("\n") + "\n";
  }

  take(kind) { this.save(`${kind}.csv`, this.csv(kind), "text/csv"); }

  save(name, content, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  dress() {
    const {about, m} = this;
    set(m.colors, {palette: isDark() ? about.dark : about.light});
    dressed([m.cloud, m.dendrogram, m.scaling, m.matrix], [m.cut_line]);
    const {ink, faint, paper} = inks();
    set(m.tip, {text_color: ink, background_fill_color: paper, border_line_color: faint});
    this.redraw();
  }
}

function pageOf(models) {
  const pages = (window.wassersteinPages ??= new Map());
  if (!pages.has(models.points)) pages.set(models.points, new Page(models));
  window.wassersteinPage = pages.get(models.points);
  return window.wassersteinPage;
}
