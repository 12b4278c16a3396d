"""docs/cli.md: each program and command is in the table, with its exit statuses, --json and time limit.

Environment: TOOL, COMPILER (perigee-idl), NAMES (perigee-names; may be empty), EVENTS
(perigee-events; may be empty), REPOSITORY (perigee-ifr), CLI (cli.md).
"""

import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAMS = {"perigee": os.environ["TOOL"], "perigee-idl": os.environ["COMPILER"],
            "perigee-names": os.environ["NAMES"],
            "perigee-events": os.environ["EVENTS"], "perigee-ifr": os.environ["REPOSITORY"]}
TABLE = Path(os.environ["CLI"]).read_text().partition("## Commands")[2].partition("\n## ")[0]


def rows():
    """Maps the words of each command to the cells of its row, without the command and the task."""
    found = {}
    for line in TABLE.splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[tuple(cells[0].strip("`").split())] = cells[2:]
    return found


def run(command, *words):
    program, *rest = command
    return subprocess.run([PROGRAMS[program], *rest, *words], capture_output=True, text=True)


def listed_commands():
    text = run(("perigee",), "--help").stdout.partition("Subcommands:\n")[2]
    return {("perigee", word) for word in re.findall(r"^  ([a-z]+) ", text, re.M)}


class Table(unittest.TestCase):
    def test_each_command_of_the_help_is_in_the_table(self):
        commands = {command for command in rows() if len(command) == 2}
        self.assertEqual(commands - {("perigee", "bench")}, listed_commands() - {("perigee", "bench")})

    def test_each_other_program_is_in_the_table(self):
        self.assertEqual({command for command in rows() if len(command) == 1},
                         {(program,) for program in PROGRAMS} - {("perigee",)})

    def test_an_unknown_option_has_the_status_of_a_mistake(self):
        for command, (_, _, mistake, _, _) in rows().items():
            if not PROGRAMS[command[0]] or (command == ("perigee", "bench") and command not in listed_commands()):
                continue  # this build does not have the program
            with self.subTest(command):
                outcome = run(command, "--no-such-option")
                self.assertEqual((outcome.returncode, outcome.stdout), (int(mistake), ""))
                self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)

    def test_help_and_success_have_the_same_status(self):
        for command, (success, *_) in rows().items():
            if PROGRAMS[command[0]] and (command != ("perigee", "bench") or command in listed_commands()):
                with self.subTest(command):
                    self.assertEqual(run(command, "--help").returncode, int(success))

    def test_the_options_for_json_and_time_limits_are_those_of_the_help(self):
        for command, (_, _, _, json, limit) in rows().items():
            if not PROGRAMS[command[0]] or command == ("perigee", "bench"):
                continue  # the experiments of bench have the options
            with self.subTest(command):
                texts = run(command, "--help").stdout
                for word in re.findall(r"^  ([a-z]+) ", texts.partition("Subcommands:\n")[2], re.M):
                    texts += run((*command, word), "--help").stdout
                self.assertEqual("--json" in texts, json != "-")
                self.assertEqual("--timeout" in texts, limit != "-")
                if limit != "-":
                    default = re.search(r"--timeout FLOAT:SECONDS=([0-9.]+)", texts)
                    self.assertIsNotNone(default, texts)
                    self.assertEqual(float(default.group(1)), float(limit.split()[0]))


if __name__ == "__main__":
    unittest.main()
