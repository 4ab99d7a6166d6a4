"""Damaged files of a finished run."""

import json
import random
from pathlib import Path

from torturing.judging import Ended, Failed, compare, judge, results
from torturing.places import Campaign, Place, Scene, copy, scene, translate
from torturing.processes import gru_mt


def damage(place: Place) -> Campaign:
    """Return the campaign that damages a file of a finished run, and then uses it."""
    longer = scene(place, "longer")
    exported = scene(place, "export").folder / "run" if place.exports else place.run
    said = judge(translate(place.folder), code=0).out
    score = _evaluated(place.folder)
    checkpoints = sorted((place.run / "checkpoints").iterdir())
    newest = checkpoints[-1].relative_to(place.run)  # without it a run resumes earlier
    assert len(set(said.splitlines())) > 3, "the model tells sentences apart"

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run = copy(exported if index % 4 == 0 else place.run, folder)
        of_data = index % 4 == 1  # then one of the pairs' files, of which a run goes on
        there = (run / "data" if of_data else run).rglob("*")
        victim = rng.choice(sorted(path for path in there if path.is_file()))
        how = _damaged(victim, rng)
        use = "longer" if of_data else rng.choice(["eval", "train", "longer"])
        name = victim.relative_to(run)
        try:
            _same_or_refused(translate(folder), said)
            if use == "eval":
                if _evaluated(folder) not in (None, score):
                    raise Failed("eval: exit 0, but another result")
            elif use == "train":
                if judge(gru_mt(*place.train(), folder=folder)).code == 0:
                    if not (run / "summary.json").is_file():
                        raise Failed("train: exit 0 without a summary.json")
                    _same_or_refused(translate(folder), said)
            else:
                _go_on(longer, folder, name, newest)
        except Failed as failure:
            raise Failed(f"{name} {how}: {failure}") from None

    return Campaign(max(1, round(500 * place.times)), trial)


def _go_on(longer: Scene, folder: Path, victim: Path, newest: Path) -> None:
    """Train the run further, one of whose files is damaged: to the same result, or refused."""
    if victim.parts[0] == "data":
        if str(victim) not in judge(longer.begin(folder), code=2).err:
            raise Failed("longer: the message names another file")
    elif judge(longer.begin(folder)).code == 0 and victim != newest:
        found = results(folder / "run")
        ours = {key: found[key] for key in found if not key.startswith("onnx/")}
        told = ["metrics.jsonl", "test.familiarity.json"]  # of whose damage a line tells
        told += ["report.html"] if (folder / "run/report.html").is_dir() else []
        if victim.name in told:
            ours[victim.name] = longer.wanted[victim.name]
        compare(ours, longer.wanted, "longer")


def _evaluated(folder: Path) -> bytes | None:
    """Return the run's translations of its test split, and their scores; None where it refuses."""
    ended = judge(gru_mt("eval", "--model", "run", "--json", "--output", "text", folder=folder))
    if ended.code:
        return None
    scores = json.dumps(json.loads(ended.out)["scores"])
    return (folder / "text").read_bytes() + scores.encode()


def _same_or_refused(ended: Ended, said: bytes) -> None:
    if judge(ended).code == 0 and ended.out != said:
        raise Failed(f"{ended.command}: exit 0, but another result")


def _damaged(path: Path, rng: random.Random) -> str:
    """Damage a file; return how."""
    content = path.read_bytes()
    kinds = ["flipped", "flipped", "cut", "emptied", "lengthened", "folder", "link", "removed"]
    kind = rng.choice(kinds if content else kinds[3:])
    at = rng.randrange(max(1, len(content)))
    match kind:
        case "flipped":
            bit = 1 << rng.randrange(8)
            path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            return f"with bit {bit} of byte {at} flipped"
        case "cut":
            path.write_bytes(content[:at])
            return f"cut to {at} of {len(content)} bytes"
        case "emptied":
            path.write_bytes(b"")
        case "lengthened":
            path.write_bytes(content + rng.randbytes(20))
        case _:
            path.unlink()
            if kind == "folder":
                path.mkdir()
            elif kind == "link":
                path.symlink_to("nowhere/at-all")
    return {"folder": "as a folder", "link": "as a link to nowhere"}.get(kind, kind)
