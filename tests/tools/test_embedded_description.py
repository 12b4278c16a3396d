"""A server that perigee-idl --repository has given a description of its IDL: no other program describes its objects.

Environment: TOOL, SERVER (embedded_server), OCTETS_SERVER (embedded_octets_server), REPOSITORY (perigee-ifr), COMPILER
(perigee-idl), IDL, STANDARD_IDL (the folder with InterfaceRepository.idl).
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
import urllib.request
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
            for interface in "Shop::Desk", "Shop::Session", "Shop::Near", "Shop::Printable", "Parts::Later":
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


class RoundTrips(unittest.TestCase):
    """Requests that the server of an object gets from one `perigee call`."""

    def setUp(self):
        log = Path(self.enterContext(tempfile.TemporaryDirectory()), "log")
        options = [*LISTEN, "-ORBMetricsEndpoint", "0", "-ORBTraceLevel", "info"]
        with log.open("w") as file:
            self.server = self.enterContext(Server(shlex.join([os.environ["SERVER"], *options]), stderr=file))
        self.address = re.search(r"http://([^/]+)/", log.read_text())[1]

    def requests(self):
        with urllib.request.urlopen(f"http://{self.address}/metrics", timeout=60) as page:
            counts = re.findall(r"^perigee_requests_total\{.*\} (\d+)$", page.read().decode(), re.M)
        return sum(map(int, counts))

    def requests_of(self, *words):
        before = self.requests()
        status, _, error = perigee("call", *words)
        self.assertEqual((status, error), (0, ""))
        return self.requests() - before

    def test_the_interface_of_an_object_needs_two_requests(self):
        self.assertEqual(self.requests_of(self.server.ior, "add", "1", "2"), 3)

    def test_a_call_with_idl_is_one_request(self):
        self.assertEqual(self.requests_of("--idl", IDL, self.server.ior, "add", "1", "2"), 1)


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

    def test_files_with_names_that_cpp_reserves_get_valid_constants(self):
        for name in "default", "union":
            (self.folder / f"{name}.idl").write_text("interface A { };")
            subprocess.run([COMPILER, "--repository", "-o", self.folder, self.folder / f"{name}.idl"], check=True)
            self.assertIn(f"Embedded _cxx_{name};", (self.folder / f"{name}R.h").read_text())
            self.assertIn(f"Embedded _cxx_{name}{{", (self.folder / f"{name}R.cpp").read_text())

    def test_a_type_without_description_is_an_error_with_its_place(self):
        outcome = self.generate("struct S { map<long, long> m; };", "--idl=4", "--repository")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("in.idl:1:", outcome.stderr)
        self.assertIn("cannot describe this type of IDL 4", outcome.stderr)


class Octets(unittest.TestCase):
    """Descriptions of short IDL texts, one file for each text."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.count = 0

    def described(self, idl):
        """The file with the octets that perigee-idl embeds for this IDL."""
        self.count += 1
        source = self.folder / f"text{self.count}.idl"
        source.write_text(idl)
        subprocess.run([COMPILER, "--repository", "-o", self.folder, source], check=True)
        text = (self.folder / f"text{self.count}R.cpp").read_text()
        numbers = re.search(r"_octets\[\] = \{(.*?)\}", text, re.DOTALL).group(1)
        file = self.folder / f"octets{self.count}"
        file.write_bytes(bytes(int(each) for each in numbers.split(",") if each.strip()))
        return str(file)

    def server(self, *texts, options=()):
        files = [self.described(text) for text in texts]
        return Server(shlex.join([os.environ["OCTETS_SERVER"], *LISTEN, *options, *files]))

    def error(self, *texts, options=()):
        files = [self.described(text) for text in texts]
        outcome = subprocess.run([os.environ["OCTETS_SERVER"], *LISTEN, *options, *files], capture_output=True,
                                 text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(outcome.returncode, 1, outcome)
        return outcome.stderr

    def idl_of(self, interface, *texts):
        with self.server(*texts) as server:
            status, idl, error = perigee("describe", "--ifr", server.ior, "--interface", interface, server.ior)
            self.assertEqual((status, error), (0, ""))
            return idl

    def test_a_constant_of_an_interface_may_use_a_type_after_the_forward_declaration(self):
        text = self.idl_of("A", "interface A; typedef unsigned long Flags; interface A { const Flags read = 1; };")
        self.assertIn("const ::Flags read = 1;", text)
        text = self.idl_of("A", "interface A; enum Size { small, big }; interface A { const Size usual = big; };")
        self.assertIn("const ::Size usual = ::big;", text)

    def test_a_union_may_use_an_enum_after_the_forward_declaration(self):
        text = self.idl_of("A", "union U; enum E { one, two }; union U switch (E) { case two: long n; };"
                                "interface A { void f(in U u); };")
        self.assertIn("case ::two:", text)

    def test_constants_and_unions_may_use_types_of_orb_idl(self):
        text = self.idl_of("A", "#include <orb.idl>\nunion U switch (CORBA::ParameterMode) {"
                                "  case CORBA::PARAM_OUT: long n; };"
                                "interface A { const CORBA::PolicyType own = 0x1234; void f(in U u); };")
        self.assertIn("const ::CORBA::PolicyType own = 4660;", text)
        self.assertIn("case ::CORBA::PARAM_OUT:", text)

    def test_state_members_keep_their_access_when_their_types_are_described_late(self):
        sequences = "Any Boolean Char WChar Octet Short UShort Long ULong LongLong ULongLong Float Double String".split()
        members = "".join(f"public CORBA::{each}Seq m{each}; " for each in sequences)
        text = self.idl_of("A", "#include <orb.idl>\nvaluetype V { " + members + "}; interface A { void f(in V v); };")
        for each in sequences:
            self.assertIn(f"public ::CORBA::{each}Seq m{each};", text)

    def test_two_descriptions_that_differ_in_a_definition_are_an_error(self):
        interface = "interface A { long get(); };"
        for other in ("interface A { double get(); };", "interface A { long get(); void put(); };", "interface A { };",
                      "struct A { long get; };"):
            with self.subTest(other=other):
                self.assertRegex(self.error(interface, other), "BAD_PARAM.*different definitions of IDL:A")
        self.assertIn("different definitions of IDL:E:1.0", self.error("enum E { a, b };", "enum E { b, a };"))

    def test_two_descriptions_may_have_equal_definitions_at_different_positions(self):
        shared = ("module M { enum E { a, b }; interface Base { const E e = b; void g(in E e); };"
                  "union U switch (E) { case b: sequence<string<3> > texts; }; valuetype V { private U u; }; };")
        use = "interface A : M::Base { M::V f(in M::U u); };"
        text = self.idl_of("A", shared, "typedef long Other; interface A;" + shared + use)
        self.assertIn("::M::V f(in ::M::U u);", text)

    def test_operations_keep_the_repository_ids_of_pragmas(self):
        idl = ('interface A { long f(); attribute long size; };\n#pragma ID A::f "IDL:special/f:3.0"\n'
               '#pragma ID A::size "IDL:special/size:3.0"\n')
        standard = f"{os.environ['STANDARD_IDL']}/InterfaceRepository.idl"
        with self.server(idl) as server:
            for name in "f", "size":
                status, out, error = perigee("call", "--json", "--idl", standard, "--interface", "CORBA::Repository",
                                             server.ior, "lookup_id", f"IDL:special/{name}:3.0")
                self.assertEqual((status, error), (0, ""))
                self.assertTrue(json.loads(out)["_return"].startswith("IOR:"), out)

    def test_a_repository_that_ends_takes_back_its_initial_reference(self):
        with self.server("interface A { };", options=["--twice"]) as server:
            self.assertTrue(server.ior.startswith("IOR:"))

    def test_the_program_chooses_the_limits(self):
        self.assertIn("IMP_LIMIT", self.error("struct S { long a, b, c; };", options=["--few-parts"]))


if __name__ == "__main__":
    unittest.main()
