"""Questions to the real vLLM of any version: starts the worker of a version when it is first asked,
and keeps two of them.

In:  argvs (what follows `vllm serve`), variables. Out: `Answer`s.
"""

from __future__ import annotations

import collections
import itertools
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import translator

from .install import Installed

PACKAGE = Path(translator.__file__).parent
WORKER = Path(__file__).with_name("worker.py")
ALIVE = 2  # workers kept; one needs 0.6 GB
START_SECONDS = 240.0
BATCH = 500
BATCH_SECONDS = 240.0


class WorkerError(Exception):
    """The worker died, hung, or could not deal with a question: nothing that an argv may cause."""


@dataclass(frozen=True)
class Answer:
    """What the real vLLM made of one question: a namespace (or a value), or a refusal.

    Attributes:
        ok: for an argv, what sets its namespace apart from that of `vllm serve m`, as text by name;
            for a variable {"": text}; None if refused.
        refused: what the real vLLM said; None if it did not refuse.
    """

    ok: dict[str, str] | None = None
    refused: str | None = None

    def without(self, names: Iterable[str]) -> Answer:
        """The same answer, less some names of the namespace."""
        if self.ok is None:
            return self
        gone = set(names)
        return Answer(
            ok={name: text for name, text in self.ok.items() if name.partition(".")[0] not in gone}
        )

    def less(self, aloud: Mapping[str, str], other: Answer) -> Answer:
        """The same answer, less some texts of names that the other one does not have."""
        if self.ok is None or other.ok is None or not aloud:
            return self
        kept = {
            name: text
            for name, text in self.ok.items()
            if name in other.ok or aloud.get(name) != text
        }
        return Answer(ok=kept)


class Worker:
    """One process with the real vLLM of one version."""

    def __init__(self, installed: Installed, version: str) -> None:
        sources = installed.sources(version)
        self.version = version
        self.home = tempfile.TemporaryDirectory(prefix=f"vllm-{version}-")
        self.log = Path(self.home.name, "log")
        self.asked = False
        self.unread = b""
        # An environment in which no variable of vLLM's own is set; an empty folder, so that no name
        # of a model is a path. The hash seed is fixed so that
        # what is in sets has one order.
        environment = {
            "PATH": os.environ.get("PATH", os.defpath), "HOME": self.home.name, "LC_ALL": "C.UTF-8", "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0",
        }  # fmt: skip
        work = Path(self.home.name, "cwd")
        work.mkdir()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(installed.python), "-X", "utf8", str(WORKER), version, str(PACKAGE), *([str(sources)] if sources else [])],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=work, env=environment,
            )  # fmt: skip

    def ask(self, **question: Any) -> Any:
        """The answer to one question.

        Raises:
            WorkerError: there is none.
        """
        assert self.process.stdin is not None
        seconds = BATCH_SECONDS if self.asked else BATCH_SECONDS + START_SECONDS
        self.asked = True
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()
            reply = json.loads(self._line(seconds))
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            self.close()
            raise WorkerError(
                f"vLLM {self.version}: {type(error).__name__} {error}\n{self._last_words()}"
            ) from error
        if "error" in reply:
            raise WorkerError(f"vLLM {self.version}: {reply['error']}")
        return reply["answer"]

    def _line(self, seconds: float) -> bytes:
        """The next line that the worker prints."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + seconds
        descriptor = self.process.stdout.fileno()
        parts = [self.unread]
        while b"\n" not in parts[-1]:
            if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"no answer in {seconds:.0f} s")
            part = os.read(descriptor, 1 << 20)
            if not part:
                raise EOFError("the worker has ended")
            parts.append(part)
        line, _, self.unread = b"".join(parts).partition(b"\n")
        return line

    def _last_words(self) -> str:
        said = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(said.splitlines()[-20:])

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass

    def forget(self) -> None:
        """Ends the process and removes its folder."""
        self.close()
        self.home.cleanup()


class Parsers:
    """The real parsers of all versions.

    While the tests of one version run, the worker of the next in `order` is already starting, on
    the other core.
    """

    def __init__(self, installed: Installed, order: Sequence[str] = ()) -> None:
        """`order`: the versions in the order in which they will be asked."""
        self.installed = installed
        self.following = dict(itertools.pairwise(order))
        self.workers: collections.OrderedDict[str, Worker] = collections.OrderedDict()
        self.answers: dict[tuple[str, ...], Answer] = {}  # of the version that was asked last
        self.asked_last: str | None = None

    def worker(self, version: str) -> Worker:
        """The worker of a version, started if need be."""
        for needed in (self.following.get(version), version):
            if needed is not None:
                if needed not in self.workers:
                    while len(self.workers) >= ALIVE:
                        oldest = next(name for name in self.workers if name != version)
                        self.workers.pop(oldest).forget()
                    self.workers[needed] = Worker(self.installed, needed)
                self.workers.move_to_end(needed)
        return self.workers[version]

    def ask(self, version: str, **question: Any) -> Any:
        """The answer of a version's worker to a question (the ops of worker.py)."""
        try:
            return self.worker(version).ask(**question)
        except WorkerError:
            broken = self.workers.pop(version, None)
            if broken is not None:
                broken.forget()
            raise

    def parse(self, version: str, argvs: Sequence[Sequence[str] | None]) -> list[Answer]:
        """What the real parser of a version makes of each argv (the tokens after `vllm serve`);
        None is refused.

        The same argv is asked only once, as long as no other version is asked in between.
        """
        if version != self.asked_last:
            self.asked_last, self.answers = version, {}
        new = [
            argv
            for argv in dict.fromkeys(tuple(argv) for argv in argvs if argv is not None)
            if argv not in self.answers
        ]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            replies = self.ask(version, op="parse", argvs=batch)
            self.answers.update(zip(batch, (Answer(**reply) for reply in replies), strict=True))
        none = Answer(refused="(nothing to ask)")
        return [none if argv is None else self.answers[tuple(argv)] for argv in argvs]

    def asked(self, op: str, version: str, argvs: Sequence[Sequence[str]]) -> list[Answer]:
        """What one of the ops of worker.py (start, rank, engine) says of each argv; [] where no
        engine can be configured here.
        """
        replies = self.ask(version, op=op, argvs=[list(argv) for argv in argvs])
        return [Answer(**reply) for reply in replies]

    def arguments(
        self, version: str, items: Sequence[tuple[Sequence[str], dict[str, Any]]]
    ) -> list[Answer]:
        """Whether each argv and the keyword arguments beside it make the same AsyncEngineArgs."""
        found: list[Answer] = []
        for start in range(0, len(items), BATCH):
            batch = [(list(argv), given) for argv, given in items[start : start + BATCH]]
            found += (Answer(**reply) for reply in self.ask(version, op="arguments", items=batch))
        return found

    def models(self, version: str, questions: Sequence[Any]) -> list[dict[str, Any]]:
        """What the engine says of each config.json and the tokens beside it."""
        found: list[dict[str, Any]] = []
        for start in range(0, len(questions), BATCH):
            found += self.ask(version, op="models", questions=questions[start : start + BATCH])
        return found

    def env(self, version: str, items: Sequence[tuple[str, str]]) -> list[Answer]:
        """What vLLM's own table makes of each variable, with only that one set."""
        replies = self.ask(version, op="env", items=list(items))
        return [
            Answer(ok={"": reply["ok"]}) if "ok" in reply else Answer(**reply) for reply in replies
        ]

    def close(self) -> None:
        """Ends every worker."""
        while self.workers:
            self.workers.popitem()[1].forget()
