"""Repository ids are those that omniidl gives, for prefixes in all places that omniidl accepts.

usage: test_repository_ids.py <perigee-idl> <omniidl>
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# A back end for omniidl that prints `name id` of all declarations.
BACK_END = """
from omniidl import idlvisitor

class Visitor(idlvisitor.AstVisitor):
    modules = []
    def show(self, node):
        print('::'.join(node.scopedName()), node.repoId())
    def visitAST(self, node):
        for each in node.declarations(): each.accept(self)
    def visitModule(self, node):
        # Perigee treats a reopened module as the same module; omniidl gives each opening an id.
        if node.scopedName() not in self.modules: self.show(node)
        self.modules.append(node.scopedName())
        for each in node.definitions(): each.accept(self)
    def visitInterface(self, node):
        self.show(node)
        for each in node.contents(): each.accept(self)
    def visitTypedef(self, node):
        for each in node.declarators(): self.show(each)
    visitAttribute = visitTypedef
    visitStruct = visitUnion = visitEnum = visitConst = visitException = visitOperation = show

def run(tree, args):
    tree.accept(Visitor())
"""

INCLUDED = """
typedef long Included;
#pragma prefix "included.org"
module Lib { typedef long InLib; };
"""

CASES = {
    "no prefix": "module M { typedef long A; interface I { void f(); attribute long x; }; };",
    "a prefix of the file": '#pragma prefix "acme.com"\nmodule M { typedef long A; }; typedef long B;',
    "a prefix inside a module drops the names around it": """
#pragma prefix "P0"
module M1 {
  typedef long T0;
#pragma prefix "P2"
  module T2 { typedef long X; interface I { typedef long Y; void op(); exception E {}; }; };
  typedef long T1;
  struct S { long a; };
};
typedef long T5;
module M1 { typedef long Again; };
""",
    "an empty prefix inside a module": """
#pragma prefix "P0"
module N {
  typedef long A;
#pragma prefix ""
  typedef long B;
  module O { typedef long C; };
};
typedef long D;
""",
    "two prefixes in one scope": """
module N {
#pragma prefix "one"
  typedef long A;
#pragma prefix "two"
  typedef long B;
  module O {
    typedef long C;
#pragma prefix "three"
    typedef long D;
  };
  typedef long E;
};
""",
    "an included file starts without a prefix": """
#pragma prefix "main.org"
#include "included.idl"
typedef long Main;
""",
    "a file included inside a module": """
#pragma prefix "main.org"
module M {
  typedef long A;
#include "included.idl"
  typedef long B;
};
""",
    "a prefix of an outer file does not follow into a module opened again": """
#include "included.idl"
#pragma prefix "main.org"
module Lib { typedef long More; };
""",
    "ids and versions by name": """
#pragma prefix "P"
module M {
  typedef long A;
  typedef long B;
  struct S { long x; };
#pragma ID A "IDL:other/Name:2.0"
#pragma version B 1.7
};
#pragma version M::S 3.4
""",
    "a file included twice, without a guard": """
#include "included.idl"
module Other {
#include "included.idl"
};
""",
    "kinds of declarations": """
#pragma prefix "P"
module M {
  enum E { e1, e2 };
  union U switch (long) { case 1: long a; };
  const long c = 3;
  exception X { long why; };
  interface I { struct S { long a; }; readonly attribute S first, second; };
};
""",
}


def run(command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{command[0]} fails:\n{result.stdout}{result.stderr}")
    return result.stdout


def ids_of_omniidl(omniidl, folder):
    lines = run([omniidl, "-p", str(folder), "-bids", "main.idl"], folder).splitlines()
    return sorted(line.split(" ", 1)[1] for line in lines if line)


def ids_of_perigee(compiler, folder):
    text = run([compiler, "--dump-model", "main.idl"], folder)
    return sorted(match[1] for match in re.findall(r'^( *module \w+ \(again\))?.*"(IDL:[^"]*)"', text, re.M)
                  if not match[0])


def main():
    compiler, omniidl = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    failures = 0
    for title, text in CASES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "ids.py").write_text(BACK_END)
            (folder / "included.idl").write_text(INCLUDED)
            (folder / "main.idl").write_text(text)
            theirs, ours = ids_of_omniidl(omniidl, folder), ids_of_perigee(compiler, folder)
            if theirs == ours and ours:
                continue
            failures += 1
            print(f"{title}:\n  omniidl: {theirs}\n  perigee: {ours}")
    print(f"{len(CASES) - failures} of {len(CASES)} cases agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
