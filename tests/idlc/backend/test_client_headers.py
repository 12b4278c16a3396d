"""Generated client headers compile alone as C++20, without a warning, and include nothing expensive.

usage: test_client_headers.py COMPILER GOLDEN_FOLDER
"""

import subprocess
import sys
import unittest
from pathlib import Path

COMPILER = sys.argv[1]
GOLDEN = Path(sys.argv[2])
INCLUDE = Path(__file__).resolve().parents[3] / "include"
EXPENSIVE = {"iostream", "coroutine", "thread", "chrono", "expected"}
# Only headers that use CORBA::Any or TypeCodes may include these.
RARE = {"memory", "atomic", "functional"}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
FOLDERS = [f"-I{folder}" for folder in [INCLUDE, *sorted(GOLDEN.iterdir())]]


def compile_header(header, *options):
    command = [COMPILER, "-std=c++20", *WARNINGS, *FOLDERS, *options, "-x", "c++", "-"]
    return subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True)


def included_names(header):
    """The names of all files that the header includes, directly or through other headers."""
    rule = compile_header(header, "-M").stdout.replace("\\\n", " ")
    return {Path(word).name for word in rule.split(":", 1)[1].split()}


class ClientHeaders(unittest.TestCase):
    def headers(self):
        headers = sorted(path.name for path in GOLDEN.glob("*/*C.h"))
        self.assertGreater(len(headers), 10)
        return headers

    def test_compile_alone_as_cpp_20(self):
        for header in self.headers():
            with self.subTest(header=header):
                self.assertEqual(compile_header(header, "-fsyntax-only").stderr, "")

    def test_include_nothing_expensive(self):
        for header in self.headers():
            with self.subTest(header=header):
                names = included_names(header)
                self.assertIn("mapping.h", names)
                self.assertEqual(names & EXPENSIVE, set())
                if "typecode.h" not in names:
                    self.assertEqual(names & RARE, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
