"""Runs `perigee`, and the server that its commands are about."""

import json
import os
import shlex
import subprocess
import tempfile
import unittest

from two_processes import Server

TOOL = os.environ["TOOL"]


def perigee(*words, **options):
    """Status, standard output and standard error of `perigee <words>`."""
    outcome = subprocess.run([TOOL, *words], capture_output=True, text=True, **options)
    return outcome.returncode, outcome.stdout, outcome.stderr


def json_of(*words, status=0, **options):
    """The result of `perigee <words>`, which is one line of JSON."""
    outcome, out, error = perigee(*words, **options)
    assert outcome == status and (error == "") == (status == 0), (words, outcome, error)
    assert out.isascii() and out.endswith("\n") and out.count("\n") == 1, out
    return json.loads(out)


class WithServer(unittest.TestCase):
    """Each test has a folder. Its server listens at TCP and at a socket in the folder. The socket of the server's
    administration is also in the folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.operator = f"{self.folder}/operator"
        self.socket = f"{self.folder}/s"

    def server(self, *options, **environment):
        listen = f"iiop://127.0.0.1:0;uiop://{self.socket}"
        return Server(shlex.join([os.environ["SERVER"], "-ORBAdministration", f"uiop://{self.operator}",
                                  "-ORBListenEndpoints", listen, *options]), environment)
