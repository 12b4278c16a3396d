"""Runs perigee-names, its clients, and `perigee name`."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

NAMES = os.environ["NAMES"]
TOOL = os.environ["TOOL"]
CLIENT = os.environ["CLIENT"]


def names(store, *options, **popen):
    """A perigee-names server, at a free port if `options` has no --endpoint. Its first line is the
    reference of its root context."""
    listen = "" if "--endpoint" in options else "--endpoint iiop://127.0.0.1:0"
    return Server(f"{NAMES} --store {store} {listen} {' '.join(options)}", **popen)


def name(root, *words, **options):
    """What subprocess.run returns for `perigee name`."""
    return subprocess.run([TOOL, "name", "--service", root, *words], capture_output=True, text=True, **options)


def bound_names(root):
    """All names in the root context, after a check that each leads to its own object."""
    checked = subprocess.run([CLIENT, "check", root], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    return set(checked.stdout.split())


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "names.db"
