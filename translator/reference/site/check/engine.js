// Runs the package in a thread of its own: {id, request} becomes {id, answer} or {id, error}.
import { loadPyodide } from "./pyodide.mjs";

async function start() {
  const folder = new URL(".", import.meta.url).href;
  const python = await loadPyodide({ indexURL: folder });
  const reply = await fetch(new URL("package.zip", folder));
  if (!reply.ok) throw new Error(`package.zip: ${reply.status}`);
  python.unpackArchive(await reply.arrayBuffer(), "zip", { extractDir: "/package" });
  return python.runPython(`
import sys
sys.path.insert(0, "/package")
from translator.cli.paste import answer
answer`);
}

const answer = start();
self.addEventListener("message", async ({ data: { id, request } }) => {
  try {
    self.postMessage({ id, answer: (await answer)(request) });
  } catch (error) {
    // Of Python's traceback, its last line.
    self.postMessage({ id, error: String(error.message ?? error).trim().split("\n").pop() });
  }
});
