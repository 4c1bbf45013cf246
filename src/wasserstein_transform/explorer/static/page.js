// The settings panel: it sends the newest settings to the server and shows the replies.
(() => {
  "use strict";
  const PATIENCE = 100;  // milliseconds after which the next request is sent without waiting for a reply
  const $ = (id) => document.getElementById(id);
  const SLIDERS = {points: ["eps", "lam", "n_iter", "p"], picture: ["spatial", "range", "brush-lam", "min_size"]};
  let wire = null, kind = "points", limits = [1e-3, 1], suggested = null, shown = {}, name = "", addressed = 0, opening = true;
  const queue = {next: 1, sent: 0, answered: 0, at: 0, waiting: null, timer: 0};
  window.wtPage = {queue, answers: [], get shown() { return shown; }};

  // requests: one at a time, or one every tenth of a second; of the waiting ones only the newest is sent
  function ask(message) {
    if (message.what === "open") opening = true;
    else if (opening) return;  // opening a data set is not interrupted by sliders, which will be reset
    queue.waiting = message;
    clearTimeout(queue.timer);
    queue.timer = setTimeout(flush);  // after all simultaneous events
  }
  function flush() {
    clearTimeout(queue.timer);
    if (!queue.waiting || !wire) return;
    const age = performance.now() - queue.at;
    if (queue.answered < queue.sent && age < PATIENCE) {
      queue.timer = setTimeout(flush, PATIENCE - age);
      return;
    }
    const message = {...queue.waiting, id: queue.next++};
    queue.waiting = null;
    queue.sent = message.id;
    queue.at = performance.now();
    if (message.what !== "settings" || message.released) {
      document.body.classList.add("busy");
      say("computing …");
    }
    wire.wanted = JSON.stringify(message);
  }

  // sliders
  const radius = (place) => limits[0] * (limits[1] / limits[0]) ** (place / 1000);
  const place = (eps) => Math.round(1000 * Math.log(eps / limits[0]) / Math.log(limits[1] / limits[0]));
  function value(id) {
    const raw = Number($(id).value);
    if (id !== "eps") return raw;
    return shown.eps !== undefined && place(shown.eps) === raw ? shown.eps : Number(radius(raw).toPrecision(4));
  }
  function settings() {
    const out = kind === "points" ? {method: $("method").value} : {};
    for (const id of SLIDERS[kind]) out[id.replace("brush-", "")] = value(id);
    return out;
  }
  function label() {
    for (const id of SLIDERS[kind]) {
      const number = id === "eps" ? Number(value(id).toPrecision(4)) : value(id);
      $(`${id}-shown`).textContent = number;
      $(id).setAttribute("aria-valuetext", String(number));
    }
    for (const box of document.querySelectorAll(".only")) box.hidden = !box.classList.contains($("method").value);
  }
  function moved(released) {
    label();
    $("found").textContent = $("found").textContent.replace("searching …", "");
    ask({what: "settings", settings: settings(), released});
  }

  // replies
  function say(text) { if (text) $("status").textContent = text; }
  function fail(text) {
    $("error").hidden = !text;
    $("error").textContent = text || "";
  }
  function options(select, names, chosen) {
    select.replaceChildren(...names.map((text) => new Option(text || "none", text, false, chosen.includes(text))));
  }
  function heard(reply) {
    window.wtPage.answers.push({...reply, at: performance.now()});
    if (reply.id !== undefined && reply.final) queue.answered = Math.max(queue.answered, reply.id);
    if (queue.answered >= queue.sent) document.body.classList.remove("busy");
    if (reply.error) {
      opening = false;
      $("status").textContent = "not computed";
      fail(reply.error);
      flush();
      return;
    }
    fail("");
    if (reply.ball) { window.wassersteinPage?.tell(reply); return; }
    if (reply.names) opened(reply);
    if (reply.settings) settled(reply);
    if (reply.clusters) $("found").textContent = reply.clusters;
    if (reply.notes) $("notes").replaceChildren(...reply.notes.map((text) => Object.assign(document.createElement("li"), {textContent: text})));
    if (reply.download) Object.assign(document.createElement("a"), {href: reply.download, download: ""}).click();
    if (reply.seconds !== undefined) say(`${name} · ${reply.said ? `${reply.said} · ` : ""}${reply.seconds < 1 ? `${Math.round(1000 * reply.seconds)} ms` : `${reply.seconds.toFixed(1)} s`}${reply.final ? "" : " · computing …"}`);
    flush();
  }
  function opened(reply) {
    opening = false;
    name = reply.data;
    kind = reply.kind;
    options($("data"), reply.names, [reply.data]);
    for (const box of document.querySelectorAll(".for-points")) box.hidden = kind !== "points";
    for (const box of document.querySelectorAll(".for-picture")) box.hidden = kind !== "picture";
    for (const id of ["save-points", "save-page"]) $(id).hidden = kind !== "points";
    $("columns-box").hidden = !reply.columns.all.length;
    const chosen = reply.choice.columns.length ? reply.choice.columns : reply.columns.numeric;
    options($("columns"), reply.columns.numeric, chosen.filter((c) => c !== reply.choice.label && c !== reply.choice.weight));
    options($("label"), ["", ...reply.columns.all], [reply.choice.label]);
    options($("weight"), ["", ...reply.columns.numeric], [reply.choice.weight]);
    $("found").textContent = "";
    if (kind === "picture") return;
    const [low, high] = reply.eps;
    limits = [low / 1.5, Math.max(high * 1.5, reply.suggested * 2)];
    suggested = reply.suggested;
    $("suggest").title = reply.reason;
    for (const option of $("method").options) option.disabled = !reply.has_points && option.value !== "lt";
  }
  function settled(reply) {
    $("code").value = reply.code;
    clearTimeout(addressed);  // browsers limit the rate of URL changes
    addressed = setTimeout(() => {
      const link = new URL(window.location.href);
      link.search = `data=${encodeURIComponent(name)}&${reply.query}`;
      window.history.replaceState(null, "", link);
    }, 250);
    const behind = queue.waiting || queue.answered < queue.sent;
    shown = reply.settings;
    if (behind && !reply.names) return;  // the user has moved the sliders since
    if (kind === "points") {
      $("method").value = shown.method;
      $("eps").value = place(shown.eps);
      for (const id of ["lam", "n_iter", "p"]) {
        $(id).max = Math.max(Number($(id).max), shown[id]);
        $(id).value = shown[id];
      }
    } else for (const id of SLIDERS.picture) $(id).value = shown[id.replace("brush-", "")];
    label();
  }

  // files
  async function open(file) {
    if (!file) return;
    say(`reading ${file.name} …`);
    fail("");
    try {
      const answer = await fetch(`open?name=${encodeURIComponent(file.name)}`, {method: "POST", body: file});
      const found = answer.status === 413 ? {error: `${file.name} is too large for the page; wt explore FILE takes it`} : await answer.json();
      if (found.error) throw new Error(found.error);
      ask({what: "open", data: found.data});
    } catch (error) {
      $("status").textContent = "not opened";
      fail(error.message || String(error));
    }
    $("file").value = "";
  }

  // saving
  function save(content, filename, type) {
    const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(new Blob([content], {type})), download: filename});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function picture() {  // the figure of the points or regions, as shown
    const model = kind === "points" ? window.wassersteinPage.m.cloud : window.Bokeh.documents[0].get_model_by_name("figure-outlined");
    const drawn = window.Bokeh.index.find_one(model).export("auto", false).canvas;
    const canvas = Object.assign(document.createElement("canvas"), {width: drawn.width, height: drawn.height});
    const pen = canvas.getContext("2d");
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(drawn, 0, 0);
    canvas.toBlob((blob) => save(blob, "figure.png", "image/png"));
  }

  window.wtAskBall = (point, frame) => { if (wire) wire.pointed = JSON.stringify({point, frame}); };
  window.wtStart = (model) => {
    wire = model;
    const listen = () => { if (wire.reply) heard(JSON.parse(wire.reply)); };
    wire.properties.reply.change.connect(listen);
    for (const id of [...SLIDERS.points, ...SLIDERS.picture]) {
      $(id).addEventListener("input", () => moved(false));
      $(id).addEventListener("change", () => moved(true));
    }
    $("method").addEventListener("change", () => moved(true));
    $("suggest").addEventListener("click", () => { if (suggested) { shown = {...shown, eps: suggested}; $("eps").value = place(suggested); moved(true); } });
    $("data").addEventListener("change", () => ask({what: "open", data: $("data").value}));
    $("file").addEventListener("change", () => open($("file").files[0]));
    for (const id of ["columns", "label", "weight"]) $(id).addEventListener("change", () => {
      const columns = [...$("columns").selectedOptions].map((o) => o.value);
      if (!columns.length) return fail("choose at least one column of coordinates");
      ask({what: "open", data: name, columns, label: $("label").value, weight: $("weight").value});
    });
    $("clusters").addEventListener("click", () => { $("found").textContent = "searching …"; ask({what: "clusters"}); });
    $("save-labels").addEventListener("click", () => kind === "points" ? window.wassersteinPage.take("labels") : ask({what: "labels"}));
    $("save-points").addEventListener("click", () => window.wassersteinPage.take("points"));
    $("save-figure").addEventListener("click", picture);
    $("save-page").addEventListener("click", () => ask({what: "snapshot"}));
    $("save-settings").addEventListener("click", () => save(JSON.stringify({data: name, ...shown, python: $("code").value}, null, 2), "settings.json", "application/json"));
    $("copy").addEventListener("click", async () => {
      try { await navigator.clipboard.writeText($("code").value); } catch { $("code").select(); document.execCommand("copy"); }
      $("copy").textContent = "Copied";
      setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
    });
    document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
    document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    document.addEventListener("drop", (event) => { event.preventDefault(); document.body.classList.remove("dropping"); open(event.dataTransfer.files[0]); });
    label();
    if (!wire.reply) say("computing … (the first run compiles some code, which takes a while)");
    listen();
  };
})();
