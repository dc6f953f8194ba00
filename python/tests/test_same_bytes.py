"""The functions' JSON is the program's, byte for byte: every golden set and every job of the examples, on every device."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pandas
import pytest
from conftest import DEVICES, EXAMPLES, arguments, lasting, program

import passel

ROOT = EXAMPLES.parent
#: Reference sets that no licence lets into the repository lie beside it, where there are any.
FOLDERS = [folder for folder in (ROOT / "tests" / "golden", ROOT.parent / "shared" / "golden") if folder.exists()]

#: What is asked of a set of codes: a ranking by sums, one of pairs, and a search.
OF_CODES: list[tuple[str, dict[str, Any]]] = [
    ("select", {"method": "jmi", "top": 8}),
    ("select", {"method": "mrmr", "top": 8}),
    ("select", {"method": "cmim", "top": 8}),
    ("pairs", {"top": 10}),
    ("select", {"method": "pass", "iterations": 16}),
]


def codes() -> list[Any]:
    files = {path.name: path for folder in FOLDERS for kind in ("csv", "mrmr") for path in sorted(folder.rglob(f"*.{kind}.gz"))}
    return [pytest.param(path, id=name) for name, path in files.items()]


def families() -> Iterator[Any]:
    """A search for each problem of `families.json`, whose answers are R's."""
    for folder in FOLDERS:
        for file in folder.glob("families/families.json"):
            for golden in json.loads(file.read_text(encoding="utf-8")):
                if golden["family"] == "cox":
                    response, of_family = "time", {"event": "status", "ties": golden["ties"]}
                else:
                    response, of_family = golden["response"], {"link": golden["link"], "trials": golden["events"], "offset": golden["offset"]}
                options = {
                    "formula": f"{response} ~ {' + '.join(golden['terms'])}",
                    "family": golden["family"],
                    "hierarchy": "strong" if golden["hierarchical"] else None,
                    **of_family,
                }
                yield pytest.param(file.parent / golden["file"], options, id=golden["name"])


def formulas() -> Iterator[Any]:
    """A search for each formula of `formulas.json`, whose terms and columns are R's."""
    for folder in FOLDERS:
        for file in folder.glob("formulas/formulas.json"):
            for number, golden in enumerate(json.loads(file.read_text(encoding="utf-8"))):
                if not golden["terms"]:
                    # There is nothing to choose from.
                    continue
                path = file.parent / f"{golden['data']}.csv"
                yield pytest.param(path, {"formula": golden["formula"], "iterations": 8}, id=f"{number}")


def same(command: str, data: pathlib.Path, options: dict[str, Any], frame: bool = True) -> None:
    """One answer of the program, of the function with the file, and of the function with a data frame."""
    options = {name: value for name, value in options.items() if value is not None}
    done = program(command, data, "--format", "json", *arguments(options))
    function = getattr(passel, command)
    assert done.returncode == 0, done.stderr
    assert lasting(function(data, **options).json) == lasting(done.stdout)
    if frame:
        assert lasting(function(pandas.read_csv(data, comment="#"), **options).json) == lasting(done.stdout)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("command", "options"), OF_CODES, ids=["jmi", "mrmr", "cmim", "pairs", "pass"])
@pytest.mark.parametrize("path", codes())
def test_of_every_golden_set(path: pathlib.Path, command: str, options: dict[str, Any], device: str) -> None:
    is_table = ".csv" in path.name
    if is_table:
        *variables, response = pandas.read_csv(path, nrows=1, comment="#")
        options = {**options, "response": response}
        if options.get("method") != "pass":
            options["binning"] = "levels"
        if command == "select" and "top" in options:
            options["top"] = min(options["top"], len(variables))
    same(command, path, {**options, "device": device}, frame=is_table)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("path", "options"), families())
def test_of_every_golden_family(path: pathlib.Path, options: dict[str, Any], device: str) -> None:
    same("select", path, {**options, "device": device})


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("path", "options"), formulas())
def test_of_every_golden_formula(path: pathlib.Path, options: dict[str, Any], device: str) -> None:
    same("select", path, {**options, "device": device})


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("file", sorted((EXAMPLES / "jobs").glob("*.toml")), ids=lambda path: path.stem)
def test_of_every_job(file: pathlib.Path, device: str, tmp_path: pathlib.Path) -> None:
    """What a job's result says that it is of, is a call."""
    text = file.read_text(encoding="utf-8").replace('"../data/', f'"{EXAMPLES}/data/')
    text = text.replace("[defaults]", f'[defaults]\ndevice = "{device}"')
    (tmp_path / "jobs.toml").write_text(text, encoding="utf-8")
    done = program("run", tmp_path / "jobs.toml", "--output", tmp_path / "results", "--progress", "none")
    assert done.returncode == 0, done.stderr
    results = sorted((tmp_path / "results").glob("*.json"))
    assert results
    for result in results:
        manifest = json.loads(result.read_text(encoding="utf-8"))["manifest"]
        options = {name.replace("-", "_"): of if len(of) > 1 else of[0] for name, of in manifest["options"].items() if name != "format"}
        options["device"] = device
        own = getattr(passel, manifest["command"])(manifest["inputs"][0]["path"], **options)
        # A job's result does not say which cards it had.
        text = re.sub(r'"cuda:[^"]*"(, "cuda:[^"]*")*', '"cuda"', lasting(own.json))
        assert text == lasting(passel.read_report(result).json), result.stem
