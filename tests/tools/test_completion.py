"""The completion of bash and zsh: the words that they offer for a command line."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from perigee_tool import TOOL, perigee

FOLDER = os.environ["COMPLETION"]
COMPILER = os.environ["COMPILER"]
NAMES = os.environ["NAMES"]
REPOSITORY = os.environ["REPOSITORY"]
PATH = os.pathsep.join([*map(os.path.dirname, (TOOL, COMPILER, NAMES, REPOSITORY)), os.environ["PATH"]])

BASH = r"""
source "$FOLDER/perigee.bash"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_perigee
printf '%s\n' "${COMPREPLY[@]}"
"""
# The first line of _perigee is a comment, and the last line calls the function.
ZSH = r"""
compadd() { shift; print -l -- "$@" }
_files() { }
words=("$@")
CURRENT=$#
source "$FOLDER/_perigee"
"""


def offered(shell, *words):
    script = {"bash": BASH, "zsh": ZSH}[shell]
    command = {"bash": ["bash", "--norc", "-c", script, "bash"], "zsh": ["zsh", "-f", "-c", script, "zsh"]}[shell]
    outcome = subprocess.run([*command, *words], capture_output=True, text=True,
                             env=dict(os.environ, PATH=PATH, FOLDER=FOLDER))
    assert outcome.returncode == 0 and outcome.stderr == "", outcome
    return [word for word in outcome.stdout.split("\n") if word.startswith(words[-1]) and word]


class Completion(unittest.TestCase):
    def check(self, words, expected):
        for shell in "bash", "zsh":
            with self.subTest(shell=shell, words=words):
                self.assertEqual(sorted(offered(shell, *words)), sorted(expected))

    def test_all_commands_are_offered(self):
        text = perigee("--help")[1].partition("Subcommands:")[2]
        commands = re.findall(r"^  ([a-z]+) ", text, re.MULTILINE)
        self.assertGreater(len(commands), 6)
        self.check(["perigee", ""], commands)

    def test_subcommands_are_offered(self):
        self.check(["perigee", "ior", "t"], ["try"])
        self.check(["perigee", "protocols", "l"], ["list", "listen", "load"])
        self.check(["perigee", "name", "--json", "mk"], ["mkdir"])

    def test_options_are_offered(self):
        self.check(["perigee", "ior", "try", "--"], ["--help", "--json", "--timeout"])
        self.check(["perigee", "call", "--re"], ["--repeat"])
        self.check(["perigee-names", "--etcd-p"], ["--etcd-prefix"])
        self.check(["perigee-idl", "--ami-p"], ["--ami-polling"])
        self.check(["perigee-ifr", "--definitions"], ["--definitions-max"])

    def test_options_of_an_orb_are_offered(self):
        self.check(["perigee", "ior", "-ORBTlsCert"], ["-ORBTlsCertificate"])

    def test_both_shells_complete_each_program(self):
        programs = {"perigee", "perigee-idl", "perigee-names", "perigee-events", "perigee-ifr"}
        bash = Path(FOLDER, "perigee.bash").read_text().splitlines()[-1]
        zsh = Path(FOLDER, "_perigee").read_text().splitlines()[0]
        self.assertEqual(set(bash.split("_perigee ")[1].split()), programs)
        self.assertEqual(set(zsh.split()[1:]), programs)

    def test_a_file_is_not_taken_for_a_command(self):
        self.check(["perigee", "cert", "call", "--d"], ["--days"])


if __name__ == "__main__":
    unittest.main()
