"""`perigee bench …` as a user types it: tables, files, errors; ttcp from process to process."""

import html
import json
import os
import resource
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

PERIGEE = os.environ["PERIGEE"]

TINY = {
    "cubit": ["--rounds", "2", "--calls", "20", "--workload", "void"],
    "whitebox": ["--quick", "--calls", "50"],
    "demux": ["--quick", "--calls", "500"],
    "protocols": ["--quick", "--rounds", "1"],
    "sizes": ["--quick", "--size", "1", "1048576"],
    "structs": ["--rounds", "2", "--calls", "5", "--workload", "write-bins", "--workload", "echo-bin"],
    "connections": ["--rounds", "2", "--calls", "200", "--connections", "4"],
    "crowd": ["--rounds", "1", "--calls", "1000", "--idle", "10", "--busy", "4",
              "--strategy", "reactive"],
    "bridge": ["--rounds", "1", "--calls", "50", "--octets", "0", "1048576", "--connections", "1", "3"],
    "imaging": ["--quick", "--size", "65536", "1MiB", "--volume", "1MiB"],
    "middletier": ["--clients", "4", "--delay", "0", "--seconds", "0.05", "--model", "TPC", "AMH-ST"],
    "ami": ["--rounds", "1", "--calls", "20", "--in-flight", "1", "4", "--cpus", "1"],
    "jitter": ["--rounds", "1", "--calls", "50"],
    "sockspeed": ["--quick", "--channel", "pipe", "--memory", "touched"],
    "tls": ["--rounds", "2", "--calls", "20"],
    "ttcp": ["--quick"],
    "naming": ["--quick", "--rounds", "1", "--calls", "50", "--names", "0"],
    "events": ["--quick", "--rounds", "1", "--deliveries", "400", "--consumers", "2", "--stopped", "3",
               "--durable", "200"],
}


def most_lines(page):
    """The number of curves in the chart that has most."""
    return max(chart.partition("</svg>")[0].count("<g class='s") for chart in page.split("<svg class='chart'"))


def bench(*arguments):
    return subprocess.run([PERIGEE, "bench", *arguments], capture_output=True, text=True)


class Reports(unittest.TestCase):
    def test_each_command_writes_a_table_json_and_a_page(self):
        for name, arguments in TINY.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                files = [Path(folder, "report.json"), Path(folder, "report.html")]
                outcome = bench(name, *arguments, "--json", files[0], "--html", files[1])
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                self.assertIn(f"perigee bench {name}: ", outcome.stdout)
                self.assertNotIn("\033", outcome.stderr)  # no progress bar without a terminal
                report = json.loads(files[0].read_text())
                self.assertLessEqual({"machine", "version", "date"}, set(report))
                self.assertEqual(report["experiment"], name)
                self.assertTrue(report["command"].startswith(f"perigee bench {name} "), report["command"])
                page = files[1].read_text()
                self.assertIn(html.escape(report["command"]).replace("&#x27;", "&#39;"), page)
                self.assertLessEqual(most_lines(page), 6)
                self.assertRegex(page, r"\((smaller|larger) is better\)")
                self.assertIn(f"<h1>perigee bench {name}</h1>", page)
                self.assertIn("<svg", page)
                self.assertNotRegex(page, r"\bnan\b")

    def test_json_goes_to_standard_output_as_one_line_in_place_of_the_table(self):
        for name, arguments in TINY.items():
            with self.subTest(name):
                outcome = bench(name, *arguments, "--json", "-")
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                self.assertEqual(outcome.stdout.count("\n"), 1)
                self.assertEqual(json.loads(outcome.stdout)["experiment"], name)
                self.assertFalse(Path("-").exists())

    @unittest.skipUnless(shutil.which("omniidl"), "needs omniidl")
    def test_codegen_writes_json_and_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page, idl = Path(folder, "page.html"), Path(folder, "small.idl")
            idl.write_text("interface Small { void call(); };\n")
            outcome = bench("codegen", "--rounds", "1", "--idl", idl, "--json", "-", "--html", page)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertEqual(json.loads(outcome.stdout)["experiment"], "codegen")
            self.assertIn("smaller is better", page.read_text())

    def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_measured(self):
        for option in ("--json", "--html"):
            outcome = bench("ttcp", *TINY["ttcp"], "--version", "null", option, "/nowhere/report")
            self.assertEqual((outcome.returncode, outcome.stdout), (1, ""))
            self.assertIn("cannot write /nowhere/report: No such file or directory", outcome.stderr)

    def test_an_earlier_report_stays_if_nothing_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            before, new = Path(folder, "before"), Path(folder, "new")
            before.write_text("before")
            bench("ttcp", "--version", "pigeons", "--json", before, "--html", new)
            self.assertEqual(before.read_text(), "before")
            self.assertFalse(new.exists())

    def test_an_unknown_experiment_is_a_usage_error_with_a_proposal_or_the_known_ones(self):
        outcome = bench("nosuch", "--quick")
        self.assertEqual(outcome.returncode, 2)
        self.assertEqual(outcome.stderr, "perigee bench: no command 'nosuch'; the commands are: cubit, whitebox, "
                         "demux, protocols, sizes, structs, connections, crowd, ttcp, sockspeed, imaging, middletier, "
                         "jitter, ami, bridge, tls, naming, events, codegen, paper, compare "
                         "(perigee bench --help lists the commands)\n")
        self.assertIn("no command 'cubbit'; did you mean 'cubit'?", bench("cubbit").stderr)

    def test_without_an_experiment_the_experiments_are_listed(self):
        outcome = bench()
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("a command is missing; the commands are: cubit, whitebox, demux, protocols", outcome.stderr)

    def test_unknown_options_and_words_are_usage_errors(self):
        for words in (("cubit", "--no-such-option"), ("cubit", "word"), ("--no-such-option",),
                      ("--no-such-option", "cubit", *TINY["cubit"])):
            outcome = bench(*words)
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""), words)
            self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)
        self.assertIn("perigee bench cubit: unknown option '--splt'; did you mean '--split'?",
                      bench("cubit", "--splt").stderr)

    def test_quick_sockspeed_says_what_it_leaves_out(self):
        outcome = bench("sockspeed", "--quick", "--size", "64", "--ms", "0.2")
        self.assertIn("--quick leaves out uring", outcome.stderr)
        self.assertNotIn("\nuring", outcome.stdout)


