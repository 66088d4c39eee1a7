"""Remove the programs in front of `vllm serve`, layer by layer: shells, `sudo`, `docker run`."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from translator.core.argv.reader import strip_command
from translator.core.findings import Finding, finding
from translator.core.tables import versions
from translator.core.tables.catalog import MODEL, shipped
from translator.core.tables.images import Image, image_of
from translator.core.text.words import place, stamped
from translator.deployments.read import Command, Container, Context, Entry, exceeded, unread
from translator.deployments.read.pins import Pin, of_image, of_version
from translator.deployments.read.programs import (
    CARRIERS,
    DEMO,
    ENGINES,
    ENV_FILE,
    EXEC,
    PROGRAM,
    SERVER,
    SHELLS,
    STARTERS,
    container_options,
    docker_container,
    entrypoint,
    first_known,
    in_one_string,
    installed,
    is_whole,
    name_of,
    of_options,
    pin_in_front,
    pin_of_job,
    reads_here,
    serves,
    started_by,
    starts_another,
    starts_vllm,
    takes_text,
)
from translator.deployments.read.surroundings import Surroundings
from translator.formats.classes import evolve
from translator.formats.places import NOWHERE, partition
from translator.formats.references import Words, assignment, has_hole, holes, visible
from translator.options import DEFAULT_DIALECT
from translator.options import EXEC as EXEC_OPTIONS
from translator.options import read as read_options

_MOST_COMMANDS = 1000  # of one script; more are told
# Nobody starts more programs by each other; `A='bash -c "$A"'` would start them without end.
DEEPEST = 20
_SERVE = ["vllm", "serve"]


def read_tokens(tokens: Sequence[str], context: Context | None = None) -> Command:
    """Read a command that is already split into tokens."""
    return next(Unwrapper(context or Context()).unwrap(list(tokens)))


def read_script(text: str, context: Context) -> list[Command]:
    """Read a shell script: the commands that start vLLM, and the variables set for them."""
    unwrapper = Unwrapper(context)
    unwrapper._has(pin_of_job(text, context.tables) or context.pin)
    commands = distinct(unwrapper.script(text))
    if any(item.case == "template" for command in commands for item in command.findings):
        return [unread(NOWHERE, "unreadable-file", "{{", "template")]
    return commands


def distinct(commands: Iterable[Command]) -> list[Command]:
    """Return commands that differ in what they start."""
    alike: dict[Any, list[Command]] = {}
    different: list[Command] = []
    for command in commands:
        others = alike.setdefault((command.place, command.argv, command.vllm), [])
        if not any(other.env == command.env for other in others):
            others.append(command)
            different.append(command)
    return different


class Unwrapper:
    """Reads one command from its outermost program inwards, and collects what it consists of: see
    the attributes of `Command`.
    """

    def __init__(self, context: Context, container: Container | None = None) -> None:
        """Start with the variables of a container, if the command belongs to one."""
        self._context, self._container = context, container or Container()
        self._tokens: list[str] = []
        self._pin: Pin | None = None
        self._contained = False
        self._entry: Entry | None = None
        self._env = dict(self._container.env)
        self._places = dict(self._container.places)
        self._names = set(self._places)
        self._findings = list(self._container.findings)
        # The values that the container gets from elsewhere: its own findings tell of them.
        self._elsewhere = set(holes(self._env.values()))
        self._place = self._container.place  # of the command in the outermost script
        # Whether the variables of the context are the environment, as for `docker run --env-file`.
        self._from_file = False
        self._known = {**context.env, **self._env}  # what scripts may refer to
        self._depth = 0
        self._here = ""  # the here-document of the command
        self._within = self._container

    def _copied(self) -> Unwrapper:
        """Return another one that has read the same so far."""
        other = copy.copy(self)
        other._env, other._places = dict(self._env), dict(self._places)
        other._names, other._findings = set(self._names), list(self._findings)
        return other

    def _tell(
        self, code: str, subject: str, case: str = "", **facts: str | int | tuple[str, ...]
    ) -> None:
        self._findings.append(finding(code, subject, case=case, **facts))

    def _fail(self, subject: str, case: str = "", **facts: str | int) -> Iterator[Command]:
        """Yield what is known of a command that does not start `vllm serve`."""
        self._tell("not-vllm-serve", subject, case, **facts)
        yield self.finish()

    def _put(self, name: str, value: str, word: str) -> None:
        """Set a variable to the value that a word assigns."""
        self._env[name] = value
        if (at := place(word)) is not None:
            self._places[name] = at

    def finish(self) -> Command:
        """Return the command. Unknown parts of its tokens are errors; a variable that refers to one
        is dropped. Nothing gets a second finding.
        """
        self._findings += exceeded(self._context.budget)
        subjects = {item.subject for item in self._findings if item.has_trait("hole")}
        unknown = self._tell_of_holes(subjects)
        env = {}
        for name, text in self._env.items():
            missing = holes([text])
            shown = [str(item) for item in missing]
            if not missing:
                env[name] = sys.intern(str(text))  # many commands of a script have it
            elif subjects.issuperset(shown):
                unknown.update(shown)
            elif not self._elsewhere.issuperset(missing):
                references = tuple(shown[:3])
                facts = {"variable": name, "write": f"{name}=VALUE"}
                self._tell("unresolved-value", name, references=references, **facts)
        parts = (part for text in self._env.values() for part in getattr(text, "parts", ()))
        return Command(
            argv=tuple(self._tokens),
            env=env,
            files=frozenset(place[0] for _, place in parts if place),
            pin=self._pin,
            contained=self._contained,
            entry=self._entry,
            findings=self._findings,
            unknown=frozenset(unknown),
            names=frozenset(self._names.union(self._env)),
            name=self._container.name,
            place=self._place,
            places=self._places,
            container=self._within,
        )

    def _tell_of_holes(self, subjects: set[str]) -> set[str]:
        """Tell of what only a shell knows in the tokens, and is not told yet; return all of it."""
        unknown = holes(self._tokens)
        for written in unknown:
            shown = stamped(str(written), written)
            if written in self._elsewhere:
                continue
            if written.startswith(("$(", "`")):
                self._tell("shell-syntax", shown, "substitution", text=shown)
            elif shown not in subjects:
                case = "python" if shown.startswith("{") else ""
                self._tell("shell-variable", shown, case, variable=shown)
        return set(map(str, unknown))

    def unwrap(self, tokens: list[str]) -> Iterator[Command]:
        """Remove everything in front of `vllm serve`, and yield the commands that are started."""
        self._depth += 1
        if self._depth > DEEPEST:
            yield from self._fail("vllm serve", limit=DEEPEST)
            return
        at = 0
        while at < len(tokens):
            assigned = assignment(tokens[at])
            if assigned is not None:
                self._put(*assigned, tokens[at])
            behind = at + 1 if assigned is not None else started_by(tokens, at)
            if behind == at:
                break
            self._bring(tokens[at:behind])
            for word in tokens[at + 1 : behind]:  # env A=1 vllm serve m
                if given := assignment(word):
                    self._put(*given, word)
            at = behind
        yield from self._program(tokens[at:])

    def _program(self, tokens: list[str]) -> Iterator[Command]:
        """Read a program that is vLLM itself, or that says by its own rules what it starts."""
        if not tokens:
            yield self.finish()
            return
        name = name_of(tokens[0])
        texts = [item for item in tokens[1:] if "vllm" in item and " " in item]
        if has_hole(tokens[0]) and tokens[1:2] in (["-m"], ["serve"]):
            # "$(which python3)" -m vllm.entrypoints…, "$VLLM_BIN" serve …
            name = "vllm" if tokens[1] == "serve" else "python3"
            tokens = [stamped(name, tokens[0]), *tokens[1:]]
        if entrypoint(tokens):
            yield self._enter(tokens[entrypoint(tokens) :])
        elif name.startswith("python") and DEMO in tokens:
            yield from self._fail(stamped(DEMO, tokens[0]), "demo")
        elif name == PROGRAM:
            yield from self._fail(tokens[0], "translate")
        elif (options := container_options(tokens)) is not None:
            around = of_options(options) if name in ENGINES and tokens[1] != "service" else None
            yield from self._run(options, around)
        elif name in CARRIERS and texts:
            yield from self.script(texts[-1])
        elif name in SHELLS:
            yield from self._shell(tokens)
        elif name in ENGINES and len(tokens) > 1:
            yield from self._engine(tokens[1:])
        elif begins := self._behind_another(tokens):
            self._findings.append(_cut(tokens[:begins]))
            self._bring(tokens[:begins])
            yield from self.unwrap(tokens[begins:])
        elif name in CARRIERS or name in STARTERS:
            yield from self._fail(tokens[0], program=tokens[0])
        else:
            self._tokens = tokens
            yield self.finish()

    def _behind_another(self, tokens: list[str]) -> int:
        """Return the index of the program that one which is not known here starts; 0 for none.

        Without vLLM's flags in front of it: `m --served-model-name vllm serve` starts nothing.
        """
        if tokens[0] == "vllm" or tokens[0].startswith(("-", "python")):
            return 0
        begins = first_known(tokens, 1)
        options = [item.partition("=")[0] for item in tokens[:begins] if item.startswith("--")]
        known = any(shipped().knows(item.replace("_", "-")) for item in options)
        starts = serves(tokens[begins:]) and (tokens[begins - 1] == "--" or not known)
        return begins if starts else 0

    def script(self, text: str) -> Iterator[Command]:
        """Yield the commands of a script that start vLLM, without everything around them."""
        from translator.deployments.text.shell import split  # lazy: a line of tokens needs none

        commands = _without_lost(split(text, self._known, self._context.budget))
        exported = {word for item in commands if item[:1] == ["export"] for word in item}
        before, count, is_found = self._copied(), 0, False
        for at, item in enumerate(commands):
            count += _may_serve(item)
            if count > _MOST_COMMANDS:
                facts = {"limit": str(_MOST_COMMANDS)}
                here = place(item[0]) or ("", item.line, 0)
                yield unread(here, "unreadable-file", item[0], "many", **facts)
                return
            for command in (
                before._copied()._read(item, commands[at + 1 : at + 2]) if _may_serve(item) else ()
            ):
                if not is_other(command):
                    is_found = True
                    yield command
            before._pass(item, exported, is_told=not is_found)
        if is_found:
            return
        others = [item for item in commands if item and not _exports(item)]
        chosen = others[0] if others else Words()
        if len(others) > 1 and not chosen[0].startswith("-"):
            yield from self._fail(chosen[0])
            return
        behind = iter(commands)
        for item in behind:
            if item is chosen:
                break
            self._pass(item, exported)
        yield from self._read(chosen, list(behind))

    def _pass(self, item: Words, exported: Set[str], is_told: bool = True) -> None:
        """Note what a command does for those behind it, and that it is left out, if that is told:
        it is for the first that starts vLLM.
        """
        exports, hidden = _exports(item), []
        for word in filter(assignment, item if exports else ()):
            name, _, value = partition(word, "=")
            if item[0] == "export" or name in exported:
                self._put(str(name), value, word)
            else:
                hidden.append(f"{name}=…")
        if hidden:
            shown = " ".join(hidden)
            here = stamped(shown, item[0])
            self._tell("cut-off", here, "assignment", text=shown)
        elif item and not exports and item[0] != "export":
            if pin := installed(item):
                self._has(pin)
            if is_told:
                self._findings.append(_cut(item))

    def _read(self, chosen: Words, behind: Sequence[Words]) -> Iterator[Command]:
        """Read one command of a script, in front of others."""
        if chosen.ends not in ("", "\n") and ((behind and behind[0]) or chosen.ends == "|"):
            self._findings.append(_cut(behind[0] if behind else []))
        self._here = chosen.here
        if self._place == NOWHERE:
            self._place = (chosen and place(chosen[0])) or ("", chosen.line, 0)
        if not reads_here(chosen):
            self._findings += chosen.remarks
        if chosen.lost:
            code = "comment-in-command" if chosen.commented else "lost-flags"
            self._tell(code, chosen.lost[0], flags=tuple(dict.fromkeys(chosen.lost)))
        yield from self.unwrap(list(chosen))

    def _has(self, pin: Pin | None) -> None:
        """Note what says the vLLM of the command: its image, or what is installed before it."""
        self._findings = [item for item in self._findings if item.code != "image-version"]
        self._pin = pin
        if pin is not None and pin.vllm:
            image = pin.name if pin.image else ""
            self._tell("image-version", pin.name, image=image, version=pin.vllm)

    def _bring(self, words: Sequence[str]) -> None:
        """Note what the words in front of a command say of its vLLM."""
        if pin := pin_in_front(words, self._context.tables) if len(words) > 1 else None:
            self._has(pin)
            self._contained = self._contained or not pin.name.startswith("vllm==")

    def image(self, image: str, command: list[str] | None, args: list[str]) -> Iterator[Command]:
        """Read what a container starts: its own command, or the image's entrypoint with its
        arguments.
        """
        self._contained = True
        known = image_of(image, self._context.tables)
        # Not what was installed outside of it.
        self._has(self._container.pin or (of_image(image, known) if image else None))
        if words := in_one_string(command or args):
            case = "one-string" if command or known.runs else "one-string-to-shell"
            self._findings.append(finding("starts-something-else", words[0], case=case))
            command, args = (words, args) if command else (None, words)
        words = [*(command or []), *args]
        if not serves(words) and not starts_vllm(known, command) and self._is_read(known):
            platform = self._container.pin.dialect if self._container.pin is not None else ""
            entry = Entry(program="" if command else platform or known.dialect)
            yield self._enter(["--", *_added(words)], entry)
        elif command:
            yield from self.unwrap(words)
        else:
            yield from self._entrypoint(image, known, args)

    def _entrypoint(self, image: str, known: Image, args: list[str]) -> Iterator[Command]:
        """Read what an image's own entrypoint starts with arguments."""
        shown = visible(image)
        if known.runs == "program":
            yield from self._fail(shown, image=shown)
        elif is_whole(args, known):
            if known.runs == "server":
                self._tell_twice(known, shown, args)
            yield from self.unwrap(args)
        elif image and starts_another(image, known, args):
            yield from self._fail(shown, image=shown)
        else:
            module = known.module and not (args and not args[0].startswith("-"))
            self._tokens = [*(SERVER if module else _SERVE), *args]
            yield self.finish()

    def _tell_twice(self, known: Image, image: str, args: list[str]) -> None:
        """Add the finding about a command as the arguments of an entrypoint that is one."""
        extra = " ".join([word for word in args[:2] if word in ("vllm", "serve")])
        given, runs = extra or args[0], " ".join(SERVER if known.module else _SERVE)
        option = MODEL if known.module else ""
        facts = {"given": given, "extra": extra, "entrypoint": runs, "option": option}
        case = "program" if strip_command(args)[2] else ""
        self._tell("starts-something-else", stamped(given, args[0]), case, image=image, **facts)

    def _is_read(self, image: Image) -> bool:
        """Return whether the image belongs to the dialect, by the names of its variables."""
        is_known, reads = image.holds_vllm and image.runs == "program", self._context.reads
        if self._container.name:
            is_known = is_known or self._container.is_platforms
            return reads(self._container.telling, 0 if is_known else 2, image.dialect)
        known = self._known if self._from_file else ()
        return reads(self._names.union(self._env, known), 0 if is_known else 2, image.dialect)

    def _enter(self, tokens: list[str], entry: Entry | None = None) -> Command:
        """Read the arguments of `translate exec`, which reads the variables. How it was started is
        what its options say, unless that is given.
        """
        options = read_options(tokens, EXEC_OPTIONS)
        if isinstance(options, str):
            given = options.partition("=")[0]
            is_option = given.startswith("-") or any(item.name == given for item in EXEC_OPTIONS)
            option = given if is_option else ""
            self._tell("not-vllm-serve", option or EXEC, "exec-options", option=option)
            named = Entry()
        else:
            if options.tables:
                self._tell("unresolved-value", "--tables", "exec-tables")
            self._tokens = list(options.behind or ())
            dialect = options.dialect or DEFAULT_DIALECT
            named = Entry(dialect, "", options.vllm, options.cluster, options.worker_defaults)
        if self._from_file and self._known:
            self._findings = [item for item in self._findings if item.subject != ENV_FILE]
        if self._from_file or not self._contained:
            self._env = {**self._known, **self._env}
        if vllm := named.vllm or self._env.get(versions.VARIABLE, "").strip():
            self._pin = of_version(vllm)
        self._entry = entry or named
        return self.finish()

    def _shell(self, tokens: list[str]) -> Iterator[Command]:
        """Read what a shell runs: the text behind `-c`, or its here-document."""
        here, self._here = self._here, ""
        at = next((at for at, word in enumerate(tokens[:-1]) if at and takes_text(word)), 0)
        if at:
            self._known = {**self._known, **self._env}
            behind = tokens[at + 1 :]  # bash -c -- 'vllm serve m'
            text = next((word for word in behind if not word.startswith("-")), behind[-1])
            yield from self.script(text)
        elif here:
            yield from self.script(here)
        else:
            yield from self._fail(tokens[0], program=tokens[0])

    def _engine(self, tokens: list[str]) -> Iterator[Command]:
        """Read what is started in a container that runs."""
        if tokens[0] == "container":
            tokens = tokens[1:]
        subcommand = tokens[0] if tokens else ""
        if subcommand == "exec":
            yield from self._run(tokens[1:], is_running=True)
        else:
            self._contained = True
            yield from self._fail("docker", action=subcommand, command="docker")

    def _run(
        self, options: list[str], around: Surroundings | None = None, is_running: bool = False
    ) -> Iterator[Command]:
        """Read what is started in a container: in a new one, or in one that runs."""
        self._contained = True
        run = docker_container(options, self._known, self._context)
        if run is None:
            yield from self._fail("docker run", "no-image")
            return
        self._from_file = self._from_file or any(item.subject == ENV_FILE for item in run.findings)
        self._env.update(run.env)
        self._places.update({name: at for name, at in run.places.items() if at != NOWHERE})
        self._names |= run.places.keys()
        self._findings += run.findings
        self._within = evolve(run, surroundings=around)
        if is_running:
            yield from self.unwrap(run.args)
        else:
            yield from self.image(run.image, run.command, run.args)


