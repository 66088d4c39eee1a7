"""Defaults that differ between two versions."""

import pytest

from translator import convert, env_to_args
from translator.advice.check import check_argv, check_env
from translator.core.settings.defaults import changed_defaults
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped


def catalog(version: str):
    return shipped().catalog(version)


def changed(old: str, new: str) -> dict[str, tuple[str, str]]:
    return {
        item.name: (item.before, item.after)
        for item in changed_defaults(catalog(old), catalog(new))
    }


def notes(found) -> dict[str, str]:
    return {item.subject: item.message for item in found if item.code == "default-changed"}


def test_the_parsers_defaults_are_compared() -> None:
    found = changed("0.19.1", "0.20.2")
    assert found["--gpu-memory-utilization"] == ("0.9", "0.92")
    assert found["VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS"] == ("false", "true")
    assert next(iter(found)) == "--gpu-memory-utilization"
    assert changed("0.20.2", "0.19.1")["--gpu-memory-utilization"] == ("0.92", "0.9")
    assert changed("0.33.0", "0.33.0") == {}


def test_what_vllm_decides_at_its_start_is_compared_where_it_is_known() -> None:
    """It has no default in the parser."""
    found = changed("0.7.3", "0.10.2")
    assert found["--enable-prefix-caching"] == ("false", "true")
    assert found["--max-num-seqs"][0] == "256"
    assert catalog("0.7.3").flag("--enable-prefix-caching").default is None
    assert changed("0.13.0", "0.14.1")["--async-scheduling"] == ("false", "true")
    assert "--enable-prefix-caching" not in changed("0.8.5", "0.33.0")
    assert "--seed" not in changed("0.7.3", "0.9.2")


def test_each_release_of_the_first_v1_decides_for_itself() -> None:
    """0.8.0 to 0.8.3 run 1024 requests at a time on every GPU, 0.8.4 only on H100 and H200, 0.8.5 on
    every GPU with 70 GiB, 0.9.0 not on A100.
    """
    spans = [changed("0.7.3", vllm)["--max-num-seqs"][1] for vllm in ("0.8.3", "0.8.4", "0.8.5.post1", "0.9.0.1")]  # fmt: skip
    assert spans[0] == "1024"
    assert len(set(spans)) == len(spans)
    assert changed("0.8.3", "0.8.4")["--max-num-seqs"] == (spans[0], spans[1])
    assert "--max-num-seqs" not in changed("0.8.5", "0.8.5.post1")
    assert changed("0.8.5.post1", "0.9.0")["--seed"] == ("none", "0")
    assert changed("0.11.0", "0.11.1")["VLLM_USE_FLASHINFER_SAMPLER"] == ("true", "false")


def test_nothing_in_another_form_is_no_change() -> None:
    """None, an empty text, list or object, a switch that is off; a number for a truth value."""
    assert catalog("0.8.5").flag("--additional-config").default is None
    assert catalog("0.9.2").flag("--additional-config").default == {}
    assert "--additional-config" not in changed("0.8.5", "0.9.2")
    assert "VLLM_CONFIGURE_LOGGING" not in changed("0.7.3", "0.33.0")


def test_the_others_share_one_note() -> None:
    (note,) = [
        item
        for item in convert(["m"], "0.19.1", "0.33.0").findings
        if item.code == "default-changed" and item.subject == "vllm"
    ]
    others = [
        item.name
        for item in changed_defaults(catalog("0.19.1"), catalog("0.33.0"))
        if not item.effect and "none" not in (item.before, item.after)
    ]
    assert len(others) < len(changed("0.19.1", "0.33.0")) - 1
    assert note.message.startswith(f"{len(others)} other defaults differ")
    assert note.hint == "`translate diff 0.19.1 0.33.0` lists all differences."
    assert convert(["m"], "0.27.0", "0.27.1").findings == ()


def test_remedies_have_the_form_of_the_input() -> None:
    hints = [item.hint for item in convert(["m"], "0.13.0", "0.20.2").findings]
    assert "To keep the old behaviour, write `--no-async-scheduling`." in hints
    assert "To keep the old behaviour, write `--gpu-memory-utilization=0.9`." in hints
    hints = [item.hint for item in convert({"MODEL_NAME": "m"}, "0.13.0", "0.20.2").findings]
    assert "To keep the old behaviour, write `ASYNC_SCHEDULING=false`." in hints
    assert "To keep the old behaviour, write `GPU_MEMORY_UTILIZATION=0.9`." in hints


@pytest.mark.parametrize(("old", "new"), [("0.7.3", "0.10.2"), ("0.13.0", "0.33.0"), ("0.33.0", "0.8.5")])  # fmt: skip
def test_pinned_defaults_are_accepted_and_no_longer_differ(old: str, new: str) -> None:
    """As flags and as variables; what depends on the machine cannot be pinned, and is told."""
    moved = convert(["m"], old, new, pin_defaults=True)
    known = {
        item.name: item for item in changed_defaults(catalog(old), catalog(new)) if item.effect
    }
    can_be = {name for name, item in known.items() if item.old is not None}
    assert can_be
    again = convert(moved.argv, new, new, env=moved.env)._done
    assert can_be <= {*again.values, *moved.env}
    for name in can_be & set(again.values):
        assert again.values[name] == known[name].old
    told = [item for item in moved.findings if item.code == "default-changed" and " was added " in item.message]  # fmt: skip
    assert len(told) == len(can_be)
    variables = convert({"MODEL_NAME": "m"}, old, new, pin_defaults=True)
    origins = env_to_args(variables.env, vllm=new).origins
    assert can_be <= {*origins, *variables.env}
    assert not [item for item in check_env(variables.env, scope(new, "runpod", {}, shipped())[0]) if item.severity == "error"]  # fmt: skip


def test_a_check_of_a_move_says_what_differs() -> None:
    before, after = (scope(version, "runpod", {}, shipped())[0] for version in ("0.19.1", "0.20.2"))
    assert "--gpu-memory-utilization" in notes(check_argv(["m"], {}, after, before=before))
    assert "GPU_MEMORY_UTILIZATION" in notes(check_env({"MODEL_NAME": "m"}, after, before=before))
    assert notes(check_argv(["m"], {}, after)) == {}
    assert notes(check_argv(["m"], {}, after, before=after)) == {}
    wrong = check_argv(["m", "--no-such"], {}, after, before=before)
    assert notes(wrong) == {}
