"""Samples of sentences that the English lint must report, and of sentences that it must accept."""

import tempfile
import unittest
from pathlib import Path

import english_lint as lint

LONG = " ".join(["word"] * 36) + "."


def found(text):
    return [problem for _, problem in lint.problems(text)]


class Sentences(unittest.TestCase):
    def test_words_for_persons_are_reported(self):
        for word in ("who", "whoever", "whom", "nobody", "Somebody", "what is none", "those that"):
            self.assertEqual(len(found(f"The end of {word} it was.")), 1, word)

    def test_longer_words_that_contain_such_a_word_are_not_reported(self):
        self.assertEqual(found("The whole message; whose size is known."), [])

    def test_code_between_backticks_is_not_english(self):
        self.assertEqual(found("`who` and `nobody` are names."), [])
        self.assertEqual(found("The list `" + " ".join(["word"] * 50) + "` is one word."), [])

    def test_sentences_over_35_words_are_reported_with_their_number_of_words(self):
        self.assertEqual(found(LONG), ["36 words: make it two sentences"])
        self.assertEqual(found(LONG.replace("word.", "it.") + " " + "Short one here."),
                         ["36 words: make it two sentences"])

    def test_a_paragraph_of_short_sentences_is_fine(self):
        self.assertEqual(found("The client sends a request. " * 20), [])

    def test_the_address_of_a_link_does_not_count(self):
        self.assertEqual(found("See [the document](docs/who/nobody.md) for it."), [])


class Readers(unittest.TestCase):
    def test_comment_lines_form_paragraphs(self):
        text = "int a;\n// The first line\n// and the second.\nint b;\n/// Another one.\n"
        self.assertEqual(lint.of_cpp(text), [(2, "The first line and the second."), (5, "Another one.")])

    def test_comments_behind_code_are_read(self):
        self.assertEqual(lint.of_cpp("int a;  // of nobody\n"), [(1, "of nobody")])
        self.assertEqual(lint.of_cpp("int a;  ///< of nobody\n"), [(1, "of nobody")])

    def test_addresses_in_strings_are_not_comments(self):
        self.assertEqual(lint.of_cpp('auto a = "iiop://who";\n'), [])

    def test_indented_code_in_comments_is_skipped(self):
        self.assertEqual(lint.of_cpp("// A tool:\n//   tool who\n// The end.\n"), [(1, "A tool:"), (3, "The end.")])

    def test_names_of_test_cases_are_read_also_in_several_pieces(self):
        text = 'TEST_CASE("a call "\n          "ends") {\n  SUBCASE("early") {}\n}\n'
        self.assertEqual(lint.of_cpp(text), [(1, "a call ends"), (3, "early")])

    def test_comments_of_scripts_are_read_but_not_their_first_line(self):
        self.assertEqual(lint.of_script("#!/bin/sh\n# It says\n# more.\necho\n"), [(2, "It says more.")])

    def test_markdown_has_paragraphs_items_and_cells_but_no_code(self):
        text = "# Title\n\nOne\ntwo.\n\n- item\n  goes on\n\n| a | b |\n\n```sh\nwho\n```\n"
        self.assertEqual(sorted(lint.of_markdown(text)),
                         [(3, "One two."), (6, "item goes on"), (9, "a"), (9, "b")])


class Files(unittest.TestCase):
    def check(self, files, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return lint.check(Path(folder), lint.Exceptions({"exception": list(exceptions)}))

    def test_findings_have_file_and_line(self):
        findings = self.check({"src/a.cpp": "int a;\n// Of nobody.\n", "build/b.cpp": "// Of nobody.\n"})
        self.assertEqual(len(findings), 1)
        self.assertTrue(findings[0].startswith("src/a.cpp:2: 'nobody'"))

    def test_an_exception_allows_a_sentence_in_its_file(self):
        entry = {"file": "a.md", "text": "Who calls", "reason": "the title of a paper"}
        self.assertEqual(self.check({"a.md": "Who calls whom.\n"}, [entry]), [])
        self.assertEqual(len(self.check({"a.md": "Fine.\n", "b.md": "Who calls.\n"}, [entry])), 2)

    def test_exceptions_need_a_reason_and_are_few(self):
        entry = {"file": "a.md", "text": "Who", "reason": ""}
        self.assertEqual(len(self.check({"a.md": "Who.\n"}, [entry])), 1)
        many = [{"file": "a.md", "text": "Who", "reason": "a"}] * (lint.EXCEPTIONS_MAX + 1)
        self.assertTrue(any("more than" in finding for finding in self.check({"a.md": "Who.\n"}, many)))


class Subjects(unittest.TestCase):
    def test_a_subject_has_72_characters_at_most(self):
        log = f"abc {'x' * 72}\ndef {'y' * 73}\n"
        findings = list(lint.long_subjects(log))
        self.assertEqual(len(findings), 1)
        self.assertIn("commit def", findings[0])


if __name__ == "__main__":
    unittest.main()
