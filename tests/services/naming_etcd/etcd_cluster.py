"""Runs members of etcd at free ports of this host."""

import shutil
import ssl
import tempfile
import urllib.request
from pathlib import Path

from server_process import ServerProcess, free_ports

ETCD = shutil.which("etcd")


class Member(ServerProcess):
    """One process of etcd, which can be killed and started again with its data."""

    def __init__(self, name, folder, url, command, certificate):
        super().__init__(command, folder / f"{name}.log")
        self.url = url
        self.context = None
        if certificate:
            self.context = ssl.create_default_context(cafile=certificate / "authority.pem")
            self.context.load_cert_chain(certificate / "client.pem", certificate / "client.key")
            self.context.check_hostname = False

    def is_healthy(self):
        try:
            with urllib.request.urlopen(self.url + "/health", timeout=5, context=self.context) as answer:
                return b'"true"' in answer.read()
        except OSError:
            return False


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
