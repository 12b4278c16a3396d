"""Runs servers of NATS at free ports of this host."""

import json
import shutil
import socket
import tempfile
import urllib.request
from pathlib import Path

from server_process import ServerProcess, free_ports

NATS = shutil.which("nats-server")


class Server(ServerProcess):
    """One nats-server, which can be killed and started again with its streams."""

    def __init__(self, command, log, port, monitor, has_jetstream):
        super().__init__(command, log)
        self.port = port
        self.monitor = monitor
        self.has_jetstream = has_jetstream

    def page(self, path):
        """A page of the monitoring port, which is JSON."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/{path}", timeout=5) as answer:
            return json.load(answer)

    def is_healthy(self):
        try:
            return self.page("healthz" + ("?js-enabled=true" if self.has_jetstream else ""))["status"] == "ok"
        except OSError:
            return False


class Cluster:
    """The end of the `with` statement kills all servers."""

    def __init__(self, size=1, options=(), jetstream=True, scheme="nats"):
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        ports = free_ports(3 * size)
        clients, monitors, routes = ports[:size], ports[size:2 * size], ports[2 * size:]
        self.servers = []
        self.scheme = scheme
        for index in range(size):
            command = [NATS, "--name", f"n{index}", "--addr", "127.0.0.1", "--port", str(clients[index]),
                       "--http_port", str(monitors[index]), *options]
            if jetstream:
                command += ["--jetstream", "--store_dir", str(folder / f"n{index}")]
            if size > 1:
                command += ["--cluster_name", "test", "--cluster", f"nats://127.0.0.1:{routes[index]}", "--routes",
                            ",".join(f"nats://127.0.0.1:{route}" for route in routes)]
            self.servers.append(Server(command, folder / f"n{index}.log", clients[index], monitors[index], jetstream))

    @property
    def urls(self):
        return ",".join(f"{self.scheme}://127.0.0.1:{server.port}" for server in self.servers)

    def __enter__(self):
        for server in self.servers:
            server.start()
        for server in self.servers:
            server.await_healthy()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.go_on()
            server.kill()
        self.folder.cleanup()


def ask_api(port, subject, request):
    """Makes one request of JetStream's API in the text protocol of NATS, and returns its answer."""
    body = json.dumps(request).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, connection.makefile("rb") as lines:
        lines.readline()  # INFO
        connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB answer 1\r\n'
                           + f"PUB {subject} answer {len(body)}\r\n".encode() + body + b"\r\n")
        while not (head := lines.readline()).startswith(b"MSG"):
            if head == b"PING\r\n":
                connection.sendall(b"PONG\r\n")
            elif not head:
                raise RuntimeError("the server has closed the connection")
        return json.loads(lines.read(int(head.split()[-1])))
