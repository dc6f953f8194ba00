"""What goes wrong is told by exceptions of passel's own, in Python's words."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse

import passel
from passel import _engine


@passel.score
def spelled(counts: Any) -> Any:
    return ["high"] * len(counts)


@passel.criterion
def nothing(k: Any) -> Any:
    return None


@passel.criterion
def two(k: Any) -> Any:
    return [1.0, 2.0]


@passel.criterion
def scaled(k: Any, *, c: float = 1.0) -> Any:
    return c * k


Mistake = Callable[[Any], Any]
MISTAKES: dict[str, tuple[Mistake, type[Exception], str]] = {
    "a score of texts": (
        lambda own: passel.select(own, response="y", method=spelled), passel.OptionError, r"score spelled returned \['high'",
    ),
    "a criterion of None": (
        lambda own: passel.select(own, response="y", criterion=nothing), passel.OptionError, "criterion nothing returned None",
    ),
    "two penalties": (
        lambda own: passel.select(own, response="y", criterion=two), passel.OptionError, r"two returned penalties of the shape \(2,\)",
    ),
    "no formula": (lambda own: passel.select(own, formula=""), passel.OptionError, 'formula = "" must be RESPONSE ~ TERMS'),
    "rows of two lengths": (
        lambda own: passel.select([[1, 2], [1]], response="x0"), passel.DataError, "neither a table nor an array",
    ),
    "no report": (lambda own: passel.read_report(__file__), passel.DataError, "no report"),
    "a report in bytes": (lambda own: passel.read_report(_engine.__file__), passel.DataError, "bytes"),
    "no data": (lambda own: passel.select("y ~ bmi"), passel.DataError, r"select\(\) was given no data"),
    "data for the model": (
        lambda own: passel.predict(own, passel.select(own, response="y")), passel.DataError, r"predict\(model, data\)",
    ),
    "a model of no kind": (lambda own: passel.predict(own, own), passel.DataError, "type DataFrame"),
    "another form": (lambda own: passel.select(own, response="y").report("own.doc"), passel.OptionError, r"'\.doc'"),
    "no form": (lambda own: passel.select(own, response="y").report("own", format="doc"), passel.ResultError, "must be"),
    "no inference": (lambda own: passel.select(own, response="y").honest_inference, passel.ResultError, "infer='split'"),
    "another family": (lambda own: passel.select(own, response="y").plot.roc(), passel.ResultError, "binomial"),
    "an option of the program": (lambda own: passel.simulate(overwrite=True), passel.OptionError, "no option overwrite"),
    "a value of no kind": (
        lambda own: passel.select(own, response="y", max_size=object()), passel.OptionError, "max_size = <object",
    ),
    "a response as a formula": (lambda own: passel.select("y", own), passel.OptionError, r"RESPONSE ~ TERMS; .*response='y'"),
    "no formula before data": (lambda own: passel.select("", own), passel.OptionError, "RESPONSE ~ TERMS"),
    "a mask of names": (lambda own: passel.select(own, response="y", keep=np.array([True, False])), passel.OptionError, "keep is a mask"),
    "a list of truths": (lambda own: passel.select(own, response="y", keep=[True, False]), passel.OptionError, "keep is a mask"),
    "a table as response": (lambda own: passel.select(own, response=own[["y"]]), passel.OptionError, "response is a table"),
    "a table of responses": (lambda own: passel.select(own, responses=own), passel.OptionError, "responses is a table"),
    "no such command": (lambda own: passel.options("selects"), passel.OptionError, "must be select, pairs"),
    "another progress": (lambda own: passel.select(own, response="y", progress="yes"), passel.OptionError, "progress = 'yes'"),
    "a parameter that is no number": (lambda own: scaled(c="a"), passel.OptionError, "scaled: c = 'a' must be a number"),
    "an infinite value": (
        lambda own: passel.select(scipy.sparse.csc_matrix([[np.inf, 1], [0, 2], [3, 4]]), response="x1"), passel.DataError, "inf",
    ),
}


@pytest.mark.parametrize(("mistake", "kind", "text"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_is_an_error_of_passel(diabetes: Any, mistake: Mistake, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text) as caught:
        mistake(diabetes)
    assert isinstance(caught.value, passel.PasselError) and isinstance(caught.value, ValueError)


def test_options_are_named_as_functions_have_them(diabetes: Any) -> None:
    with pytest.raises(passel.OptionError) as caught:
        passel.select(diabetes, response="y", max_size=0, criterion="bicc")
    assert caught.value.options == ["max_size", "criterion"]
    assert "max_size = 0 must be" in str(caught.value) and not re.search(r"\b[a-z]+-[a-z]+ = ", str(caught.value))
    # A first letter is seldom the mistake.
    assert "did you mean `bic`?" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_predictions_of_an_array_tell_what_it_lacks(diabetes: Any) -> None:
    result = passel.select(diabetes, response="y")
    for form in (diabetes.to_numpy(), scipy.sparse.csr_matrix(diabetes.to_numpy())):
        with pytest.raises(passel.DataError, match="the column `sex`.*an array has no names: give a data frame, or a dictionary"):
            result.predict(form)
    with pytest.raises(passel.DataError) as caught:
        result.predict(diabetes[["age", "bmi"]])
    assert "an array" not in str(caught.value)


def test_labels_that_are_no_texts(diabetes: Any) -> None:
    frame = diabetes[["y", "age", "bmi"]]
    frame = frame.set_axis(pandas.MultiIndex.from_tuples([("out", "y"), ("in", "age"), ("in", "bmi")]), axis=1)
    result = passel.select(frame, response=("out", "y"))
    assert result.names == ["('in', 'bmi')"]
    assert len(result.predict(frame).fit) == len(frame)
    with pytest.raises(passel.DataError, match="the labels 1, '1' of columns are all `1` as a text"):
        passel.select(frame.set_axis(["y", 1, "1"], axis=1), response="y")


def test_values_of_options_are_told_as_arguments() -> None:
    of = passel.errors.of_python
    assert of("leave them out with --missing drop-rows, or --missing mean (of regressions)") == (
        'leave them out with missing="drop-rows", or missing="mean" (of regressions)'
    )
    assert of("put them in order as --levels low,mid,high") == 'put them in order as levels=["low", "mid", "high"]'
    assert of("--max-size 3 is small, and --max-size binds (--max-size)") == "max_size=3 is small, and max_size binds (max_size)"
    assert of("--infer split:splits=20 or --dispersion 2.5") == 'infer="split:splits=20" or dispersion=2.5'
    assert of("--device cuda, --device cpu or --family poisson") == 'device="cuda", device="cpu" or family="poisson"'
    assert of("say --na -999 where --memory-limit 97.7 KiB: raise it") == 'say na=-999 where memory_limit="97.7 KiB": raise it'
    assert of("--infer split:splits=20,level=0.9 and plink2 --max-alleles 2 --make-pgen") == (
        'infer="split:splits=20,level=0.9" and plink2 --max-alleles 2 --make-pgen'
    )
    assert of("max-size = 0 must be 1 …") == "max_size = 0 must be 1 …"


def test_a_file_that_is_not_there_is_an_error_of_python_too() -> None:
    with pytest.raises(FileNotFoundError, match=r"^nothing\.csv: no such file$") as caught:
        passel.select("nothing.csv", response="y")
    model = passel.select({"x": [1.0, 2.0, 4.0, 3.0, 7.0], "y": [1.0, 2.1, 3.0, 3.5, 6.0]}, response="y")
    with pytest.raises(FileNotFoundError):
        model.predict("nothing.csv")
    assert isinstance(caught.value, passel.DataError) and isinstance(pickle.loads(pickle.dumps(caught.value)), passel.DataError)
