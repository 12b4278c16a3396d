"""The manual of `perigee`: each command of --help has a section, with the options of its --help."""

import os
import re
import unittest
from pathlib import Path

from perigee_tool import perigee

MANUAL = Path(os.environ["MANUAL"])
WORD = re.compile(r"(?<![\w-])(--?[A-Za-z][a-z-]*)")
APART = {"bench", "bind", "rebind", "resolve", "unbind", "mkdir", "export", "import"}  # have no sections of their own


def help_of(command):
    status, out, error = perigee(*command, "--help")
    assert (status, error) == (0, ""), command
    return out


def subcommands(text):
    listed = text.partition("Subcommands:\n")[2]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def commands(path=()):
    """All commands that have sections of their own, as tuples of words."""
    yield path
    for word in subcommands(help_of(path)):
        if word not in APART and path != ("name",):
            yield from commands((*path, word))


def options_of_help(command):
    shown = set()
    for line in help_of(command).splitlines():
        if line.startswith("  -"):
            shown.update(WORD.findall(line.split()[0]))
    return shown - {"-h", "--help"}


def sections():
    text = MANUAL.read_text().replace("\\-", "-")
    parts = re.split(r"^\.SS (.*)$", text.partition(".SH COMMANDS")[2].partition("\n.SH ")[0], flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def options_of_manual(section):
    lines = section.splitlines()
    heads = [line for previous, line in zip(lines, lines[1:]) if previous == ".TP"]
    return {word for head in heads for word in WORD.findall(re.sub(r"\\f.", " ", head).replace('"', " "))}


class Manual(unittest.TestCase):
    def test_the_section_of_each_command_has_exactly_the_options_of_its_help(self):
        known = sections()
        for command in commands():
            name = " ".join(("perigee", *command))
            with self.subTest(name):
                self.assertIn(name, known)
                self.assertEqual(options_of_help(command), options_of_manual(known[name]))

    def test_each_section_is_a_command(self):
        there = {" ".join(("perigee", *command)) for command in commands()} | {"perigee bench"}
        self.assertEqual(set(sections()), there)

    def test_the_section_of_perigee_name_has_all_its_subcommands(self):
        for word in subcommands(help_of(("name",))):
            self.assertIn(f".BR {word} ", sections()["perigee name"])


if __name__ == "__main__":
    unittest.main()
