"""The command `perigee cert`: its files, and what it prints."""

import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TOOL"]
SERVER = os.environ["SERVER"]


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60)


class Cert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "new folder"

    def test_makes_files_that_the_authority_has_signed(self):
        made = run("cert", str(self.folder), "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        result = json.loads(made.stdout)
        for side in ("server", "client"):
            key = Path(result[side]["key"])
            self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
            verified = subprocess.run(
                ["openssl", "verify", "-x509_strict", "-CAfile", result["authority"], result[side]["certificate"]],
                capture_output=True,
                text=True,
            )
            self.assertEqual(verified.returncode, 0, verified.stderr)
            self.assertIn("localhost", result[side]["dns_names"])
            self.assertIn("127.0.0.1", result[side]["ip_addresses"])

    def test_names_are_added_and_the_authority_stays(self):
        self.assertEqual(run("cert", str(self.folder)).returncode, 0)
        authority = (self.folder / "authority.pem").read_text()
        made = run("cert", str(self.folder), "--name", "bank.example.org", "--name", "10.1.2.3", "--json")
        result = json.loads(made.stdout)
        self.assertIn("bank.example.org", result["server"]["dns_names"])
        self.assertIn("10.1.2.3", result["server"]["ip_addresses"])
        self.assertNotIn("10.1.2.3", result["client"]["ip_addresses"])
        self.assertEqual((self.folder / "authority.pem").read_text(), authority)

    def test_the_printed_options_start_a_server(self):
        printed = run("cert", str(self.folder)).stdout
        line = next(line for line in printed.splitlines() if line.startswith("server: "))
        command = f"exec {SERVER} -ORBListenEndpoints ssliop://127.0.0.1:0 {line.removeprefix('server: ')}"
        server = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.assertTrue(server.stdout.readline().startswith("IOR:"))

    def test_a_wrong_number_of_days_is_a_mistake(self):
        self.assertEqual(run("cert", str(self.folder), "--days", "0").returncode, 2)

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        failed = run("cert", "/proc/none/here")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("/proc/none", failed.stderr)


if __name__ == "__main__":
    unittest.main()
