"""Remove the programs in front of `vllm serve`, layer by layer: shells, `sudo`, `docker run`."""

from __future__ import annotations

from translator.commands import translate_exec as ours
from translator.commands.command import Command, Context, UnknownImage, exceeded, shown_program
from translator.commands.docker_run import ENGINES, ENV_FILE, read_options, starts_vllm
from translator.findings import Finding, finding
from translator.secrets.masking import hidden, is_hidden
from translator.secrets.secrets import showing_of
from translator.tables import versions
from translator.tables.catalog import shipped
from translator.tables.images import image_of
from translator.text.expansion import Budget
from translator.text.holes import holes, visible
from translator.text.script import paths
from translator.text.shell import Words, assignment, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from translator.commands.command import Container
    from translator.tables.images import Image


# Programs that start another program: their options with a value, and the number of arguments
# before the other program's name.
_WRAPPERS: dict[str, tuple[tuple[str, ...], int]] = {
    "sudo": (("-u", "-g", "-h", "-p", "-C", "--user", "--group"), 0),
    "env": (("-u", "--unset", "-C", "--chdir", "-S"), 0),
    "exec": (("-a",), 0),
    "nohup": ((), 0),
    "time": ((), 0),
    "command": ((), 0),
    "setsid": ((), 0),
    "nice": (("-n",), 0),
    "ionice": (("-c", "-n"), 0),
    "stdbuf": (("-i", "-o", "-e"), 0),
    "numactl": (("-N", "-m", "-C", "-i"), 0),
    "taskset": ((), 1),
    "timeout": (("-s", "-k"), 1),
    "tini": ((), 0),
    "dumb-init": ((), 0),
}


# Programs that start another by a subcommand, and the subcommand's options with a value.
_ENVIRONMENTS = ("--with", "--python", "--project", "--directory", "-p")
_RUNNERS = {
    ("uv", "run"): _ENVIRONMENTS,
    ("poetry", "run"): _ENVIRONMENTS,
    ("pixi", "run"): _ENVIRONMENTS,
    ("pdm", "run"): _ENVIRONMENTS,
    ("hatch", "run"): _ENVIRONMENTS,
    ("conda", "run"): ("-n", "-p", "--name", "--prefix", "--cwd"),
}


# Programs that start a command of another place: it is their last argument, or stands behind `--`.
_CARRIERS = frozenset(
    ("ssh", "tmux", "screen", "su", "runuser", "kubectl", "oc", "flock", "script")
)
# Programs that start the first program among their arguments; their options are too many to list.
_STARTERS = frozenset(
    ("srun", "mpirun", "mpiexec", "apptainer", "singularity", "enroot", "systemd-run")
)
# Programs that only mention a command.
_TELLERS = frozenset(("echo", "printf", "pkill", "pgrep", "grep", "kill", "killall", "cat", "#"))
# Scripts of vLLM's that start Ray, and leave the server to another command.
_RAY = frozenset(("multi-node-serving.sh", "run_cluster.sh"))
_MOST_COMMANDS = 32  # of one script

# Nobody starts more programs by each other; `A='bash -c "$A"'` would start them without end.
DEEPEST = 20


_SHELLS = ("sh", "bash", "dash", "zsh", "ash")
_SHELL_SIGNS = frozenset(";|&$`\n")
_PROGRAMS = frozenset(
    ("vllm", "serve", ours.PROGRAM, *_WRAPPERS, *_SHELLS, *ENGINES, *(name for name, _ in _RUNNERS))
)
_STARTED = _PROGRAMS - {"serve"} | _STARTERS
_MODULE = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
_SERVE = ["vllm", "serve"]


def read_json_array(text: str, context: Context) -> list[Command] | None:
    """Read a JSON array of tokens, as in a Dockerfile."""
    tokens = parse_json_array(text)
    if tokens is None:
        return None
    unwrapper = Unwrapper(context)
    unwrapper.unwrap(tokens)
    return [unwrapper.finish()]


