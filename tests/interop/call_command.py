#!/usr/bin/env python3
"""`perigee call` with an object of a peer: values of all types, as JSON.

usage: call_command.py TOOL IDL PAIR... -- SAMPLES COMMAND... -- PEER COMMAND...

A PAIR is "sample:echo": the operation of the server SAMPLES that makes values from a seed, and the
operation of PEER that returns them. An echo operation has the parameters in a, inout b and out c. It
returns `a`, moves the old `b` to `c`, and `a` to `b`.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from two_processes import Server  # noqa: E402


def split(words):
    """The arguments before, between and after the two "--"."""
    first = words.index("--")
    second = words.index("--", first + 1)
    return words[:first], words[first + 1:second], words[second + 1:]


def main():
    (tool, idl, *pairs), samples, peer = split(sys.argv[1:])

    def call(ior, operation, *words, text=None):
        command = [tool, "call", "--timeout", "60", "--idl", idl, "--json", ior, operation, *words]
        outcome = subprocess.run(command, input=text, capture_output=True, text=True)
        if outcome.returncode != 0:
            sys.exit(f"{operation}: status {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
        return json.loads(outcome.stdout)

    with Server(shlex.join(samples)) as maker, Server(shlex.join(peer)) as server:
        for pair in pairs:
            sample, echo = pair.split(":")
            values = [call(maker.ior, sample, str(seed))["_return"] for seed in (1, 2, 3)]
            for a, b in zip(values, values[1:]):
                result = call(server.ior, echo, "-", text=json.dumps({"a": a, "b": b}))
                assert result == {"_return": a, "b": a, "c": b}, (echo, a, b, result)
            assert values[0] != values[1], "samples of two seeds must differ"
    print(f"{len(pairs)} pairs of operations passed")


main()
