"""Reads the files in which systemd finds how to start a server."""

import shlex
from pathlib import Path


def unit_command(path):
    """The words of the command that starts the server."""
    command, = (line.removeprefix("ExecStart=") for line in Path(path).read_text().splitlines()
                if line.startswith("ExecStart="))
    return shlex.split(command)
