"""The id by which an ORB recognises its plug-ins depends on all headers that plug-ins include."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = PROJECT / "include"
ENTRIES = ("perigee/transport/plugin.h", "perigee/dynamic/initializer_plugin.h")
MADE = {"perigee/transport/headers_id.h"}  # the build makes this header
HEADERS = [pathlib.Path(line) for line in pathlib.Path(os.environ["HEADERS"]).read_text().split()]


def included_headers():
    """The public headers that the headers of plug-ins include, directly or through other headers."""
    found, left = set(), list(ENTRIES)
    while left:
        header = left.pop()
        if header in found or header in MADE:
            continue
        found.add(header)
        left += re.findall(r"#include <(perigee/[^>]+)>", (INCLUDE / header).read_text())
    return found


def id_of(headers, folder):
    output = pathlib.Path(folder) / "headers_id.h"
    subprocess.run([os.environ["CMAKE"], "-D", "HEADERS=" + ";".join(map(str, headers)), "-D", "VERSION=1", "-D",
                    f"OUTPUT={output}", "-P", str(PROJECT / "cmake" / "HeadersId.cmake")], check=True)
    return re.search(r'PERIGEE_HEADERS_ID "([^"]+)"', output.read_text())[1]


class PluginHeaders(unittest.TestCase):
    def test_all_headers_of_plugins_are_part_of_the_id(self):
        self.assertEqual(included_headers() - {path.relative_to(INCLUDE).as_posix() for path in HEADERS}, set())

    def test_a_changed_header_of_interceptors_changes_the_id(self):
        with tempfile.TemporaryDirectory() as folder:
            before = id_of(HEADERS, folder)
            self.assertEqual(id_of(HEADERS, folder), before)
            header = INCLUDE / "perigee/dynamic/initializer_plugin.h"
            changed = pathlib.Path(folder) / header.name
            shutil.copy(header, changed)
            with changed.open("a") as text:
                text.write("// changed\n")
            self.assertNotEqual(id_of([changed if path == header else path for path in HEADERS], folder), before)


if __name__ == "__main__":
    unittest.main()
