"""`perigee name export` and `import` between two servers."""

import json
import subprocess
import unittest

from names_program import TOOL, WithFolder, name, names

EMPTY = {"format": "perigee names", "version": 1, "bindings": []}


class Import(WithFolder):
    def setUp(self):
        super().setUp()
        self.first = self.enterContext(names("memory")).ior
        self.second = self.enterContext(names("memory")).ior

    def ok(self, root, *words, **options):
        done = name(root, *words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, text):
        failed = name(self.second, "import", "-", input=text)
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(failed.stdout, "")
        return failed.stderr

    def refused_tree(self, bindings):
        return self.refused(json.dumps(dict(EMPTY, bindings=bindings)))

    def test_a_tree_moves_to_another_server(self):
        self.ok(self.first, "mkdir", "--parents", "fleet/trucks")
        for text in ("fleet/trucks/t\\.1.k", "fleet/ü <script>", "fleet/."):
            self.ok(self.first, "bind", text, "corbaloc::127.0.0.1:1/x")
        exported = self.ok(self.first, "export")
        self.assertEqual(self.ok(self.second, "import", "-", input=exported), "3 objects, 2 new contexts\n")
        self.assertEqual(json.loads(self.ok(self.second, "export", "--json")), json.loads(exported))
        inner = json.loads(self.ok(self.second, "export", "fleet/trucks"))
        self.assertEqual([binding["id"] for binding in inner["bindings"]], ["t.1"])

    def test_a_second_import_needs_replace(self):
        self.ok(self.first, "bind", "a", "corbaloc::127.0.0.1:1/x")
        exported = self.ok(self.first, "export")
        self.ok(self.second, "import", "-", input=exported)
        self.assertIn("a: the name is already bound", self.refused(exported))
        self.ok(self.second, "import", "--replace", "-", input=exported)

    def test_an_object_with_the_name_of_a_context_is_an_error(self):
        tree = json.dumps(dict(EMPTY, bindings=[{"id": "a", "kind": "", "bindings": []}]))
        self.ok(self.second, "bind", "a", "corbaloc::127.0.0.1:1/x")
        self.assertIn("a: this is an object, but must be a context", self.refused(tree))
        self.ok(self.second, "unbind", "a")
        self.ok(self.second, "mkdir", "a")
        self.ok(self.second, "import", "-", input=tree)

    def test_contexts_that_contain_each_other_are_moved_once(self):
        self.ok(self.first, "mkdir", "--parents", "a/b")
        loops = [{"id": "root", "kind": "", "same_as": ""}, {"id": "up", "kind": "", "same_as": "a"}]
        inner = [{"id": "b", "kind": "", "bindings": loops}]
        tree = json.dumps(dict(EMPTY, bindings=[{"id": "a", "kind": "", "bindings": inner}]))
        self.ok(self.second, "import", "-", input=tree)
        self.assertEqual(self.ok(self.second, "list", "a/b/up/b/root/a"), "b/\n")
        self.assertEqual(json.loads(self.ok(self.second, "export")), json.loads(tree))
        self.ok(self.second, "import", "-", input=tree)  # nothing is left to do

    def test_a_context_that_cannot_be_listed_keeps_its_reference(self):
        gone = subprocess.run([TOOL, "ior", "make", "--key", "k", "--address", "127.0.0.1:1"], capture_output=True,
                              text=True).stdout.strip()
        tree = json.dumps(dict(EMPTY, bindings=[{"id": "a", "kind": "", "context_reference": gone}]))
        self.ok(self.second, "import", "-", input=tree)
        exported = name(self.second, "export")
        self.assertIn("a: only the reference of the context is exported", exported.stderr)
        self.assertEqual(json.loads(exported.stdout)["bindings"][0]["context_reference"], gone)

    def test_wrong_files_are_refused_with_the_place_of_the_mistake(self):
        self.assertIn("-: [json.exception.parse_error", self.refused("{"))
        self.assertIn("not an export of names", self.refused("[]"))
        self.assertIn("version: must be 1", self.refused(json.dumps(dict(EMPTY, version=2))))
        self.assertIn("bindings: must be a list", self.refused_tree({}))
        self.assertIn("bindings[0].id: must be text", self.refused_tree([{"kind": ""}]))
        self.assertIn("bindings[0]: must have one of", self.refused_tree([{"id": "", "kind": ""}]))
        self.assertIn("none: cannot be read", name(self.second, "import", str(self.folder / "none")).stderr)
        self.assertEqual(self.ok(self.second, "list"), "")  # a file with a mistake changes nothing

    def test_deep_files_are_refused(self):
        deep = '{"id":"a","kind":"","bindings":[' * 200 + "]}" * 200
        tree = '{"format":"perigee names","version":1,"bindings":[' + deep + "]}"
        self.assertIn("nested deeper than 100", self.refused(tree))
        self.assertIn("parse_error", self.refused("[" * 1_000_000))


if __name__ == "__main__":
    unittest.main()
