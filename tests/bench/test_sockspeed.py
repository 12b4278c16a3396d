"""perigee bench sockspeed: small runs of each channel, parent and child started by hand, and errors."""

import json
import os
import re
import select
import socket
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TOOL"]
CHANNELS = ("tcp", "unix", "seqpacket", "pipe", "fifo", "shm")
VARIANTS = ("tcp+host-address", "tcp+no-delay", "tcp+non-blocking", "unix+non-blocking", "seqpacket+non-blocking",
            "pipe+non-blocking", "fifo+non-blocking", "tcp+queue=65536", "unix+queue=8192",
            "seqpacket+queue=8192", "pipe+queue=8192", "fifo+queue=8192", "shm+queue=8192")
# Kernels may not have these calls; prctl and seccomp may forbid them.
NO_URING = ("Function not implemented", "Operation not permitted")


def sockspeed(*words):
    return subprocess.run([TOOL, "bench", "sockspeed", *words], capture_output=True, text=True)


def experiment(*words):
    with tempfile.TemporaryDirectory() as folder:
        done = sockspeed("--rounds", "2", "--ms", "1", "--json", f"{folder}/j", "--html", f"{folder}/h",
                         *words)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout, json.loads(Path(folder, "j").read_text()), Path(folder, "h").read_text()


