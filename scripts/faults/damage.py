"""Damaged files of a finished run."""

import json
import random
from pathlib import Path

from faults.checks import Ended, Failed, check, compare, during, results
from faults.commands import gru_mt
from faults.workspace import Scenario, Suite, Workspace, copy, scenario, translate


def damage(workspace: Workspace) -> Suite:
    """Return the suite that damages a file of a finished run, and then uses it."""
    longer = scenario(workspace, "longer")
    exported = scenario(workspace, "export").folder / "run" if workspace.exports else workspace.run
    translations = check(translate(workspace.folder), code=0).out
    score = _evaluated(workspace.folder)
    checkpoints = sorted((workspace.run / "checkpoints").iterdir())
    newest = checkpoints[-1].relative_to(workspace.run)  # without it a run resumes earlier
    assert len(set(translations.splitlines())) > 3, "the model tells sentences apart"

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        run = copy(exported if index % 4 == 0 else workspace.run, folder)
        of_data = index % 4 == 1  # then one of the pairs' files, from which a run resumes
        files = (run / "data" if of_data else run).rglob("*")
        victim = rng.choice(sorted(path for path in files if path.is_file()))
        how, name = _damaged(victim, rng), victim.relative_to(run)
        with during(f"{name} {how}"):
            _same_or_refused(translate(folder), translations)
            match "longer" if of_data else rng.choice(["eval", "train", "longer"]):
                case "eval":
                    if _evaluated(folder) not in (None, score):
                        raise Failed("eval: exit 0, but another result")
                case "train":
                    if check(gru_mt(*workspace.train(), folder=folder)).code == 0:
                        if not (run / "summary.json").is_file():
                            raise Failed("train: exit 0 without a summary.json")
                        _same_or_refused(translate(folder), translations)
                case _:
                    _resume(longer, folder, name, newest)

    return Suite(500, trial)


def _resume(longer: Scenario, folder: Path, victim: Path, newest: Path) -> None:
    """Train the run further, one of whose files is damaged: to the same result, or refused."""
    if victim.parts[0] == "data":
        if str(victim) not in check(longer.begin(folder), code=2).err:
            raise Failed("longer: the message names another file")
    elif check(longer.begin(folder)).code == 0 and victim != newest:
        found = results(folder / "run")
        ours = {key: found[key] for key in found if not key.startswith("onnx/")}
        reported = ["metrics.jsonl", "test.familiarity.json"]  # their damage is a warning
        reported += ["report.html"] if (folder / "run/report.html").is_dir() else []
        if victim.name in reported:
            ours[victim.name] = longer.wanted[victim.name]
        compare(ours, longer.wanted, "longer")


def _evaluated(folder: Path) -> bytes | None:
    """Return the run's translations of its test split, and their scores; None where it refuses."""
    ended = check(gru_mt("eval", "--model", "run", "--json", "--output", "text", folder=folder))
    if ended.code:
        return None
    scores = json.dumps(json.loads(ended.out)["scores"])
    return (folder / "text").read_bytes() + scores.encode()


def _same_or_refused(ended: Ended, wanted: bytes) -> None:
    if check(ended).code == 0 and ended.out != wanted:
        raise Failed(f"{ended.command}: exit 0, but another result")


def _damaged(path: Path, rng: random.Random) -> str:
    """Damage a file; return how."""
    content = path.read_bytes()
    kinds = ["flipped", "flipped", "truncated", "emptied", "longer", "folder", "link", "removed"]
    kind = rng.choice(kinds if content else kinds[3:])
    at = rng.randrange(max(1, len(content)))
    match kind:
        case "flipped":
            bit = 1 << rng.randrange(8)
            path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            return f"with bit {bit} of byte {at} flipped"
        case "truncated":
            path.write_bytes(content[:at])
            return f"truncated to {at} of {len(content)} bytes"
        case "emptied" | "longer":
            path.write_bytes(b"" if kind == "emptied" else content + rng.randbytes(20))
            return kind
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("nowhere/at-all")
    return f"replaced by a {kind}" if kind != "removed" else kind
