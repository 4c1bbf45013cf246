// The settings panel: it sends the newest settings to the server and shows the replies.
(() => {
  "use strict";
  const PATIENCE = 100;  // milliseconds after which the next request is sent without waiting for a reply
  const WORDS = {open: "opening …", clusters: "looking for clusters …", snapshot: "writing the page …"};
  const $ = (id) => document.getElementById(id);
  const SLIDERS = ["eps", "lam", "n_iter", "p"];
  let wire = null, limits = [1e-3, 1], suggested = null, shown = {}, name = "", addressed = 0, state = "", choice = null, lastOpened = null, opening = true;
  const queue = {next: 1, sent: 0, answered: -1, at: 0, waiting: new Map(), running: {what: "open"}, timer: 0};
  const touched = new Map();  // controls that were used while a data set was opened, and their values
  window.wtPage = {queue, answers: [], get shown() { return shown; }};

  // Requests. Of each kind the newest waits. Settings and data sets are sent at once, or every tenth of a second, and
  // stop what runs; others wait until nothing runs, and run again if they were stopped.
  const isUrgent = (what) => what === "open" || what === "settings";
  function ask(message) {
    if (message.what === "open") {
      opening = true;
      touched.clear();
      queue.waiting.clear();
    }
    queue.waiting.set(message.what, message);
    clearTimeout(queue.timer);
    queue.timer = setTimeout(flush);  // after all simultaneous events
  }
  function flush() {
    clearTimeout(queue.timer);
    const isRunning = queue.answered < queue.sent || !wire || (opening && !queue.waiting.has("open"));
    const next = ["open", "settings", ...queue.waiting.keys()].find((what) => queue.waiting.has(what) && (isUrgent(what) || !isRunning));
    if (!next || !wire || (opening && next !== "open")) return;
    const age = performance.now() - queue.at;
    if (isRunning && age < PATIENCE) {
      queue.timer = setTimeout(flush, PATIENCE - age);
      return;
    }
    if (isRunning && !isUrgent(queue.running.what) && next !== "open" && !queue.waiting.has(queue.running.what)) queue.waiting.set(queue.running.what, queue.running);
    const message = {...queue.waiting.get(next), id: queue.next++};
    queue.waiting.delete(next);
    queue.running = message;
    queue.sent = message.id;
    queue.at = performance.now();
    if (message.what !== "settings" || message.released) document.body.classList.add("busy");
    if (WORDS[message.what]) say(`${name ? `${name} · ` : ""}${WORDS[message.what]}`);
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
    const out = {method: $("method").value};
    for (const id of SLIDERS) out[id] = value(id);
    return out;
  }
  function label() {
    for (const id of SLIDERS) {
      const number = id !== "eps" ? value(id) : suggested === null ? "…" : Number(value(id).toPrecision(4));
      $(`${id}-shown`).textContent = number;
      $(id).setAttribute("aria-valuetext", String(number));
    }
    for (const box of document.querySelectorAll(".only")) box.hidden = !box.classList.contains($("method").value);
  }
  function moved(released, id) {
    label();
    if (opening) touched.set(id, $(id).value);
    else ask({what: "settings", settings: settings(), released});
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
  function time(seconds) { return seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(1)} s`; }
  function heard(reply) {
    window.wtPage.answers.push({...reply, at: performance.now()});
    if (reply.ball) { window.wassersteinPage?.tell(reply); return; }
    if (reply.id !== undefined && reply.final) queue.answered = Math.max(queue.answered, reply.id);
    if (queue.answered >= queue.sent) document.body.classList.remove("busy");
    if (reply.error) {
      opening = false;
      $("status").textContent = "not computed";
      $("found").textContent = "";
      fail(reply.error);
      flush();
      return;
    }
    fail("");
    name = reply.data ?? name;
    const isNew = reply.names && reply.id !== lastOpened;  // said in several replies: the first may come before the page
    if (isNew) opened(reply);
    if (reply.settings) settled(reply, isNew);
    if (reply.clusters) $("found").textContent = reply.clusters;
    if (reply.notes) $("notes").replaceChildren(...reply.notes.map((text) => Object.assign(document.createElement("li"), {textContent: text})));
    if (reply.download) Object.assign(document.createElement("a"), {href: reply.download, download: ""}).click();
    state = reply.state ?? state;
    say(`${name} · ${state}${reply.final ? ` · ${time(reply.seconds)}` : ""}`);
    if (isNew) repeat();
    flush();
  }
  // What was chosen while the data set was opened is applied to it.
  function repeat() {
    if (!touched.size) return;
    for (const [id, value] of touched) $(id).value = value;
    touched.clear();
    moved(true);
  }
  function opened(reply) {
    opening = false;
    lastOpened = reply.id;
    options($("data"), reply.names, [reply.data]);
    for (const box of document.querySelectorAll(".for-tables")) box.hidden = !reply.columns.all.length;
    $("columns-box").hidden = !reply.columns.scales;
    $("scale").value = reply.choice.scale;
    $("missing").value = reply.choice.missing;
    choice = reply.choice;
    options($("columns"), reply.columns.numeric, reply.used);
    options($("label"), ["", ...reply.columns.all], [reply.choice.label]);
    options($("weight"), ["", ...reply.columns.numeric], [reply.choice.weight]);
    $("found").textContent = "";
    const [low, high] = reply.eps;
    limits = [low / 1.5, Math.max(high * 1.5, reply.suggested * 2)];
    suggested = reply.suggested;
    $("suggest").title = reply.reason;
    for (const option of $("method").options) option.disabled = !reply.has_points && option.value !== "lt";
  }
  function settled(reply, isNew) {
    $("code").value = reply.code;
    clearTimeout(addressed);  // browsers limit the rate of URL changes
    addressed = setTimeout(() => {
      const link = new URL(window.location.href);
      link.search = `data=${encodeURIComponent(name)}&${reply.query}`;
      window.history.replaceState(null, "", link);
    }, 250);
    const behind = queue.waiting.has("settings") || queue.answered < queue.sent;
    shown = reply.settings;
    if (behind && !isNew) return;  // the user has moved the sliders since
    $("method").value = shown.method;
    $("eps").value = place(shown.eps);
    for (const id of ["lam", "n_iter", "p"]) {
      $(id).max = Math.max(Number($(id).max), shown[id]);
      $(id).value = shown[id];
    }
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

  window.wtAskBall = (point, frame) => { if (wire) wire.pointed = JSON.stringify({point, frame}); };
  window.wtStart = (model) => {
    wire = model;
    const listen = () => { if (wire.reply) heard(JSON.parse(wire.reply)); };
    wire.properties.reply.change.connect(listen);
    listen();
    flush();
    const tellDrawn = () => { if (document.documentElement.dataset.ready) wire.is_drawn = true; else requestAnimationFrame(tellDrawn); };
    tellDrawn();
  };

  function choose(id) {
    if (id === "columns") choice.columns = [...$("columns").selectedOptions].map((o) => o.value);
    else choice[id] = $(id).value;
    ask({what: "open", data: name, choice});
  }
  for (const id of SLIDERS) {
    $(id).addEventListener("input", () => moved(false, id));
    $(id).addEventListener("change", () => moved(true, id));
  }
  $("method").addEventListener("change", () => moved(true, "method"));
  $("suggest").addEventListener("click", () => {
    if (opening || !suggested) { touched.delete("eps"); return; }  // a data set opens with the suggested radius
    shown = {...shown, eps: suggested};
    $("eps").value = place(suggested);
    moved(true, "eps");
  });
  $("data").addEventListener("change", () => ask({what: "open", data: $("data").value}));
  $("file").addEventListener("change", () => open($("file").files[0]));
  for (const id of ["columns", "label", "weight", "scale", "missing"]) $(id).addEventListener("change", () => choose(id));
  $("clusters").addEventListener("click", () => { $("found").textContent = "searching …"; ask({what: "clusters"}); });
  $("save-labels").addEventListener("click", () => window.wassersteinPage?.take("labels"));
  $("save-points").addEventListener("click", () => window.wassersteinPage?.take("points"));
  $("save-page").addEventListener("click", () => ask({what: "snapshot"}));
  $("copy").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText($("code").value); } catch { $("code").select(); document.execCommand("copy"); }
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
  });
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => { event.preventDefault(); document.body.classList.remove("dropping"); open(event.dataTransfer.files[0]); });
  label();
  say("reading the data …");
})();