def read_script(text: str, context: Context) -> list[Command]:
    """Read a shell script: the command that starts vLLM, and the variables set for it."""
    found = every_command(lambda unwrapper: unwrapper.script(text), context)
    if any("{{" in token or "{%" in token for command in found for token in command.tokens):
        return [Command(findings=[finding("unreadable-file", "{{", case="template")])]
    return found


def every_command(
    read: Callable[[Unwrapper], None],
    context: Context,
    container: Container | None = None,
    budget: Budget | None = None,
) -> list[Command]:
    """Return all commands that start vLLM, of a script that may start several.

    Args:
        read: reads the script, or what starts it.
        context, container, budget: see `Unwrapper`.
    """
    found: list[Command] = []
    choices: list[int] = []
    cache: dict[str, list[list[Words]]] = {}
    while len(found) < _MOST_COMMANDS:
        unwrapper = Unwrapper(context, container, budget)
        unwrapper.choices, unwrapper.cache = choices, cache
        read(unwrapper)
        made = unwrapper.finish()
        if not any(
            (item.marked, item.env, item.vllm) == (made.marked, made.env, made.vllm)
            for item in found
        ):
            found.append(made)
        counts = unwrapper.counts
        choices = [*choices, *[0] * len(counts)][: len(counts)]
        while choices and choices[-1] + 1 >= counts[len(choices) - 1]:
            choices.pop()
        if not choices:
            break
        choices[-1] += 1
    return found


def parse_json_array(text: str) -> list[str] | None:
    """Return the strings of a JSON array; None for anything else."""
    if not text.lstrip().startswith("["):
        return None
    from translator.text import json_text
    from translator.text.json_text import JsonError

    try:
        value = json_text.loads(text.strip())
    except JsonError:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [str(item) for item in value]
    return None


def is_command(text: str) -> bool:
    """Return whether a string of several words is a command: it contains options or shell syntax,
    begins with a known program, or starts vLLM.
    """
    words = text.split()
    # Any other program becomes a finding later, and is never read as a model path.
    if any(word.startswith("-") for word in words) or not _SHELL_SIGNS.isdisjoint(text):
        return True
    first = (words[1] if words[0] == "$" else words[0]).rpartition("/")[2]
    return (
        first in _PROGRAMS
        or first.startswith("python")
        or any(serves(item) for item in split(text) if item)
    )


def serves(words: Sequence[str]) -> bool:
    """Return whether a command starts vLLM's server or `translate exec`, by its words."""
    if words and words[0] in _TELLERS:
        return False
    # Where the last word is that mentions vLLM, as a text of several words, or as our own command.
    mentions = max((at for at, item in enumerate(words) if "vllm" in item), default=-1)
    texts = max((at for at, item in enumerate(words) if "vllm" in item and " " in item), default=-1)
    ends = [at for at, item in enumerate(words) if ours.length(item.split() or [""])]
    scripts = max([mentions, *ends])
    for at, word in enumerate(words):
        if ours.length(words, at):
            return True
        name, behind = word.rpartition("/")[2], words[at + 1 : at + 2]
        if (name == "vllm" and behind in (["serve"],)) or word.startswith("vllm.entrypoints."):
            return True
        starts = name in ENGINES and behind in (["run"], ["container"])
        if starts and mentions >= 0:
            return True
        if name in _CARRIERS and at < texts:
            return True
        if name in _SHELLS and at < scripts and script_of(words[at + 1 :]) not in _RAY:
            return True
    return False


def script_of(arguments: Sequence[str]) -> str:
    """Return the name of the file that a shell runs with these arguments; "" for a text or none."""
    for word in arguments:
        if word.startswith("-"):
            if "c" in word and not word.startswith("--"):
                return ""
            continue
        return word.rpartition("/")[2]
    return ""


def starts_ray(words: Sequence[str]) -> bool:
    """Return whether a container only joins Ray: a worker of several machines."""
    texts = [word for word in words if any(name in word for name in _RAY)]
    return bool(texts) and not any(serves(item) for text in texts for item in split(text))


