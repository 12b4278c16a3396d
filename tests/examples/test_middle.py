"""examples/stock's middle tier: clients, the middle tier in each model, and its sinks, as processes."""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

PROGRAMS = Path(os.environ["PROGRAMS"])
PRICES = Path(os.environ["SOURCES"]) / "prices.txt"
CLIENT = PROGRAMS / "stock_client"
MODELS = ("TPC", "TPR-ST", "TPR-2", "AMH-ST", "AMH-2", "coroutine-ST", "coroutine-2",
          "reactor-per-core", "best-ST", "best-2", "gateway-ST", "gateway-2")


def sink(prices=PRICES):
    return Server(f"{PROGRAMS}/stock_server {prices}")


def slow_sink(milliseconds):
    return Server(f"{PROGRAMS}/stock_slow_server {milliseconds} {PRICES}")


def middle(model, *sinks):
    return Server(f"{PROGRAMS}/stock_middle {model} {' '.join(sink.ior for sink in sinks)}")


def clients_of(server, count):
    return [subprocess.Popen([CLIENT, server.ior, "ACME"], stdout=subprocess.PIPE, text=True)
            for _ in range(count)]


class Middle(unittest.TestCase):
    def check(self, client, status, output):
        self.assertEqual((client.returncode, client.stdout), (status, output), client.stderr)

    def test_each_model_answers_with_what_the_sink_says(self):
        with slow_sink(1) as far:
            for model in MODELS:
                with self.subTest(model), middle(model, far) as server:
                    self.check(server.call(f"{CLIENT} {{ior}} ACME ORBIT"), 0, "ACME 142\nORBIT 365\n")
                    unknown = server.call(f"{CLIENT} {{ior}} NONE")
                    self.check(unknown, 1, "")
                    self.assertEqual(unknown.stderr, "NONE: no such stock symbol\n")
                    self.assertEqual(server.end(), 0)

    def test_many_clients_wait_at_once(self):
        with slow_sink(100) as far:
            for model in MODELS:
                with self.subTest(model), middle(model, far) as server:
                    for client in clients_of(server, 6):
                        output, _ = client.communicate()
                        self.assertEqual((client.returncode, output), (0, "ACME 142\n"))
                    self.assertEqual(server.end(), 0)

    def test_the_client_gets_an_exception_when_the_sink_is_gone(self):
        for model in MODELS:
            with self.subTest(model), sink() as far, middle(model, far) as server:
                self.check(server.call(f"{CLIENT} {{ior}} ACME"), 0, "ACME 142\n")
                self.assertEqual(far.end(signal.SIGKILL), -signal.SIGKILL)
                client = server.call(f"{CLIENT} {{ior}} ACME")
                self.check(client, 3, "")
                self.assertRegex(client.stderr, "stock_client: (COMM_FAILURE|TRANSIENT)")
                self.assertEqual(server.end(), 0)

    def test_the_best_answer_needs_one_sink_that_answers(self):
        for model in ("best-ST", "best-2"):
            with self.subTest(model), sink() as dead, slow_sink(1) as far, slow_sink(3_600_000) as hanging:
                self.assertEqual(dead.end(signal.SIGKILL), -signal.SIGKILL)
                with middle(model, dead, hanging, far) as server:
                    self.check(server.call(f"{CLIENT} {{ior}} ACME"), 0, "ACME 142\n")
                    self.assertEqual(server.end(), 0)

    def test_the_best_answer_is_the_lowest_price(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "prices.txt"
            other.write_text("ACME 141\nORBIT 366\n")
            with sink() as first, sink(other) as second, middle("best-ST", first, second) as server:
                self.check(server.call(f"{CLIENT} {{ior}} ACME ORBIT"), 0, "ACME 141\nORBIT 365\n")

    def test_a_gateway_asks_the_sink_only_what_is_well_formed(self):
        with sink() as far, middle("gateway-ST", far) as server:
            self.assertEqual(far.end(signal.SIGKILL), -signal.SIGKILL)
            for symbol in ("acme", "A" * 9, "A;DROP"):
                client = server.call(f"{CLIENT} {{ior}} {symbol}")
                self.check(client, 1, "")  # a call of the dead sink would give status 3

    def test_wrong_usage_is_an_error_that_names_the_models(self):
        for arguments in ([], ["TPC"], ["TPR", "x"], ["TPR-0", "x"], ["AMH-two", "x"], ["best", "x"]):
            with self.subTest(arguments):
                outcome = subprocess.run([PROGRAMS / "stock_middle", *arguments], capture_output=True, text=True)
                self.assertEqual(outcome.returncode, 2)
                self.assertIn("coroutine-<n>", outcome.stderr)
        outcome = subprocess.run([PROGRAMS / "stock_slow_server", "soon", PRICES], capture_output=True)
        self.assertEqual(outcome.returncode, 2)
        outcome = subprocess.run([PROGRAMS / "stock_middle", "TPC", "nonsense"], capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 1)


if __name__ == "__main__":
    unittest.main()
