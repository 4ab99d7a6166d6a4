"""Sentences that were corrected are answered: which are, and how their translations are written."""

import shutil
from pathlib import Path

import pytest

from gru_mt.corrections.memory import CorrectionMemory
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import evaluate
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.translator import Translator
from tests.command_line import add_correction

TRAINING = [
    "So the room there is free, and Tom is late here, no oh yes.",
    "Hello, they see a name in a word, and an exit.",
    "We jump over the quick brown fox of Vizq.",  # has all letters
]
READER = Reader(Truecaser.learn(TRAINING, TRAINING), "en", lambda text, parts: True)
FRENCH = TranslationMemory.learn(["Oh!", "Oh?", "Oh."], ["Oh !", "Oh ?", "Oh."])
CORRECTIONS = [
    ("Hello there!", "Salut !"),
    ("Room 12 is free.", "La chambre 12 est libre."),
    ("Zbigniew is late.", "Zbigniew a du retard."),
    ("I see 1 sheep.", "Je vois un mouton."),
    ("See a@b.org or c@d.org.", "Voir c@d.org ou a@b.org."),
    ("<b>He</b> is late.", "<b>Il</b> est en retard."),
    ("EXIT", "SORTIE"),
    ("STOP HERE", "Arrêt : https://ex.org/Aide"),
    ("So late? Oh no.", "Si tard ? Hélas."),
    ('"So is he."', "« Lui aussi. »"),
    ("A4", "DIN A4"),
    ("Tom is late?", "Tom est-il en retard ?"),
    ("Tom is late.", "Tom est bien en retard."),
    ("房间很好。", "La chambre est bonne."),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").touch()
    for source, target in CORRECTIONS:
        add_correction(tmp_path, source, target)
    return tmp_path


def answered(memory: CorrectionMemory, line: str) -> str:
    """Return a line with corrections in place of what was corrected; the rest is in brackets."""
    sentences = [*READER.sentences(line)]
    if memory.refresh(READER):
        sentences = [*memory.correct(sentences, FRENCH)]
    return "".join((each.correction or f"[{each.source}]") + each.gap for each in sentences)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("STOP HERE", "Arrêt : https://ex.org/Aide"),
        ("Hello there!", "Salut !"),
        ("hello   THERE !", "Salut !"),
        ("HELLO THERE", "SALUT"),
        ("Hello there?", "Salut ?"),
        ("Hello here!", "[Hello here!]"),
        ("- Hello there", "- Salut"),
        ("<p>“Hello there.”</p>", "<p>“Salut.”</p>"),
        ("They see. Hello there! So they see.", "[They see.] Salut ! [So they see.]"),
        ("Room 15 is free.", "La chambre 15 est libre."),
        ("ROOM 3 IS FREE!", "LA CHAMBRE 3 EST LIBRE !"),
        ("Wojciech is late?", "Wojciech a du retard ?"),
        ("zbigniew is late", "Zbigniew a du retard"),
        ("I see 1 sheep!", "Je vois un mouton !"),
        ("I see 2 sheep.", "[I see 2 sheep.]"),  # its number was not copied
        ("See x@y.com or z@y.com.", "Voir z@y.com ou x@y.com."),
        ("<i>He</i> is late.", "<i>Il</i> est en retard."),
        ("Exit", "Sortie"),
        ("exit!", "sortie !"),
        ("So late? Oh no!", "Si tard ? Hélas !"),
        ("So late? Oh yes.", "[So late?] [Oh yes.]"),
        ('"So is he!"', "« Lui aussi. »"),
        ("So is he.", "[So is he.]"),
        ("A4", "DIN A4"),
        ("A5", "[A5]"),
        ("tom is late?", "Tom est-il en retard ?"),
        ("Tom is late", "Tom est bien en retard"),  # the newest of those that fit as well
        ("房间很好", "La chambre est bonne"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_differs_in_case_marks_and_what_is_copied_is_answered(
    line: str, answer: str, run: Path
) -> None:
    assert answered(CorrectionMemory(run), line) == answer


def test_corrections_that_come_and_go_while_it_is_used_are_noticed(run: Path) -> None:
    memory = CorrectionMemory(run / "onnx")
    assert answered(memory, "Room 12 is free.") == "La chambre 12 est libre."
    add_correction(run, "Room 13 is free.", "Chambre 13 : libre.")
    assert answered(memory, "Room 12 is free.") == "La chambre 12 est libre.", "it is of this one"
    assert answered(memory, "Room 15 is free.") == "Chambre 15 : libre.", "it is the newest"
    (run / "corrections.jsonl").unlink()
    assert answered(memory, "Room 12 is free.") == "[Room 12 is free.]"


def test_a_file_that_is_damaged_while_it_is_used_leaves_the_corrections_as_they_were(
    run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = CorrectionMemory(run)
    assert answered(memory, "Hello there!") == "Salut !"
    with (run / "corrections.jsonl").open("a") as file:
        file.write("{}\n")
    for _ in range(2):
        assert answered(memory, "Hello there!") == "Salut !"
    [record] = caplog.records
    assert f"corrections.jsonl:{len(CORRECTIONS) + 1}: damaged" in record.getMessage()
    with pytest.raises(UserError, match="damaged"):
        CorrectionMemory(run).refresh(READER)


def test_translating_uses_corrections_and_says_so_but_scores_do_not(
    workplace: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(workplace / "runs" / "small", tmp_path / "run")
    line, plain = "we take four hats. they see!", Translator.load(run)
    before = plain.translate(line).to_json()
    add_correction(run, "they see!", "Ah !")
    for translator in (plain, Translator.load(run), Translator.load(run / "model")):
        first, second = translator.translate(line, n_best=2).sentences
        assert ("corrected" in first.to_json(), second.to_json()["corrected"]) == (False, True)
        assert [each.text for each in second.candidates] == ["Ah !"]
        assert first.candidates[0].text == before["sentences"][0]["translations"][0]["text"]
    assert evaluate(plain, [line], ["x"]).hypotheses.texts == [before["text"]]
