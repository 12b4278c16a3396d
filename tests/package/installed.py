"""Installs the build to a prefix, and builds projects against what is there."""

import os
import shutil
import subprocess
from pathlib import Path

CMAKE = os.environ["CMAKE"]
SCRATCH = Path(os.environ["SCRATCH"])
PREFIX = SCRATCH / "prefix"
SANITIZE = os.environ["SANITIZE"]
LIBRARIES = PREFIX / os.environ["LIBDIR"]


def run(*command):
    outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if outcome.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{outcome.stdout}")
    return outcome.stdout


def install():
    shutil.rmtree(PREFIX, ignore_errors=True)
    # A partial build may have left out parts that the installation needs: all targets are built
    # first.
    run(CMAKE, "--build", os.environ["BUILD"], "--target", "perigee_shared", "perigee_static",
        "perigee-idl", "perigee_tool", "whitebox_probed", "jitter_server",
        "jitter_server_unpooled")
    run(CMAKE, "--install", os.environ["BUILD"], "--prefix", PREFIX)


def build_project(project, name, *options):
    """Configures and builds the project in a fresh folder. Returns the folder."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    run(CMAKE, "-G", "Ninja", "-S", project, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}",
        f"-DCMAKE_CXX_COMPILER={os.environ['COMPILER']}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={os.environ['LAUNCHER']}",
        f"-DCMAKE_CXX_FLAGS={'-fsanitize=' + SANITIZE if SANITIZE else ''}", *options)
    run(CMAKE, "--build", folder)
    return folder
