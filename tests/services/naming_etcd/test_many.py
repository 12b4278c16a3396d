"""The memory and the start of a naming server with many names in etcd.

PERIGEE_ETCD_NAMES: how many names (default: 20,000). The figures of docs/naming.md are those of 1,000,000 names. The
test prints its figures.
"""

import base64
import concurrent.futures
import http.client
import json
import os
import sys
import time
import unittest
import urllib.parse

from etcd_cluster import ETCD, Cluster
from etcd_servers import metrics_of, server_of
from names_program import name
from server_process import free_ports

NAMES_COUNT = int(os.environ.get("PERIGEE_ETCD_NAMES", "20000"))
OCTETS_MAX = 500  # of memory, for a name like these
TRANSACTION = 100  # names
WRITERS = 4
PREFIX = "/perigee/names/"
REFERENCE = b"r" * 84


def text(octets):
    return base64.b64encode(octets).decode()


def key_of(number):
    return f"{PREFIX}b/{1:016x}/object-{number:07}".encode() + b"\0\1service"


def value_of():
    """A binding of an object: version, kind, mark, end of the lease, context, reference."""
    return b"\1\0" + bytes(16) + bytes(8) + bytes(8) + REFERENCE


def put(key, value):
    return {"request_put": {"key": text(key), "value": text(value)}}


def fill(url, numbers):
    """Writes the names, and the key that each change of names writes."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
    for begin in range(numbers.start, numbers.stop, TRANSACTION):
        puts = [put(key_of(number), value_of()) for number in range(begin, min(begin + TRANSACTION, numbers.stop))]
        puts.append(put(f"{PREFIX}changed".encode(), b"1"))
        connection.request("POST", "/v3/kv/txn", json.dumps({"success": puts}), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()
    connection.close()


def fill_all(url):
    part = -(-NAMES_COUNT // WRITERS)
    parts = [range(begin, min(begin + part, NAMES_COUNT)) for begin in range(0, NAMES_COUNT, part)]
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(lambda numbers: fill(url, numbers), parts))


def processor_time(server):
    """Seconds, of all threads of the server."""
    with open(f"/proc/{server.process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(server):
    """MiB: now, and at most since the start."""
    with open(f"/proc/{server.process.pid}/status") as status:
        values = dict(line.split(":", 1) for line in status)
    return [int(values[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM")]


@unittest.skipUnless(ETCD, "etcd is not installed")
class Many(unittest.TestCase):
    def await_names(self, port):
        end = time.monotonic() + 600
        while (found := metrics_of(port)["bindings"]) < NAMES_COUNT:
            self.assertLess(time.monotonic(), end, f"{found} names")

    def test_memory_and_start_with_many_names(self):
        port = free_ports(1)[0]
        with Cluster(options=["--quota-backend-bytes", str(8 << 30)]) as cluster, \
                server_of(cluster, "-ORBMetricsEndpoint", f"127.0.0.1:{port}") as followed:
            empty = memory(followed)[0]
            begin = time.monotonic()
            fill_all(cluster.members[0].url)
            self.await_names(port)
            filled = time.monotonic() - begin
            followed_memory = memory(followed)
            begin = time.monotonic()
            with server_of(cluster) as started:
                start, processor = time.monotonic() - begin, processor_time(started)
                memory_now, memory_max = memory(started)
                self.assertEqual(name(started.ior, "list", "--bindings-max", str(NAMES_COUNT)).stdout.count("\n"),
                                 NAMES_COUNT)
        octets = (memory_now - empty) * (1 << 20) / NAMES_COUNT
        print(f"{NAMES_COUNT} names in {filled:.1f} s; start {start:.2f} s ({processor:.2f} s of processor time), {memory_now:.0f} MiB "
              f"(at most {memory_max:.0f} MiB), {octets:.0f} octets a name; "
              f"by the watch {followed_memory[0]:.0f} MiB (at most {followed_memory[1]:.0f} MiB)")
        room = 48  # MiB, for pages of the copy
        for used in (memory_max, followed_memory[1]):
            self.assertLess(used - empty - room, NAMES_COUNT * OCTETS_MAX / (1 << 20))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
