"""Functions give what the program gives, byte for byte."""

from __future__ import annotations

import io
import pathlib
import pickle
import time
from typing import Any

import numpy as np
import pandas
import pytest
from conftest import DEVICES, EXAMPLES, arguments, lasting, program

import passel

DIABETES = EXAMPLES / "data" / "diabetes.csv"
CANCER = EXAMPLES / "data" / "breast_cancer.csv.gz"


def _threads() -> int:
    """The threads of the engine, which have its name: others have pools of their own."""
    tasks = pathlib.Path("/proc/self/task").iterdir()
    return sum((task / "comm").read_text().strip() == "passel" for task in tasks)


CASES: list[tuple[str, pathlib.Path, dict[str, Any]]] = [
    ("select", DIABETES, {"response": "y"}),
    ("select", DIABETES, {"response": "y", "criterion": ["bic", "aic"], "keep": ["age"], "prove": True}),
    ("select", DIABETES, {"formula": "y ~ (bmi + bp + s5)^2 + factor(sex)", "criterion": "ebic:gamma=0.5"}),
    ("select", DIABETES, {"response": "y", "weights": "bp", "no_intercept": True, "seed": 7, "particles": 8}),
    ("select", DIABETES, {"response": "y", "reference": {"sex": "2"}, "factor": "sex", "level": 0.9, "adjust": "holm"}),
    ("select", CANCER, {"response": "class", "family": "binomial", "max_size": 4}),
    ("select", CANCER, {"response": "class", "method": "jmi", "top": 6, "binning": "equal-frequency:5"}),
    ("select", CANCER, {"response": "class", "method": "mifs:beta=0.5", "threshold": 0.01}),
    ("pairs", CANCER, {"response": "class", "top": 5, "partners": True}),
    ("stability", DIABETES, {"response": "y", "resamples": 5}),
    ("validate", DIABETES, {"response": "y", "scheme": "folds:k=5", "criterion": ["bic", "aic"]}),
    ("validate", CANCER, {"response": "class", "method": "jmi", "top": 5, "then": "logistic", "scheme": "folds:k=3"}),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("command", "data", "options"), CASES)
def test_the_json_is_that_of_the_program(command: str, data: pathlib.Path, options: dict[str, Any], device: str) -> None:
    options = {**options, "device": device}
    done = program(command, data, "--format", "json", *arguments(options))
    assert done.returncode == 0, done.stderr
    function = getattr(passel, command)
    of_file = function(data, **options)
    assert lasting(of_file.json) == lasting(done.stdout)
    assert of_file._fields["data"] == str(data)
    frame = pandas.read_csv(data)
    of_frame = function(frame, name=str(data), **options)
    assert lasting(of_frame.json) == lasting(done.stdout)
    text = program(command, data, *arguments(options)).stdout
    assert of_frame.summary().splitlines()[:6] == text.splitlines()[:6]
    # No thread of the engine outlives its run: a process that forks has none to lose. Those of CUDA do, as CUDA does.
    if device == "cpu":
        ending = time.monotonic() + 5
        while _threads() and time.monotonic() < ending:
            time.sleep(0.01)
        assert not _threads()
    again = pickle.loads(pickle.dumps(of_frame))
    assert again.json == of_frame.json and type(again) is type(of_frame)
    assert "<html" in again.to_html() and "<html" in of_frame.to_html()


def test_predictions_are_those_of_the_program(tmp_path: pathlib.Path, diabetes: pandas.DataFrame) -> None:
    result = passel.select(DIABETES, response="y")
    result.report(tmp_path / "r.json")
    done = program("predict", tmp_path / "r.json", DIABETES, "--interval", "both", "--format", "csv")
    lines = pandas.read_csv(io.StringIO(done.stdout), float_precision="round_trip")
    for model in (result, result.json, result.to_dict(), tmp_path / "r.json"):
        own = passel.predict(model, diabetes, interval="both")
        assert own.fit.tolist() == lines["fit"].tolist()
        assert own["observation_upper"].tolist() == lines["observation_upper"].tolist()
    missing = result.predict(diabetes.assign(bmi=np.where(diabetes.index == 3, np.nan, diabetes["bmi"])))
    assert np.isnan(missing.fit[3]) and missing.warnings
    with pytest.raises(passel.DataError, match="bmi"):
        result.predict(diabetes.drop(columns="bmi"))
    average = passel.predict(result, diabetes, average=True).fit
    assert not np.array_equal(average, own.fit)


def test_simulated_data_are_those_of_the_program(tmp_path: pathlib.Path) -> None:
    for model in ("ing-lai", "genotypes"):
        drawn = passel.simulate(model, n=40, p=60, r=4, seed=5)
        done = program("simulate", model, "--n", 40, "--p", 60, "--r", 4, "--seed", 5, "--output", tmp_path / f"{model}.csv")
        assert done.returncode == 0, done.stderr
        file = pandas.read_csv(tmp_path / f"{model}.csv", comment="#", float_precision="round_trip")
        assert list(drawn) == list(file) and len(drawn.truth) == 4
        assert np.array_equal(drawn.to_frame().to_numpy(), file.to_numpy())
    with pytest.raises(passel.OptionError, match="there is no model `nix`"):
        passel.simulate("nix")


def test_mistakes_are_one_exception_with_all_of_them(diabetes: pandas.DataFrame) -> None:
    with pytest.raises(passel.OptionError) as caught:
        passel.select(diabetes, response="y", particle=3, criterion="bci", threads="many")
    message = str(caught.value)
    assert "did you mean `particles`?" in message and "did you mean `bic`?" in message and "threads" in message
    assert {"particle", "criterion", "threads"} <= set(caught.value.options)
    with pytest.raises(passel.DataError, match="`z`"):
        passel.select(diabetes, response="z")
    with pytest.raises(passel.OptionError, match="did you mean `pass`"):
        passel.select(diabetes, response="y", method="pas")
    with pytest.raises(passel.OptionError, match="the family gaussian has no parameters"):
        passel.select(diabetes, response="y", family="gaussian:x=1")
    with pytest.raises(passel.OptionError, match="no option output"):
        passel.select(diabetes, response="y", output="x.json")
    with pytest.raises(passel.DataError, match="no such file"):
        passel.select("nowhere.csv", response="y")
    with pytest.raises(ValueError, match="no report"):
        passel.predict("{}", diabetes)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, passel.PasselError)


def test_reports_are_written_by_their_endings(tmp_path: pathlib.Path, diabetes: pandas.DataFrame) -> None:
    result = passel.select(diabetes, response="y")
    for ending, begin in [(".json", b"{"), (".csv", b"name,"), (".html", b"<!doctype html>"), (".txt", b"data"), (".parquet", b"PAR1")]:
        result.report(tmp_path / f"r{ending}")
        assert (tmp_path / f"r{ending}").read_bytes().startswith(begin), ending
    with pytest.raises(ValueError, match=r"'\.doc'"):
        result.report(tmp_path / "r.doc")
    stored = passel.read_report(tmp_path / "r.json")
    assert stored == result and stored.json == result.json


def test_the_command_is_the_program() -> None:
    assert program("--version").stdout.startswith("passel ")
    refused = program("selec")
    assert refused.returncode == 2 and "select" in refused.stderr
    missing = program("select", "nowhere.csv", "--response", "y")
    assert missing.returncode == 2 and "nowhere.csv" in missing.stderr
    assert program("criteria").stdout.count("\n") > 10
