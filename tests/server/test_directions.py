"""Models in memory: which one a request or a text wants, and what happens when files change."""

import asyncio
import multiprocessing
import shutil
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from gru_mt import Translator, UserError
from gru_mt.bundle import Bundle, load_bundle, save_bundle
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translation import Languages
from gru_mt.server import directions
from gru_mt.server.app import QUIET_S, _learn_when_quiet
from gru_mt.server.detection import Profile, detect
from gru_mt.server.directions import Direction, Directions, Translate, translators
from tests.command_line import add_correction
from tests.server.conftest import Start, post, wait_until


@pytest.fixture
def served(workplace: Path, translator: Translator) -> Directions:
    pairs = [("en", "fr"), ("fr", "en"), ("English", "pt-BR"), ("en", "pt_PT"), ("en", "zh")]

    def load(source: str, target: str) -> Translator:
        return replace(translator, languages=Languages(source, target))

    return Directions([Direction(workplace, partial(load, *pair)) for pair in pairs])


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("en", "fr", ("en", "fr")),
        ("eng", "French", ("en", "fr")),
        ("en_GB", "FR", ("en", "fr")),
        ("fr-CA", "en", ("fr", "en")),
        ("en", "pt", ("en", "pt-BR")),
        ("en", "pb", ("en", "pt-BR")),
        ("en", "pt-PT", ("en", "pt-PT")),
        ("en", "zh-Hans", ("en", "zh")),
        ("en", "zt", ("en", "zh")),
        ("en", "zh-Hans-CN", ("en", "zh")),
        ("fr", "de", None),
        ("../..", "fr", None),
        ("", "fr", None),
    ],
)
def test_codes_and_their_aliases(
    served: Directions, source: str, target: str, found: tuple[str, str] | None
) -> None:
    direction = served.find(source, target)
    assert (direction and (direction.source, direction.target)) == found


def test_the_source_of_just_this_code_comes_first(served: Directions) -> None:
    models = []
    for source in ("pt", "pt-BR", "pt-PT"):
        model = copy(served.all[0])
        model.source, model.target = source, "en"
        models.append(model)
    assert Directions(models).find("pt-BR", "en") is models[1]
    assert Directions(models).find("pt-AO", "en") is models[0]


def test_two_models_of_a_direction_are_a_mistake(served: Directions) -> None:
    with pytest.raises(UserError, match=r"en to fr\): .* is served too; name one of them"):
        Directions([*served.all, copy(served.all[0])])


def with_other_weights(run: Path) -> Bundle:
    bundle = load_bundle(run, torch.device("cpu"))
    for weight in bundle.model.parameters():
        weight.data.neg_()
    return bundle


