// Shows only the names that fit what is typed. Without this script, the list is whole.
"use strict";
const form = document.querySelector(".filter");
const field = document.getElementById("filter");
const count = document.getElementById("count");
const plain = (text) => text.toLowerCase().replaceAll("_", "-");
const lists = [...document.querySelectorAll("main section")].map((section) => ({
  section,
  items: [...section.querySelectorAll("li")].map((item) => ({
    item,
    text: plain(`${item.textContent} ${item.dataset.find ?? ""}`),
  })),
}));

// Of an error message or a command line, only the flags count: not their values, nor the words around them.
function words(text) {
  const all = text.split(/\s+/).filter(Boolean);
  const flags = all.filter((word) => /^-+[a-z]/i.test(word)).map((word) => word.split("=")[0]);
  return { words: (flags.length ? flags : all).map(plain), any: flags.length > 1 };
}

function show() {
  const wanted = words(field.value);
  let found = 0;
  for (const { section, items } of lists) {
    let here = 0;
    for (const { item, text } of items) {
      const fits = wanted.any
        ? wanted.words.some((word) => text.split(" ").includes(word) || text.startsWith(`${word} `))
        : wanted.words.every((word) => text.includes(word));
      item.hidden = !fits;
      here += fits;
    }
    section.hidden = !here;
    found += here;
  }
  count.textContent = field.value.trim() ? `${found} found` : "";
  history.replaceState(null, "", `#q=${encodeURIComponent(field.value)}`);
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", show);
if (location.hash.startsWith("#q=")) {
  field.value = decodeURIComponent(location.hash.slice(3));
  show();
}
