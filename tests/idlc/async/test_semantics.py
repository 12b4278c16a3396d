"""Each test that semantics.md names is in the file that it names."""

import re
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def rows():
    """The rule or the fault, the file and the test, for each row of the tables."""
    for line in (HERE / "semantics.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[1] != "File" and set(cells[0]) != {"-"}:
            yield cells


def tests_of(path):
    """Names of doctest's cases, which may go on in the next line, or of Python's methods."""
    text = path.read_text()
    joined = re.sub(r'"\s*\n\s*"', "", text)
    return set(re.findall(r'TEST_CASE\(\s*"([^"]*)"', joined)) | set(re.findall(r"def (test_\w+)", text))


class Semantics(unittest.TestCase):
    def test_each_test_is_there(self):
        for _, file, test in rows():
            with self.subTest(f"{file}: {test}"):
                self.assertIn(test, tests_of(ROOT / file))

    def test_no_rule_is_stated_twice(self):
        sentences = [sentence for sentence, _, _ in rows() if not sentence.startswith("the same of")]
        self.assertGreater(len(sentences), 50)
        self.assertEqual(len(sentences), len(set(sentences)))


if __name__ == "__main__":
    unittest.main()