def _without_lost(commands: list[Words]) -> list[Words]:
    """Return commands without the lines that begin with an option: a shell runs these as commands
    of their own, since no backslash ends the line before. A lone dash is that of a list.
    """
    kept: list[Words] = []
    ends, is_server = "", False
    for item in commands:
        if item[:1] == ["-"]:
            del item[0]
        is_option = bool(item) and item[0].startswith("-") and item[0].strip("-") != ""
        if is_option and ends == "\n" and is_server:
            kept[-1].lost += [partition(word, "=")[0] for word in item if word.startswith("-")]
        else:
            kept.append(item)
            is_server = serves(item)
        ends = item.ends
    return kept


def _may_serve(words: Words) -> bool:
    return serves(words) or (reads_here(words) and "vllm" in words.here)


def _cut(words: Sequence[str]) -> Finding:
    """Return the finding for another command. A pipe into a bare redirection has no program."""
    shown = visible(" ".join(map(str, words))) or "|"
    return finding("cut-off", stamped(shown, words[0]) if words else shown, text=shown)


def is_other(command: Command) -> bool:
    """Return whether a command of a script turned out to be another program's, which only mentions
    vLLM.
    """
    tokens = command.tokens
    if not tokens or tokens[0][:1] == "-" or command.entry is not None:
        return False
    return not serves(tokens) or strip_command(tokens)[0] == tokens


def _exports(words: Sequence[str]) -> dict[str, str]:
    """Return the assignments of a command that consists only of assignments; {} for any other."""
    is_export = words[:1] == ["export"]
    parts = [assignment(word) for word in words[is_export:] if "=" in word or not is_export]
    return dict(item for item in parts if item is not None) if all(parts) else {}


def _added(words: list[str]) -> list[str]:
    """Return the tokens that a container of the dialect adds: those after `--`, or all if they are
    options.
    """
    at = words.index("--") + 1 if "--" in words else 0
    return words[at:] if at or (words and words[0].startswith("-")) else []
