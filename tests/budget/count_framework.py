"""Measures the cost of the framework of protocols: indirect calls per message and side, by callgrind.

A connection sees its transport and its messaging protocol by interfaces only. The count is the difference between a run
of few and a run of many two-way calls, so that start and end cancel out. A two-way call is two messages on each side.
The script also prints, without a limit, the number of instructions between the connection and the C library's function
that makes the system call.

The design allows 4 indirect calls per message on each side. Fails above 4.1: the margin is for other threads.
No interceptor is registered, so a call may only test for them. Fails if a call runs a function of the interceptors, or
more than 5 instructions of these tests on a side. An instruction belongs to a test if a line of INTERCEPTOR_TESTS is
its source line, or the place where the function with its source line was inlined.
    count_framework.py RUN_PAIR SERVER CLIENT ENDPOINT
"""

import functools
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEW, MANY = 100, 600
MESSAGES = 2 * (MANY - FEW)
INDIRECT_CALLS_MAX = 4.0  # from the design
ROOM = 0.1  # for other threads of the process
FRAMEWORK = re.compile(r"perigee::(transport|giop)::|non-virtual thunk to perigee::(transport|giop)::")
INTERCEPTORS = re.compile(r"perigee::interceptors::|[Ii]ntercept|Hooks::|with_hooks|policy_context|::contexts_of$")
INTERCEPTOR_TESTS = re.compile(r"interception\(\)|\bhooks_?\b|\bslots_in_use\b|\bupcalls_are_extended\b|\bpolicies\.in_use\(")
INTERCEPTOR_INSTRUCTIONS_MAX = 5.0  # per call and side
TRANSPORT = re.compile(r"perigee::(transport|ipc)::")


class Profile:
    """A callgrind file without compression: the number of calls from each place, and how often each instruction ran, by
    its function and by its address."""

    def __init__(self, path):
        self.calls = Counter()  # (object, address, callee)
        self.own = Counter()  # function
        self.runs = Counter()  # (object, address)
        self._read(path)

    def _read(self, path):
        object_ = function = callee = ""
        count = 0
        for line in path.read_text().splitlines():
            key, _, value = line.partition("=")
            if key == "ob":
                object_ = value
            elif key == "fn":
                function = value
            elif key == "cfn":
                callee = value
            elif key == "calls":
                count = int(value.split()[0])
            elif line.startswith("0x"):
                address, cost = line.split()[:2]
                if count:
                    self.calls[object_, int(address, 16), callee] += count
                    count = 0
                else:
                    self.own[function] += int(cost)
                    self.runs[object_, int(address, 16)] += int(cost)

    def __sub__(self, other):
        self.calls.subtract(other.calls)
        self.own.subtract(other.own)
        self.runs.subtract(other.runs)
        return self


def indirect_calls(library):
    """The addresses of the library's calls whose target is in memory or in a register."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, capture_output=True,
                          text=True).stdout
    # A target with %rip is in the global offset table: a direct call of another library's function.
    found = re.findall(r"^ +([0-9a-f]+):\s+(?:bnd |notrack )*(?:call|jmp) +\*(.*)$", code, re.MULTILINE)
    return {int(address, 16) for address, target in found if "(%rip)" not in target}


def interceptor_functions(profile):
    """The functions of interceptors that the calls have run, without their parameters."""
    names = {callee.replace("(anonymous namespace)", "anonymous").partition("(")[0]
             for (_, _, callee), count in profile.calls.items() if count >= MESSAGES // 100}
    return sorted(name for name in names if INTERCEPTORS.search(name))


def source_lines(library, addresses):
    """For each address, the source lines of its instruction: its own, and those where its functions were inlined."""
    listing = subprocess.run(["addr2line", "-a", "-i", "-e", library], check=True, capture_output=True, text=True,
                             input="".join(f"{address:#x}\n" for address in addresses)).stdout
    lines = {}
    for line in listing.splitlines():
        if line.startswith("0x"):
            found = lines.setdefault(int(line, 16), [])
        else:
            path, _, number = line.partition(" ")[0].rpartition(":")
            if number.isdigit():
                found.append((path, int(number)))
    return lines


@functools.cache
def lines_of(path):
    """The lines of a source of Perigee. An object from the compiler's cache may name the folder of another clone."""
    parts = Path(path).parts
    for begin in range(1, len(parts)):
        source = ROOT.joinpath(*parts[begin:])
        if source.is_file():
            return source.read_text().splitlines()
    return []


def text_of(path, number):
    lines = lines_of(path)
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def interceptor_tests(profile):
    """The number of instructions of a call that test for interceptors, by the text of the source line."""
    counts = Counter()
    libraries = {object_ for object_, _ in profile.runs if "libperigee" in object_}
    for library in libraries:
        addresses = [address for (object_, address), count in profile.runs.items()
                     if object_ == library and count >= MESSAGES // 100]
        for address, places in source_lines(library, addresses).items():
            tests = [text for text in (text_of(*place) for place in places) if INTERCEPTOR_TESTS.search(text)]
            if tests:
                counts[tests[-1]] += profile.runs[library, address]
    return counts


def profiles(arguments, folder, calls):
    run_pair, server, client, endpoint = arguments
    commands = []
    for name, program in (("server", server), ("client", client)):
        output = folder / f"{name}-{calls}"
        script = folder / f"run-{name}-{calls}"
        script.write_text("#!/bin/bash\nexec valgrind -q --tool=callgrind --dump-instr=yes --dump-line=no "
                          "--compress-strings=no --compress-pos=no "
                          f"--callgrind-out-file='{output}' '{program}' \"$@\"\n")
        script.chmod(0o700)
        commands.append(script)
    subprocess.run([run_pair, commands[0], "-ORBListenEndpoints", endpoint, "--", commands[1], "--calls", str(calls)],
                   check=True)
    return {name: Profile(folder / f"{name}-{calls}") for name in ("server", "client")}


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = profiles(arguments, folder, FEW), profiles(arguments, folder, MANY)
    status = 0
    for side in ("client", "server"):
        profile = many[side] - few[side]
        library = next(object_ for object_, _, _ in profile.calls if "libperigee.so" in object_)
        indirect = indirect_calls(library)
        targets = Counter()
        for (object_, address, callee), count in profile.calls.items():
            if object_ == library and address in indirect and FRAMEWORK.search(callee) and count:
                targets[callee] += count
        transport = sum(count for function, count in profile.own.items() if TRANSPORT.search(function))
        per_message = sum(targets.values()) / MESSAGES
        print(f"{side} ({arguments[3]}): {per_message:.2f} indirect calls a message; "
              f"{transport / MESSAGES:.0f} instructions to the system and back")
        for callee, count in targets.most_common():
            if count >= MESSAGES // 100:
                print(f"  {2 * count / MESSAGES:.2f} a call: {callee}")
        if not 0 < per_message <= INDIRECT_CALLS_MAX + ROOM:
            print(f"  the limit is {INDIRECT_CALLS_MAX}", file=sys.stderr)
            status = 1
        for function in interceptor_functions(profile):
            print(f"  runs without an interceptor: {function}", file=sys.stderr)
            status = 1
        tests = interceptor_tests(profile)
        calls = MESSAGES / 2
        print(f"  {tests.total() / calls:.2f} instructions a call test for interceptors")
        for text, count in tests.most_common():
            print(f"    {count / calls:.2f}: {text}")
        if not 0 < tests.total() / calls <= INTERCEPTOR_INSTRUCTIONS_MAX + ROOM:
            print(f"  the limit is {INTERCEPTOR_INSTRUCTIONS_MAX}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
