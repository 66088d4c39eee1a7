"""JSON, Python literals and human-readable numbers (translator/jsontext.py, values.repair), and
JSON written back.
"""

from __future__ import annotations

import json
from typing import Any

from fuzz.laws import Broken, bounded
from fuzz.taker import Taker
from translator.settings import setting as settings
from translator.settings.setting import same
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, integer, repair, size


def _read(reader: Any, text: str) -> Any:
    try:
        return reader(text)
    except JsonError as error:
        if not str(error).isprintable() or len(str(error)) > 300:
            raise Broken(f"what the error says: {error!a}") from None
        return JsonError


def run(data: bytes) -> None:
    """Whatever is read is written, and read back the same."""
    text = Taker(data).rest()
    with bounded():
        for reader in (jsontext.loads, jsontext.literal, lambda text: repair(text)[0]):
            value = _read(reader, text)
            if value is JsonError or not same(json.loads(json.dumps(value)), value):
                # refused; or two halves of a pair, one of them from a byte, which JSON makes one
                # character of
                continue
            for written in (jsontext.dumps(value), jsontext.spaced(value)):
                written.encode("utf-8")
                if not same(_read(jsontext.loads, written), value):
                    raise Broken(f"{written!a} is not read back as {value!a}")
            if isinstance(value, dict):
                merged, _ = settings.merge(value, value)
                if not same(merged, value):
                    raise Broken(f"{value!a} over itself is {merged!a}")
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError):
            plain = JsonError
        if (
            plain is not JsonError
            and (found := _read(jsontext.loads, text)) is not JsonError
            and not same(found, plain)
        ):
            raise Broken(f"not what json reads: {text!a}")
        for reader in (size, integer):
            number = _read(reader, text)
            if number is not JsonError and not isinstance(number, int):
                raise Broken(f"{text!a} is {number!a}")
        if jsontext.expand_sizes(jsontext.expand_sizes(text)) != jsontext.expand_sizes(text):
            raise Broken(f"sizes are not spelled out at once: {text!a}")
