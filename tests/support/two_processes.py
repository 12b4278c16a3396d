"""Runs a server program, calls it from a client program, and ends it.

The server says that it can be called by the first line of its standard output: its reference, which
stands for {ior} in the arguments of clients. Nothing waits for a time to pass.
"""

import os
import shlex
import signal
import subprocess


class Failure(Exception):
    """What a program did that it should not have."""


def _words(command, **replacements):
    return [word.format(**replacements) for word in shlex.split(command)]


class Server:
    """A server process, from its first line on. Use as a context: killed if still there at the end."""

    def __init__(self, command, environment=None):
        self.command = command
        self.environment = dict(os.environ, **(environment or {}))

    def __enter__(self):
        self.process = subprocess.Popen(
            shlex.split(self.command), stdout=subprocess.PIPE, text=True, env=self.environment
        )
        self.ior = self.process.stdout.readline().strip()
        if not self.ior:
            self.process.wait()
            raise Failure(f"{self.command}: ended with {self.process.returncode} before its first line")
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def call(self, client):
        """Runs a client to its end. Returns what subprocess.run returns."""
        return subprocess.run(
            _words(client, ior=self.ior), capture_output=True, text=True, env=self.environment
        )

    def end(self, signal_number=signal.SIGTERM):
        """Asks the server to end, waits, and returns its exit status."""
        self.process.send_signal(signal_number)
        return self.process.wait()
