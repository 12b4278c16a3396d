"""perigee-events as a program: its options, its manual, its channels and its end."""

import json
import os
import re
import select
import signal
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from systemd_unit import unit_command
from two_processes import Server

EVENTS = os.environ["EVENTS"]
TOOL = os.environ["TOOL"]
SUPPLIER = os.environ["SUPPLIER"]
CONSUMER = os.environ["CONSUMER"]
PUSH_CONSUMER = os.environ["PUSH_CONSUMER"]


def events(*options, **more):
    return Server(f"{EVENTS} --endpoint iiop://127.0.0.1:0 {' '.join(options)}", **more)


class Program(unittest.TestCase):
    def refused(self, *options):
        ended = subprocess.run([EVENTS, *options], capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stderr

    def consume(self, reference, count):
        """A consumer that is connected."""
        consumer = subprocess.Popen([CONSUMER, reference, str(count)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(consumer.stdout.close)
        self.addCleanup(consumer.wait)
        self.addCleanup(consumer.kill)
        self.assertEqual(consumer.stdout.readline(), "connected\n")
        return consumer

    def test_two_consumers_get_the_events_of_a_supplier(self):
        with events() as server:
            consumers = [self.consume(server.ior, 3) for _ in range(2)]
            texts = ["one", "two", "three"]
            supplied = subprocess.run([SUPPLIER, server.ior, *texts], capture_output=True, text=True, timeout=60)
            self.assertEqual((supplied.returncode, supplied.stderr), (0, ""))
            for consumer in consumers:
                self.assertEqual(consumer.stdout.read().split(), texts)
                self.assertEqual(consumer.wait(), 0)
            self.assertEqual(server.end(), 0)

    def test_the_end_of_the_service_ends_its_clients(self):
        with events() as server:
            consumer = self.consume(server.ior, 1)
            self.assertEqual(server.end(), 0)
        self.assertEqual(consumer.wait(timeout=60), 1)

    def test_the_end_of_the_service_tells_push_consumers(self):
        with events() as server:
            consumer = subprocess.Popen([PUSH_CONSUMER, server.ior, "-ORBListenEndpoints", "iiop://127.0.0.1:0"],
                                        stdout=subprocess.PIPE, text=True)
            self.addCleanup(consumer.stdout.close)
            self.addCleanup(consumer.wait)
            self.addCleanup(consumer.kill)
            self.assertEqual(consumer.stdout.readline(), "connected\n")
            self.assertEqual(server.end(), 0)
        self.assertEqual(consumer.stdout.read(), "disconnected\n")

    def test_the_service_ends_although_a_peer_does_not_answer(self):
        with events("--end-time-max", "50") as server:
            consumer = subprocess.Popen([PUSH_CONSUMER, server.ior, "-ORBListenEndpoints", "iiop://127.0.0.1:0"],
                                        stdout=subprocess.PIPE, text=True)
            self.addCleanup(consumer.stdout.close)
            self.addCleanup(consumer.wait)
            self.addCleanup(consumer.kill)
            self.assertEqual(consumer.stdout.readline(), "connected\n")
            consumer.send_signal(signal.SIGSTOP)
            self.assertEqual(server.end(), 0)

    def test_rules_say_which_clients_may_supply_and_consume(self):
        with events("--allow-supply", "none") as server:
            supplied = subprocess.run([SUPPLIER, server.ior, "text"], capture_output=True, text=True, timeout=60)
            self.assertEqual(supplied.returncode, 1)
            self.assertIn("--allow-supply", supplied.stderr)
            self.consume(server.ior, 1)
        with events("--allow-consume", "user=1", "--allow-consume", "none") as server:
            consumed = subprocess.run([CONSUMER, server.ior, "1"], capture_output=True, text=True, timeout=60)
            self.assertEqual(consumed.returncode, 1)
            self.assertIn("--allow-consume", consumed.stderr)
        status, error = self.refused("--allow-supply", "everybody")
        self.assertEqual(status, 2, error)
        self.assertIn("--allow-supply: 'everybody' is not an access rule; write any, none, local", error)

    def test_the_metrics_page_shows_the_channels(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        log = Path(folder, "log")
        options = ("--channel", "'<b>news'", "-ORBMetricsEndpoint", "0", "-ORBTraceLevel", "info")
        with log.open("w") as file, events(*options, stderr=file) as server:
            address = re.search(r"http://([^/]+)/", log.read_text())[1]
            subprocess.run([SUPPLIER, server.ior, "text"], check=True, timeout=60)
            with urllib.request.urlopen(f"http://{address}/section.json?name=channels", timeout=60) as answer:
                table = json.load(answer)
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
                metrics = answer.read().decode()
            with urllib.request.urlopen(f"http://{address}/status.json", timeout=60) as answer:
                status = json.load(answer)
            self.assertEqual(server.end(), 0)
        self.assertEqual(table["rows"][0]["cells"][:2], ["<b>news", "1"], table)
        self.assertIn('perigee_events_received_total{channel="<b>news"} 1\n', metrics)
        self.assertIn({"name": "channels", "title": "Event channels"}, status["sections"])

    def test_the_shell_prints_events_as_lines_of_json(self):
        with events() as server:
            watch = subprocess.Popen([TOOL, "watch", "--count", "3", server.ior], stdout=subprocess.PIPE, text=True)
            self.addCleanup(watch.stdout.close)
            self.addCleanup(watch.wait)
            self.addCleanup(watch.kill)
            while watch.poll() is None:  # events that come before the connection are not printed
                subprocess.run([SUPPLIER, server.ior, 'a "text"'], check=True, timeout=60)
            self.assertEqual(watch.wait(timeout=60), 0)
            self.assertEqual(watch.stdout.read(), '"a \\"text\\""\n' * 3)
            self.assertEqual(server.end(), 0)

    def test_the_shell_says_why_it_cannot_watch(self):
        with events() as server:
            wrong = server.ior.replace("IOR:", "IOR:00")
            for reference, status, reason in ((wrong, 2, "perigee watch: "),
                                              ("corbaloc::127.0.0.1:1/none", 1, "perigee watch: ")):
                ended = subprocess.run([TOOL, "watch", reference], capture_output=True, text=True, timeout=60)
                self.assertEqual((ended.returncode, ended.stdout), (status, ""), ended.stderr)
                self.assertTrue(ended.stderr.startswith(reason), ended.stderr)
            watch = subprocess.Popen([TOOL, "watch", server.ior], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True)
            self.addCleanup(watch.kill)
            while watch.poll() is None and not select.select([watch.stdout], [], [], 0.1)[0]:
                subprocess.run([SUPPLIER, server.ior, "text"], check=True, timeout=60)
            self.assertEqual(server.end(), 0)
            _, error = watch.communicate(timeout=60)
            self.assertEqual((watch.returncode, error.count("\n")), (1, 1), error)

    def test_each_channel_has_a_reference_with_its_key(self):
        with events("--channel", "news", "--channel", "prices") as server:
            second = server.process.stdout.readline().strip()
            for reference, key in ((server.ior, "news"), (second, "prices")):
                shown = subprocess.run([TOOL, "ior", reference], capture_output=True, text=True).stdout
                self.assertIn(key, shown)
                self.assertIn("CosEventChannelAdmin/EventChannel:1.0", shown)
            self.assertEqual(server.end(), 0)

    def test_wrong_options_are_mistakes(self):
        for options, text in ((["--overflow", "wait"], "--overflow"), (["--chanel", "x"], "did you mean"),
                              (["--queue-events-max", "0"], "--queue-events-max"), (["-ORBThreads", "x"], "x")):
            status, error = self.refused(*options)
            self.assertEqual(status, 2, error)
            self.assertIn(text, error)

    def test_the_command_of_the_systemd_unit_starts_the_service(self):
        program, *options = unit_command(os.environ["UNIT"])
        self.assertEqual(program, "/usr/bin/perigee-events")
        with events(*options) as server:
            self.assertEqual(server.end(), 0)

    def test_two_channels_of_one_key_are_refused(self):
        status, error = self.refused("--endpoint", "iiop://127.0.0.1:0", "--channel", "a", "--channel", "a")
        self.assertEqual(status, 2, error)
        self.assertIn("--channel: 'a' is given twice", error)

    def test_the_manual_has_exactly_the_options_of_the_help(self):
        shown = subprocess.run([EVENTS, "--help"], capture_output=True, text=True).stdout
        listed = set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", shown, re.M)) - {"--help"}
        manual = Path(os.environ["MANUAL"]).read_text().replace("\\-", "-")
        self.assertEqual(set(re.findall(r"^\.TP\n\.BI? (--[a-z-]+)", manual, re.M)), listed)


if __name__ == "__main__":
    unittest.main()
