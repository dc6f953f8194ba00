"""The programs: how each is run, and the supports it offers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_THREAD = {
    name: "1"
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
}


class Failure(Exception):
    """A program that gave no model, with its reason."""


def measured(command, folder, limit):
    """Runs a command as a child process; its costs, or its failure."""
    result, log = folder / "cost.json", folder / "log"
    starter = [sys.executable, "-S", HERE / "measure.py", str(limit), result, log]
    subprocess.run([*starter, *command], check=True, env={**os.environ, **ONE_THREAD})
    cost = json.loads(result.read_text())
    status = cost.pop("status")
    if status == 0:
        return cost
    if -status in (signal.SIGXCPU, signal.SIGKILL) and cost["process_cpu_seconds"] > 0.95 * limit:
        raise Failure(f"over {limit} CPU seconds")
    words = log.read_text(errors="replace").strip().splitlines()
    how = signal.Signals(-status).name if status < 0 else f"exit {status}"
    raise Failure(f"{how}: {words[-1].strip() if words else 'no message'}")


def run_passel(problem, criterion, folder, options):
    """The one model that passel chooses by the criterion."""
    report = folder / "report.json"
    command = [options.passel, "select", problem.x_file, "--response", problem.y_file]
    command += ["--criterion", criterion, "--threads", "1", "--progress", "none"]
    command += ["--format", "json", "--output", report, *options.passel_options.split()]
    cost = measured(command, folder, options.limit)
    report = json.loads(report.read_text())
    if report["p"] != problem.p:
        raise Failure(f"judges by p = {report['p']}, not {problem.p}")
    cost["read_seconds"] = report["elapsed_seconds"]["read"]
    cost["search_seconds"] = report["elapsed_seconds"]["search"]
    cost["own_value"] = report["criterion"]["value"]
    return cost, [[variable["index"] for variable in report["selected"]]]


def run_path(command, problem, folder, options):
    """The supports of a peer's whole path, which the criterion then chooses from.

    Its file: one line of seconds (reading, searching, the processor's while searching),
    then one line a support, of 0-based columns.
    """
    path = folder / "path"
    command = [*command, problem.x_file, problem.y_file, str(problem.largest), path]
    cost = measured(command, folder, options.limit)
    times, *supports = path.read_text().splitlines()
    names = ["read_seconds", "search_seconds", "search_cpu_seconds"]
    cost.update(zip(names, map(float, times.split())))
    return cost, [sorted(map(int, support.split())) for support in supports]


def run_glmnet(problem, folder, options):
    return run_path(["Rscript", "--vanilla", HERE / "glmnet_path.R"], problem, folder, options)


def run_leaps(problem, folder, options):
    return run_path(["Rscript", "--vanilla", HERE / "leaps_path.R"], problem, folder, options)


def run_abess(problem, folder, options):
    # Its costs are those of one path; the models of that path's every size take
    # further runs, which abess cannot help and is not charged for.
    command = [sys.executable, HERE / "abess_path.py"]
    cost, chosen = run_path([*command, "choose"], problem, folder, options)
    _, path = run_path([*command, "path"], problem, folder, options)
    return cost, chosen + path


# The peers' paths know no criterion: one run serves all.
PEERS = {"abess": run_abess, "glmnet": run_glmnet, "leaps": run_leaps}
PROGRAMS = ["passel", *PEERS]
