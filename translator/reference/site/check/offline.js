// Keeps the page check.html and what it loads, so that it works without a network. A site with other content has a
// cache with another name.
"use strict";
const HERE = new URL(".", self.location.href).href;
const MINE = `check ${HERE} `;
const NAME = `${MINE}VERSION`;
const SHELL = ["check.html", "check/check.css", "check/check.js", "assets/search.js", "assets/style.css", "assets/icon.svg"];
const isOurs = (path) => path === "check.html" || path.startsWith("check/") || path.startsWith("assets/");

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(SHELL.map((path) => new Request(HERE + path, { cache: "no-cache" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith(MINE) && name !== NAME);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

async function answered(request) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const reply = await fetch(request);
  if (reply.ok && reply.status === 200) await cache.put(request, reply.clone());
  return reply;
}

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const path = url.split("#")[0].split("?")[0];
  if (method === "GET" && path.startsWith(HERE) && isOurs(path.slice(HERE.length))) {
    event.respondWith(answered(event.request));
  }
});
