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
    end: plain(item.querySelector("code").textContent).replace(/^-*/, "-"),
  })),
}));

// Of an error message or a command line, only the flags count: not their values, nor the words around them.
function words(text) {
  const all = text.split(/\s+/).filter(Boolean);
  const flags = all.filter((word) => /^-+[a-z]/i.test(word)).map((word) => word.split("=")[0]);
  return { words: (flags.length ? flags : all).map(plain), any: flags.length > 1 };
}

// A platform's prefix before a name: OPTION_MAX_MODEL_LEN is of --max-model-len.
const prefixed = ({ end }, { words: [word] }) => end.length > 3 && word?.endsWith(end);

function fits({ text }, { words, any }) {
  return any
    ? words.some((word) => ` ${text} `.includes(` ${word} `))
    : words.every((word) => text.includes(word));
}

function show() {
  const wanted = words(field.value);
  const all = lists.flatMap(({ items }) => items);
  const test = all.some((each) => fits(each, wanted)) ? fits : prefixed;
  for (const each of all) each.item.hidden = !test(each, wanted);
  for (const { section, items } of lists) section.hidden = items.every(({ item }) => item.hidden);
  const found = all.filter(({ item }) => !item.hidden).length;
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