def results(name, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        outcome = bench(name, *arguments, "--json", file)
        if outcome.returncode != 0:
            raise AssertionError(outcome.stderr)
        return json.loads(file.read_text())


class Cubit(unittest.TestCase):
    FEW = ["--rounds", "2", "--calls", "20", "--workload", "void", "--workload", "octets4096"]

    def test_every_protocol_is_measured_beside_the_floor_of_its_transport(self):
        report = results("cubit", *self.FEW)
        for workload in ("void", "octets4096"):
            for name, cell in report["results"][workload].items():
                self.assertGreater(cell["p50_ns"], 0, name)
                self.assertGreater(cell["ratio"]["value"], 0, name)
            for messages in ("raw", "null", "rawlite", "raw epoll", "GIOP", "GIOPlite", "omniORB"):
                for transport in ("TCP", "UNIX"):
                    self.assertIn(f"{messages} {transport}", report["results"][workload])
        compared = {(row["system"], row["base"]) for row in report["compared"]["void"]}
        self.assertIn(("GIOPlite UNIX", "GIOP UNIX"), compared)
        self.assertIn(("raw UNIX", "raw TCP"), compared)

    def test_a_picture_shows_the_systems_of_the_first_workload(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "calls.svg")
            outcome = bench("cubit", *self.FEW, "--system", "GIOP UNIX", "--svg", file)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            picture = ElementTree.parse(file).getroot()
            self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
            texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
            self.assertLessEqual({"raw UNIX", "GIOP UNIX"}, set(texts))

    def test_goals_are_compared_with_what_was_measured(self):
        report = results("cubit", "--goals", "--rounds", "1", "--calls", "20")
        self.assertEqual(set(report["results"]), {"void", "octets4096", "longs4096", "borrowed1048576"})
        self.assertEqual(set(report["results"]["void"]),
                         {"AMH TCP", "coroutine TCP", "raw SHM", "null SHM", "copies SHM", "GIOP SHM", "GIOP SHM linked",
                          *(f"{system} {transport}" for transport in ("TCP", "UNIX")
                            for system in ("raw", "null", "raw epoll", "GIOP")),
                          *(f"GIOP {transport} {strategy}" for transport in ("TCP", "UNIX")
                            for strategy in ("reactive", "auto"))})
        goals = {goal["what"]: goal for goal in report["goals"]}
        self.assertEqual({what: goal["goal"] for what, goal in goals.items()},
                         {"void: GIOP TCP / raw TCP": 1.04, "void: GIOP UNIX / raw UNIX": 1.02,
                          "octets4096: GIOP TCP / raw TCP": 1.08, "octets4096: GIOP UNIX / raw UNIX": 1.12,
                          "longs4096: GIOP TCP / raw TCP": 1.08, "longs4096: GIOP UNIX / raw UNIX": 1.12,
                          "void: AMH TCP / raw TCP": 1.12,
                          "void: GIOP TCP reactive / raw epoll TCP": 1.03,
                          "void: GIOP UNIX reactive / raw epoll UNIX": 1.03,
                          "void: GIOP TCP auto / GIOP TCP": 1.02, "void: GIOP UNIX auto / GIOP UNIX": 1.02,
                          "void: AMH TCP / GIOP TCP reactive": 1.05, "void: coroutine TCP / AMH TCP": 1.05,
                          "void: GIOP SHM / raw SHM": 1.15, "void: GIOP SHM / GIOP UNIX": 0.55,
                          "borrowed1048576: GIOP SHM / copies SHM": 1.1,
                          "borrowed1048576 / void: GIOP SHM linked": 1.2})
        self.assertEqual(goals["void: AMH TCP / raw TCP"]["measured"], report["results"]["void"]["AMH TCP"]["ratio"])

    def test_a_system_is_measured_with_its_floor_only(self):
        report = results("cubit", *self.FEW, "--system", "GIOPlite UNIX")
        self.assertEqual(set(report["results"]["void"]), {"rawlite UNIX", "GIOPlite UNIX"})
        self.assertNotIn("compared", report)
        self.assertNotIn("goals", report)

    def test_sequences_are_allocated_where_they_are_copied(self):
        cells = results("cubit", "--rounds", "1", "--calls", "20", "--workload", "octets4096",
                        "--counts", "--system", "GIOP UNIX")["results"]["octets4096"]
        self.assertGreaterEqual(cells["GIOP UNIX"]["server"]["allocations"], 1)


class Paper(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, name="out"):
        return json.loads((self.folder / name / "paper.json").read_text())

    def test_a_paper_is_repeated_and_its_page_can_be_made_again(self):
        out, again = self.folder / "out", self.folder / "again"
        outcome = bench("paper", "--quick", "--paper", "sockspeed", "--out", out)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        report = self.report()
        self.assertLessEqual({"date", "command", "commit", "machine", "version"}, set(report))
        self.assertEqual(len(report["runs"]["blocks"]["reports"]), 6)
        measured = [finding for finding in report["findings"] if "ours" in finding]
        self.assertGreater(len(measured), 2)
        for finding in measured:
            self.assertGreaterEqual(len(finding["ours"]["samples"]), 6)
            self.assertIn(finding["sentence"], outcome.stdout)
        outcome = bench("paper", "--from", out / "paper.json", "--out", again)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual((again / "paper.html").read_text(), (out / "paper.html").read_text())
        outcome = bench("compare", out / "paper.json", again / "paper.json", "--json", "-")
        self.assertEqual({change["judgement"] for change in json.loads(outcome.stdout)["changes"]},
                         {"no change beyond chance"})

    def test_a_failed_experiment_does_not_end_the_run_but_changes_the_status(self):
        alone = self.folder / "perigee"  # without the program with probes, which whitebox starts
        shutil.copy(PERIGEE, alone)
        outcome = subprocess.run([alone, "bench", "paper", "--quick", "--paper", "protocols", "--out",
                                  self.folder / "out"], capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("not run: layers: ", outcome.stderr)
        report = self.report()
        self.assertEqual(len(report["runs"]["calls"]["reports"]), 3)
        verdicts = {finding["figure"]: finding["verdict"] for finding in report["findings"]}
        self.assertEqual(verdicts["Table 1"], "not run")
        self.assertNotEqual(verdicts["Figure 16"], "not run")

    def test_a_folder_that_cannot_be_written_is_an_error_before_anything_is_measured(self):
        file = self.folder / "file"
        file.touch()
        outcome = bench("paper", "--paper", "sockspeed", "--out", file)
        self.assertEqual((outcome.returncode, outcome.stdout), (1, ""))

    def test_a_file_that_is_not_a_report_is_an_error_with_its_name(self):
        file = self.folder / "broken.json"
        for text in ("", "{", "[]", '{"experiment": "paper"}', '{"experiment": "ttcp"}', "[" * 100_000):
            file.write_text(text)
            for words in (("paper", "--from", file, "--out", self.folder), ("compare", file, file)):
                outcome = bench(*words)
                self.assertEqual(outcome.returncode, 1, words)
                self.assertIn(str(file), outcome.stderr)
                self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)


class Compare(unittest.TestCase):
    def test_reports_of_each_experiment_have_values_to_compare(self):
        for name in ("cubit", "ttcp", "sockspeed", "connections", "middletier", "ami"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "report.json")
                self.assertEqual(bench(name, *TINY[name], "--json", file).returncode, 0)
                outcome = bench("compare", file, file, "--json", "-")
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                self.assertGreater(len(json.loads(outcome.stdout)["changes"]), 0)


@unittest.skipUnless(Path(PERIGEE, "../../../bench/cubit_iceoryx").resolve().exists() and shutil.which("iox-roudi"),
                     "needs iceoryx")
class Iceoryx(unittest.TestCase):
    """A host can have only one RouDi, so a program of the host may keep it from starting."""

    def test_calls_and_streams_are_measured_or_the_report_has_the_reason(self):
        calls = results("cubit", "--rounds", "1", "--calls", "20", "--workload", "void", "--system", "iceoryx SHM")
        self.assertGreater(calls["results"]["void"]["raw SHM"]["p50_ns"], 0)
        if "iceoryx SHM" not in calls["results"]["void"]:
            self.assertIn("RouDi did not start: ", calls["not_measured"]["iceoryx SHM"])
        streams = results("ttcp", "--quick", "--version", "iceoryx octets")
        if "iceoryx octets" not in {row["version"] for row in streams["results"]}:
            self.assertIn("RouDi did not start: ", streams["not_measured"]["iceoryx octets"])

    def test_no_shared_memory_is_left_behind(self):
        before = set(os.listdir("/dev/shm"))
        bench("cubit", "--rounds", "1", "--calls", "20", "--workload", "void", "--system", "iceoryx SHM")
        left = set(os.listdir("/dev/shm")) - before
        self.assertNotIn("iceoryx_mgmt", left)

    def test_a_second_daemon_is_a_reason(self):
        daemon = subprocess.Popen(["iox-roudi"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: (daemon.terminate(), daemon.communicate()))
        if not any("ready for clients" in line for line in daemon.stdout):
            self.skipTest("a RouDi runs on this host already")
        report = results("cubit", "--rounds", "1", "--calls", "20", "--workload", "void", "--system", "iceoryx SHM")
        self.assertIn("RouDi did not start: Could not acquire lock", report["not_measured"]["iceoryx SHM"])


class Sizes(unittest.TestCase):
    def test_each_size_is_measured_over_each_transport(self):
        report = results("sizes", "--rounds", "1", "--calls", "5", "--volume", "1MiB", "--size", "64KiB", "1", "64MiB")
        self.assertEqual(set(report["results"]), {"1", "65536", "67108864"})
        for size, ways in report["results"].items():
            self.assertEqual(set(ways), {"tcp", "uiop", "shmiop", "shmiop linked"})
            for way, cell in ways.items():
                self.assertGreater(cell["p50_ns"]["value"], 0, (size, way))
                self.assertGreater(cell["ratio"]["value"], 0, (size, way))

    def test_a_picture_has_a_legend(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "sizes.svg")
            outcome = bench("sizes", *TINY["sizes"], "--svg", file)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            picture = ElementTree.parse(file).getroot()
            texts = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
            self.assertLessEqual({"tcp", "uiop", "shmiop", "shmiop linked", "shmiop, C program"}, texts)

    def test_an_unknown_size_is_an_error_that_lists_the_sizes(self):
        outcome = bench("sizes", "--size", "2")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("2: the sizes in octets are: 1, 64, 1024, ", outcome.stderr)


class CountsOfVoidCalls:
    """The costs of a void call over one transport. Counting takes long: each transport has a test of
    its own."""

    COSTS = {"system_calls": 2, "allocations": 0}

    def counts(self, systems):
        arguments = [word for system in systems for word in ("--system", system)]
        return results("cubit", "--rounds", "1", "--calls", "20", "--workload", "void", "--counts",
                       *arguments)["results"]["void"]

    def differing_systems(self, cells, systems):
        """The systems whose void call has other costs than COSTS on one side."""
        return [system for system in systems
                if any(abs(cells[system][side][cost] - expected) > 0.3 for side in ("client", "server")
                       for cost, expected in self.COSTS.items())]

    def test_a_void_call_makes_two_system_calls_a_side_and_no_allocation(self):
        """A thread that gets no CPU for some milliseconds looks like a blocked upcall. The server's
        loop then reads the connection for the next 1,000 calls, with one system call more each. So a
        system that differs is counted again."""
        systems = [f"GIOP {self.TRANSPORT}", f"GIOPlite {self.TRANSPORT}"]
        epoll = f"raw epoll {self.TRANSPORT}"
        cells = self.counts([*systems, epoll])
        self.assertAlmostEqual(cells[f"raw {self.TRANSPORT}"]["client"]["system_calls"], 2, delta=0.1)
        self.assertAlmostEqual(cells[epoll]["server"]["system_calls"], 3, delta=0.1)
        for system in systems:
            for side in ("client", "server"):
                self.assertGreater(cells[system][side]["instructions"], 500, (system, side))
        differing = self.differing_systems(cells, systems)
        for _ in range(3):
            if differing:
                cells = self.counts(differing)
                differing = self.differing_systems(cells, differing)
        self.assertEqual(differing, [], cells)


class CountsOverTcp(CountsOfVoidCalls, unittest.TestCase):
    TRANSPORT = "TCP"


class CountsOverUnix(CountsOfVoidCalls, unittest.TestCase):
    TRANSPORT = "UNIX"


class CountsOverSharedMemory(unittest.TestCase):
    def goals(self, *words):
        report = results("cubit", "--rounds", "1", "--calls", "20", "--workload", "void", "--counts",
                         "--system", "GIOP SHM", *words)
        return {goal["what"].removeprefix("void: GIOP SHM, "): goal for goal in report["goals"]}

    def test_a_void_call_on_one_cpu_makes_at_most_one_wake_and_one_wait_for_a_message(self):
        goals = self.goals()
        for side in ("client", "server"):
            self.assertGreater(goals[f"system calls of the {side}"]["measured"]["value"], 0.5)
            for cost in ("system calls", "allocations"):
                self.assertEqual(goals[f"{cost} of the {side}"]["verdict"], "met", goals)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
    def test_on_two_cpus_the_goal_is_no_system_call(self):
        goals = self.goals("--split")
        self.assertEqual(goals["system calls of the client"]["goal"], 0)
        self.assertEqual(goals["p50 in us"]["goal"], 1)


class CubitFloor(unittest.TestCase):
    """The messages of the raw ping-pong are as large as the messages of the calls that are compared with it."""

    def role(self, *words, **options):
        process = subprocess.Popen([PERIGEE, "bench", "cubit-role", *words], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def sizes_of_calls(self, messages, workloads):
        """The sizes of each workload's last request and reply, from the client's recording."""
        reference = self.role("perigee-server", "reactive", "iiop://127.0.0.1:0", messages).stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            record, settings = Path(folder, "record.pcap"), Path(folder, "settings.toml")
            settings.write_text(f'[server]\nlocal_transports = "none"\n[log]\npcap = "{record}"\n')
            client = self.role("perigee-client", reference, messages,
                               env={**os.environ, "PERIGEE_CONFIG": str(settings)})
            answers, _ = client.communicate("".join(f"{workload} 2\n" for workload in workloads))
            self.assertEqual(answers.count("ok"), len(workloads), answers)
            sizes = payload_sizes(record.read_bytes())
        calls = list(zip(sizes[0::2], sizes[1::2], strict=True))
        return calls[-2 * len(workloads):][1::2]

    def sizes_of_floor(self, messages, count):
        """The raw client opens a connection for each workload, and first sends the two sizes."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.role("raw-client", str(server.getsockname()[1]), messages)
            sizes = []
            for _ in range(count):
                connection, _ = server.accept()
                with connection:
                    sizes.append(struct.unpack("=II", connection.recv(8, socket.MSG_WAITALL)))
        return sizes

    def test_sizes(self):
        workloads = ["void", "char", "octet", "short", "long", "double", "struct", "union", "any",
                     "octets4", "longs4", "octets4096", "longs4096", "structs4096"]
        for messages in ("GIOP", "GIOPlite"):
            with self.subTest(messages):
                self.assertEqual(dict(zip(workloads, self.sizes_of_floor(messages, len(workloads)))),
                                 dict(zip(workloads, self.sizes_of_calls(messages, workloads))))


def payload_sizes(record):
    """The sizes of the TCP payloads in a recording, without empty ones. Headers take 54 octets."""
    sizes, position = [], 24
    while position < len(record):
        size, = struct.unpack_from("<I", record, position + 8)
        position += 16 + size
        if size > 54:
            sizes.append(size - 54)
    return sizes


class Protocols(unittest.TestCase):
    def test_each_goal_is_compared_with_what_was_measured(self):
        report = results("protocols", *TINY["protocols"])
        measured = {goal["what"]: goal for goal in report["goals"]}
        void = measured["void: GIOP TCP / raw TCP"]
        self.assertEqual((void["bound"], void["goal"]), ("at most", 1.04))
        self.assertEqual(void["measured"], report["cubit"]["results"]["void"]["GIOP TCP"]["ratio"])
        for what in ("octets4096: GIOP UNIX / raw UNIX", "void: GIOP UNIX / GIOP TCP, as raw UNIX / raw TCP",
                     "longs4096: GIOPlite UNIX / GIOP UNIX", "oneways of 1 KiB: ORB octets buffered / C TCP"):
            self.assertIn(what, measured)
        oneways = measured["oneways of 4 octets: ORB octets buffered / ORB octets"]
        self.assertEqual((oneways["bound"], oneways["goal"]), ("at least", 6))
        self.assertIn(oneways["measured"], [row["throughput_ratio"] for row in report["ttcp"]["compared"]])


class Connections(unittest.TestCase):
    def test_many_connections_to_auto_are_compared_with_a_thread_each(self):
        report = results("connections", "--rounds", "1", "--calls", "512", "--system", "raw, a thread each", "perigee auto")
        self.assertEqual(set(report["results"]), {"raw", "raw, a thread each", "perigee auto"})
        self.assertEqual(report["results"]["raw, a thread each"]["threads"], 257)
        cpu, threads = report["goals"]
        self.assertEqual((cpu["what"], cpu["goal"]), ("256 connections: perigee auto / raw, a thread each, CPU", 1))
        self.assertEqual(cpu["measured"], report["compared"][0]["total_ratio"])
        self.assertEqual((threads["what"], threads["goal"]), ("256 connections: perigee auto, threads",
                                                              3 * len(os.sched_getaffinity(0)) + 3))
        self.assertEqual(threads["measured"]["value"], report["results"]["perigee auto"]["threads"])


class Bridge(unittest.TestCase):
    def test_each_size_is_measured_with_each_number_of_connections(self):
        report = results("bridge", "--rounds", "1", "--calls", "100", "--octets", "0", "1000", "200000",
                         "--connections", "1", "20")
        measured = [(cell["octets"], cell["connections"], cell["system"]) for cell in report["results"]]
        self.assertEqual(measured, [(octets, connections, system) for octets in (0, 1000, 200000)
                                    for connections in (1, 20) for system in ("raw", "null", "perigee")])
        for cell in report["results"]:
            self.assertGreater(cell["cpu_ns"], 0, cell)
        ratios = [cell["cpu_ratio"] for cell in report["results"] if cell["system"] == "perigee"]
        goals = [goal for goal in report["goals"] if goal["what"].endswith("perigee / raw, CPU")]
        self.assertEqual([goal["measured"] for goal in goals], ratios)
        self.assertEqual({goal["goal"] for goal in goals}, {1.15})

    def test_the_number_of_threads_does_not_depend_on_the_number_of_connections(self):
        report = results("bridge", "--rounds", "1", "--calls", "50", "--octets", "0", "--connections", "1", "50",
                         "--threads", "3")
        self.assertEqual({cell["threads"] for cell in report["results"] if cell["system"] == "perigee"}, {6})


class BridgeCounts(unittest.TestCase):
    def test_the_bridge_allocates_nothing_for_a_request(self):
        report = results("bridge", "--rounds", "1", "--calls", "50", "--octets", "0", "1024", "--connections", "1",
                         "--counts")
        self.assertEqual([row["octets"] for row in report["counts"]], [0, 1024])
        for row in report["counts"]:
            self.assertLessEqual(row["allocations"], 0.01, row)
            self.assertGreater(row["instructions"], 500, row)


class Middletier(unittest.TestCase):
    MODELS = ["raw", "TPC", "TPR-ST", "TPR-3", "AMH-ST", "AMH-2", "AMH-cores", "coroutine-ST", "coroutine-2",
              "coroutine-cores3"]

    def test_in_bursts_all_clients_send_at_once_and_each_crossover_has_a_sentence(self):
        report = results("middletier", "--bursts", "20", "--seconds", "0.3", "--model", "TPC", "AMH-ST")
        rows = {row["model"]: row for row in report["results"]}
        self.assertEqual(set(rows), {"TPC", "AMH-ST"})
        for row in rows.values():
            self.assertTrue(row["bursts"])
            self.assertEqual((row["clients"], row["lost"], row["failures"]), (20, 0, 0))
            self.assertGreaterEqual(row["switches_per_reply"], 0)
            self.assertLessEqual(row["rate"]["value"], 1.1 * row["ideal_rate"])
        crossover, = report["crossovers"]
        self.assertEqual((crossover["model"], crossover["base"], crossover["over"], crossover["highest"]),
                         ("AMH-ST", "TPC", "bursts", 20))
        self.assertIn("AMH-ST overtakes TPC", crossover["text"])

    def test_work_of_the_middle_tier_takes_cpu_time(self):
        rows = {work: results("middletier", "--clients", "4", "--seconds", "0.3", "--model", "AMH-ST", "raw",
                              "--work", str(work))["results"] for work in (0, 2000000)}
        for before, after in zip(rows[0], rows[2000000]):
            self.assertGreater(after["cpu_us"], before["cpu_us"] + 100, after["model"])

    def test_every_model_answers_every_client_under_both_experiments(self):
        rows = results("middletier", "--seconds", "0.4", "--clients", "40", "--delay", "5",
                       "--model", *self.MODELS)["results"]
        self.assertEqual([(row["clients"], row["delay_ms"]) for row in rows],
                         [(40, 40)] * len(self.MODELS) + [(150, 5)] * len(self.MODELS))
        self.assertEqual({row["model"] for row in rows}, set(self.MODELS))
        for row in rows:
            with self.subTest(row["model"], delay=row["delay_ms"]):
                self.assertNotIn("error", row)
                self.assertGreater(row["rate"]["value"], 0)
                self.assertGreaterEqual(row["p50_ms"], row["delay_ms"])
                self.assertEqual((row["failures"], row["lost"]), (0, 0))

    def test_the_gain_of_a_second_cpu_is_a_goal_of_models_with_several_threads(self):
        report = results("middletier", "--seconds", "0.1", "--delay", "0", "--cpus", "1", "2",
                         "--work", "100000", "--model", "raw", "raw-2", "AMH-2")
        self.assertEqual([goal["what"] for goal in report["goals"]],
                         ["150 clients, no delay: AMH-2 on two CPUs / AMH-2 on one, as raw-2 / raw",
                          "150 clients, no delay: AMH-2 on two CPUs / AMH-2 on one, as raw-2 / raw-2",
                          "150 clients, no delay: AMH-2 on two CPUs / AMH-2 on one, CPU per reply",
                          "150 clients, no delay, one CPU, raw: middle tier's share of CPU time"])
        self.assertGreater(report["goals"][-1]["measured"]["value"], 0.5)
        self.assertEqual([(row["model"], row["shared_cpus"]) for row in report["results"]],
                         [(model, cpus) for cpus in (1, 2) for model in ("AMH-2", "raw", "raw-2")])
        for row in report["results"]:
            if row["shared_cpus"] == 2 and len(os.sched_getaffinity(0)) != 2:
                self.assertIn("the experiment needs 2 CPUs", row["error"])
                continue
            self.assertNotIn("error", row)
            self.assertEqual((row["failures"], row["lost"]), (0, 0))
            self.assertGreaterEqual(row["foreign_busy"], 0)
            self.assertLess(row["foreign_busy"], os.cpu_count() + 0.5)
        self.assertEqual(report["results"][2]["threads"], 2)

    def test_goals_are_about_what_was_measured(self):
        report = results("middletier", "--seconds", "0.1", "--delay", "0", "160", "--model", "AMH-ST", "TPR-ST")
        self.assertEqual([goal["what"] for goal in report["goals"]],
                         ["150 clients, no delay: AMH-ST / TPR-ST", "150 clients, 160 ms, AMH-ST: rate / ideal"])

    def test_goals_are_measured_with_the_models_that_they_are_about(self):
        rows = results("middletier", "--goals", "--seconds", "0.05", "--model", "TPR-ST", "raw-2", "coroutine-2")["results"]
        self.assertEqual([(row["clients"], row["delay_ms"], row.get("shared_cpus", 0), row["model"]) for row in rows],
                         [(150, 0, 0, "TPR-ST"), (150, 0, 1, "coroutine-2"), (150, 0, 1, "raw-2"),
                          (150, 0, 2, "coroutine-2"), (150, 0, 2, "raw-2")])

    def test_models_with_one_loop_or_asynchronous_servants_need_few_threads(self):
        rows = results("middletier", "--seconds", "0.05", "--clients", "60", "--model", *self.MODELS)["results"]
        threads = {row["model"]: row["threads"] for row in rows}
        self.assertGreaterEqual(threads["TPC"], 60)
        self.assertEqual(threads["raw"], 1)
        for model in ("TPR-ST", "AMH-ST", "AMH-2", "AMH-cores", "coroutine-ST", "coroutine-2"):
            self.assertLess(threads[model], 10, model)

    def test_an_unknown_model_is_an_error_that_says_what_there_is(self):
        for name in ("TPC-2", "AMH-", "raw-0", "raw-ST", "AMH-0", "AMH-cores0", "pigeons-2", "coroutine"):
            outcome = bench("middletier", "--model", name)
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""), name)
            self.assertIn(f"unknown model '{name}'; the models are raw, TPC", outcome.stderr)


class Jitter(unittest.TestCase):
    PERIGEE = {"synchronous", "AMH", "coroutine", "AMH unpooled", "coroutine unpooled"}

    def test_all_systems_are_measured_alone_and_those_that_speak_giop_beside_a_crowd(self):
        alone, crowded = results("jitter", "--rounds", "2", "--calls", "100", "--crowd", "2")["parts"]
        self.assertEqual((alone["crowded"], crowded["crowded"]), (False, True))
        self.assertEqual(set(alone["results"]), self.PERIGEE | {"raw", "null"})
        self.assertEqual(set(crowded["results"]), self.PERIGEE)
        for cell in [*alone["results"].values(), *crowded["results"].values()]:
            self.assertEqual(cell["calls"], 200)
            medians = [estimate["value"] for estimate in sorted(cell["ns"].values(), key=lambda each: each["value"])]
            self.assertEqual(medians, [cell["ns"][name]["value"]
                                       for name in ("p50", "p90", "p99", "p99.9", "p99.99", "max")])
        compared = {(row["system"], row["base"]) for row in alone["compared"]}
        self.assertIn(("AMH", "synchronous"), compared)
        self.assertIn(("AMH unpooled", "AMH"), compared)

    def test_each_kind_of_call_has_its_own_part_in_the_report(self):
        parts = results("jitter", "--rounds", "1", "--calls", "20", "--crowd", "0",
                        "--workload", "long", "--workload", "struct")["parts"]
        self.assertEqual([part["workload"] for part in parts], ["long", "struct"])


class JitterCounts(unittest.TestCase):
    def test_servants_that_may_reply_later_allocate_only_without_the_pools(self):
        part, = results("jitter", "--rounds", "1", "--calls", "20", "--crowd", "0", "--counts")["parts"]
        for name, cell in part["results"].items():
            allocations = cell["server"]["allocations"]
            if name.endswith("unpooled"):
                self.assertGreater(allocations, 1.5, name)
            else:
                self.assertAlmostEqual(allocations, 0, delta=0.3, msg=name)


class Ami(unittest.TestCase):
    FEW = ["--rounds", "2", "--calls", "200", "--in-flight", "1", "64"]
    KINDS = {("synchronous", 1), *((kind, count) for kind in ("callbacks", "coroutines", "deferred")
                                   for count in (1, 64))}

    def test_every_kind_of_calls_is_measured_with_every_server(self):
        servers = ["auto", "reactive", "reactor-per-core", "thread-pool", "thread-per-connection", "omniORB"]
        parts = results("ami", *self.FEW, "--cpus", "1", "--server", *servers)["parts"]
        self.assertEqual([part["server"] for part in parts], servers)
        for part in parts:
            self.assertEqual({(row["calls"], row["in_flight"]) for row in part["results"]}, self.KINDS)
            for row in part["results"]:
                self.assertGreater(row["rate"]["value"], 0)
                self.assertGreater(row["cpu_ns"], 0)

    def test_goals_are_about_64_in_flight_on_one_cpu(self):
        goals = results("ami", *self.FEW, "--server", "reactive", "omniORB")["goals"]
        self.assertEqual([(goal["what"], goal["goal"]) for goal in goals],
                         [("reactive, 64 in flight: callbacks / synchronous", 5),
                          ("reactive, 64 in flight: coroutines / synchronous", 5),
                          ("omniORB, 64 in flight: callbacks / synchronous", 1.5),
                          ("omniORB, 64 in flight: coroutines / synchronous", 1.5)])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
    def test_on_two_cpus_only_a_default_server_has_a_goal(self):
        goals = results("ami", *self.FEW, "--cpus", "2", "--server", "reactive", "auto")["goals"]
        self.assertEqual([(goal["what"], goal["goal"]) for goal in goals],
                         [("auto, two CPUs: callbacks, 64 in flight / one", 5),
                          ("auto, two CPUs: coroutines, 64 in flight / one", 5)])

    def test_calls_in_flight_share_system_calls_and_allocate_nothing(self):
        part, = results("ami", "--rounds", "1", "--calls", "200", "--in-flight", "64", "--cpus", "1",
                        "--server", "reactive", "--counts")["parts"]
        cells = {row["calls"]: row for row in part["results"] if row["in_flight"] == 64}
        for kind in ("callbacks", "coroutines"):
            # A call that shares nothing sends its request with one system call, and receives with another.
            self.assertLess(cells[kind]["client"]["system_calls"], 1, kind)
            self.assertAlmostEqual(cells[kind]["client"]["allocations"], 0, delta=0.3, msg=kind)

    def test_an_unknown_server_is_an_error(self):
        outcome = bench("ami", "--server", "pigeons")
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("pigeons", outcome.stderr)


class Whitebox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = results("whitebox", *TINY["whitebox"])["results"]

    def test_each_row_of_both_tables_is_measured_for_each_protocol(self):
        without_parameters = {row["protocol"]: row for row in self.rows if row["size"] == 0}
        self.assertEqual(set(without_parameters),
                         {"GIOP TCP", "GIOPlite TCP", "GIOP UNIX", "GIOPlite UNIX"})
        for row in without_parameters.values():
            for side in ("client", "server"):
                times = {entry["activity"]: entry["ns"] for entry in row[side]}
                for activity in ("I/O send", "I/O recv, with waiting", "ORB messaging recv", "ORB transport recv"):
                    self.assertGreater(times[activity], 0, (side, activity))
            self.assertGreater(row["round_trip_ns"], 0)

    def test_no_time_is_below_zero_and_short_times_are_marked(self):
        for row in self.rows:
            self.assertGreater(row["resolution_ns"], 0)
            for entry in row["client"] + row["server"]:
                self.assertGreaterEqual(entry["ns"], 0, entry)
                if entry["ns"] < row["resolution_ns"]:
                    self.assertTrue(entry["below_resolution"], entry)

    def test_poa_and_servant_demultiplexing_have_rows_of_their_own(self):
        rows = {entry["activity"] for row in self.rows for entry in row["server"]}
        self.assertLessEqual({"Servant demux", "POA demux", "Operation demux, demarshal"}, rows)

    def test_each_strategy_and_kind_of_call_can_be_measured(self):
        strategies = ["thread-per-connection", "reactive", "thread-pool", "reactor-per-core", "auto"]
        report = results("whitebox", "--rounds", "1", "--calls", "20", "--size", "4",
                         "--workload", "void", "any", "--strategy", *strategies)
        rows = report["results"] + report["further_results"]
        for strategy in strategies:
            for workload in ("void", "any"):
                protocols = {row["protocol"] for row in rows if (row["strategy"], row["workload"]) == (strategy, workload)}
                self.assertEqual(len(protocols), 4, (strategy, workload))
        self.assertEqual({row["strategy"] for row in report["results"]}, {"thread-per-connection"})
        self.check_strategies(rows)
        self.check_workloads(rows)

    def check_strategies(self, rows):
        """An event loop waits before it receives; a thread of one connection waits within the system call."""
        for strategy, has_loop in (("thread-per-connection", False), ("reactive", True)):
            entries = [entry for row in rows if row["strategy"] == strategy for entry in row["server"]]
            before, within = (sum(entry["ns"] for entry in entries if entry["activity"] == activity)
                              for activity in ("ORB transport recv", "I/O recv, with waiting"))
            self.assertEqual(before > within, has_loop, (strategy, before, within))

    def check_workloads(self, rows):
        """Other processes only make a call slower, so the fastest calls of each kind are compared."""
        fastest = {workload: min(row["layers_ns"]["marshalling"] for row in rows if row["workload"] == workload)
                   for workload in ("void", "any")}
        self.assertGreater(fastest["any"], 1.5 * fastest["void"])

    @unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
    def test_instructions_of_a_step_are_counted_exactly(self):
        arguments = ["--rounds", "1", "--calls", "20", "--size", "4", "--workload", "void", "--strategy", "reactive",
                     "--counts"]
        rows = {row["protocol"]: row for row in results("whitebox", *arguments)["results"] if row["size"] == 0}
        for protocol, row in rows.items():
            counts = {entry["activity"]: entry["instructions"] for entry in row["client"] + row["server"]}
            for activity in ("POA demux", "Servant demux", "User upcall", "Parameter marshal"):
                self.assertLess(counts[activity], 200, (protocol, activity))
            self.assertGreater(counts["ORB messaging recv"], 10, protocol)

    def test_the_layers_of_a_call_make_up_its_whole_time(self):
        for row in self.rows:
            self.assertAlmostEqual(sum(row["layers_ns"].values()), row["round_trip_ns"], delta=1)

    def test_the_library_has_no_probes(self):
        def probes(program):
            symbols = subprocess.run(["nm", "-C", program], capture_output=True, text=True).stdout
            return symbols.count("perigee::probe::")
        self.assertGreater(probes(os.environ["PROBED"]), 0)
        self.assertEqual(probes(os.environ["LIBRARY"]), 0)
        symbols = subprocess.run(["nm", "-C", os.environ["PROBE_FREE"]], capture_output=True, text=True).stdout
        self.assertNotIn("probe::on::", symbols)
        self.assertNotIn("::stamp(", symbols)


class Imaging(unittest.TestCase):
    SYSTEMS = {"raw TCP", "null TCP", "stream TCP", "call TCP", "borrowed TCP", "call SHM", "borrowed SHM"}

    def test_images_are_fetched_and_uploaded_by_each_system(self):
        report = results("imaging", *TINY["imaging"])
        for direction in ("fetch", "upload"):
            for size in (65536, 1048576):
                cells = {row["system"]: row for row in report["results"]
                         if (row["direction"], row["size"]) == (direction, size)}
                self.assertEqual(set(cells), self.SYSTEMS)
                for cell in cells.values():
                    self.assertGreater(cell["octets_per_s"], 0)
                    self.assertEqual(len(cell["samples_ns"]), report["rounds"])

    @unittest.skipUnless(shutil.which("omniNames"), "needs omniNames")
    def test_the_locator_is_bound_in_a_naming_service(self):
        locating = results("imaging", *TINY["imaging"])["locating"]
        self.assertEqual(locating["by"], "naming service")
        self.assertGreater(locating["us"], 0)

    def test_without_a_naming_service_the_locator_is_in_a_file_and_the_report_says_so(self):
        outcome = subprocess.run([PERIGEE, "bench", "imaging", *TINY["imaging"]], capture_output=True, text=True,
                                 env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("the locator was found by a file (omniNames did not start: ", outcome.stdout)

    def test_a_naming_service_that_does_not_answer_is_an_error(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # nothing listens
            outcome = bench("imaging", *TINY["imaging"], "--naming", f"127.0.0.1:{unused.getsockname()[1]}")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("no naming service answers at 127.0.0.1:", outcome.stderr)


class Demux(unittest.TestCase):
    def test_linear_search_grows_with_the_interface_and_the_hashes_do_not(self):
        report = results("demux", "--rounds", "3", "--calls", "2000", "--operations", "10", "1000")
        ns = {(row["operations"], row["way"]): row["ns"] for row in report["results"] if row["order"] == "last"}
        self.assertEqual({way for _, way in ns}, {"direct", "linear", "hash", "perfect", "sorted"})
        self.assertGreater(ns[1000, "linear"], 5 * ns[10, "linear"])
        self.assertLess(ns[1000, "perfect"], ns[1000, "linear"])


class Naming(unittest.TestCase):
    def test_many_clients_resolve_and_clients_that_do_not_fit_are_left_out(self):
        files_max = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if files_max == resource.RLIM_INFINITY:
            self.skipTest("a process may open any number of files")
        clients = [10, 200, files_max + 1]
        few, many, left_out = results("naming", *TINY["naming"], "--clients", *map(str, clients))["clients"]
        self.assertEqual([few["clients"], many["clients"], left_out["clients"]], clients)
        for row in few, many:
            self.assertGreater(row["octets"], 0)
            for key in "p50_us", "p99_us", "rate", "burst_ms":
                self.assertTrue(all(value > 0 for value in row[key]), row)
        self.assertEqual(left_out, {"clients": files_max + 1, "fits": False})


class Events(unittest.TestCase):
    def test_durable_channels_are_compared_with_c_programs_that_write_the_same(self):
        report = results("events", "--rounds", "1", "--deliveries", "200", "--consumers", "2", "--size", "64",
                         "--stopped", "0", "--durable", "300")
        stores = ["SQLite", "NATS"] if shutil.which("nats-server") else ["SQLite"]
        self.assertEqual([(row["store"], row["at_once"], row["events"]) for row in report["durable"]],
                         [(store, *point) for store in stores for point in ((1, 30), (64, 300))])
        for row in report["durable"]:
            self.assertEqual([system["name"] for system in row["systems"]], ["C program", "channel"])
            floor, channel = (system["rate"]["value"] for system in row["systems"])
            self.assertAlmostEqual(row["ratio"]["value"], channel / floor)
            for system in row["systems"]:
                for value in ("rate", "cpu_us", "p99_ms"):
                    self.assertGreater(system[value]["value"], 0, row)

    def test_durable_channels_can_be_left_out(self):
        report = results("events", "--rounds", "1", "--deliveries", "200", "--consumers", "2", "--size", "64",
                         "--stopped", "0", "--durable", "0")
        self.assertNotIn("durable", report)


class Ttcp(unittest.TestCase):
    def results(self, *arguments):
        return results("ttcp", *arguments)["results"]

    def test_each_version_has_a_row_for_each_size_that_it_can_carry(self):
        rows = self.results("--quick")
        sizes = {}
        for row in rows:
            self.assertGreater(row["octets_per_s"], 0)
            self.assertGreater(row["cpu_ns_per_buffer"], 0)
            sizes.setdefault(row["version"], []).append(row["buffer_size"])
        for version in ("C TCP", "null", "sock", "lsock", "spipe", "fifo", "ORB octets", "ORB string borrowed"):
            self.assertEqual(sizes[version], [1, 4096, 65536], version)
        self.assertEqual(sizes["ORB structs"], [4096, 65536])

    def test_a_version_is_measured_beside_the_one_it_is_compared_with(self):
        rows = self.results("--quick", "--version", "lsock")
        self.assertEqual({row["version"] for row in rows}, {"lsock", "C UNIX-domain"})

    def test_queues_may_be_smaller_than_buffers(self):
        rows = self.results("--rounds", "1", "--volume", "1MiB", "--queue", "8KiB",
                            "--size", "128KiB")
        versions = {row["version"] for row in rows}
        self.assertIn("ORB octets", versions)
        self.assertTrue(versions.isdisjoint({"C SEQPACKET", "spipe"}))  # a record must fit the queue

    def test_small_buffers_carry_less_than_the_volume(self):
        rows = self.results("--rounds", "1", "--queue", "0", "--version", "sock", "--size", "1",
                            "--buffers-max", "100")
        self.assertEqual({row["buffers"] for row in rows}, {100})

    def test_a_stream_of_large_buffers_causes_no_page_fault_for_each_page(self):
        for strategy in ("thread-per-connection", "reactive"):
            rows = self.results("--large", "--rounds", "1", "--size", "48MiB", "--volume", "384MiB", "--strategy", strategy,
                                "--version", "ORB octets", "--version", "ORB octets borrowed UNIX")
            faults = {row["version"]: row["page_faults_per_buffer"] for row in rows}
            self.assertLess(max(faults.values()), 1024, faults)  # each buffer has 12,288 pages

    def test_goals_of_large_buffers_and_of_small_ones_are_compared_with_what_was_measured(self):
        report = results("ttcp", "--large", "--rounds", "1", "--size", "1KiB", "--size", "64KiB", "--volume", "1MiB")
        goals = {goal["what"]: goal for goal in report["goals"]}
        small = goals["oneways of 1 KiB: ORB octets / omniORB octets, CPU"]
        self.assertIn(small["measured"], [row["cpu_ratio"] for row in report["compared"]])
        for version, base, goal in (("ORB octets borrowed", "C TCP", 1.05), ("ORB octets", "C TCP", 1.4),
                                    ("ORB octets borrowed UNIX", "C UNIX-domain", 1.15),
                                    ("ORB octets UNIX", "C UNIX-domain", 2.0),
                                    ("ORB octets borrowed", "omniORB octets", 1), ("ORB octets", "omniORB octets", 1),
                                    ("ORB octets borrowed UNIX", "omniORB octets UNIX", 1),
                                    ("ORB octets UNIX", "omniORB octets UNIX", 1)):
            for measure in ("time", "CPU"):
                what = f"{version} / {base}: {measure}, 64 KiB"
                self.assertEqual((goals[what]["bound"], goals[what]["goal"]), ("at most", goal), what)
        for version, goal in (("ORB octets SHM", 3), ("ORB octets borrowed SHM", 3), ("ORB octets linked SHM", 10)):
            what = f"64 KiB: {version} / C TCP, buffers per CPU second"
            self.assertEqual((goals[what]["bound"], goals[what]["goal"]), ("at least", goal), what)
        self.assertEqual(len(goals), 20)

    def test_datagrams_may_be_lost_and_the_report_says_how_many(self):
        report = results("ttcp", "--quick", "--version", "dgram", "--size", "1KiB", "--size", "64KiB")
        rows = report["results"]
        self.assertEqual({(row["version"], row["buffer_size"]) for row in rows}, {("C UDP", 1024), ("dgram", 1024)})
        for row in rows:
            self.assertGreater(row["octets_per_s"], 0)
            self.assertGreaterEqual(row["lost_share"], 0)
            self.assertLess(row["lost_share"], 1)

    def test_the_summary_has_the_highest_and_the_lowest_throughput_of_each_version(self):
        report = results("ttcp", "--quick", "--version", "sock", "--size", "1KiB", "--size", "64KiB")
        for row in report["summary"]:
            speeds = {cell["octets_per_s"]: cell["buffer_size"] for cell in report["results"]
                      if cell["version"] == row["version"]}
            self.assertEqual((row["high_octets_per_s"], row["high_buffer_size"]), max(speeds.items()))
            self.assertEqual((row["low_octets_per_s"], row["low_buffer_size"]), min(speeds.items()))
        self.assertEqual({row["version"] for row in report["summary"]}, {"C TCP", "sock"})

    def test_small_and_large_queues_are_in_one_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            outcome = bench("ttcp", "--quick", "--version", "sock", "--size", "4KiB", "--queue", "8KiB", "--queue", "64KiB", "--html", page)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            text = page.read_text()
        figure = text.partition("TCP with small and large socket queues")[2].partition("<h2>")[0]
        for line in ("C TCP, 8 KiB", "C TCP, 64 KiB", "sock, 8 KiB", "sock, 64 KiB"):
            self.assertIn(line, figure)

    def test_a_figure_says_how_little_a_transfer_of_small_buffers_carries(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            arguments = ["ttcp", "--rounds", "1", "--queue", "8KiB", "--queue", "64KiB", "--version", "null", "--size", "1",
                         "--buffers-max", "1024"]
            table = bench(*arguments, "--html", page).stdout
            self.assertIn("1 B buffers: a transfer carries only 1 KiB", table)
            figures = page.read_text().split("<h2>")[1:]
            figures = [figure for figure in figures if "Throughput. " in figure]
            self.assertEqual(len(figures), 3)  # both sizes of queues, and one figure for each size
            for figure in figures:
                self.assertIn("Throughput. 1 B buffers: a transfer carries only 1 KiB", figure)
        row, *_ = self.results(*arguments[1:])
        self.assertEqual((row["buffers"], row["octets"]), (1024, 1024))

    def test_the_default_is_20_rounds_as_in_the_paper(self):
        self.assertRegex(bench("ttcp", "--help").stdout, r"--rounds [^\n]*=20\n")

    def test_a_quick_run_has_few_rounds(self):
        self.assertEqual(results("ttcp", "--quick", "--version", "null", "--size", "4KiB")["rounds"], 3)

    @unittest.skipUnless(shutil.which("strace"), "needs strace")
    def test_each_program_sets_its_queues_before_it_listens_or_connects(self):
        for kind, variant in (("c", "tcp"), ("wrapper", "sock"), ("c", "unix"), ("wrapper", "lsock"),
                              ("c", "seqpacket"), ("wrapper", "spipe"), ("orb", "octets")):
            with self.subTest(f"{kind} {variant}"), tempfile.TemporaryDirectory() as folder:
                traced = self.traced_calls(kind, variant, Path(folder))
                for side, call in (("receiver", " listen("), ("transmitter", " connect(")):
                    first = next(number for number, line in enumerate(traced[side])
                                 if call in line and "resumed" not in line and "nscd" not in line)
                    self.check_queues(traced[side][:first], side)

    @unittest.skipUnless(shutil.which("strace"), "needs strace")
    def test_the_orb_sets_the_queues_of_unix_domain_sockets(self):
        with tempfile.TemporaryDirectory() as folder:
            for side, calls in self.traced_calls("orb-unix", "octets", Path(folder)).items():
                self.check_queues(calls, side)

    def check_queues(self, calls, side):
        for option in ("SO_SNDBUF, [8192]", "SO_RCVBUF, [8192]"):
            self.assertTrue(any(option in line for line in calls), (side, option, calls))

    def traced_calls(self, kind, variant, folder):
        """The calls of both sides of a transfer with queues of 8 KiB that set options, listen and connect."""
        def role(side, place):
            return ["strace", "-D", "-f", "-o", folder / side, "-e", "trace=setsockopt,listen,connect", PERIGEE, "bench", "ttcp-role",
                    side, kind, variant, "8192", place]
        receiver = subprocess.Popen(role("receiver", "127.0.0.1"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(receiver.stdout.close)
        self.addCleanup(receiver.wait)
        self.addCleanup(receiver.kill)
        reference = receiver.stdout.readline().strip()
        done = subprocess.run(role("transmitter", reference), input="64 2\n", capture_output=True, text=True)
        self.assertIn("ok ", done.stdout, done.stderr)
        return {side: [line for line in (folder / side).read_text().splitlines() if "AF_NETLINK" not in line]
                for side in ("receiver", "transmitter")}

    def test_profiles_and_links_have_no_transmitter_or_receiver_on_another_machine(self):
        for words in (("--profile", "--transmit", "localhost"), ("--profile", "--receive"), ("--link", "10", "--transmit", "localhost"),
                      ("--link", "10", "--profile")):
            outcome = bench("ttcp", "--version", "C TCP", "--size", "1KiB", "--volume", "1KiB", *words)
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""), words)
            self.assertIn("excludes", outcome.stderr)

    def test_slow_links_are_measured_or_the_report_says_why_not(self):
        report = results("ttcp", "--link", "100", "0", "--rounds", "1", "--volume", "1MiB", "--version", "sock")
        self.assertEqual([link["mbit_per_s"] for link in report["links"]], [100, 0])
        for link in report["links"]:
            if "not_run" in link:
                self.assertTrue(link["not_run"])
                continue
            self.assertEqual({row["version"] for row in link["results"]}, {"C TCP", "sock"})
            for row in link["results"]:
                self.assertGreater(row["octets_per_s"], 0)
                self.assertLess(row["link_share"], 1.1)  # a burst passes at once: 5 % of a transfer

    def test_a_link_that_cannot_be_made_is_in_the_report_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PATH": folder}
            outcome = subprocess.run([PERIGEE, "bench", "ttcp", "--link", "10", "--version", "sock", "--json", f"{folder}/report"],
                                     capture_output=True, text=True, env=environment)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            link, = json.loads(Path(folder, "report").read_text())["links"]
        self.assertEqual(link["not_run"], "no program unshare is installed")
        self.assertIn("link of 10 Mbit/s: not run: no program unshare is installed", outcome.stdout)
        self.assertIn("link of 10 Mbit/s not run: no program unshare", outcome.stderr)

    def test_an_unknown_version_is_an_error(self):
        outcome = bench("ttcp", "--quick", "--version", "pigeons")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("unknown version 'pigeons'; the versions are: C TCP, null, sock, ORB octets", outcome.stderr)

    def test_one_unknown_version_among_known_ones_is_an_error(self):
        outcome = bench("ttcp", "--quick", "--version", "sock", "--version", "sok")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("unknown version 'sok'", outcome.stderr)

    def test_quick_does_not_change_options_that_are_given(self):
        rows = self.results("--quick", "--version", "sock", "--size", "2KiB", "--size", "65537",
                            "--queue", "64KiB", "--volume", "1MiB")
        self.assertEqual({row["buffer_size"] for row in rows}, {2048, 65537})
        self.assertEqual({row["queue_size"] for row in rows}, {65536})
        self.assertEqual({row["buffers"] for row in rows if row["buffer_size"] == 2048}, {512})

    def test_few_rounds_have_a_range_and_no_interval(self):
        arguments = ["--quick", "--version", "null", "--size", "4KiB"]
        self.assertNotIn("95 %", bench("ttcp", *arguments).stdout)
        self.assertIn("95 % interval", bench("ttcp", *arguments, "--rounds", "6").stdout)

    def test_the_orb_sends_a_buffer_with_one_system_call(self):
        profile = self.results("--profile", "--volume", "8MiB", "--size", "64KiB",
                               "--version", "ORB octets borrowed")
        calls = {row["version"]: row["transmitter"]["system_calls_per_buffer"] for row in profile}
        self.assertAlmostEqual(calls["C TCP"]["sendto"], 1, delta=0.1)
        self.assertAlmostEqual(calls["ORB octets borrowed"]["sendmsg"], 1, delta=0.1)
        self.assertLess(sum(calls["ORB octets borrowed"].values()), 1.2)
        for row in profile:
            self.assertEqual(set(row["transmitter"]["system_call_ms_per_mib"]), set(row["transmitter"]["system_calls_per_buffer"]))
            self.assertGreater(row["strace_slowdown"], 0)

    @unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
    def test_each_tool_profiles_transfers_with_the_given_queues(self):
        """A buffer takes more pieces through a small queue, so the receiver makes more calls."""
        rows = self.results("--profile", "--tool", "strace", "--tool", "callgrind", "--version", "C UNIX-domain",
                            "--size", "64KiB", "--volume", "1MiB", "--queue", "8KiB", "--queue", "0")
        receivers = {row["queue_size"]: row["receiver"] for row in rows}
        self.assertEqual(set(receivers), {0, 8192})
        traced = {size: receiver["system_calls_per_buffer"]["recvfrom"] for size, receiver in receivers.items()}
        self.assertGreater(traced[8192], 2 * traced[0])
        counted = {size: max(cost["calls_per_buffer"] for cost in receiver["function_costs"] if "recv" in cost["name"])
                   for size, receiver in receivers.items()}
        self.assertGreater(counted[8192], 2 * counted[0])

    def test_a_profile_uses_only_the_chosen_tools(self):
        row, = self.results("--profile", "--tool", "strace", "--volume", "1MiB", "--size", "64KiB", "--version", "C TCP")
        self.assertAlmostEqual(row["transmitter"]["system_calls_per_buffer"]["sendto"], 1, delta=0.1)
        self.assertFalse(row["transmitter"]["functions"])
        self.assertFalse(row["transmitter"]["function_costs"])
        self.assertNotEqual(bench("ttcp", "--tool", "strace").returncode, 0)

    @unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
    def test_the_costs_of_named_functions_are_counted(self):
        rows = self.results("--profile", "--volume", "1MiB", "--size", "4KiB", "--queue", "64KiB", "--version", "ORB string")
        self.assertEqual({(row["version"], row["queue_size"]) for row in rows}, {("C TCP", 65536), ("ORB string", 65536)})
        for row in rows:
            for side in ("transmitter", "receiver"):
                for cost in row[side]["function_costs"]:
                    self.assertGreater(cost["instructions_per_buffer"], 0)
        receiver = next(row for row in rows if row["version"] == "ORB string")["receiver"]
        for name in ("SinkServant::put_string(", "malloc"):  # the servant gets a string in new memory
            calls = [cost["calls_per_buffer"] for cost in receiver["function_costs"] if name in cost["name"]]
            self.assertAlmostEqual(max(calls), 1, delta=0.1, msg=receiver["function_costs"])


class TwoProcesses(unittest.TestCase):
    """Transmitter and receivers run on one machine here; tests/network has two hosts."""

    def receiving(self, *words):
        process = subprocess.Popen([PERIGEE, "bench", "ttcp", "--receive", "--once", "--port", "0", *words],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = process.stdout.readline().split()[-1]
        return process, port

    def test_a_transmitter_measures_with_receivers_of_another_process(self):
        receiver, port = self.receiving()
        outcome = bench("ttcp", "--quick", "--transmit", "localhost", "--port", port)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("receiver on localhost", outcome.stdout)
        self.assertIn("ORB octets borrowed", outcome.stdout)
        self.assertNotIn("lsock", outcome.stdout)
        self.assertEqual(receiver.wait(), 0)

    def test_the_receiving_machine_writes_its_sessions_as_json_and_as_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, "report.json"), Path(folder, "report.html")]
            receiver, port = self.receiving("--json", files[0], "--html", files[1])
            bench("ttcp", "--quick", "--version", "sock", "--transmit", "localhost", "--port", port)
            self.assertEqual(receiver.wait(), 0)
            report = json.loads(files[0].read_text())
            self.assertIn("sock", files[1].read_text())
        self.assertEqual((report["experiment"], str(report["port"])), ("ttcp receiver", port))
        session, = report["sessions"]
        self.assertEqual([(each["version"], each["queue_size"]) for each in session["receivers"]], [("C TCP", 0), ("sock", 0)])
        for each in session["receivers"]:
            self.assertGreater(each["cpu_ns"], 0)

    def test_json_on_standard_output_has_a_line_for_each_session_and_nothing_else(self):
        receiver = subprocess.Popen([PERIGEE, "bench", "ttcp", "--receive", "--once", "--port", "0", "--json", "-"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (receiver.kill(), receiver.communicate()))
        first, _, _ = select.select([receiver.stdout, receiver.stderr], [], [])
        self.assertEqual(first, [receiver.stderr], "the port is not on standard error")
        port = next(line.split()[-1] for line in receiver.stderr if line.startswith("receiving at port"))
        transmitted = bench("ttcp", "--quick", "--version", "sock", "--transmit", "localhost", "--port", port, "--json", "-")
        self.assertEqual(transmitted.returncode, 0, transmitted.stderr)
        received, _ = receiver.communicate()
        for output, experiment in ((transmitted.stdout, "ttcp"), (received, "ttcp receiver")):
            self.assertEqual(output.count("\n"), 1, output)
            self.assertEqual(json.loads(output)["experiment"], experiment)

    def test_receivers_end_with_the_session(self):
        receiver, port = self.receiving()
        bench("ttcp", "--quick", "--version", "sock", "--transmit", "localhost", "--port", port)
        receiver.wait()
        left = subprocess.run(["ps", "--ppid", str(receiver.pid), "-o", "pid="],
                              capture_output=True, text=True).stdout
        self.assertEqual(left.strip(), "")

    def test_versions_that_work_on_one_machine_only_are_an_error(self):
        outcome = bench("ttcp", "--version", "lsock", "--transmit", "localhost", "--port", "1")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("none of these versions works between machines", outcome.stderr)

    def test_a_port_without_a_listener_is_an_error_that_names_the_port(self):
        receiver, port = self.receiving()
        receiver.kill()
        receiver.wait()
        outcome = bench("ttcp", "--transmit", "localhost", "--port", port)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn(f"localhost port {port}: Connection refused", outcome.stderr)

    def test_peers_that_are_not_transmitters_do_not_end_the_receiver(self):
        receiver, port = self.receiving()
        place = ("localhost", int(port))
        with socket.create_connection(place) as connection:
            connection.sendall(b"GET / HTTP/1.0\n")
            self.assertIn(b"error no such request: GET", connection.recv(1000))
        with socket.create_connection(place) as scan:  # closed by a reset
            scan.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with socket.create_connection(place):  # says nothing
            outcome = bench("ttcp", "--quick", "--version", "sock", "--transmit", "localhost", "--port", port)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(receiver.wait(), 0)


if __name__ == "__main__":
    unittest.main()
