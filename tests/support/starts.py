"""What platforms make of a start that is written for them: the arguments and the variables that the
container gets. Their rules are written down anew here; none of them is read by this project's code.
"""

import re
import subprocess
from typing import NamedTuple

import yaml

from translator.core.text.words import is_variable

SECRET = "(a secret)"


class Started(NamedTuple):
    """What a container is started with, and the ports that it publishes."""

    image: str
    args: list[str]
    env: dict[str, str]


def kubelet(text: str, env: dict[str, str]) -> str:
    """A string as the kubelet expands it: `$(NAME)` where that is set, `$$` is `$`
    (k8s.io/kubernetes, third_party/forked/golang/expansion/expand.go).
    """
    parts, at = [], 0
    while at < len(text):
        end = text.find(")", at)
        if text.startswith("$$", at):
            parts.append("$")
            at += 2
        elif text.startswith("$(", at) and end >= 0:
            written = text[at : end + 1]
            parts.append(env.get(written[2:-1], written))
            at = end + 1
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def kubernetes(text: str) -> Started:
    (document, *_) = yaml.safe_load_all(text)
    container = document
    if document.get("kind") == "Deployment":
        (container,) = document["spec"]["template"]["spec"]["containers"]
    env: dict[str, str] = {}
    for item in container.get("env", ()):
        env[item["name"]] = kubelet(item["value"], env) if "value" in item else SECRET
    assert all(isinstance(item, str) for item in container["args"])
    args = [kubelet(item, env) for item in container["args"]]
    return Started(container["image"], args, env)


def compose(text: str) -> Started:
    """The only service of a file, interpolated as compose does: `$$` is `$`
    (github.com/compose-spec/compose-go, template/template.go).
    """
    (service,) = yaml.safe_load(text)["services"].values()

    def interpolated(written: str) -> str:
        assert isinstance(written, str)

        def value(match: re.Match[str]) -> str:
            assert match[1] or match[2], f"compose refuses {match[0]!r}"
            return "$" if match[1] else SECRET

        return re.sub(r"\$(?:(\$)|(\{[A-Z_a-z]\w*:\?\})|.?)", value, written, flags=re.DOTALL)

    variables = (interpolated(item) for item in service.get("environment", ()))
    env = dict(item.split("=", 1) for item in variables)
    return Started(service["image"], [interpolated(item) for item in service["command"]], env)


def docker(text: str) -> Started:
    """A `docker run` command, split by bash."""
    script = f"docker() {{ printf '%s\\0' \"$@\"; }}\n{text}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stderr == b""
    return _run([word.decode() for word in done.stdout.split(b"\0")[:-1]])


def _run(words: list[str]) -> Started:
    """What follows `docker` or `podman`: every option that is written has a value."""
    assert words.pop(0) == "run"
    env: dict[str, str] = {}
    while words[0].startswith("-"):
        option, value = words.pop(0), words.pop(0)
        if option in ("-e", "--env"):
            name, _, env[name] = value.partition("=")
    return Started(words[0], words[1:], env)


_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "s": " ", "t": "\t", "v": "\v"}


def unit_words(text: str, *, is_podman: bool) -> list[str]:
    """The words of a value, by systemd's rules (src/basic/extract-word.c), which Podman follows but
    for an empty word, where it stops (pkg/systemd/parser/split.go).
    """
    words: list[str] = []
    word, quote, at = None, "", 0
    while at < len(text):
        char = text[at]
        at += 1
        if not quote and char in " \t\n\r":
            if word is not None:
                if is_podman and not word:
                    return words
                words.append(word)
            word = None
            continue
        word = word or ""
        if char == "\\":
            kind = text[at]
            assert kind in {*_ESCAPES, "\\", '"', "'", "x"}, text
            word += chr(int(text[at + 1 : at + 3], 16)) if kind == "x" else _ESCAPES.get(kind, kind)
            at += 3 if kind == "x" else 1
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            word += char
    assert not quote, text
    if word or (word is not None and not is_podman):
        words.append(word)
    return words


def _podmans(word: str) -> str:
    """A word as Podman's generator writes it into the service that it makes."""
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a"}
    named |= {"\b": "\\b", "\v": "\\v", "\f": "\\f"}
    if not any(
        ord(char) <= 128 and (char in "\"'\\" or char <= " " or char >= "\x7f") for char in word
    ):
        return word
    written = "".join(
        named.get(char)
        or (char if " " <= char < "\x7f" or ord(char) > 128 else f"\\x{ord(char):02x}")
        for char in word
    )
    return f'"{written}"'


def _systemds(word: str) -> str:
    """A word of ExecStart= as systemd passes it on: `%%` is `%`, and `$$` is `$`."""
    word = re.sub(r"%(.?)", lambda match: {"%": "%"}[match[1]], word, flags=re.DOTALL)
    assert not re.fullmatch(r"\$[^${].*", word, re.DOTALL), f"{word!r} is a variable"
    assert "${" not in word.replace("$$", ""), word
    return word.replace("$$", "$")


def quadlet(text: str) -> Started:
    """A `.container` file: the service that Podman's generator makes of it, started by systemd."""
    assert not re.search(r"[\r\0]", text)
    keys: list[tuple[str, str]] = []
    body = text.split("[Container]\n", 1)[1].split("\n\n[Service]", 1)[0]
    for line in body.replace("\\\n", " ").split("\n"):
        key, _, value = line.partition("=")
        keys.append((key, value.strip(" \t")))
    given = dict(keys)
    command = ["run"]
    for key, value in keys:
        for word in unit_words(value, is_podman=True) if key == "Environment" else ():
            assert is_variable(word.partition("=")[0])
            command += ["--env", word]
    command += [given["Image"], *unit_words(given.get("Exec", ""), is_podman=True)]
    line = " ".join(map(_podmans, command))
    assert " ; " not in f"{line} ", "systemd ends the command there"
    started = _run(list(map(_systemds, unit_words(line, is_podman=False))))
    return started._replace(image=started.image.removeprefix("docker.io/"))


READERS = {"k8s": kubernetes, "compose": compose, "docker": docker, "quadlet": quadlet}
