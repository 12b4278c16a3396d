"""Forwards connections to a server, and records them in a capture file for Wireshark.

    recorder.py IOR-FILE CAPTURE

reads the IOR of a server with TLS from IOR-FILE, listens at a free port, replaces the port of the
server in the IOR by this port, and writes the new IOR to standard output. It runs until it is killed.
It needs no permission to capture packets, and no packet is lost. In the capture the server has the
port 684 (corba-iiop-ssl), and each client has a port of its own.
"""

import itertools
import pathlib
import re
import socket
import struct
import sys
import threading
import time

SERVER_PORT = 684
RAW_IP = 101  # the packets begin with the header of IPv4
# TAG_SSL_SEC_TRANS up to the port: the tag, the length, the byte order, what the server supports and
# requires. A little-endian component after zeros also matches the big-endian pattern, so the
# little-endian pattern is tried first.
COMPONENTS = (
    ("<H", re.compile(b"\x14\0\0\0\x08\0\0\0\1.{5}", re.DOTALL)),
    (">H", re.compile(b"\0\0\0\x14\0\0\0\x08\0.{5}", re.DOTALL)),
)


class Capture:
    """The capture file. `lock` guards it."""

    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)
        self.lock = threading.Lock()
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW_IP))

    def write(self, ports, position, data, flags):
        """Writes a TCP segment. `position`: its sequence number and its acknowledgement number."""
        seconds, fraction = divmod(time.time_ns() // 1000, 1_000_000)
        tcp = struct.pack(">HHIIBBHHH", *ports, *position, 5 << 4, flags, 65535, 0, 0)
        address = socket.inet_aton("127.0.0.1")
        size = 20 + len(tcp) + len(data)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, 6, 0, address, address)
        packet = ip + tcp + data
        self.file.write(struct.pack("<IIII", seconds, fraction, size, size) + packet)


class Conversation:
    """A client and the server: records what each sends, and passes it on."""

    SYN, PUSH_ACK, SYN_ACK = 0x02, 0x18, 0x12

    def __init__(self, capture, client, server, client_port):
        self.capture = capture
        self.sockets = {client_port: client, SERVER_PORT: server}
        self.sent = {client_port: 1, SERVER_PORT: 1}
        capture.write((client_port, SERVER_PORT), (0, 0), b"", self.SYN)
        capture.write((SERVER_PORT, client_port), (0, 1), b"", self.SYN_ACK)
        for ports in ((client_port, SERVER_PORT), (SERVER_PORT, client_port)):
            threading.Thread(target=self.forward, args=ports, daemon=True).start()

    def forward(self, source, target):
        try:
            while data := self.sockets[source].recv(16384):
                with self.capture.lock:
                    position = (self.sent[source], self.sent[target])
                    self.capture.write((source, target), position, data, self.PUSH_ACK)
                    self.sent[source] += len(data)
                self.sockets[target].sendall(data)
            self.sockets[target].shutdown(socket.SHUT_WR)
        except OSError:  # a side has closed the connection
            pass


def replace_port(ior, port):
    """The new IOR, and the old port."""
    octets = bytes.fromhex(ior.removeprefix("IOR:"))
    for short, component in COMPONENTS:
        if found := component.search(octets):
            start = found.end()
            (old,) = struct.unpack_from(short, octets, start)
            changed = octets[:start] + struct.pack(short, port) + octets[start + 2 :]
            return "IOR:" + changed.hex(), old
    sys.exit("recorder: the IOR has no address of TLS")


def main(ior_file, capture_file):
    listener = socket.create_server(("127.0.0.1", 0))
    ior, port = replace_port(pathlib.Path(ior_file).read_text().strip(), listener.getsockname()[1])
    capture = Capture(capture_file)
    print(ior, flush=True)
    for client_port in itertools.count(40_000):
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for side in (client, server):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with capture.lock:
            Conversation(capture, client, server, client_port)


if __name__ == "__main__":
    main(*sys.argv[1:])
