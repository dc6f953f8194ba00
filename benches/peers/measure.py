"""measure.py LIMIT RESULT LOG COMMAND...: runs a command and writes what it cost as JSON.

A process of its own, and without numpy: Linux counts into a child's peak memory that
of the process it was forked from, so the starter has to be small.
"""

import json
import os
import resource
import sys
import time

limit, result, log, *command = sys.argv[1:]
start = time.perf_counter()
child = os.fork()
if child == 0:
    # Seconds of the processor and not of the clock: a busy machine must not fail a peer.
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", flush=True)
        os._exit(127)
_, status, usage = os.wait4(child, 0)
cost = {
    "status": os.waitstatus_to_exitcode(status),
    "process_seconds": time.perf_counter() - start,
    "process_cpu_seconds": usage.ru_utime + usage.ru_stime,
    "peak_mb": usage.ru_maxrss * 1024 / 1e6,
}
with open(result, "w") as file:
    json.dump(cost, file)