def starts_a_file(words: Sequence[str]) -> bool:
    """Return whether a command is a script whose text is elsewhere, and which may start vLLM."""
    return bool(words) and words[0].rpartition("/")[2] in _SHELLS and bool(script_of(words[1:]))


class Unwrapper:
    """Reads one command from its outermost program inwards and collects the results."""

    def __init__(
        self, context: Context, container: Container | None = None, budget: Budget | None = None
    ) -> None:
        """Start with the variables of a container, if the command belongs to one.

        Args:
            context: the context of the command.
            container: the container.
            budget: how much variables may add to the scripts; None: of its own.
        """
        self._context, self._budget = context, budget or Budget()
        self._showing = context.secrets.showing if context.secrets is not None else showing_of()
        self._tokens: list[str] = []
        self._vllm: str | None = None
        self._image: UnknownImage | None = None
        self._contained = False
        self._entry: ours.Entry | None = None
        # Whether the variables of the context are the environment, as for `docker run --env-file`.
        self._from_file = False
        self._env = dict(container.env) if container else {}
        self._names = set(container.lines) if container else set()
        self._telling = container.telling if container else None
        self._findings = list(container.findings) if container else []
        # The values that the container gets from elsewhere: its own findings tell of them.
        self._elsewhere = set(holes(self._env.values()))
        self._known = {**context.env, **self._env}  # what scripts may refer to
        self._depth = 0
        self._line = 0  # of the command in the script
        self._here = ""  # the here-document of the command
        # Which of the servers of each script to read, how many there are, and the scripts' paths.
        self.choices: list[int] = []
        self.counts: list[int] = []
        self.cache: dict[str, list[list[Words]]] = {}

    def _tell(self, code: str, subject: str, case: str = "", **facts: str | int) -> None:
        self._findings.append(finding(code, subject, case=case, **facts))

    def unwrap(self, tokens: list[str]) -> None:
        """Remove everything in front of `vllm serve`."""
        if self._depth == DEEPEST:
            self._tell("not-vllm-serve", "vllm serve", "nested", limit=DEEPEST)
            return
        self._depth += 1
        at = 0
        while at < len(tokens):
            assigned = assignment(tokens[at])
            if assigned is not None:
                self._env[assigned[0]] = assigned[1]
                at += 1
                continue
            name = tokens[at].rpartition("/")[2]
            options = _RUNNERS.get((name, tokens[at + 1] if at + 1 < len(tokens) else ""))
            if ours.length(tokens, at):
                self._enter(tokens[at + ours.length(tokens, at) :])
                return
            if name == ours.PROGRAM:
                self._tell("not-vllm-serve", shown_program(tokens[at]), "translate")
                return
            if name in _STARTERS:
                at = _program(tokens, at + 1)
            elif name in _CARRIERS:
                if "--" in tokens[at:]:
                    at = tokens.index("--", at) + 1
                    continue
                texts = [token for token in tokens[at + 1 :] if "vllm" in token and " " in token]
                if not texts:
                    break
                self.script(visible(texts[-1]))
                return
            elif name in _WRAPPERS:
                at = _past_options(tokens, at + 1, *_WRAPPERS[name])
            elif options is not None:
                at = _past_options(tokens, at + 2, options, 0)
            elif name in _SHELLS:
                self._shell(tokens[at], tokens[at + 1 :])
                return
            elif name in ENGINES and at + 1 < len(tokens):
                self._engine(tokens[at + 1 :])
                return
            elif begins := self._behind_another(tokens, at):
                self._findings.append(_cut(tokens[at:begins]))
                at = begins
            else:
                break
        self._tokens = tokens[at:]

    def _behind_another(self, tokens: list[str], at: int) -> int:
        """Return the index of the program that one which is not known here starts; 0 for none.

        Without vLLM's flags in front of it: `m --served-model-name vllm serve` starts nothing.
        """
        if tokens[at] == "vllm" or tokens[at].startswith(("-", "python")):
            return 0
        begins = _program(tokens, at + 1)
        options = [item.partition("=")[0] for item in tokens[at:begins] if item.startswith("--")]
        known = any(self._showing.option(item) == item for item in options)
        starts = serves(tokens[begins:]) and (tokens[begins - 1] == "--" or not known)
        return begins if starts else 0

    def script(self, text: str) -> None:
        """Find the command of a script that starts vLLM, and skip everything around it."""
        found = self._servers(text)
        number = self.choices[len(self.counts)] if len(self.counts) < len(self.choices) else 0
        self.counts.append(len(found))
        if found:
            commands, chosen = found[min(number, len(found) - 1)]
        else:
            commands = _joined(split(text, self._known, self._budget))
            others = [item for item in commands if item and not _exports(item)]
            chosen = others[0] if others else Words()
            if len(others) > 1 and not chosen[0].startswith("-"):
                self._tell("not-vllm-serve", shown_program(chosen[0]), "commands")
                return
        for item in commands:
            if item is chosen:
                break
            exports = _exports(item)
            if exports and item[:1] == ["export"]:
                self._env.update(exports)
            elif exports:
                shown = " ".join([f"{self._showing.variable(name)}=…" for name in exports])
                self._tell("cut-off", shown, "assignment", text=shown)
            elif item:
                self._findings.append(_cut(item))
        if chosen.ends not in ("", "\n"):
            behind = commands[commands.index(chosen) + 1 :][:1]
            if (behind and behind[0]) or chosen.ends == "|":
                self._findings.append(_cut(behind[0] if behind else []))
        self._here = chosen.here
        if len(self.counts) == 1:
            self._line = chosen.line
        self._findings += [
            item for item in chosen.findings if not (chosen.here and _reads_here(chosen))
        ]
        self.unwrap(list(chosen))

    def _servers(self, text: str) -> list[tuple[list[Words], Words]]:
        """Return the commands of a script that start vLLM, each with its path's commands."""
        if text not in self.cache:
            made = paths(text, self._known, self._budget)
            self.cache[text] = [_joined(commands) for commands in made]
        found: dict[tuple[str, ...], tuple[list[Words], Words]] = {}
        for commands in self.cache[text]:
            for item in commands:
                if serves(item) or (item.here and _reads_here(item) and "vllm" in item.here):
                    found.setdefault(tuple(item), (commands, item))
        return list(found.values())

    def image(self, image: str, command: list[str] | None, args: list[str]) -> None:
        """Read what a container starts: its own command, or the image's entrypoint with its
        arguments.
        """
        self._contained = True
        found = image_of(image, self._context.tables or shipped())
        shown = self._showing.path(visible(image))
        if is_hidden(shown):  # a registry's user, or a digest
            shown = self._showing.path(visible(image).partition("@")[0].rpartition("/")[2])
        if found.version:
            self._vllm = found.version
            self._tell("image-version", shown, image=shown, version=found.version)
        elif image:
            self._image = UnknownImage(shown, found.publisher, found.assumed)
        if words := in_one_string(command or args):
            self._tell("starts-something-else", shown_program(words[0]), "one-string")
            command, args = (words, args) if command else (None, words)
        words = [*(command or []), *args]
        if not serves(words) and not starts_vllm(found, command) and self._is_read():
            self._enter(["--", *_added(words)])
            self._entry = ours.Entry()
        elif command:
            self.unwrap(words)
        elif found.runs == "program":
            self._tell("not-vllm-serve", shown, "image", image=shown)
        elif args and (
            serves(args)
            or args[0] in ("vllm", "serve")
            or args[0].startswith("python")
            or (args[0].rpartition("/")[2] in _SHELLS and found.runs != "server")
            or (found.runs == "command" and not args[0].startswith("-"))
        ):
            if found.runs == "server":
                self._tell_twice(found, shown, args)
            self.unwrap(args)
        else:
            module = found.module and not (args and not args[0].startswith("-"))
            self._tokens = [*(_MODULE if module else _SERVE), *args]

    def _tell_twice(self, found: Image, image: str, args: list[str]) -> None:
        """Add the finding about a command as the arguments of an entrypoint that is one."""
        given = " ".join([word for word in args[:2] if word in ("vllm", "serve")])
        given = given or shown_program(args[0])
        facts = {"image": image, "given": given, "entrypoint": " ".join(_entrypoint(found))}
        case = "module" if found.module else ""
        self._tell("starts-something-else", given, case, **facts)

    def _is_read(self) -> bool:
        """Return whether the image belongs to the dialect, by the names of its variables."""
        if self._telling is not None:
            return self._context.reads(self._telling)
        known = self._known if self._from_file else ()
        return self._context.reads(self._names.union(self._env, known))

    def _enter(self, tokens: list[str]) -> None:
        """Read the arguments of `translate exec`, which reads the variables."""
        self._entry, self._tokens, findings = ours.read(tokens)
        self._findings += findings
        if self._from_file and self._known:
            self._findings = [item for item in self._findings if item.subject != ENV_FILE]
        if self._from_file or not self._contained:
            self._env = {**self._known, **self._env}
        named = self._entry.vllm or self._env.get(versions.VARIABLE, "").strip()
        self._vllm = named or self._vllm

    def _shell(self, program: str, arguments: list[str]) -> None:
        for at, item in enumerate(arguments[:-1]):
            if item.startswith("-") and not item.startswith("--") and "c" in item:
                self._known = {**self._known, **self._env}
                texts = arguments[at + 1 :]
                while len(texts) > 1 and texts[0].startswith("-"):  # bash -c -- 'vllm serve m'
                    texts = texts[1:]
                self.script(visible(texts[0]))
                return
        if self._here:
            here, self._here = self._here, ""
            self.script(here)
            return
        shown = shown_program(program)
        self._tell("not-vllm-serve", shown, "script", program=shown)

    def _engine(self, tokens: list[str]) -> None:
        if tokens[0] == "container":
            tokens = tokens[1:]
        self._contained = True
        subcommand = tokens[0] if tokens else ""
        if subcommand not in ("run", "create", "exec"):
            self._tell("not-vllm-serve", "docker", "docker", subcommand=_subcommand(subcommand))
            return
        options = read_options(tokens[1:], self._known, self._context.secrets)
        self._env.update(options.env)
        self._names |= options.names
        self._from_file = self._from_file or options.has_file
        self._findings += options.findings
        rest = options.rest
        if subcommand == "exec":
            self.unwrap(rest[1:])
        elif rest:
            self.image(rest[0], [options.entrypoint] if options.entrypoint else None, rest[1:])
        else:
            self._tell("not-vllm-serve", "docker run", "no-image")

    def _without_arguments(self, whole: str) -> str:
        """Return `$NAME`, `${NAME…}`, `$(program …)`: the rest may be secret, and so may be a name
        that is not harmless: passwords have dollar signs.
        """
        if whole in self._elsewhere and whole.startswith("$("):
            return f"$({self._showing.variable(whole[2:-1])})"
        for start, end in (("$(", ")"), ("`", "`")):
            if whole.startswith(start):
                words = whole[len(start) :].removesuffix(end).split()
                program = shown_program(words[0]) if words else ""
                more = " …" if len(words) > 1 and program != "…" else ""
                return f"{start}{program}{more}{end}"
        braced = whole.startswith("${")
        inner = whole[2:].removesuffix("}") if braced else whole[1:]
        name = inner
        for at, char in enumerate(inner):
            if not (char.isalnum() or char == "_"):
                name = inner[:at]
                break
        if not name or not self._showing.name(name):
            return hidden(whole)
        return f"${{{name}{'…' if name != inner else ''}}}" if braced else f"${name}"

    def finish(self) -> Command:
        """Return the command. Unknown parts of its tokens are errors; a variable that refers to one
        is dropped. Nothing gets a second finding.
        """
        self._findings += exceeded(self._budget)
        told = {item.subject for item in self._findings if item.code == "shell-variable"}
        unknown = {}
        for whole in holes(self._tokens):
            shown = unknown[whole] = self._without_arguments(whole)
            if whole in self._elsewhere:
                continue
            if whole.startswith(("$(", "`")):
                self._tell("shell-syntax", shown, "substitution", text=shown)
            elif shown not in told:
                self._tell("shell-variable", shown, variable=shown)
        env = {}
        for name, text in self._env.items():
            missing = holes([text])
            shown_all = [self._without_arguments(item) for item in missing]
            if not missing:
                env[name] = text
            elif told.issuperset(shown_all):
                unknown.update(zip(missing, shown_all, strict=True))
            elif not self._elsewhere.issuperset(missing):
                self._findings.append(
                    finding(
                        "unresolved-value",
                        self._showing.variable(name),
                        variable=self._showing.variable(name),
                        references=tuple(shown_all[:3]),
                    )
                )
        return Command(
            tokens=[visible(token) for token in self._tokens],
            marked=tuple(self._tokens),
            env=env,
            vllm=self._vllm,
            image=None if self._vllm else self._image,
            contained=self._contained,
            entry=self._entry,
            findings=self._findings,
            unknown=unknown,
            names=frozenset(self._names.union(self._env)),
            line=self._line,
        )


