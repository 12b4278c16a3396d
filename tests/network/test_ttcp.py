"""`perigee bench ttcp` across two hosts: near --- 192.0.2.0/24, 2001:db8:1::/64 --- far."""

import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import Host, connect

PERIGEE = os.environ["PERIGEE"]

near, far = Host("near"), Host("far")
connect(near, "192.0.2.1/24", far, "192.0.2.2/24")
connect(near, "2001:db8:1::1/64", far, "2001:db8:1::2/64")


class Ttcp(unittest.TestCase):
    def transmit(self, to):
        """The results of a quick run from near to far, by version."""
        receive = far.command(f"{PERIGEE} bench ttcp --receive --once")
        with subprocess.Popen(shlex.split(receive), stdout=subprocess.PIPE, text=True) as receiver:
            self.assertEqual(receiver.stdout.readline(), "receiving at port 5001\n")
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "report.json")
                command = near.command(f"{PERIGEE} bench ttcp --quick --transmit {to} --json {file}")
                outcome = subprocess.run(shlex.split(command), capture_output=True, text=True)
                if outcome.returncode != 0:
                    receiver.kill()
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                report = json.loads(file.read_text())
            self.assertEqual(receiver.wait(), 0)
        self.assertEqual(report["receiver"], to)
        return {row["version"]: row for row in report["results"]}

    def test_sockets_wrappers_and_calls_carry_their_data_to_the_other_host(self):
        for address in ("192.0.2.2", "2001:db8:1::2"):
            with self.subTest(address):
                rows = self.transmit(address)
                for version in ("C TCP", "sock", "ORB octets borrowed", "ORB string", "ORB structs"):
                    self.assertGreater(rows[version]["octets_per_s"], 0)
                    self.assertGreater(rows[version]["cpu_ns_per_buffer"], 0)


if __name__ == "__main__":
    unittest.main()
