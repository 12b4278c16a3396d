"""Runs a server program, calls it from a client program, and ends it.

The server prints its reference as the first line of its standard output when clients can call it. The
reference replaces {ior} in the arguments of clients. No function here sleeps or has a time-out.
"""

import os
import shlex
import signal
import subprocess


class Failure(Exception):
    """A program did not do what the test expects; the text describes this."""


def _words(command, **replacements):
    return [word.format(**replacements) for word in shlex.split(command)]


class Server:
    """A server process that has printed its first line. The end of the `with` statement kills the
    process if it still runs."""

    def __init__(self, command, environment=None, **options):
        """`options`: of subprocess.Popen, like `user`."""
        self.command = command
        self.options = options
        self.environment = dict(os.environ, **(environment or {}))

    def __enter__(self):
        self.process = subprocess.Popen(
            shlex.split(self.command), stdout=subprocess.PIPE, text=True, env=self.environment,
            **self.options
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