def _entrypoint(image: Image) -> list[str]:
    """Return what an image of vLLM's server starts with its arguments."""
    return _MODULE if image.module else _SERVE


def in_one_string(words: list[str]) -> list[str]:
    """Return the words of a command whose first item is a whole command line; [] for others."""
    parts = words[0].split() if words else []
    return [*parts, *words[1:]] if len(parts) > 1 and serves(parts) else []


def _joined(commands: list[Words]) -> list[Words]:
    """Join lines that begin with an option to the previous command: the backslash was lost when
    pasting.
    """
    found: list[Words] = []
    for item in commands:
        last = found[-1] if found else Words()
        if item and item[0].startswith("-") and last and last.ends == "\n" and serves(last):
            last.extend(item)
            last.findings += item.findings
            last.ends = item.ends
        else:
            found.append(item)
    return found


def _cut(words: Sequence[str]) -> Finding:
    """Return the finding for another command. Only its program is shown, since its arguments may
    hold a secret. A pipe into a bare redirection has no program.
    """
    program = shown_program(words[0]) if words else "|"
    shown = program + " …" if len(words) > 1 and program != "…" else program
    return finding("cut-off", shown, text=shown)


def _subcommand(word: str) -> str:
    return word if word in _SUBCOMMANDS else "…" if word else ""


