"""`perigee call` without IDL, and `perigee describe`: the server or an Interface Repository describes the object.

Environment: TOOL, SERVER (call_server), REPOSITORY (perigee-ifr), COMPILER (perigee-idl), IDL, STANDARD_IDL, and
OMNIIDL if it is installed.
"""

import json
import os
import shlex
import subprocess
import tempfile
import unittest

from perigee_tool import json_of, perigee
from two_processes import Server

IDL = os.environ["IDL"]
STANDARD_IDL = os.environ["STANDARD_IDL"]
LISTEN = ["-ORBListenEndpoints", "iiop://127.0.0.1:0"]

EVERYTHING = """
#include <orb.idl>
#pragma prefix "example.com"
module Every {
  interface Later;
  enum Size { small, big };
  struct Node; typedef sequence<Node> Nodes;
  struct Node { long value; Nodes children; Later where; };
  struct Box { long matrix[2][3]; };
  union Letter switch (char) { case 'a': case 'b': long n; case '\\'': string q; default: Nodes nodes; };
  union Number switch (long) { case -1: long n; case 5: fixed<5,2> f; };
  union Sized switch (Size) { case small: long n; case big: wstring<5> wide; };
  interface Base {
    exception Bad { string why; };
    struct Outer { long x; struct Deep { long y; } inside; };
    void f(in Outer x) raises (Bad);
  };
  abstract interface Printable { void print(); };
  valuetype Shape { private long p; public Shape next; factory make(in long x); long measure(in Size s); };
  valuetype Square : truncatable Shape supports Printable { public Letter u; };
  custom valuetype Odd { public long x; };
  typedef sequence<Square> Squares;
  valuetype Boxed Squares;
  interface Later : Base, Printable {
    typedef string Name;
    enum Kind { one, two };
    const Name who = "a\\"b\\n";
    const Kind chosen = two;
    const Size first = big;
    const double half = 0.5;
    const char letter = 'x';
    const boolean yes = TRUE;
    const wchar euro = L'\\u20ac';
    const unsigned long long most = 18446744073709551615;
    readonly attribute Kind the_kind%s;
    oneway void note(in string text);
    long _union(in long _interface, out Box b, inout Sized w) raises (Bad) context ("a", "b.*");
    Squares squares(in Boxed b, in Odd v, in Number x, in CORBA::TypeCode t, in any a, in Object o, in ValueBase vb);
    Outer outer(in Outer::Deep d);
    Nodes nodes(in Letter u, in Later l);
  };
#pragma ID Later "IDL:strange/Id:2.3"
};
#pragma prefix ""
interface Last : Every::Later { void walk(in Every::Node n); };
"""


def serve(case, *words):
    """A server that runs until the end of the test class."""
    server = Server(shlex.join(words))
    server.__enter__()
    case.addClassCleanup(server.__exit__)
    return server.ior


