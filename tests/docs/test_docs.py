"""Checks that the documents agree with the repository.

- A relative link leads to a file, and its anchor to a heading.
- A block whose fence names a file of the repository (```cpp examples/hello/client.cpp) is an excerpt
  of it: the same lines, one after another. A line of `...` stands for lines left out.
- An "interop fact" that code cites by its number has a row in docs/interop.md.
- A block ```sh run is run by bash in the root of the repository; if the next block is ```text output,
  its lines are what the commands print, where `...` stands for any text. build/release and
  build/quick mean the build that runs the test.
- A block ```sh release takes long. Only `test_docs.py ReleaseCommands` runs it, which is not a test of
  CTest.
"""

import os
import re
import subprocess
import unittest

from documents import ROOT, anchors, blocks, documents, links


def parts_of(excerpt):
    """The runs of lines between lines of `...`."""
    return [part.strip("\n") for part in re.split(r"^\s*\.\.\.\s*$", excerpt, flags=re.MULTILINE)]


def stands_in(excerpt, text):
    position = 0
    for part in parts_of(excerpt):
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


def as_pattern(output):
    return re.compile(".*".join(re.escape(part) for part in output.split("...")), re.DOTALL)


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in documents():
            for line, target in links(document):
                if re.match(r"[a-z]+:", target):
                    continue  # another site; not looked at
                path, _, anchor = target.partition("#")
                file = (document.parent / path).resolve() if path else document
                with self.subTest(f"{document.relative_to(ROOT)}:{line}: {target}"):
                    self.assertTrue(file.exists(), "no such file")
                    if file.is_dir():  # the site shows the README of a folder
                        self.assertTrue((file / "README.md").exists(), "a folder without a README")
                    if anchor and file.suffix == ".md":
                        self.assertIn(anchor, anchors(file), "no such heading")

    def test_there_are_documents(self):
        self.assertIn(ROOT / "README.md", documents())


class Excerpts(unittest.TestCase):
    def test_excerpts_stand_in_the_files_that_they_name(self):
        for document in documents():
            for block in blocks(document):
                if "/" not in block.mark:
                    continue
                with self.subTest(f"{block}: {block.mark}"):
                    self.assertTrue(stands_in(block.text, (ROOT / block.mark).read_text()))

    def test_an_excerpt_that_differs_is_found(self):
        self.assertTrue(stands_in("a\n...\nc\n", "a\nb\nc\n"))
        self.assertFalse(stands_in("c\n...\na\n", "a\nb\nc\n"))
        self.assertFalse(stands_in("a\nc\n", "a\nb\nc\n"))


class ErrorTexts(unittest.TestCase):
    """The first column of "What goes wrong at first" in docs/using.md quotes texts that exist."""
    OF_COMPILERS = ("incomplete type", "'amic_traits' is not a member", "expected class-name")

    def known_texts(self):
        sources = [file.read_text() for folder in ("include", "src") for file in sorted((ROOT / folder).rglob("*"))
                   if file.suffix in (".h", ".cpp")]
        joined = re.sub(r'"\s*\n\s*"', "", "\n".join(sources))  # adjacent string literals
        of_system = (os.strerror(number) for number in range(1, 134))
        return "\n".join((joined, *of_system, *self.OF_COMPILERS))

    def quoted(self):
        text = (ROOT / "docs/using.md").read_text()
        section = text.partition("## What goes wrong at first")[2].partition("\n## ")[0]
        for row in re.findall(r"^\| (`.*?|.*?`.*?) \| ", section, re.MULTILINE):
            for span in re.findall(r"`([^`]*)`", row):
                yield from (part.strip() for part in span.split("…") if part.strip())

    def test_error_texts_of_the_first_column_stand_in_the_sources(self):
        known = self.known_texts()
        parts = list(self.quoted())
        self.assertGreater(len(parts), 15)
        for part in parts:
            with self.subTest(part):
                self.assertTrue(part in known, "no source has this text")


class Facts(unittest.TestCase):
    CITED = re.compile(r"[Ii]nterop(?:erability)?\s(?://\s*)?facts?\s(?://\s*)?"
                       r"(\d+(?:(?:,| and|, and)\s(?://\s*)?\d+)*)")

    def sources(self):
        for folder in ("include", "src", "tests", "fuzz", "bench"):
            for file in sorted((ROOT / folder).rglob("*")):
                if file.suffix in (".h", ".cpp", ".cc"):
                    yield file

    def test_interoperability_facts_that_are_cited_are_listed(self):
        rows = re.findall(r"^\| (\d+) \|", (ROOT / "docs/interop.md").read_text(), re.MULTILINE)
        cited = 0
        for file in self.sources():
            for match in self.CITED.finditer(file.read_text()):
                for number in re.findall(r"\d+", match.group(1)):
                    cited += 1
                    with self.subTest(f"{file.relative_to(ROOT)}: fact {number}"):
                        self.assertIn(number, rows)
        self.assertGreater(cited, 10)


def run_script(script):
    # Ends the programs that a block leaves running: they are children of its shell.
    script = "trap 'jobs -p | xargs -r kill 2> /dev/null || true' EXIT\n" + script
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT,
                          capture_output=True, text=True)


class ReleaseCommands(unittest.TestCase):
    def test_commands_of_a_release_succeed(self):
        marked = [block for document in documents() for block in blocks(document)
                  if (block.language, block.mark) == ("sh", "release")]
        self.assertTrue(marked, "no document has such commands")
        for block in marked:
            with self.subTest(str(block)):
                outcome = run_script(block.text)
                self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)


class Commands(unittest.TestCase):
    # Documents whose blocks a reader can run one after the other: each block ends the programs that
    # it started.
    TIDY = ("examples/ipc/README.md", "docs/ipc.md")

    def run_block(self, block):
        script = re.sub("build/(release|quick)", os.environ["BUILD"], block.text)
        if str(block.document.relative_to(ROOT)) in self.TIDY:
            script += "\nif [ -n \"$(jobs -pr)\" ]; then echo 'programs are left running' >&2; exit 1; fi\n"
        return run_script(script)

    def chosen(self):
        """The documents of the variable DOCUMENTS, or all documents but those of OTHER_DOCUMENTS."""
        only, without = (os.environ.get(name, "").split() for name in ("DOCUMENTS", "OTHER_DOCUMENTS"))
        named = [ROOT / name for name in only or without]
        self.assertLessEqual(set(named), set(documents()), "no such document")
        return named if only else [document for document in documents() if document not in named]

    def test_commands_do_what_the_documents_say(self):
        count = 0
        for document in self.chosen():
            in_order = list(blocks(document))
            for block, following in zip(in_order, in_order[1:] + [None]):
                if (block.language, block.mark) != ("sh", "run"):
                    continue
                count += 1
                with self.subTest(str(block)):
                    outcome = self.run_block(block)
                    self.assertEqual(outcome.returncode, 0, outcome.stderr)
                    if following and following.mark == "output":
                        self.assertRegex(outcome.stdout, as_pattern(following.text.strip()))
        self.assertGreater(count, 0, "no document has commands to run")


if __name__ == "__main__":
    unittest.main()
