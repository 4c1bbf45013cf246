// The settings panel: it sends requests to the server, which answers the newest, and shows the replies.
(() => {
  "use strict";
  const WORDS = {open: "opening …", clusters: "looking for clusters …", snapshot: "writing the page …"};
  const DECADES = 1.5;  // powers of ten that ε can be moved to each side of the suggested one
  const $ = (id) => document.getElementById(id);
  const SLIDERS = ["eps", "lam", "n_iter", "p"];
  let wire = null, suggested = null, shown = {}, name = "", state = "", choice = null, lastOpened = -1, addressed = 0, opening = 0, sending = 0;
  const queue = {sent: 0, answered: -1};
  window.wtPage = {queue, answers: [], get shown() { return shown; }};

  // A newer request stops an older one: while something is computed, settings and data can be changed, nothing else.
  function ask(message) {
    queue.sent += 1;
    if (message.what === "open") opening = queue.sent;
    if (message.what !== "settings" || message.released) document.body.classList.add("busy");
    if (WORDS[message.what]) say(`${name} · ${WORDS[message.what]}`);
    allow();
    clearTimeout(sending);  // of simultaneous events the last is sent
    sending = setTimeout(() => { wire.wanted = JSON.stringify({...message, id: queue.sent}); });
  }
  function allow() {
    const isBusy = queue.answered < queue.sent;
    if (!isBusy) document.body.classList.remove("busy");
    for (const id of ["clusters", "save-page"]) $(id).disabled = isBusy;
    $("transform").disabled = lastOpened < opening;
  }

  // sliders
  const radius = (place) => suggested * 10 ** (DECADES * (place / 500 - 1));
  const place = (eps) => Math.round(500 * (1 + Math.log10(eps / suggested) / DECADES));
  function value(id) {
    const raw = Number($(id).value);
    if (id !== "eps") return raw;
    return shown.eps !== undefined && place(shown.eps) === raw ? shown.eps : Number(radius(raw).toPrecision(4));
  }
  function label() {
    for (const id of SLIDERS) {
      const number = id !== "eps" ? value(id) : suggested === null ? "…" : Number(value(id).toPrecision(4));
      $(`${id}-shown`).textContent = number;
      $(id).setAttribute("aria-valuetext", String(number));
    }
    for (const box of document.querySelectorAll(".only")) box.hidden = !box.classList.contains($("method").value);
  }
  function moved(released) {
    label();
    const settings = {method: $("method").value};
    for (const id of SLIDERS) settings[id] = value(id);
    ask({what: "settings", settings, released});
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
    if (reply.ball) { window.wassersteinPage?.tell(reply); return; }
    if (reply.final) queue.answered = Math.max(queue.answered, reply.id);
    if (reply.error) {
      opening = Math.max(lastOpened, 0);
      $("status").textContent = "not computed";
      fail(reply.error);
    } else {
      fail("");
      name = reply.data ?? name;
      if (reply.names && reply.id !== lastOpened) opened(reply);  // said in several replies: the first may come before the page
      if (reply.settings) settled(reply);
      if (reply.clusters) $("found").textContent = reply.clusters;
      $("notes").replaceChildren(...reply.notes.map((text) => Object.assign(document.createElement("li"), {textContent: text})));
      if (reply.file) window.wassersteinPage.save(reply.file, reply.content, "text/html");
      state = reply.state ?? state;
      say(`${name} · ${state}${reply.final ? ` · ${time(reply.seconds)}` : ""}`);
    }
    allow();
    window.wtPage.answers.push({...reply, content: null, at: performance.now()});
  }
  function opened(reply) {
    lastOpened = reply.id;
    $("found").textContent = "";
    options($("data"), reply.names, [reply.data]);
    for (const box of document.querySelectorAll(".for-tables")) box.hidden = !reply.all.length;
    $("columns-box").hidden = !reply.scales;
    $("scale").value = reply.choice.scale;
    $("missing").value = reply.choice.missing;
    choice = reply.choice;
    options($("columns"), reply.numeric, reply.used);
    options($("label"), ["", ...reply.all], [reply.choice.label]);
    options($("weight"), ["", ...reply.numeric], [reply.choice.weight]);
    suggested = reply.suggested;
    $("suggest").title = reply.reason;
    for (const option of $("method").options) option.disabled = !reply.has_points && option.value !== "lt";
  }
  function settled(reply) {
    $("code").value = reply.code;
    shown = reply.settings;
    clearTimeout(addressed);  // browsers limit the rate of URL changes
    addressed = setTimeout(() => window.history.replaceState(null, "", `?${new URLSearchParams({data: name, ...shown})}`), 250);
    if (reply.id < queue.sent) return;  // the user has moved the sliders since
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
  function choose(id) {
    if (id === "columns") choice.columns = [...$("columns").selectedOptions].map((o) => o.value);
    else choice[id] = $(id).value;
    ask({what: "open", data: name, choice});
  }

  window.wtAskBall = (point, frame) => { wire.pointed = JSON.stringify({point, frame}); };
  window.wtStart = (model) => {
    wire = model;
    const listen = () => { if (wire.reply) heard(JSON.parse(wire.reply)); };
    wire.properties.reply.change.connect(listen);
    listen();
  };

  for (const id of SLIDERS) {
    $(id).addEventListener("input", () => moved(false));
    $(id).addEventListener("change", () => moved(true));
  }
  $("method").addEventListener("change", () => moved(true));
  $("suggest").addEventListener("click", () => {
    shown = {...shown, eps: suggested};
    $("eps").value = place(suggested);
    moved(true);
  });
  $("data").addEventListener("change", () => ask({what: "open", data: $("data").value}));
  $("file").addEventListener("change", () => open($("file").files[0]));
  for (const id of ["columns", "label", "weight", "scale", "missing"]) $(id).addEventListener("change", () => choose(id));
  $("clusters").addEventListener("click", () => ask({what: "clusters"}));
  $("save-labels").addEventListener("click", () => window.wassersteinPage?.take("labels"));
  $("save-points").addEventListener("click", () => window.wassersteinPage?.take("points"));
  $("save-page").addEventListener("click", () => ask({what: "snapshot"}));
  $("copy").addEventListener("click", async () => {
    await navigator.clipboard.writeText($("code").value);
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
  });
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => { event.preventDefault(); document.body.classList.remove("dropping"); open(event.dataTransfer.files[0]); });
  allow();
  label();
  say("reading the data …");
})();
