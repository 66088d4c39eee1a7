// Lists what changes between two releases, of the data in data.js. Without this script, the table below it leads to pages.
"use strict";
const { versions, parts, names } = globalThis.changes;
const form = document.querySelector(".compare");
const [from, to] = form.querySelectorAll("select");
const status = document.getElementById("compared");
const result = document.getElementById("result");

// The rows of one name: [part, line] of each part that it is in.
function rows(name, old, now) {
  return name.pairs[name.states[old] + name.states[now]] ?? [];
}

function made(tag, ...content) {
  const element = document.createElement(tag);
  element.append(...content);
  return element;
}

// A line with `quotations`; the first one is the name.
function line(text, path) {
  const pieces = text.split("`").map((piece, number) => (number % 2 ? made("code", piece) : piece));
  const link = made("a", pieces[1]);
  link.href = `../${path}`;
  pieces[1] = link;
  return made("li", ...pieces);
}

function show() {
  const [old, now] = [from, to].map((field) => versions.indexOf(field.value));
  const found = names.flatMap((name) =>
    rows(name, old, now).map(([part, text]) => ({ part, text, name })),
  );
  result.replaceChildren();
  for (const [part, title] of parts) {
    for (const group of ["flags", "variables"]) {
      const here = found.filter((row) => row.part === part && row.name.group === group);
      if (part === "defaults") here.sort((a, b) => (a.name.weight ?? 1e6) - (b.name.weight ?? 1e6));
      if (!here.length) continue;
      const list = made("ul", ...here.map((row) => line(row.text, row.name.path)));
      list.className = "lines";
      result.append(made("h2", `${group[0].toUpperCase()}${group.slice(1)}: ${title} (${here.length})`), list);
    }
  }
  status.textContent = `vLLM ${from.value} to ${to.value}: ${found.length || "no"} changes`;
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", () => {
  history.replaceState(null, "", `#${from.value}..${to.value}`);
  show();
});
const [start, end] = location.hash.slice(1).split("..");
if (versions.includes(start) && versions.includes(end)) [from.value, to.value] = [start, end];
show();
