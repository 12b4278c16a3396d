"""The preparation of the site: links, fenced blocks and headers (docs/site)."""

import sys
import unittest

from documents import ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))
import header_filter  # noqa: E402
import pages  # noqa: E402

HEADERS = {"include/perigee/transport/faults.h": "faults_8h.html"}


class Links(unittest.TestCase):
    def link(self, document, target):
        return pages.Site(HEADERS).link(ROOT / document, target)[0]

    def test_links_between_documents_keep_their_anchors(self):
        self.assertEqual(self.link("docs/async.md", "mapping.md#arrays"), "mapping.md#arrays")
        self.assertEqual(self.link("docs/async.md", "../README.md#a"), "perigee.md#a")
        self.assertEqual(self.link("README.md", "docs/README.md"), "README.md")
        self.assertEqual(self.link("examples/hello/README.md", "../../docs/using.md"), "../../using.md")

    def test_a_link_to_a_folder_leads_to_its_readme(self):
        self.assertEqual(self.link("docs/async.md", "../examples/stock"), "examples/stock/README.md")

    def test_a_link_to_a_header_leads_to_the_api_reference(self):
        header = "../include/perigee/transport/faults.h"
        self.assertEqual(self.link("docs/testing.md", header), "api/faults_8h.html")

    def test_a_link_to_a_source_leads_to_a_page_that_shows_it(self):
        self.assertEqual(self.link("docs/using.md", "../cmake/PerigeeIdl.cmake"),
                         "files/cmake/PerigeeIdl.cmake.md")

    def test_a_dead_link_ends_the_preparation(self):
        with self.assertRaises(SystemExit):
            self.link("docs/using.md", "missing.md")


class Documents(unittest.TestCase):
    def test_each_document_is_in_the_navigation(self):
        documents = {*(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*/README.md")}
        self.assertEqual(documents - set(pages.navigation()), set())

    def test_the_mark_of_an_excerpt_becomes_its_title(self):
        match = pages.FENCE.search("```cpp examples/hello/server.cpp\nint a;\n```\n")
        self.assertEqual(pages.fence(match),
                         '``` cpp title="examples/hello/server.cpp"\nint a;\n```')
        match = pages.FENCE.search("```sh run\nls\n```\n")
        self.assertEqual(pages.fence(match), "``` sh\nls\n```")

    def test_links_in_code_stay(self):
        text = pages.CODE_OR_LINK.sub(lambda m: "X" if m["target"] else m[0], "`[a](b)` [c](d)")
        self.assertEqual(text, "`[a](b)` [c](X)")


class Headers(unittest.TestCase):
    def test_the_start_page_of_the_api_reference_lists_each_folder_of_headers(self):
        table = (ROOT / "docs" / "site" / "api.dox").read_text()
        folders = [path for path in (ROOT / "include" / "perigee").iterdir() if path.is_dir()]
        self.assertEqual([path.name for path in folders if f"`perigee/{path.name}/`" not in table], [])

    def test_the_comment_at_the_top_becomes_the_text_of_the_file(self):
        self.assertEqual(header_filter.filtered("// Text.\n#pragma once\n\nint a;\n"),
                         "/// @file\n/// Text.\n#pragma once\nint a;\n")

    def test_names_between_angle_brackets_are_text(self):
        self.assertEqual(header_filter.escaped(" see <memory>, `<memory>`"),
                         " see \\<memory\\>, `<memory>`")

    def test_a_document_becomes_a_link(self):
        self.assertEqual(header_filter.escaped(" docs/policies.md"),
                         ' <a href="../policies.html">docs/policies.md</a>')

    def test_indented_lines_after_a_colon_are_code(self):
        self.assertEqual(header_filter.as_docstring(["// Such:", "//   a < b", "// End."]),
                         ["/// @file", "/// Such: @verbatim", "   a < b @endverbatim", "/// End."])


if __name__ == "__main__":
    unittest.main()
