"""Server programs of other projects, at free ports of this host. Tests kill and stop their processes."""

import os
import random
import signal
import socket
import subprocess


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


class ServerProcess:
    """One process, which can be killed and started again with its data. Subclasses say when it is healthy."""

    def __init__(self, command, log):
        self.command = command
        self.log = log
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
        # Until all of its threads are stopped, or it has ended.
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def is_healthy(self):
        raise NotImplementedError

    def await_healthy(self):
        while not self.is_healthy():
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text()[-2000:])