class Described(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        # omniidl knows no exceptions of attributes.
        for name, exceptions in ("plain", ""), ("full", " raises (Bad)"):
            with open(f"{cls.folder}/{name}.idl", "w") as file:
                file.write(EVERYTHING % exceptions)
        cls.repository = serve(cls, os.environ["REPOSITORY"], IDL, f"{cls.folder}/plain.idl",
                               f"{STANDARD_IDL}/CosNaming.idl", f"{STANDARD_IDL}/InterfaceRepository.idl")
        cls.full = serve(cls, os.environ["REPOSITORY"], f"{cls.folder}/full.idl")
        cls.described = serve(cls, os.environ["SERVER"], *LISTEN, "-ORBInitRef",
                              f"InterfaceRepository={cls.repository}")
        cls.silent = serve(cls, os.environ["SERVER"], *LISTEN)

    def call(self, *words):
        status, out, error = perigee("call", *words)
        return status, json.loads(out) if out else None, error

    def test_a_call_needs_no_idl_if_the_server_has_a_repository(self):
        self.assertEqual(self.call(self.described, "split", "17", "5"),
                         (0, {"_return": 3, "rest": 2, "text": "17 in parts of 5"}, ""))
        self.assertEqual(self.call(self.described, "title"), (0, {"_return": "board"}, ""))
        self.assertEqual(self.call(self.described, "level", "2.5"), (0, {}, ""))
        self.assertEqual(self.call(self.described, "note", "hello"), (0, {}, ""))

    def test_all_kinds_of_types_come_from_the_repository(self):
        for kind, value in [("choice", {"_d": "red", "number": 7}), ("grid", [[1, 2, 3], [4, 5, 6]]),
                            ("price", "123.45"), ("octets", "AAEC/w=="), ("box", "inside"),
                            ("tree", {"name": "root", "branches": [{"name": "leaf", "branches": []}]}),
                            ("circle", {"x": 1, "y": 2, "radius": 0.25}),
                            ("any", {"type": "IDL:Calls/Item:1.0",
                                     "value": {"name": "a", "count": 1, "colour": "red"}}),
                            ("type", "IDL:Calls/Tree:1.0")]:
            with self.subTest(kind=kind):
                self.assertEqual(self.call(self.described, f"echo_{kind}", json.dumps(value)),
                                 (0, {"_return": value}, ""))

    def test_exceptions_come_from_the_repository(self):
        status, result, _ = self.call(self.described, "split", "17", "0")
        self.assertEqual((status, result["exception"], result["members"]["reason"]),
                         (3, "IDL:Calls/Refused:1.0", "no parts"))

    def test_a_named_repository_describes_the_object_of_a_server_without_one(self):
        self.assertEqual(self.call("--ifr", self.repository, self.silent, "noted")[0], 0)
        self.assertEqual(self.call("--ifr", self.repository, "--interface", "Calls::Base", self.silent, "title"),
                         (0, {"_return": "board"}, ""))

    def test_errors_say_what_to_do(self):
        for words, text in [
            ((self.silent, "noted"), "name its IDL by --idl FILE, or an Interface Repository by --ifr REFERENCE"),
            (("--ifr", self.silent, self.silent, "noted"), "--ifr: the object is not an Interface Repository"),
            (("--ifr", self.full, self.silent, "noted"),
             "the Interface Repository has no definition of IDL:Calls/Board:1.0; perigee-ifr --add-to"),
            (("--interface", "Calls::Bord", self.described, "noted"), "has no interface Calls::Bord"),
            (("--interface", "Calls::Item", self.described, "noted"), "is not an interface; --interface names one"),
        ]:
            with self.subTest(words=words):
                status, result, error = self.call(*words)
                self.assertEqual((status, result, error.count("\n")), (1, None, 1), error)
                self.assertIn(text, error)

    def test_an_unknown_operation_is_a_mistake_with_a_proposal(self):
        status, _, error = self.call(self.described, "splt", "1", "2")
        self.assertEqual((status, error), (2, "perigee call: Calls::Board has no operation or attribute splt; "
                                              "did you mean 'split'?\n"))

    def test_idl_and_a_repository_exclude_each_other(self):
        status, _, error = self.call("--idl", IDL, "--ifr", self.repository, self.silent, "noted")
        self.assertEqual((status, error), (2, "perigee call: --idl and --ifr exclude each other; each of them "
                                              "describes the object\n"))

    def describe(self, interface, repository=None):
        repository = repository or self.repository
        status, text, error = perigee("describe", "--ifr", repository, "--interface", interface, repository)
        self.assertEqual((status, error), (0, ""))
        return text

    def compile(self, text, *command):
        path = f"{self.folder}/described.idl"
        with open(path, "w") as file:
            file.write(text)
        outcome = subprocess.run([*command, path], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 0, outcome.stderr + text)

    def test_perigee_idl_accepts_the_idl_of_each_interface(self):
        for interface in "Calls::Board", "Last", "CosNaming::NamingContextExt", "CORBA::Repository":
            with self.subTest(interface=interface):
                self.compile(self.describe(interface), os.environ["COMPILER"], "--any")
        self.compile(self.describe("Last", self.full), os.environ["COMPILER"], "--any")

    @unittest.skipUnless(os.environ.get("OMNIIDL"), "omniidl is not installed")
    def test_omniidl_accepts_the_idl(self):
        for interface in "Calls::Board", "Last", "CosNaming::NamingContextExt":
            with self.subTest(interface=interface):
                self.compile(self.describe(interface), os.environ["OMNIIDL"], "-I/usr/share/idl/omniORB", "-bdump")

    def test_a_repository_that_is_filled_from_the_idl_gives_the_same_idl(self):
        for interface, repository in ("Calls::Board", None), ("Last", self.full):
            text = self.describe(interface, repository)
            path = f"{self.folder}/again.idl"
            with open(path, "w") as file:
                file.write(text)
            with Server(shlex.join([os.environ["REPOSITORY"], path])) as again:
                self.assertEqual(sorted(self.describe(interface, again.ior).splitlines()),
                                 sorted(text.splitlines()))

    def test_the_description_of_an_object_is_that_of_its_interface(self):
        status, text, _ = perigee("describe", self.described)
        self.assertEqual((status, text), (0, self.describe("Calls::Board")))
        self.assertIn("interface Board : ::Calls::Base {", text)
        self.assertIn("long split(in long total, inout long rest, out string text) raises (::Calls::Refused);", text)

    def test_the_json_lists_operations_and_attributes(self):
        result = json_of("describe", "--json", self.described)
        self.assertEqual((result["id"], result["name"], result["bases"]),
                         ("IDL:Calls/Board:1.0", "::Calls::Board", ["IDL:Calls/Base:1.0"]))
        split = next(each for each in result["operations"] if each["name"] == "split")
        self.assertEqual(split, {
            "name": "split", "defined_in": "IDL:Calls/Board:1.0", "oneway": False, "result": "long", "contexts": [],
            "parameters": [{"name": "total", "direction": "in", "type": "long"},
                           {"name": "rest", "direction": "inout", "type": "long"},
                           {"name": "text", "direction": "out", "type": "string"}],
            "raises": ["IDL:Calls/Refused:1.0"]})
        self.assertEqual([each["name"] for each in result["attributes"]], ["title", "level"])
        self.assertEqual(result["idl"], self.describe("Calls::Board"))

    def test_an_object_without_description_is_an_error(self):
        status, out, error = perigee("describe", self.silent)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("perigee describe: the object does not describe its interface", error)


if __name__ == "__main__":
    unittest.main()
