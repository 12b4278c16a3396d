"""Counts the instructions of one `perigee call`, from the start of the program to its end, by callgrind. Also measures the
time of some calls.

The server describes its objects, so the call needs no IDL. The goal is a result within 30 ms of the start. A test must not
depend on the speed of the machine: so it limits the instructions of the program and of its libraries, with the dynamic
linker, and only prints the times. The script also prints the most expensive parts.
    count_call_start.py TOOL SERVER
"""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from two_processes import Server  # noqa: E402

MILLIONS_MAX = 30  # instructions; a processor of 2020 needs less than 15 ms for them
TIMED = 40  # calls


def times_ms(command):
    """How long each call takes, from the start of the program until its end."""
    times = []
    for _ in range(TIMED):
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(1000 * (time.perf_counter() - begin))
    return times


def main(tool, server):
    with tempfile.TemporaryDirectory() as folder, \
            Server(f"'{server}' -ORBListenEndpoints iiop://127.0.0.1:0") as running:
        profile = Path(folder, "profile")
        command = [tool, "call", "--json", running.ior, "add", "40", "2"]
        called = subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={profile}", *command],
                                capture_output=True, text=True)
        if called.returncode != 0 or called.stdout != '{"_return":42}\n':
            print(called.stdout, called.stderr)
            return 1
        times = times_ms(command)
        total = int(re.search(r"^(?:summary|totals): (\d+)", profile.read_text(), re.M)[1])
        parts = subprocess.run(["callgrind_annotate", "--inclusive=yes", profile], capture_output=True, text=True).stdout
    for line in parts.splitlines()[:45]:
        print(line[:160])
    print(f"perigee call: {TIMED} calls, median {statistics.median(times):.1f} ms, slowest {max(times):.1f} ms")
    print(f"perigee call: {total / 1e6:.1f} million instructions; at most {MILLIONS_MAX}")
    return 0 if total <= MILLIONS_MAX * 1e6 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
