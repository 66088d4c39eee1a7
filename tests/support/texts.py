"""Texts in which some reader gives something a meaning, and variables that have them as values."""

from hypothesis import strategies as st

from translator.core.text.words import unusable

# What some reader gives a meaning, line breaks and blanks of every kind, characters that are none.
PIECES = (
    "", " ", "  ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1f", "\x7f", "\x01", "\x1b[31m", "\x80", "\x85", "\x9b", "\xa0", "\u2028", "\u2029", "\u3000",
    "\ufeff", "\ufffe", "\uffff", "\ufdd0", "\U0001ffff", "\U0010ffff", "é", "e\u0301", "日", "🦙", "\u202e", "\udc80", "\udcff", "\udcc3",
    "a", "1", "'", '"', "''", "'\"'\"'", "\\", "\\\\", "\\'", '\\"', "\\n", "\\\n", "`touch x`", "$(touch x)", "$((1))", "$HOME", "${HOME}", "${HOME:-x}", "${", "$$", "$",
    "$'\\n'", "#", " #", ";", ";touch x;", "&", "|", "<", ">", "<(x)", "*", "?", "[", "]", "[a]", "{", "}", "{a,b}", "(", ")", "~", "~root", "~/", "^", "^a^b", "!", "!!", "!1", "!x",
    "=", "==", "=ls", ":=ls", ":~", "a=", "%", "%1", "%x", "@", ",", ":", ": ", "- ", "-", "--", "--x", "+", ".", "/", "null", "~", "yes", "1e3", "0x1", "2020-01-01", "1:30",
    "<<", "<<EOF", "EOF", "!!str x", "&a", "*a", "%YAML", "---", "...", "export A", "A=1",
)  # fmt: skip


def is_text(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


TEXTS = (
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
    | st.text(st.characters(exclude_characters="\0"), max_size=12)
).filter(lambda text: not unusable(text))
NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{1,8}", fullmatch=True)
VARIABLES = st.dictionaries(NAMES, TEXTS, min_size=1, max_size=3)
