"""`perigee bench sockspeed` across two hosts: near --- 192.0.2.0/24, 2001:db8:1::/64 --- far. The parent, which sends the
blocks, runs on far, and its child runs on near."""

import contextlib
import os
import shlex
import subprocess
import unittest

from hosts import Host, connect, known_as

PERIGEE = os.environ["PERIGEE"]

near, far = Host("near"), Host("far")
connect(near, "192.0.2.1/24", far, "192.0.2.2/24")
connect(near, "2001:db8:1::1/64", far, "2001:db8:1::2/64")


@contextlib.contextmanager
def waiting_parent(at):
    """A parent on far, and the address that it prints for its child."""
    command = far.command(f"{PERIGEE} bench sockspeed --parent tcp --at {at} --size 64 --ms 1")
    with subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE, text=True) as parent:
        try:
            yield parent, parent.stdout.readline().split()[-1]
        finally:
            parent.kill()


class Sockspeed(unittest.TestCase):
    def receive(self, parent, address):
        """A child on near receives the blocks of the parent."""
        command = near.command(f"{PERIGEE} bench sockspeed --child tcp --at {address}")
        child = subprocess.run(shlex.split(command), capture_output=True, text=True)
        self.assertEqual(child.returncode, 0, child.stderr)
        self.assertIn("no octets were lost or changed", child.stdout)
        self.assertEqual(parent.wait(), 0)

    def test_a_parent_that_listens_at_all_interfaces_prints_an_address_that_its_child_can_use(self):
        with waiting_parent(":0") as (parent, address):
            self.assertTrue(address.startswith("192.0.2.2:"), address)
            self.receive(parent, address)

    def test_a_child_tries_the_second_address_of_the_name_if_the_parent_does_not_listen_at_the_first(self):
        for listening, closed in (("192.0.2.2", "2001:db8:1::2"), ("[2001:db8:1::2]", "192.0.2.2")):
            with self.subTest(listening), waiting_parent(f"{listening}:0") as (parent, address):
                port = address.rpartition(":")[2]
                with known_as("far.example", closed, listening.strip("[]")):
                    self.receive(parent, f"far.example:{port}")


if __name__ == "__main__":
    unittest.main()
