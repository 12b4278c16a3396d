"""Installs the build to a prefix, and builds projects against this installation."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

BUILD = Path(os.environ["BUILD"])
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


@contextlib.contextmanager
def kept_manifests():
    """Restores the manifests at the end.

    If the build is installed elsewhere, too, the target uninstall needs them.
    """
    before = {path: path.read_bytes() for path in BUILD.glob("install_manifest*.txt")}
    try:
        yield
    finally:
        for path, content in before.items():
            path.write_bytes(content)


def install():
    shutil.rmtree(PREFIX, ignore_errors=True)
    # A partial build may have left out parts that the installation needs: all targets are built
    # first.
    run(CMAKE, "--build", BUILD, "--target", "installation")
    with kept_manifests():
        run(CMAKE, "--install", BUILD, "--prefix", PREFIX)


def install_component(component, prefix):
    shutil.rmtree(prefix, ignore_errors=True)
    run(CMAKE, "--install", BUILD, "--prefix", prefix, "--component", component)


def uninstall_component(component):
    """Removes this component only: other manifests may belong to an installation outside of the tests."""
    run(CMAKE, "-D", f"MANIFESTS={BUILD}/install_manifest_{component}.txt", "-P", BUILD / "Uninstall.cmake")


def files_below(folder):
    """The files and links, relative to the folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")
            if path.is_symlink() or path.is_file()}


def build_project(project, name, *options, targets=("all",)):
    """Configures and builds the project in a fresh folder. Returns the folder."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    run(CMAKE, "-G", "Ninja", "-S", project, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}",
        f"-DCMAKE_CXX_COMPILER={os.environ['COMPILER']}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={os.environ['LAUNCHER']}",
        f"-DCMAKE_CXX_FLAGS={'-fsanitize=' + SANITIZE if SANITIZE else ''}", *options)
    run(CMAKE, "--build", folder, "--target", *targets)
    return folder
