"""Runs members of etcd at free ports of this host."""

import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import urllib.request
from pathlib import Path

ETCD = shutil.which("etcd")


def is_free(port):
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def free_ports(count):
    """Ports that no program listens at. They are below the ports that the system gives to connections and to servers
    without a port, so no other program takes them while a killed process is started again."""
    ports = set()
    while len(ports) < count:
        port = random.randrange(12_000, 32_000)
        if is_free(port):
            ports.add(port)
    return list(ports)


class Member:
    """One process of etcd, which can be killed and started again with its data."""

    def __init__(self, name, folder, url, command, certificate):
        self.url = url
        self.context = None
        if certificate:
            self.context = ssl.create_default_context(cafile=certificate / "authority.pem")
            self.context.load_cert_chain(certificate / "client.pem", certificate / "client.key")
            self.context.check_hostname = False
        self.command = command
        self.log = folder / f"{name}.log"
        self.process = None

    def start(self):
        with self.log.open("a") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """The process keeps its connections and answers nothing, until `go_on`."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def is_healthy(self):
        try:
            with urllib.request.urlopen(self.url + "/health", timeout=5, context=self.context) as answer:
                return b'"true"' in answer.read()
        except OSError:
            return False

    def await_healthy(self):
        while not self.is_healthy():
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text()[-2000:])


class Cluster:
    """The end of the `with` statement kills all members."""

    def __init__(self, size=1, options=(), scheme="http", certificate=None):
        """`certificate`: a folder of `perigee cert`, for members with TLS."""
        self.folder = tempfile.TemporaryDirectory()
        ports = free_ports(2 * size)
        peers = [f"http://127.0.0.1:{port}" for port in ports[size:]]
        initial = ",".join(f"m{index}={peer}" for index, peer in enumerate(peers))
        folder = Path(self.folder.name)
        self.members = []
        for index in range(size):
            url = f"{scheme}://127.0.0.1:{ports[index]}"
            self.members.append(Member(f"m{index}", folder, url, [
                ETCD, "--name", f"m{index}", "--data-dir", str(folder / f"m{index}"),
                "--listen-client-urls", url, "--advertise-client-urls", url,
                "--listen-peer-urls", peers[index], "--initial-advertise-peer-urls", peers[index],
                "--initial-cluster", initial, "--initial-cluster-state", "new",
                "--logger=zap", *options], certificate))

    @property
    def urls(self):
        return ",".join(member.url for member in self.members)

    def __enter__(self):
        for member in self.members:
            member.start()
        for member in self.members:
            member.await_healthy()
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.go_on()
            member.kill()
        self.folder.cleanup()
