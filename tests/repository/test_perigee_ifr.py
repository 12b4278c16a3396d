"""The program perigee-ifr: options, its manual, serving and adding definitions.

Environment: PROGRAM, READER (prints a repository), MANUAL, IDL (the folder of the standard IDL files).
"""

import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM, READER = os.environ["PROGRAM"], os.environ["READER"]

EVERYTHING = """
#include <orb.idl>
module All {
  enum Grade { good, better, best };
  typedef fixed<7,2> Price;
  typedef long Grid[2][3];
  const Grade top = best;
  const Price cheap = 1.25d;
  const string greeting = "hi";
  const wstring wide = L"wide";
  const wchar letter = L'x';
  const char c = 'c';
  const float pi = 3.5;
  const double more = 1.5e10;
  const long long big = -5000000000;
  const unsigned long long bigger = 18446744073709551615;
  const short small = -3;
  const octet o = 7;
  const boolean yes = TRUE;
  struct Node;
  typedef sequence<Node> Nodes;
  struct Node { long value; Nodes children; Grid grid; CORBA::StringSeq names; string<8> ticker; };
  union Choice switch (Grade) { case good: long a; case better: case best: string b; };
  union Recursive switch (long) { case 1: sequence<Recursive> more; default: octet rest; };
  exception Unknown { string name; };
  abstract interface Printable { void print(); };
  local interface Near { void f(); };
  interface Forward;
  interface Base { readonly attribute long size; attribute Price level getraises(Unknown) setraises(Unknown); };
  interface Quoter : Base {
    struct Inner { long x; };
    Inner get(in string t, inout Nodes n, out any a) raises (Unknown) context ("LOCALE");
    oneway void tell(in Forward f);
    CORBA::TypeCode kind(in Object o);
  };
  interface Forward { void go(in Quoter q); };
  valuetype Shape supports Printable { public long area; private Nodes parts; factory make(in long a) raises (Unknown); };
  valuetype Square : truncatable Shape { public long side; };
  valuetype Box sequence<long>;
  valuetype Tree { public Tree left; public sequence<Tree> all; };
  native Handle;
};
"""


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


def read(*words):
    return subprocess.run([READER, *map(str, words)], capture_output=True, text=True, timeout=60, check=True).stdout


