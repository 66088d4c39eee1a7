// The page: sends the text to the engine, and shows the answer. All of it is set as text, never as HTML.
const CHOICES = ["kind", "source", "target", "dialect"];
const FIELDS = ["text", ...CHOICES];
const SEVERITIES = ["error", "warning", "info"];
const by = (id) => document.getElementById(id);
const field = Object.fromEntries(FIELDS.map((name) => [name, by(name)]));
const state = by("state");
let engine;
let waiting = new Map();
let asked = 0;
let checked; // the request whose answer is shown, and whether its text holds a secret

function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A page that no service worker controls yet would load Python past the cache.
async function controlled() {
  if (!("serviceWorker" in navigator) || navigator.serviceWorker.controller) return;
  const change = new Promise((done) => {
    navigator.serviceWorker.addEventListener("controllerchange", done, { once: true });
  });
  await Promise.race([change, new Promise((done) => setTimeout(done, 3000))]);
}

async function ask(request) {
  if (!engine) {
    await controlled();
    engine ??= new Worker(new URL("engine.js", import.meta.url), { type: "module" });
    engine.onmessage = ({ data }) => {
      const { done, failed } = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) failed(new Error(data.error));
      else done(JSON.parse(data.answer));
    };
    engine.onerror = (event) => stop(event.message || "Python could not be loaded");
  }
  return new Promise((done, failed) => {
    asked += 1;
    waiting.set(asked, { done, failed });
    engine.postMessage({ id: asked, request: JSON.stringify(request) });
  });
}

function stop(reason) {
  for (const { failed } of waiting.values()) failed(new Error(reason));
  waiting = new Map();
  engine?.terminate();
  engine = undefined;
}

const request = () => Object.fromEntries(FIELDS.map((name) => [name, field[name].value]));

async function check(event) {
  event.preventDefault();
  const wanted = request();
  state.textContent = engine ? "Checking …" : "Loading Python …";
  try {
    const answer = await ask(wanted);
    checked = { request: wanted, secret: answer.secret };
    show(answer, wanted.text);
    state.textContent = "";
    by("findings-title").focus();
  } catch (error) {
    stop(error.message);
    const local = location.protocol === "file:" ? " Serve the site: python -m http.server." : "";
    state.textContent = `It could not be checked: ${error.message}.${local}`;
  }
}

function show(answer, text) {
  const { findings } = answer;
  findings.sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  const versions = [...new Set(answer.checked.map((each) => each.vllm))].join(", ");
  const counts = SEVERITIES.map((severity) => [findings.filter((each) => each.severity === severity).length, severity])
    .filter(([count]) => count)
    .map(([count, severity]) => `${count} ${severity === "info" ? "note" : severity}${count > 1 ? "s" : ""}`);
  const read = `Read as ${{ variables: "variables", log: "a log" }[answer.kind] ?? "a command"}`;
  const trouble = answer.checked.length ? "" : answer.check.err.trim();
  for (const [id, name] of [["findings", "Findings"], ["command", "Command"], ["variables", "Variables"]])
    by(`${id}-title`).textContent = `${name} for vLLM ${id === "findings" && versions ? versions : answer.version}`;
  by("counts").textContent =
    trouble || `${read}: ${counts.join(", ") || "nothing to report"}.`;
  by("findings").replaceChildren(...findings.map(item));
  by("lines").replaceChildren(...lines(text, findings));
  for (const part of ["command", "variables"]) {
    by(part).parentElement.hidden = !answer[part]; // a log becomes neither
    if (answer[part]) output(part, answer[part]);
  }
  by("result").hidden = false;
}

function item(finding) {
  const { code, severity, message, hint, mark } = finding;
  const head = make("p", {}, make("span", { class: `tag ${severity}` }, severity === "info" ? "note" : severity), " ");
  head.append(make("a", { href: `findings/${code}.html` }, make("code", {}, code)));
  if (mark) {
    const place = make("button", { type: "button", class: "line" }, `line ${mark}`);
    place.addEventListener("click", () => select(mark));
    head.append(" ", place);
  }
  const made = make("li", { class: severity }, head, make("p", {}, ...prose(message)));
  if (hint) made.append(make("p", { class: "small" }, ...prose(hint)));
  return made;
}

// `Quotations` become code.
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

function select(line) {
  const all = field.text.value.split("\n");
  const start = all.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  field.text.focus();
  field.text.setSelectionRange(start, start + (all[line - 1] ?? "").length);
}

function lines(text, findings) {
  return text.replace(/\n$/, "").split("\n").map((line, index) => {
    const here = findings.filter((each) => each.mark === index + 1);
    const made = make("li", here.length ? { class: here[0].severity } : {}, make("code", {}, line || " "));
    if (here.length) made.append(make("span", { class: "said" }, here.map((each) => each.code).join(", ")));
    return made;
  });
}

function output(id, done) {
  by(id).textContent = done.out || done.err.trim() || "Nothing.";
  const words = done.arguments.map((word) => (/^[\w.,:@%+=/-]+$/.test(word) ? word : `'${word}'`));
  by(`${id}-line`).replaceChildren("At a terminal: ", make("code", {}, `translate ${words.join(" ")} < FILE`));
}

async function link() {
  const wanted = request();
  let secret = checked && checked.request.text === wanted.text ? checked.secret : undefined;
  if (secret === undefined) {
    state.textContent = engine ? "" : "Loading Python, which looks for secrets …";
    try {
      secret = (await ask(wanted)).secret;
    } catch (error) {
      stop(error.message);
    }
  }
  if (secret !== false) {
    state.textContent = secret
      ? "No link: the text may hold a secret (a name or a value that looks like one, or a flag that no vLLM has), or cannot be read."
      : "No link: whether the text holds a secret is not known.";
    return;
  }
  const kept = FIELDS.filter((name) => wanted[name]).map((name) => [name, wanted[name]]);
  history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    state.textContent = "Copied. Whoever has the link can read the text.";
  } catch {
    state.textContent = "The link is the address of this page now.";
  }
}

function restore() {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (FIELDS.includes(name)) field[name].value = value;
  }
  for (const name of CHOICES) if (field[name].selectedIndex < 0) field[name].selectedIndex = 0;
}

by("form").addEventListener("submit", check);
by("link").addEventListener("click", link);
window.addEventListener("hashchange", restore);
if (location.hash.length > 1) restore();
if ("serviceWorker" in navigator && location.protocol !== "file:") {
  navigator.serviceWorker.register(new URL("../offline.js", import.meta.url)).catch(() => {});
}