def test_corrections_are_learned_while_nobody_asks(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A program stands for `gru-mt learn`; it fails, and is tried again after a correction."""
    caplog.set_level("INFO", "gru_mt")
    program, started = tmp_path / "program", tmp_path / "started"
    program.write_text(f'#!/bin/sh\necho "$@" >> {started}\necho "first\nlast" >&2\nexit 2\n')
    program.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(program))
    direction = Direction(run, lambda: Translator.load(run))
    asyncio.run(direction.learn())
    for source in ("I see one hat.", "I see two hats."):
        add_correction(run, source, "Un chapeau !", by="me")
        for _ in range(2):
            asyncio.run(direction.learn())
    assert started.read_text() == f"-m gru_mt learn --model {run}\n" * 2
    assert caplog.text.count("gru-mt learn: last") == 2


def test_a_model_that_was_learned_while_nobody_asks_answers_from_then_on(
    start: Start, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program stands for `gru-mt learn`: it puts a model with other weights in place."""
    new, program = tmp_path / "new", tmp_path / "program"
    save_bundle(new, with_other_weights(run), {})
    program.write_text(f"#!/bin/sh\nmv {run}/model {tmp_path}/old\nmv {new} {run}/model\n")
    program.chmod(0o700)
    text = "I see one cat."
    before, after = (str(Translator.load(path).translate(text)) for path in (run, new))
    assert before != after
    monkeypatch.setattr("sys.executable", str(program))
    monkeypatch.setattr("gru_mt.server.app.QUIET_S", 0.01)
    monkeypatch.setattr(directions, "LOOK_S", 0)
    address = start(path=run, learns=True)

    def answer() -> object:
        return post(f"{address}/translate", q=text).json()["translatedText"]

    assert answer() == before
    add_correction(run, "I see one hat.", "Un chapeau !", by="me")
    wait_until(lambda: answer() == after)


@pytest.mark.parametrize(("jobs", "sleeps"), [({}, 1), ({"one": None}, 5)])
def test_a_server_that_is_never_quiet_learns_after_all(
    jobs: dict[str, None], sleeps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept_s: list[float] = []

    class OneDirection:
        async def learn(self) -> None:
            api.learns = False

    async def sleep(seconds: float) -> None:
        slept_s.append(seconds)
        assert len(slept_s) <= sleeps

    api: Any = SimpleNamespace(learns=True, batcher=SimpleNamespace(lines=0, jobs=jobs))
    api.directions = SimpleNamespace(all=[OneDirection()])
    monkeypatch.setattr("gru_mt.server.app.BUSY_S", 5 * QUIET_S)
    monkeypatch.setattr("asyncio.sleep", sleep)
    asyncio.run(_learn_when_quiet(api))
    assert slept_s == [QUIET_S] * sleeps


def test_a_replaced_model_is_used_and_a_damaged_one_is_not(
    run: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    weights = run / "model" / "weights.safetensors"
    direction = Direction(run, lambda: Translator.load(run))
    first, content = direction.translator(), weights.read_bytes()
    monkeypatch.setattr(directions, "LOOK_S", 0)
    assert direction.translator() is first
    weights.write_bytes(content[:-1])
    for _ in range(3):
        assert direction.translator() is first
    assert len(caplog.records) == 1
    assert "the old one is used" in caplog.text
    weights.write_bytes(content)
    assert direction.translator() is not first
    assert "the new one is used" in caplog.text
    shutil.rmtree(run)
    assert str(direction.translator().translate("I see a cat.")) == str(
        first.translate("I see a cat.")
    )


PROFILES = {
    "en": Profile(["the", "cat", "sees", "a"]),
    "fr": Profile(["le", "chat", "voit", "un"]),
    "ja": Profile(["猫が好きです"]),
    "zh": Profile(["我喜欢猫"]),
}


@pytest.mark.parametrize(
    ("text", "language", "confidence"),
    [
        ("The cat sees.", "en", 100),
        ("LE CHAT", "fr", 100),
        ("the hound", "en", 37.5),  # 3 of 8 letters are in known words
        ("好きです", "ja", 100),  # no spaces, so letters count
        ("我喜欢狗", "zh", 75),
        ("Привет", "en", 0),
        ("123 😀", "en", 0),
        ("", "en", 0),
    ],
)
def test_the_likeliest_language_comes_first(text: str, language: str, confidence: float) -> None:
    code, sure = detect(text, PROFILES)[0]
    assert code == language
    assert sure == pytest.approx(confidence, abs=0.5)


def test_what_two_languages_may_be_is_unsure() -> None:
    same = {"a": Profile(["on"]), "b": Profile(["on"])}
    assert detect("on", same) == [("a", 50), ("b", 50)]


# Processes

LINES = [f"I see {number} cats." for number in range(5)]
Started = tuple[Direction, Translate]


@pytest.fixture
def started(run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    """Yield a run that two processes serve, and what translates by it."""
    monkeypatch.setattr(TorchEngine, "threads", 2)
    monkeypatch.setattr(directions, "LOOK_S", 0)
    direction = Direction(run, partial(Translator.load, run))
    with translators([direction]) as (count, translate):
        assert count == 2
        yield direction, translate


@pytest.mark.slow
def test_processes_translate_as_this_one_does_and_one_that_is_killed_is_replaced(
    started: Started,
) -> None:
    direction, translate = started
    expected = [*map(str, direction.loaded.translate(LINES))]
    assert [*map(str, translate(direction, LINES, 1))] == expected
    assert [len(each.texts) for each in translate(direction, LINES, 2)] == [2] * len(LINES)
    for process in multiprocessing.active_children():
        process.kill()
        process.join()
    assert [*map(str, translate(direction, LINES, 1))] == expected


@pytest.mark.slow
def test_processes_renew_the_model_and_keep_it_where_the_new_one_is_damaged(
    started: Started,
) -> None:
    direction, translate = started
    weights = direction.path / "model" / "weights.safetensors"
    before = [*map(str, translate(direction, LINES, 1))]
    bundle = with_other_weights(direction.path)
    weights.write_bytes(weights.read_bytes()[:-1])
    assert [*map(str, translate(direction, LINES, 1))] == before
    shutil.rmtree(direction.path / "model")
    save_bundle(direction.path / "model", bundle, {})
    after = [*map(str, Translator.load(direction.path).translate(LINES))]
    assert before != after
    for _ in range(4):  # whichever process has the lines
        assert [*map(str, translate(direction, LINES, 1))] == after
