"""A clean Debian 12 in a folder, made by debootstrap from the package source of this machine, and
commands that run inside. For scripts/packages and scripts/cross. Needs root."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

SUITE = "bookworm"


class Failure(Exception):
    """A clean system cannot be made; the text says why."""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def package_source():
    """The address from which this machine's apt gets packages of the suite."""
    lines = output_of("apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {SUITE}",
                      "Created-By: Packages").splitlines()
    if not lines:
        raise Failure(f"apt has no package source for {SUITE}; this needs Debian 12")
    return lines[0]


def proxy():
    """The proxy of apt as variables of the environment, for programs that do not read apt's settings."""
    shell = output_of("apt-config", "shell", "http_proxy", "Acquire::http::Proxy")
    match = re.fullmatch(r"http_proxy='(.*)'", shell)
    return {"http_proxy": match.group(1)} if match else {}


class CleanSystem:
    """`folder` is the root folder of the system; `work` is the working directory of commands inside."""

    def __init__(self, folder, work):
        self.folder = Path(folder)
        self.work = Path(work)

    def inside(self, path):
        """The path on this machine of a path inside the system."""
        return self.folder / Path(path).relative_to("/")

    def make(self):
        """Makes the system, in place of an older one. An interrupted run leaves no folder with its name."""
        if os.geteuid() != 0:
            raise Failure("this needs root: it makes a root folder of its own (chroot)")
        unfinished = self.folder.with_name(self.folder.name + ".unfinished")
        for old in (self.folder, unfinished):
            shutil.rmtree(old, ignore_errors=True)
        # debootstrap has a mount namespace of its own, so that no mounts stay if it is interrupted.
        command = ["unshare", "--mount", "debootstrap", "--variant=minbase", SUITE, str(unfinished),
                   package_source()]
        print("+", *command, flush=True)
        made = subprocess.run(command, env=dict(os.environ, **proxy()), stdout=subprocess.DEVNULL)
        if made.returncode != 0:
            raise Failure("debootstrap failed")
        unfinished.rename(self.folder)
        self.inside(self.work).mkdir(parents=True)

    def run(self, script, *, mount=None, variables=None, **options):
        """Runs bash as root in the system. If `mount` is given, this folder of the machine is mounted
        at the working directory. The programs run in a PID namespace of their own, and are killed when
        bash ends. `options` are those of subprocess.run, whose result is returned."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive", **proxy(), **(variables or {})}
        enter = shlex.join(["exec", "unshare", f"--root={self.folder}", f"--wd={self.work}",
                            "--mount-proc", "bash", "-euo", "pipefail", "-c", script])
        if mount is not None:
            enter = shlex.join(["mount", "--bind", str(mount), str(self.inside(self.work))]) + "\n" + enter
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", enter],
            env=environment, **options)
