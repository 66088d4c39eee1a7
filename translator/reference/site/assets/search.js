// Ranks the names of the index by what is typed. Keys: / searches, arrows choose, Enter opens. Without it, the lists are whole.
"use strict";
const field = document.getElementById("search");

addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (field) field.focus();
  else location.href = `${document.querySelector(".home").href}#q=`;
});
if (field) search();

function search() {
  const [form, lists, results, count] = ["find", "lists", "results", "count"].map((id) => document.getElementById(id));
  const plain = (text) => text.toLowerCase().replaceAll("_", "-").replace(/^-+/, "");
  const formOf = (name) => (name[0] === "-" ? "flag" : /^[A-Z0-9_]+$/.test(name) ? "variable" : "");
  const entries = [...lists.querySelectorAll("li")].map((item) => {
    const name = item.querySelector("code").textContent;
    const names = [name, ...(item.dataset.find ?? "").split(" ")].map(plain).filter(Boolean);
    const text = plain([...item.children].map((each) => each.textContent).join(" "));
    const parts = [...names, ...`${names.join(" ")} ${text}`.split(/[^a-z0-9]+/)];
    return { item, names, text, parts: [...new Set(parts)].filter(Boolean), form: formOf(name), gone: item.dataset.gone ? 0.3 : 0 };
  });

  // Of an error message or a command line, only the flags count: not their values, nor the words around them.
  function wanted(typed) {
    const all = typed.split(/\s+/).filter(Boolean);
    const flags = all.filter((word) => /^-+[a-z]/i.test(word)).map((word) => word.split("=")[0]);
    const words = flags.length ? flags : all;
    return { words: words.map(plain), any: flags.length > 1, form: formOf(words[0] ?? "") };
  }

  // 0 is the name itself, 1 its beginning, 2 the beginning of a part of it, 3 within it, 4 in what is said about it.
  function rank(word, { names, parts }) {
    if (names.includes(word)) return 0;
    if (names.some((name) => name.startsWith(word))) return 1;
    if (names.some((name) => name.includes(`-${word}`) || name.includes(`.${word}`))) return 2;
    if (names.some((name) => name.includes(word))) return 3;
    return parts.some((part) => part.startsWith(word)) ? 4 : Infinity;
  }

  // Of two that are alike, the one in the form that was typed, or else the one that is not removed, is first.
  const worse = (typed, entry) => entry.gone + (typed.form && typed.form !== entry.form ? 0.6 : 0);

  function fits({ words, any }, entry) {
    if (any) return words.some((word) => entry.names.includes(word)) ? 0 : Infinity;
    const said = entry.text.includes(words.join(" ")) ? 3.5 : Infinity;
    const whole = words.length > 1 ? Math.min(said, rank(words.join("-"), entry)) : Infinity;
    return Math.min(whole, Math.max(...words.map((word) => rank(word, entry))));
  }

  // A platform's prefix before a name: OPTION_MAX_MODEL_LEN is of --max-model-len.
  const prefixed = ({ words: [word] }, { names: [name] }) => (name.length > 2 && word.endsWith(`-${name}`) ? 0 : Infinity);

  // How many letters are wrong, missing, too many or swapped: one of a short word, two of a long one.
  function misspelt({ words }, entry) {
    const near = words.map((word) => {
      const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
      const close = entry.parts.map((part) => distance(word, part, most) + (part === entry.names[0] ? 0 : 0.5));
      return Math.min(...close.filter((each) => each < most + 1));
    });
    return near.reduce((sum, each) => sum + each, 0);
  }

  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return Infinity;
    let before = [];
    let last = Array.from({ length: other.length + 1 }, (_, at) => at);
    for (let i = 1; i <= one.length; i += 1) {
      const row = [i];
      for (let j = 1; j <= other.length; j += 1) {
        row[j] = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (one[i - 1] !== other[j - 1]));
        if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      [before, last] = [last, row];
    }
    return last[other.length];
  }

  function show() {
    const typed = wanted(field.value);
    const empty = !typed.words.length;
    const ranked = (by) => entries.map((entry) => [by(typed, entry) + worse(typed, entry), entry]).filter(([each]) => each < Infinity);
    const ways = empty ? [] : [fits, prefixed, misspelt];
    const found = ways.reduce((known, by) => (known.length ? known : ranked(by)), []);
    found.sort(([a, one], [b, other]) => a - b || one.names[0].length - other.names[0].length);
    results.replaceChildren(...found.slice(0, 50).map(([, { item }]) => item.cloneNode(true)));
    lists.hidden = !empty;
    count.textContent = empty ? "" : `${found.length || "None"} found${found.length > 50 ? ", the best 50 of them below" : ""}`;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
  });
  field.addEventListener("input", () => {
    history.replaceState(null, "", `#q=${encodeURIComponent(field.value)}`);
    show();
  });
  form.addEventListener("keydown", (event) => {
    const stops = [field, ...results.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus();
  });
  if (location.hash.startsWith("#q=")) {
    field.value = decodeURIComponent(location.hash.slice(3));
    field.focus();
    show();
  }
}
