"""Measures the decoding of hostile messages: instructions at two sizes, by callgrind, and memory.

Four times the octets may take at most 4.4 times the instructions. The memory may be at most 80 MiB plus 8 times the
message's size: 64 MiB for the decoder, and 16 MiB that the allocator keeps.
Fails if an attack takes more, or if an ordinary message of 32 MiB is not decoded.
    count_decoding.py DECODE_ATTACKS
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ATTACKS = ("exceptions", "labels", "enumerators", "shared_enum", "indirections", "members", "anys", "marks", "shared_marks", "ids",
           "endless_ids", "id_lists", "chunked_exceptions", "pictures", "texts")
SMALL = 48 * 1024
RATIO_MAX = 4.4
MIB = 1 << 20
LARGE = 8 * MIB
MEMORY_BASE = 64 * MIB
ROOM = 16 * MIB  # for what the allocator keeps


def instructions(program, attack, size):
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=decode_attack*", f"--callgrind-out-file={profile}",
                   program, attack, str(size)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return int(re.search(r"^summary: (\d+)", profile.read_text(), re.M)[1])


def memory(program, attack, size):
    done = subprocess.run([program, attack, str(size)], check=True, capture_output=True, text=True)
    octets, kib, outcome = re.fullmatch(r"(\d+) octets, (\d+) KiB: (.*)\n", done.stdout).groups()
    return int(octets), int(kib) * 1024, outcome


def main(program):
    failures = []
    for attack in ATTACKS:
        small, large = (instructions(program, attack, size) for size in (SMALL, 4 * SMALL))
        octets, used, outcome = memory(program, attack, LARGE)
        print(f"{attack:12} {small:>10} {large:>11} instructions, {large / small:.2f} x; "
              f"{octets} octets take {used / MIB:.1f} MiB: {outcome}")
        if large > RATIO_MAX * small:
            failures.append(f"{attack}: four times the octets take {large / small:.2f} times the instructions")
        if used > 8 * octets + MEMORY_BASE + ROOM:
            failures.append(f"{attack}: {octets} octets take {used / MIB:.1f} MiB")
    outcome = memory(program, "texts", 32 * MIB)[2]
    if outcome != "decoded":
        failures.append(f"a sequence of strings of 32 MiB: {outcome}")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main(sys.argv[1])
