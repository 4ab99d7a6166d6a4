"""Damaged files of a finished run."""

import random
import shutil
from pathlib import Path

from faults.checks import Failed, check, compare, during, results
from faults.scenarios import Scenario, Scenarios


def damage(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Damage a file of a finished run, and use the run: all is as before, or refused."""
    scenarios["longer"].prepare(folder)
    if index % 4 == 0 and "export" in scenarios:
        shutil.copytree(scenarios["export"].place, folder, symlinks=True, dirs_exist_ok=True)
    run, of_data = folder / "run", index % 4 == 1  # one of the pairs' files
    files = (run / "data" if of_data else run).rglob("*")
    victim = rng.choice(sorted(path for path in files if path.is_file()))
    with during(f"{victim.relative_to(run)} {_damaged(victim, rng)}"):
        scenarios["translate"].finish_or_refuse(folder)
        match "longer" if of_data else rng.choice(["eval", "train", "longer"]):
            case "eval":
                scenarios["eval"].finish_or_refuse(folder)
            case "train":
                if check(scenarios["fresh"].begin(folder)).code == 0:
                    if not (run / "summary.json").is_file():
                        raise Failed("train: exit 0 without a summary.json")
                    scenarios["translate"].finish_or_refuse(folder)
            case _:
                _resume(scenarios["longer"], folder, victim.relative_to(run))


def _resume(longer: Scenario, folder: Path, victim: Path) -> None:
    """Train the run further, one of whose files is damaged: to the same result, or refused."""
    run, newest = folder / "run", max((longer.given / "run" / "checkpoints").iterdir())
    ended = check(longer.begin(folder))
    if victim.parts[0] == "data":
        if ended.code != 2 or str(victim) not in ended.err:
            raise Failed(f"{ended.cause()} (exit 2 and the file's name were due)")
    elif ended.code == 0 and victim.name != newest.name:  # without it a run resumes earlier
        found = {key: of for key, of in results(run).items() if not key.startswith("onnx/")}
        reported = ["metrics.jsonl", "test.overlap.json"]  # their damage is a warning
        reported += ["report.html"] if (run / "report.html").is_dir() else []
        if victim.name in reported:
            found[victim.name] = longer.files[victim.name]
        compare(found, longer.files, "longer")


def _damaged(path: Path, rng: random.Random) -> str:
    """Damage a file; return how."""
    content = path.read_bytes()
    kinds = ["flipped", "flipped", "truncated", "emptied", "longer", "folder", "link", "removed"]
    kind, at = rng.choice(kinds if content else kinds[3:]), rng.randrange(len(content) or 1)
    match kind:
        case "flipped":
            bit = 1 << rng.randrange(8)
            path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            return f"with bit {bit} of byte {at} flipped"
        case "truncated":
            path.write_bytes(content[:at])
            return f"truncated to {at} of {len(content)} bytes"
        case "emptied":
            path.write_bytes(b"")
        case "longer":
            path.write_bytes(content + rng.randbytes(20))
        case _:
            path.unlink()
            if kind == "folder":
                path.mkdir()
            elif kind == "link":
                path.symlink_to("nowhere/at-all")
    return kind