_SUBCOMMANDS = ("build", "compose", "exec", "images", "logs", "ps", "pull", "push", "start", "stop")


def _reads_here(words: Sequence[str]) -> bool:
    """Return whether a command runs the here-document that it reads."""
    return any(word.rpartition("/")[2] in _SHELLS for word in words) and "-c" not in words


def _program(tokens: list[str], at: int) -> int:
    """Return the index of the first token from one on that is a known program."""
    for index in range(at, len(tokens)):
        name = tokens[index].rpartition("/")[2]
        if name == "vllm" and tokens[index + 1 : index + 2] != ["serve"]:
            continue  # such as the name of an environment
        if name in _STARTED or (name.startswith("python") and not tokens[index].endswith(".py")):
            return index
    return len(tokens)


def _exports(words: Sequence[str]) -> dict[str, str]:
    """Return the assignments of a command that consists only of assignments; {} for any other."""
    parts = [assignment(word) for word in (words[1:] if words[:1] == ["export"] else words)]
    return dict(item for item in parts if item is not None) if all(parts) else {}


def _past_options(tokens: list[str], at: int, with_value: tuple[str, ...], arguments: int) -> int:
    """Return the index after the options that begin at `at` and after the given number of
    arguments.
    """
    while at < len(tokens) and tokens[at].startswith("-") and tokens[at] != "-":
        if tokens[at] == "--":
            at += 1
            break
        at += 2 if tokens[at] in with_value else 1
    return at + arguments


def _added(words: list[str]) -> list[str]:
    """Return the tokens that a container of the dialect adds: those after `--`, or all if they are
    options.
    """
    if "--" in words:
        return words[words.index("--") + 1 :]
    return words if words and words[0].startswith("-") else []
