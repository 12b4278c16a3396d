"""Wrappers against C calls: the same system calls, and hardly more instructions.

usage: compare_twins.py traces|instructions <ipc_twins> [<family>...]

`traces` compares what strace shows. `instructions` counts with callgrind the instructions of a
message. A message is two transfers: one end sends, and the other end receives. The wrappers may
need MORE_MAX instructions more for each transfer.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

FAMILIES = ["sock", "sock_v6", "gather", "lsock", "spipe", "fifo", "dgram", "codgram", "local_dgram", "timed",
            "timed_dgram", "bcast", "mcast", "handles", "send_file", "recv_file"]
MORE_MAX = 2.0
CALLS = 2  # transfers per message
FEW, MANY = 1100, 5100  # the same number of digits: longer arguments would shift the stack


def run(command):
    if shutil.which(command[0]) is None:
        sys.exit(f"{command[0]} is not installed: apt-get install {command[0]}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done


def normal(line):
    """A call without what differs from run to run: ports, names that the system chose, processes."""
    line = re.sub(r"htons\(\d+\)", "htons(port)", line)
    line = re.sub(r'@"[0-9a-f]{5}"', '@"name"', line)
    line = re.sub(r"0x[0-9a-f]+", "address", line)
    line = re.sub(r"tv_sec=\d+, tv_nsec=\d+", "time", line)
    return re.sub(r"pid=\d+", "pid=process", line)


def trace(program, family, form):
    with tempfile.NamedTemporaryFile("r") as output:
        run(["strace", "-qq", "-s", "0", "-o", output.name, program, family, form, "3"])
        lines = [normal(line.rstrip()) for line in output]
    marks = [number for number, line in enumerate(lines) if line.startswith("getppid")]
    if len(marks) != 2:
        sys.exit(f"{family}: strace shows no marks; is it allowed to trace here?")
    return lines[marks[0] + 1:marks[1]]


def compare_traces(program, family):
    wrapped, plain = trace(program, family, "wrapped"), trace(program, family, "plain")
    if wrapped == plain and len(plain) > 6:
        print(f"{family:12} {len(plain)} system calls, the same")
        return True
    print(f"{family}: the system calls differ", "wrapped:", *wrapped, "plain:", *plain, sep="\n  ")
    return False


def instructions(program, family, form, count):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out"
        run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={output}", program, family,
             form, str(count)])
        return int(re.search(r"^(?:totals|summary): (\d+)", output.read_text(), re.M).group(1))


def per_call(program, family, form):
    few, many = (instructions(program, family, form, count) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW) / CALLS


def compare_instructions(program, family):
    wrapped, plain = per_call(program, family, "wrapped"), per_call(program, family, "plain")
    # The start of a program varies by a few instructions: less than a tenth per call.
    more = round(wrapped - plain, 1)
    print(f"{family:12} {plain:6.1f} instructions a call in C, {wrapped:6.1f} with wrappers:"
          f" {more:+.1f}")
    return more <= MORE_MAX


def is_here(family):
    """Some containers have no IPv6."""
    if family != "sock_v6":
        return True
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError as error:
        print(f"{family:12} this host has no IPv6: {error}")
        return False


def main(what, program, *families):
    compare = {"traces": compare_traces, "instructions": compare_instructions}[what]
    program = Path(program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # a script writes its file there
        results = [compare(program, family) for family in families or FAMILIES if is_here(family)]
        os.chdir("/")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