class Experiment(unittest.TestCase):
    def check_cells(self, channels, sizes, *words):
        options = [word for channel in channels for word in ("--channel", channel)]
        options += [word for size in sizes for word in ("--size", str(size))]
        table, report, page = experiment(*options, *words)
        for memory in ("touched", "untouched"):
            for channel in channels:
                self.assertIn(f"{channel}, {memory} memory", table)
                self.assertIn(f"{channel}, {memory} memory", page)
                for size in sizes:
                    cell = report["results"][memory][channel][str(size)]
                    self.assertGreater(cell["c_octets_per_second"], 0)
                    self.assertGreater(cell["null_ratio"]["value"], 0)
                    self.assertGreater(cell["null_cpu_ratio"]["value"], 0)
                    # Processes of their own measure the null run, so it is not exactly the C program's result.
                    self.assertNotEqual(set(cell["null_ratio"]["samples"]), {1.0})
                    wrapped = not channel.startswith("shm+")  # the transport's rings have a fixed size
                    self.assertEqual("ratio" in cell, wrapped)
                    self.assertEqual("wrapper_cpu_ns" in cell, wrapped)

    def test_every_channel_carries_every_kind_of_block(self):
        self.check_cells(CHANNELS, (16, 4096, 1024 * 1024))

    def test_every_option_of_a_channel_carries_every_kind_of_block(self):
        self.check_cells(VARIANTS, (64, 65536))

    def test_no_names_are_left_behind(self):
        def names():
            return {path for folder in ("/dev/shm", "/tmp") for path in Path(folder).glob("perigee-sockspeed.*")}
        before = names()
        experiment("--size", "64", "--channel", "fifo", "--channel", "shm")
        self.assertLessEqual(names(), before)

    def test_two_cpus_can_be_used(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.assertIn("needs two CPUs", sockspeed("--split").stderr)
        else:
            self.check_cells(("tcp", "shm"), (4096,), "--split")

    def test_pipes_are_compared_with_sockets_and_the_host_address_with_the_loopback_address(self):
        channels = ("tcp", "tcp+host-address", "unix", "pipe", "fifo")
        table, report, page = experiment("--size", "64", *(word for channel in channels for word in ("--channel", channel)))
        for memory in ("touched", "untouched"):
            compared = {(row["system"], row["base"]): row for row in report["compared"] if row["memory"] == memory}
            self.assertEqual(set(compared), {("tcp+host-address", "tcp"), ("pipe", "tcp"), ("pipe", "unix"), ("fifo", "tcp")})
            for row in compared.values():
                self.assertEqual(row["block_size"], 64)
                self.assertGreater(row["throughput_ratio"]["value"], 0)
        for text in (table, page):
            self.assertIn("tcp+host-address / tcp", text)

    def test_several_pairs_send_at_once_if_each_can_have_a_cpu(self):
        words = ("--channel", "tcp", "--channel", "shm", "--size", "4096", "--pairs", "2")
        if len(os.sched_getaffinity(0)) < 2:
            self.assertIn("--pairs 2 needs as many CPUs", sockspeed(*words).stderr)
            return
        table, report, _ = experiment(*words)
        self.assertEqual(report["pairs"], 2)
        self.assertIn("2 pairs at once", table)
        for channel in ("tcp", "shm"):
            cell = report["results"]["touched"][channel]["4096"]
            self.assertGreater(cell["pairs_octets_per_second"], 0)
            self.assertGreater(cell["pairs_ratio"]["value"], 0)

    def test_one_copy_of_the_loops_that_write_and_check_blocks_serves_all_links(self):
        """Copies in each link lie differently in cache lines, so they would differ in speed."""
        symbols = subprocess.run(["nm", "-C", TOOL], capture_output=True, text=True, check=True).stdout
        for name in ("write_block", "check_block"):
            found = re.findall(rf"^([0-9a-f]+) [tTwW] perigee::bench::{name}\([^)]*\)$", symbols, re.MULTILINE)
            self.assertEqual(len(found), 1, name)
            if "__asan_init" not in symbols:  # a sanitizer puts data of its own before each function
                self.assertEqual(int(found[0], 16) % 64, 0, name)

    def test_each_link_calls_the_shared_loops_and_has_no_copy_of_them(self):
        """A copy within the code of a link has no symbol of its own."""
        symbols = subprocess.run(["nm", "-CS", TOOL], capture_output=True, text=True, check=True).stdout
        for side, function, loop in (("ParentOf", "send", "write_block"), ("ChildOf", "receive", "check_block")):
            links = re.findall(rf"^(\w+) (\w+) [tTwW] perigee::bench::{side}<(.*)>::{function}\([^)]*\)$", symbols, re.MULTILINE)
            self.assertGreater(len(links), 8, side)
            for address, size, link in links:
                self.assertIn(loop, self.code_at(int(address, 16), int(size, 16)), f"{side}<{link}>")

    @staticmethod
    def code_at(address, size):
        """The instructions of a function."""
        return subprocess.run(["objdump", "-d", f"--start-address={address}", f"--stop-address={address + size}", TOOL],
                              capture_output=True, text=True, check=True).stdout

    def test_io_uring_is_measured_or_its_absence_is_said(self):
        done = sockspeed("--rounds", "1", "--ms", "1", "--size", "4096", "--channel", "uring")
        if done.returncode != 0:
            self.assertRegex(done.stderr, "|".join(NO_URING))
        else:
            self.assertIn("uring, touched memory", done.stdout)

    def test_the_page_needs_nothing_from_elsewhere(self):
        _, _, page = experiment("--quick", "--channel", "unix")
        self.assertIn("<svg", page)
        self.assertNotRegex(page, r"(src|href)=|@import|url\(")


class ByHand(unittest.TestCase):
    def start(self, *words):
        process = subprocess.Popen([TOOL, "bench", "sockspeed", *words], text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def parent(self, channel, *words):
        """A parent, and the arguments that it prints for the child."""
        parent = self.start("--parent", channel, *words)
        return parent, parent.stdout.readline().split("bench sockspeed ")[1].split()

    def test_parent_and_child_can_be_started_separately(self):
        for channel in CHANNELS:
            for versions in (("c", "wrapper"), ("wrapper", "c")):
                with self.subTest(f"{channel} {versions}"):
                    parent, told = self.parent(channel, "--size", "64", "--size", "64k", "--ms", "1",
                                               "--version", versions[0])
                    child = self.start(*told, "--version", versions[1])
                    if channel == "pipe":
                        self.assertEqual(parent.stdout.readline(), "press Enter when the child has started\n")
                        self.wait_until_open(child, told[-1])
                        parent.stdin.write("\n")
                        parent.stdin.flush()
                    received, errors = child.communicate()
                    sent, _ = parent.communicate()
                    self.assertEqual((child.returncode, parent.returncode), (0, 0), errors)
                    self.assertEqual(self.transfers(sent), self.transfers(received))
                    self.assertEqual([size for size, _ in self.transfers(sent)], ["64", "65536"])
                    self.assertIn("no octets were lost or changed", received)

    def test_a_parent_can_wait_at_all_interfaces(self):
        parent, told = self.parent("tcp", "--at", ":0", "--size", "64", "--ms", "1")
        self.assertFalse(told[-1].startswith("0.0.0.0:"), "other machines cannot use this address")
        child = sockspeed(*told)
        self.assertEqual((child.returncode, parent.wait()), (0, 0), child.stderr)

    def test_each_side_writes_its_runs_as_json_and_as_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {side: (f"{folder}/{side}.json", f"{folder}/{side}.html") for side in ("parent", "child")}
            def outputs(side):
                return "--json", files[side][0], "--html", files[side][1]
            parent, told = self.parent("tcp", "--size", "64", "--size", "4096", "--ms", "1", *outputs("parent"))
            child = sockspeed(*told, *outputs("child"))
            self.assertEqual((child.returncode, parent.wait()), (0, 0), child.stderr)
            reports = {side: json.loads(Path(files[side][0]).read_text()) for side in files}
            for side, report in reports.items():
                self.assertEqual((report["experiment"], report["channel"]), (f"sockspeed {side}", "tcp"))
                self.assertEqual([run["block_size"] for run in report["results"]], [64, 4096])
                self.assertIn("<h1>perigee bench sockspeed", Path(files[side][1]).read_text())
            transfers = [[run["transfers"] for run in report["results"]] for report in reports.values()]
            self.assertEqual(transfers[0], transfers[1])

    def test_json_on_standard_output_is_the_only_line_there(self):
        parent = self.start("--parent", "unix", "--size", "64", "--ms", "1", "--json", "-")
        first, _, _ = select.select([parent.stdout, parent.stderr], [], [])
        self.assertEqual(first, [parent.stderr], "the address is not on standard error")
        child = sockspeed(*parent.stderr.readline().split("bench sockspeed ")[1].split(), "--json", "-")
        self.assertEqual(child.stdout.count("\n"), 1)
        self.assertEqual(json.loads(child.stdout)["experiment"], "sockspeed child")
        self.assertEqual(json.loads(parent.communicate()[0])["experiment"], "sockspeed parent")

    def test_the_run_of_a_parent_ends_with_the_receipt_of_the_child(self):
        """This child receives all blocks and sends no receipt: for the parent, the run has failed."""
        for version in ("c", "wrapper"):
            with self.subTest(version):
                parent, told = self.parent("tcp", "--size", "64", "--ms", "1", "--version", version)
                host, _, port = told[-1].rpartition(":")
                with socket.create_connection((host, int(port))) as child:
                    self.receive_run(child, 64)
                sent, errors = parent.communicate()
                self.assertEqual((parent.returncode, self.transfers(sent)), (1, []))
                self.assertIn("the child has ended before it has received all blocks", errors)

    @staticmethod
    def receive_run(connection, size):
        """Receives the preamble of four words, and all blocks: the first word of the last block is odd."""
        with connection.makefile("rb") as stream:
            stream.read(4 * 8)
            while struct.unpack_from("=Q", stream.read(size))[0] % 2 == 0:
                pass

    @staticmethod
    def transfers(text):
        return re.findall(r"(\d+) octets, touched +(\d+) transfers", text)

    @staticmethod
    def has_open(process, file):
        for handle in Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                if os.readlink(handle) == file:
                    return True
            except FileNotFoundError:
                pass  # just closed
        return False

    def wait_until_open(self, child, path):
        pipe = os.readlink(path)
        while not self.has_open(child, pipe):
            self.assertIsNone(child.poll())

    def endless(self, channel):
        """A parent and its child in the middle of a transfer that would not end."""
        parent, told = self.parent(channel, "--size", "4096", "--ms", "600000")
        before = self.ticks(parent)
        child = self.start(*told)
        # Waits until the parent has used CPU time, and so has sent octets. The child also uses CPU time
        # before it has connected, so the child's time would not show that the transfer has begun.
        while self.ticks(parent) < before + 2:
            self.assertIsNone(child.poll())
        return parent, child

    @staticmethod
    def ticks(process):
        """CPU time used so far."""
        return sum(map(int, Path(f"/proc/{process.pid}/stat").read_text().split()[13:15]))

    def test_a_child_that_is_killed_ends_the_parent_with_an_error(self):
        for channel in ("tcp", "unix", "seqpacket", "fifo", "shm"):
            with self.subTest(channel):
                parent, child = self.endless(channel)
                child.kill()
                _, errors = parent.communicate()
                self.assertEqual(parent.returncode, 1)
                self.assertRegex(errors, "Broken pipe|Connection reset by peer|has ended")

    def test_a_parent_that_is_killed_ends_the_child_with_an_error(self):
        for channel in ("tcp", "unix", "seqpacket", "fifo", "shm"):
            with self.subTest(channel):
                parent, child = self.endless(channel)
                parent.kill()
                _, errors = child.communicate()
                self.assertEqual(child.returncode, 1)
                self.assertRegex(errors, "ended within a run|Connection reset by peer")

    def test_a_child_refuses_a_server_that_is_not_a_parent(self):
        stranger = subprocess.Popen(["python3", "-c", "import socket\n"
                                     "s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)\n"
                                     "s.accept()[0].sendall(b'HTTP/1.1 200 OK' * 10); input()"],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (stranger.kill(), stranger.communicate()))
        child = sockspeed("--child", "tcp", "--at", "127.0.0.1:" + stranger.stdout.readline().strip())
        self.assertEqual(child.returncode, 1)
        self.assertIn("the peer is not a parent of perigee bench sockspeed", child.stderr)


class Mistakes(unittest.TestCase):
    def test_invalid_arguments_are_errors_that_name_the_cause(self):
        for words, text in (
            (("--channel", "udp"), "unknown channel 'udp'"),
            (("--channel", "unix+no-delay"), "unknown option 'no-delay' of the channel 'unix'"),
            (("--pairs", "2", "--split"), "leave out --split"),
            (("--size", "17"), "a multiple of 8 from 16 octets"),
            (("--size", "8"), "a multiple of 8 from 16 octets"),
            (("--child", "tcp"), "--child: needs --at"),
            (("--child", "tcp", "--at", "127.0.0.1:1"), "connect to 127.0.0.1:1: Connection refused"),
            (("--child", "unix", "--at", "/no/such/socket"), "connect to /no/such/socket: No such file"),
            (("--child", "fifo", "--at", "/no/such/pipe"), "open /no/such/pipe: No such file"),
            (("--child", "shm", "--at", "/perigee-no-such-ring"), "No such file"),
            (("--child", "shm", "--at", "@perigee-no-such-ring"), "connect to shmiop://@perigee-no-such-ring: Connection refused"),
            (("--parent", "shm", "--at", "/ring"), "--at /ring: write @perigee-<name>, or add --version c"),
            (("--parent", "fifo", "--at", "/no/such/folder/pipe"), "No such file"),
        ):
            with self.subTest(" ".join(words)):
                done = sockspeed(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
