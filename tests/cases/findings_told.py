"""What a case says of findings:

codes           every finding, in order, as "code SUBJECT"
severity        of all of them; or `severities`, of each
says            texts in the findings; [2, text]: in the message or the hint of the third
never           texts in none
told            [0, "hint", text]: all of the first one's hint
facts, cases    [0, "name", value]: a fact of the first; [0, case]; under "=", all its facts
"""

from collections.abc import Mapping, Sequence
from typing import Any

from translator import Finding


def compare(wanted: Mapping[str, Any], findings: Sequence[Finding], prefix: str = "") -> None:
    """What was found is what is wanted; the names in the case begin with the prefix."""

    def given(name: str) -> Any:
        return wanted.get(prefix + name, ())

    codes = [f"{item.code} {item.subject}".rstrip() for item in findings]
    assert codes == list(given("codes"))
    if severity := given("severity"):
        assert {item.severity for item in findings} == {severity}
    if severities := given("severities"):
        assert [item.severity for item in findings] == severities
    texts = [f"{item.message}\n{item.hint}\n{item.line()}" for item in findings]
    for said in given("says"):
        at, text = said if isinstance(said, list) else (None, said)
        assert text in ("\n".join(texts) if at is None else texts[at])
    assert [text for text in given("never") if text in "\n".join(texts)] == []
    for at, name, text in given("told"):
        assert getattr(findings[at], name) == text
    for at, name, value in given("facts"):
        assert (findings[at].facts if name == "=" else findings[at].facts[name]) == value
    for at, case in given("cases"):
        assert findings[at].case == case
