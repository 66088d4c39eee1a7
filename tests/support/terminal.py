"""What a command shows on a terminal, and a picture of it."""

import fcntl
import html
import os
import pty
import re
import struct
import termios
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .program import PLACE, forked

# The styles of the program (translator/cli/app.py), on the dark background of the picture.
STYLES = {
    "": "",
    "1": "font-weight:bold",
    "2": "fill:#8b949e",
    "1;31": "fill:#ff7b72;font-weight:bold",
    "1;33": "fill:#e3b341;font-weight:bold",
    "1;36": "fill:#56d4dd;font-weight:bold",
}
COLUMNS, WIDTH, HEIGHT = 98, 8.4, 20


def seen(
    *arguments: str, env: dict[str, str], columns: int = 80, folder: Path | None = None
) -> str:
    """What a command writes when all its streams are a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    full = {**PLACE, "TERM": "xterm-256color", **env}
    given = {os.fsencode(name): os.fsencode(text) for name, text in full.items()}
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(all_of, leader)
        try:
            forked(*arguments, env=given, cwd=folder, terminal=os.ttyname(follower))
        finally:
            os.close(follower)  # which ends the reading
        text = reading.result()
    os.close(leader)
    return text.decode().replace("\r\n", "\n")


def all_of(leader: int) -> bytes:
    """What is written to a terminal until nobody has it open any more."""
    parts = []
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


def picture(command: str, folder: Path) -> str:
    """An SVG of a terminal in which a `translate …` ran in a folder."""
    shown = seen(*command.split()[1:], env={}, columns=COLUMNS, folder=folder)
    rows = [f"\x1b[2m$\x1b[0m {command}", *shown.rstrip("\n").split("\n")]
    width, height = COLUMNS * WIDTH + 40, len(rows) * HEIGHT + 36
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}"'
        f' role="img" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">\n'
        f"<title>{html.escape(command)}</title>\n"
        '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        + "".join(_row(row, 34 + at * HEIGHT) for at, row in enumerate(rows))
        + "</svg>\n"
    )


def _row(row: str, y: int) -> str:
    """A line of the picture: each run of one style begins at its own column, whatever the font."""
    first, *others = re.split(r"\x1b\[([\d;]*)m", row)
    runs = [("", first), *zip(others[::2], others[1::2], strict=True)]
    parts, column = [], 0
    for style, text in runs:
        look = STYLES[style.removeprefix("0")]
        blanks = len(text) - len(text.lstrip())
        if content := text.strip():
            size = f'x="{20 + (column + blanks) * WIDTH:g}" textLength="{len(content) * WIDTH:g}"'
            styled = f' style="{look}"' if look else ""
            parts.append(f"<tspan {size}{styled}>{html.escape(content, quote=False)}</tspan>")
        column += len(text)
    return f'<text y="{y}" xml:space="preserve">{"".join(parts)}</text>\n'
