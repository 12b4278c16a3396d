"""A server that perigee-idl --repository has given a description of its IDL: no other program describes its objects.

Environment: TOOL, SERVER (embedded_server), REPOSITORY (perigee-ifr), COMPILER (perigee-idl), IDL.
"""

import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from perigee_tool import perigee
from two_processes import Server

COMPILER, IDL = os.environ["COMPILER"], os.environ["IDL"]
LISTEN = ["-ORBListenEndpoints", "iiop://127.0.0.1:0"]


class Embedded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(shlex.join([os.environ["SERVER"], *LISTEN]))
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def call(self, *words):
        status, out, error = perigee("call", self.server.ior, *words)
        return status, json.loads(out) if out else None, error

    def test_a_call_needs_neither_idl_nor_another_program(self):
        self.assertEqual(self.call("add", "40", "2"), (0, {"_return": 42}, ""))
        self.assertEqual(self.call("title"), (0, {"_return": "desk"}, ""))
        self.assertEqual(self.call("find", "lamp"), (0, {"_return": {"name": "lamp", "count": 2}, "place": 7}, ""))

    def test_user_exceptions_of_operations_and_attributes_are_described(self):
        for words in ("find", ""), ("level", "2.5"):
            status, result, _ = self.call(*words)
            self.assertEqual((status, result["exception"]), (3, "IDL:example.com/Parts/Missing:1.0"))

    def test_the_description_is_that_of_a_repository_with_the_same_idl(self):
        with Server(shlex.join([os.environ["REPOSITORY"], IDL])) as repository:
            for interface in "Shop::Desk", "Shop::Near", "Shop::Printable", "Parts::Later":
                with self.subTest(interface=interface):
                    described = perigee("describe", "--interface", interface, self.server.ior)
                    expected = perigee("describe", "--ifr", repository.ior, "--interface", interface, repository.ior)
                    self.assertEqual(described, expected)
                    self.assertEqual(described[0], 0)

    def test_a_repository_of_the_command_line_replaces_the_embedded_one(self):
        with Server(shlex.join([os.environ["REPOSITORY"]])) as empty:
            with Server(shlex.join([os.environ["SERVER"], *LISTEN, "-ORBInitRef",
                                    f"InterfaceRepository={empty.ior}"])) as server:
                status, _, error = perigee("call", server.ior, "add", "1", "2")
                self.assertEqual(status, 1)
                self.assertIn("has no definition of IDL:example.com/Shop/Desk:1.0", error)


class Generator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def generate(self, idl, *options):
        (self.folder / "in.idl").write_text(idl)
        return subprocess.run([COMPILER, "-o", self.folder / "out", *options, self.folder / "in.idl"],
                              capture_output=True, text=True)

    def files(self):
        return {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}

    def test_the_option_changes_no_other_file(self):
        text = Path(IDL).parent.joinpath("call_types.idl").read_text()
        self.assertEqual(self.generate(text, "--any").returncode, 0)
        without = self.files()
        self.assertEqual(self.generate(text, "--any", "--repository").returncode, 0)
        added = self.files()
        self.assertEqual(set(added) - set(without), {"inR.h", "inR.cpp"})
        self.assertEqual({name: added[name] for name in without}, without)

    def test_a_type_without_description_is_an_error_with_its_place(self):
        outcome = self.generate("struct S { map<long, long> m; };", "--idl=4", "--repository")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("in.idl:1:", outcome.stderr)
        self.assertIn("cannot describe this type of IDL 4", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
