"""Runs examples/callbacks with clients behind NAT. The server calls over the connections that the clients open.

    client --- 10.1.0.0/24 --- home --- 192.0.2.0/24 --- internet --- 198.51.100.0/24 --- company --- 10.2.0.0/24 --- server

The gateways `home` and `company` translate addresses. No host can connect to the client. `company` forwards its port
4000 to port 2809 of the host `server`. In tests of a server without a gateway, the server runs on `internet`.
"""

import contextlib
import os
import shlex
import subprocess
import unittest

from hosts import Host, connect, translate
from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
PROGRESS = "25 %\n50 %\n75 %\n100 %\n"

client, home, internet, company, server = (Host(name) for name in ("client", "home", "internet", "company", "server"))
connect(client, "10.1.0.2/24", home, "10.1.0.1/24")
home_outside, _ = connect(home, "192.0.2.1/24", internet, "192.0.2.254/24")
_, company_outside = connect(internet, "198.51.100.254/24", company, "198.51.100.1/24")
connect(company, "10.2.0.1/24", server, "10.2.0.2/24")
client.route("default", "10.1.0.1")
home.route("default", "192.0.2.254")
company.route("default", "198.51.100.254")
server.route("default", "10.2.0.1")
internet.set("net/ipv4/ip_forward", 1)
translate(home, home_outside)
translate(company, company_outside, forwarded=[(4000, "10.2.0.2:2809")])


def serving(host, listen, accept="yes"):
    return Server(host.command(f"{SERVER} -ORBListenEndpoints '{listen}' -ORBAcceptBidirectional {accept}"))


def client_command(publish):
    return client.command(f"{CLIENT} -ORBListenEndpoints 'iiop://:2809?publish={publish}' {{ior}}")


@contextlib.contextmanager
def refused(host, listen, publish, accept="yes"):
    """Runs a server that cannot call its client, and the client. Yields the first error line of the server."""
    command = host.command(f"{SERVER} -ORBListenEndpoints '{listen}' -ORBAcceptBidirectional {accept}")
    with subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        reference = process.stdout.readline().strip()
        with subprocess.Popen(shlex.split(client_command(publish).format(ior=reference))) as caller:
            try:
                yield process.stderr.readline()
            finally:
                caller.kill()
                process.kill()


class Callbacks(unittest.TestCase):
    def expect_progress(self, outcome):
        self.assertEqual((outcome.returncode, outcome.stdout), (0, PROGRESS), outcome.stderr)

    def test_no_host_can_connect_to_a_client_behind_nat(self):
        for host, addresses in (internet, ["10.1.0.2", "192.0.2.1"]), (server, ["10.1.0.2", "192.0.2.1"]):
            for address in addresses:
                probe = f"import socket; socket.create_connection(('{address}', 2809), 10)"
                with subprocess.Popen(shlex.split(client.command("python3 -c")) + [
                        "import socket; s = socket.create_server(('', 2809)); print('ready', flush=True); s.accept()"],
                        stdout=subprocess.PIPE, text=True) as listener:
                    self.assertEqual(listener.stdout.readline(), "ready\n")
                    outcome = subprocess.run(shlex.split(host.command("python3 -c")) + [probe], capture_output=True)
                    listener.kill()
                self.assertNotEqual(outcome.returncode, 0, address)

    def test_a_client_behind_nat_gets_the_calls_of_a_server(self):
        with serving(internet, "iiop://192.0.2.254:2809") as running:
            self.expect_progress(running.call(client_command("192.0.2.1")))
            self.assertEqual(running.end(), 0)

    def test_server_and_client_may_both_be_behind_nat(self):
        with serving(server, "iiop://:2809?publish=198.51.100.1:4000") as running:
            self.expect_progress(running.call(client_command("192.0.2.1")))
            self.assertEqual(running.end(), 0)

    def test_several_clients_behind_one_nat_publish_different_ports(self):
        with serving(internet, "iiop://192.0.2.254:2809") as running:
            command = client.command(f"{CLIENT} -ORBListenEndpoints 'iiop://:0?publish=192.0.2.1' {running.ior}")
            clients = [subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE, text=True) for _ in range(4)]
            for each in clients:
                self.assertEqual(each.communicate()[0], PROGRESS)
                self.assertEqual(each.returncode, 0)

    def test_a_server_that_refuses_bidirectional_connections_cannot_call_the_client(self):
        with refused(internet, "iiop://192.0.2.254:2809", "192.0.2.1", accept="no") as line:
            self.assertIn("the watcher cannot be called", line)
            self.assertIn("TRANSIENT", line)

    def test_a_server_cannot_call_a_client_that_publishes_its_private_address(self):
        with refused(internet, "iiop://192.0.2.254:2809", "10.1.0.2") as line:
            self.assertIn("the watcher cannot be called", line)
            self.assertIn("TRANSIENT", line)


if __name__ == "__main__":
    unittest.main()