class Repository:
    """A running perigee-ifr. The program prints its reference when it is ready."""

    def __init__(self, *words):
        self.process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.reference = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class PerigeeIfr(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_a_repository_has_the_definitions_of_its_files(self):
        with Repository(self.file("all.idl", EVERYTHING)) as repository:
            text = read(repository.reference)
            self.assertIn("module ::All", text)
            self.assertIn("interface IDL:All/Quoter:1.0 : IDL:All/Base:1.0", text)
            self.assertIn("PARAM_INOUT n : typedef", text)
            self.assertIn("oneway, PARAM_IN f : interface Forward", text)
            for line in ("dk_Constant IDL:All/top:1.0", "dk_Value IDL:All/Tree:1.0", "dk_ValueBox IDL:All/Box:1.0",
                         "dk_Native IDL:All/Handle:1.0", "dk_AbstractInterface IDL:All/Printable:1.0"):
                self.assertIn(line, text)
            self.assertEqual(repository.end(), 0)

    def test_definitions_can_be_added_later_and_twice(self):
        all_types = self.file("all.idl", EVERYTHING)
        with Repository() as repository:
            first = run("--add-to", repository.reference, all_types)
            self.assertEqual((first.returncode, first.stdout), (0, ""))
            added = int(re.search(r"added: (\d+), already present: 0", first.stderr)[1])
            self.assertGreater(added, 40)
            before = read(repository.reference)
            second = run("--add-to", repository.reference, all_types)
            self.assertRegex(second.stderr, "added: 0, already present: ")
            self.assertEqual(read(repository.reference), before)

    def test_a_forward_declaration_is_completed_by_a_later_file(self):
        early = self.file("early.idl", "interface Later; interface User { void use(in Later l); };\n")
        late = self.file("late.idl", "interface Root {}; interface Later : Root { void work(); };\n")
        with Repository(early, late) as repository:
            self.assertIn("interface IDL:Later:1.0 : IDL:Root:1.0\n  operation work : void", read(repository.reference))

    def test_definitions_can_need_a_type_inside_a_definition_that_needs_them(self):
        for name, text in (
                ("value", "valuetype W; valuetype V { typedef sequence<W> WS; public WS items; };"
                          " valuetype W { public V::WS x; };"),
                ("struct", "struct F; struct S { struct Inner { sequence<F> f; } n; };"
                           " struct F { S::Inner x; };"),
                ("alias", "struct F; typedef sequence<F> L; struct S { struct Inner { L f; } n; };"
                          " struct F { S::Inner x; };"),
                ("box", "valuetype W; struct P { W w; }; valuetype B P; valuetype W { public B b; };"),
                ("base", "valuetype D; valuetype B { public D d; }; valuetype D : B {};"),
                ("union", "valuetype W; valuetype V { enum E { a, b }; const E first = a; public W w; };"
                          " union U switch (V::E) { case V::a: V v; default: sequence<U> more; };"
                          " valuetype W { public U u; };")):
            with self.subTest(name), Repository() as repository:
                result = run("--add-to", repository.reference, self.file(f"{name}.idl", text + "\n"))
                self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
                self.assertIn("already present: 0", result.stderr)
                read(repository.reference)
                again = run("--add-to", repository.reference, self.file(f"{name}.idl", text + "\n"))
                self.assertRegex(again.stderr, rf"added: 0, already present: \d+")

    def test_the_repository_has_a_name_at_its_endpoint(self):
        with Repository(self.file("a.idl", "interface Alone {};\n")) as repository:
            listed = subprocess.run([READER, "-ORBInitRef", f"InterfaceRepository={repository.reference}"],
                                    capture_output=True, text=True, timeout=60, check=True).stdout
            self.assertEqual(listed, "interface IDL:Alone:1.0\n")

    def test_clients_cannot_write_if_an_option_forbids_it(self):
        with Repository("--writers", "none", self.file("a.idl", "interface A {};\n")) as repository:
            result = run("--add-to", repository.reference, self.file("b.idl", "interface B {};\n"))
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"b\.idl:1:11: the repository refuses '::B': NO_PERMISSION")
            self.assertEqual(read(repository.reference), "interface IDL:A:1.0\n")

    def test_a_limit_ends_the_program_with_the_position(self):
        result = run("--definitions-max", "27", self.file("a.idl", "module A {}; module B {};\n"))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"a\.idl:1:21: the repository refuses '::B': NO_RESOURCES")

    def test_errors_in_the_idl_and_types_without_a_form_are_reported(self):
        result = run(self.file("a.idl", "interface A { void f(in Missing m); };\n"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.idl:1:25: error:", result.stderr)
        result = run("--idl", "4", self.file("b.idl", "struct S { map<long, long> m; };\n"))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"b\.idl:1:\d+: the repository cannot describe this type of IDL 4")

    def test_the_standard_files_can_be_added(self):
        folder = Path(os.environ["IDL"])
        with Repository("-I", folder, *sorted(folder.glob("[CI]*.idl"))) as repository:
            text = read(repository.reference)
            self.assertIn("interface IDL:omg.org/CORBA/InterfaceDef:1.0", text)
            self.assertIn("interface IDL:omg.org/CosNaming/NamingContextExt:1.0", text)

    def test_mistakes_in_the_command_line_are_explained(self):
        for words, text in ((("--ad-to", "x"), "unknown option '--ad-to'; did you mean '--add-to'?"),
                            (("--add-to", "x"), "--add-to needs an IDL file"),
                            (("--writers", "some"), "--writers")):
            result = run(*words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(text, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)

    def test_the_manual_has_the_options_of_the_program(self):
        manual = Path(os.environ["MANUAL"]).read_text().replace("\\-", "-")
        options = set(re.findall(r"^  (?:-h,)?(-{1,2}[\w-]+)", run("--help").stdout, re.MULTILINE))
        described = set(re.findall(r"^\.BI? (-{1,2}[\w-]+)", manual, re.MULTILINE)) - {"-ORB", "-ORBInitRef"}
        self.assertGreater(len(options), 8)
        self.assertEqual(options, described)


if __name__ == "__main__":
    unittest.main()
