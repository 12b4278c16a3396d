"""A client without asynchronous calls includes none of their headers, links none of their symbols, and is no larger.

usage: test_pure_client.py COMPILER PERIGEE_IDL IDL_FILE
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER, PERIGEE_IDL, IDL_FILE = sys.argv[1:4]
INCLUDE = Path(__file__).resolve().parents[3] / "include"
# Names that only asynchronous calls, asynchronous servants, or servants in general need.
ASYNCHRONOUS = re.compile(r"perigee::(async|task|call|skeleton|pool|completion)\b|\bAM[IH]_|AmiC|Async|ASYNC_|"
                          r"Messaging::|PortableServer::|stub::(send|Call|Reply|Arguments)|coroutine|stop_token")
PROGRAM = """
#include "stockC.h"
int main(int count, char** words) {
  IDL::traits<Stock::Quoter>::ref_type quoter;
  try {
    return quoter->get_quote(words[count - 1]);
  } catch (const Stock::Invalid_Stock_Symbol&) {
    return 1;
  }
}
"""


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


class PureClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.plain = cls.made("plain")
        cls.whole = cls.made("whole", "--ami", "--amh", "--async")

    @classmethod
    def made(cls, name, *options):
        folder = cls.folder / name
        run(PERIGEE_IDL, *options, "--output-dir", folder, IDL_FILE)
        (folder / "program.cpp").write_text(PROGRAM)
        return folder

    def compiled(self, source):
        made = source.with_suffix(".o")
        run(COMPILER, "-std=c++20", "-O2", f"-I{INCLUDE}", "-c", source, "-o", made)
        return made

    def symbols(self, source):
        names = run("nm", "-C", self.compiled(source)).splitlines()
        self.assertTrue(any("Stock::" in name for name in names))
        return [name for name in names if ASYNCHRONOUS.search(name)]

    def test_neither_the_stub_nor_the_program_has_a_symbol_of_asynchronous_calls(self):
        for name in ("stockC.cpp", "program.cpp"):
            with self.subTest(name=name):
                self.assertEqual(self.symbols(self.whole / name), [])

    def test_the_check_finds_the_symbols_of_asynchronous_calls_where_they_are_used(self):
        for name in ("stockAmiC.cpp", "stockAsync.cpp"):
            with self.subTest(name=name):
                run(COMPILER, "-std=c++23", "-O2", f"-I{INCLUDE}", "-c", self.whole / name, "-o", self.folder / "x.o")
                self.assertTrue(ASYNCHRONOUS.search(run("nm", "-C", self.folder / "x.o")))

    def test_no_header_of_asynchronous_calls_is_included(self):
        included = run(COMPILER, "-std=c++20", f"-I{INCLUDE}", "-M", self.whole / "program.cpp")
        self.assertIn("perigee/orb/mapping.h", included)
        for name in ("perigee/async/", "perigee/poa/", "perigee/orb/ami.h", "perigee/orb/async_stub.h",
                     "coroutine", "stop_token"):
            with self.subTest(name=name):
                self.assertNotIn(name, included)

    def test_the_files_are_the_same_with_and_without_the_options(self):
        for name in ("stockC.h", "stockC.cpp", "stockS.h", "stockS.cpp"):
            with self.subTest(name=name):
                self.assertEqual((self.whole / name).read_text(), (self.plain / name).read_text())

    def test_the_declaration_of_async_adds_no_code(self):
        without = self.made("without")
        header = without / "stockC.h"
        text = header.read_text()
        header.write_text(re.sub(r"  template <typename _self = Quoter>\n.*_async\(\).*;\n", "", text))
        self.assertNotEqual(header.read_text(), text)
        for name in ("stockC.cpp", "program.cpp"):
            with self.subTest(name=name):
                self.assertEqual(self.sizes(without / name), self.sizes(self.whole / name))

    def sizes(self, source):
        """The sizes of code and data."""
        return run("size", self.compiled(source)).splitlines()[1].split()[:3]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
