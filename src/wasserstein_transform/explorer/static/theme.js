// Light and dark colors, because style sheets have no effect on a canvas.

function set(model, values) { model.setv(values, {sync: false}); }

function isDark() { return window.matchMedia("(prefers-color-scheme: dark)").matches; }

function whenDark(act) { window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act); }

function inks() {
  return isDark() ? {ink: "#E8E8E8", faint: "#8A8A8A", paper: "#16181C"}
    : {ink: "#222222", faint: "#767676", paper: "#FFFFFF"};
}

const LOOKS = {
  ink: ["axis_label_text_color", "major_label_text_color"], faint: ["axis_line_color", "major_tick_line_color", "grid_line_color"],
};

function dressed(figures, lines) {
  const colors = inks(), {ink} = colors;
  for (const figure of figures) {
    for (const part of [...figure.left, ...figure.below, ...figure.right, ...figure.center]) {
      const looks = {};
      for (const kind of Object.keys(LOOKS)) for (const name of LOOKS[kind]) if (name in part.properties) looks[name] = colors[kind];
      if (Object.keys(looks).length) set(part, looks);
    }
    for (const {name, glyph} of figure.renderers) {
      if (name === "ink") set(glyph, {line_color: ink});
      if (name === "member") set(glyph, {fill_color: ink});
    }
  }
  for (const one of lines) set(one, {line_color: ink});
}
