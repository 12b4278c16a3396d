"""Runs stock_server and stock_client of examples/stock as two processes. Checks their results and errors."""

import os
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
SLOW_SERVER = Path(SERVER).with_name("stock_slow_server")
TOOL = os.environ["TOOL"]
PRICES = Path(os.environ["SOURCES"]) / "prices.txt"


def serving(options="", prices=PRICES):
    return Server(f"{SERVER} {options} {prices}")


def free_address():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def metrics(address):
    with urllib.request.urlopen(f"http://{address}/metrics") as page:
        return page.read().decode()


def is_pending(pid, number):
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith(("SigPnd:", "ShdPnd:")) and int(line.split()[1], 16) >> number - 1 & 1:
                return True
    return False


class Stock(unittest.TestCase):
    def test_the_client_prints_the_prices_of_the_file(self):
        with serving() as server:
            client = server.call(f"{CLIENT} {{ior}} ACME ORBIT")
            self.assertEqual((client.returncode, client.stdout), (0, "ACME 142\nORBIT 365\n"),
                             client.stderr)

    def test_each_thread_strategy_serves(self):
        for strategy in ("auto", "reactive", "thread-per-connection", "thread-pool", "reactor-per-core"):
            with self.subTest(strategy), serving(f"-ORBThreadStrategy {strategy}") as server:
                client = server.call(f"{CLIENT} {{ior}} ACME")
                self.assertEqual((client.returncode, client.stdout), (0, "ACME 142\n"), client.stderr)
                self.assertEqual(server.end(), 0)

    def test_the_client_names_an_unknown_symbol_and_prints_the_other_prices(self):
        with serving() as server:
            client = server.call(f"{CLIENT} {{ior}} ACME NONE IOR")
            self.assertEqual((client.returncode, client.stdout), (1, "ACME 142\nIOR 99\n"))
            self.assertEqual(client.stderr, "NONE: no such stock symbol\n")

    def test_sigterm_and_sigint_shut_the_server_down_with_exit_status_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), serving() as server:
                self.assertEqual(server.call(f"{CLIENT} {{ior}} ACME").returncode, 0)
                self.assertEqual(server.end(number), 0)

    def test_sigterm_shuts_down_a_server_with_metrics_and_administration_endpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            options = (f"-ORBMetricsEndpoint 127.0.0.1:0 "
                       f"-ORBAdministration uiop://{folder}/administration")
            for strategy in ("auto", "reactive", "thread-per-connection"):
                with self.subTest(strategy), \
                        serving(f"{options} -ORBThreadStrategy {strategy}") as server:
                    self.assertEqual(server.call(f"{CLIENT} {{ior}} ACME").returncode, 0)
                    self.assertEqual(server.end(), 0)

    def test_a_second_signal_ends_a_server_that_still_drains(self):
        with Server(f"{SLOW_SERVER} -ORBMetricsEndpoint {free_address()} "
                    f"-ORBDrainTimeout 3600000 3600000 {PRICES}") as server:
            client = subprocess.Popen([CLIENT, "-ORBFirstReplyTimeout", "0", server.ior, "ACME"],
                                      stderr=subprocess.PIPE)
            try:
                page = server.command.split()[2]
                while "perigee_requests_in_progress 1\n" not in metrics(page):
                    pass
                server.process.send_signal(signal.SIGTERM)
                # The first signal is pending until the system has delivered it.
                while is_pending(server.process.pid, signal.SIGTERM):
                    pass
                self.assertIsNone(server.process.poll())
                self.assertEqual(server.end(), -signal.SIGTERM)
            finally:
                client.communicate()

    def test_the_server_writes_its_reference_to_the_file_of_its_second_argument(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "quoter.ior"
            os.mkfifo(file)  # read_text() blocks until the server opens the file for writing
            server = subprocess.Popen([SERVER, PRICES, file])
            try:
                reference = file.read_text()
                plain = Path(folder) / "copy.ior"
                plain.write_text(reference)
                client = subprocess.run([CLIENT, f"file:{plain}", "GIOP"], capture_output=True, text=True)
                self.assertEqual((client.returncode, client.stdout), (0, "GIOP 12\n"), client.stderr)
                server.terminate()
                self.assertEqual(server.wait(), 0)
            finally:
                server.kill()
                server.wait()

    def test_the_error_for_a_bad_price_file_names_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            prices = Path(folder) / "prices.txt"
            prices.write_text("ACME 1\nORBIT many\n")
            server = subprocess.run([SERVER, prices], capture_output=True, text=True)
            self.assertEqual((server.returncode, server.stdout), (1, ""))
            self.assertEqual(server.stderr, f"stock_server: {prices}:2: 'many' is not a price\n")

    def test_wrong_usage_and_wrong_references_are_errors(self):
        self.assertEqual(subprocess.run([SERVER], capture_output=True).returncode, 2)
        self.assertEqual(subprocess.run([CLIENT], capture_output=True).returncode, 2)
        for reference in ("IOR:00", "nonsense", "file:does/not/exist"):
            with self.subTest(reference):
                client = subprocess.run([CLIENT, reference, "ACME"], capture_output=True, text=True)
                self.assertEqual(client.returncode, 3)
                self.assertTrue(client.stderr.startswith("stock_client: "), client.stderr)

    def test_perigee_ior_describes_the_reference(self):
        with serving() as server:
            tool = server.call(f"{TOOL} ior {{ior}}")
            self.assertEqual(tool.returncode, 0, tool.stderr)
            self.assertIn("type id: IDL:Stock/Quoter:1.0\n", tool.stdout)
            self.assertIn("profile 1: IIOP (tag 0)", tool.stdout)


if __name__ == "__main__":
    unittest.main()
