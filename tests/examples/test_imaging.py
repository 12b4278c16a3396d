"""examples/imaging: server, locator and client as processes; kills, forged tickets, limits, slow clients."""

import hashlib
import os
import pty
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["PROGRAMS"])
TOOL = os.environ["TOOL"]
MIB = 1024 * 1024
LARGE = 40 * MIB


class Program:
    """A server, from its first line (its reference) on. Killed at the end of the test."""

    def __init__(self, test, words, endpoint="iiop://127.0.0.1", before=(), environment=None):
        self.log = test.folder / f"log.{len(os.listdir(test.folder))}"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*before, PROGRAMS / words[0], *words[1:], "-ORBListenEndpoints", endpoint],
                stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, **(environment or {})},
            )
        test.addCleanup(self.clean_up)
        self.reference = self.process.stdout.readline().strip()
        if not self.reference.startswith("IOR:"):
            raise AssertionError(self.log.read_text())
        described = subprocess.run([TOOL, "ior", self.reference], capture_output=True, text=True)
        self.endpoint = "iiop://127.0.0.1:" + re.search(r"127\.0\.0\.1:(\d+)", described.stdout)[1]

    def clean_up(self):
        self.kill()
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        return self.process.wait()

    def wait_for_log(self, text):
        while text not in self.log.read_text():
            if self.process.poll() is not None:
                raise AssertionError("ended: " + self.log.read_text())
            time.sleep(0.01)  # leaves the processor to the program


class Imaging(unittest.TestCase):
    # The images are made once; tests that change images copy them first.
    @classmethod
    def setUpClass(cls):
        cls.store = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.store.cleanup)
        cls.generate(Path(cls.store.name) / "large.pgm", 40)
        cls.generate(Path(cls.store.name) / "small.pgm", 1)

    @staticmethod
    def generate(path, mib, seed=1):
        subprocess.run([PROGRAMS / "image_generator", path, "--mib", str(mib), "--seed", str(seed)],
                       check=True)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.images = self.folder / "images"
        self.images.mkdir()
        for image in Path(self.store.name).iterdir():
            os.link(image, self.images / image.name)

    def serve(self, *options, **keywords):
        return Program(self, ["image_server", self.images, "--stream-host", "127.0.0.1", *options],
                       **keywords)

    def start(self, *options):
        self.server = self.serve(*options)
        self.locator = Program(self, ["image_locator", self.server.reference])

    def start_with_another_server(self):
        """Starts two servers. Returns the folder of the second server's images, and that server."""
        others = self.folder / "others"
        others.mkdir()
        self.generate(others / "other.pgm", 1, seed=7)
        first = self.serve()
        second = Program(self, ["image_server", others, "--stream-host", "127.0.0.1"])
        self.locator = Program(self, ["image_locator", first.reference, second.reference])
        return others, second

    def start_again(self):
        self.server = self.serve(endpoint=self.server.endpoint)

    def words(self, *words):
        return [PROGRAMS / "image_client", self.locator.reference, *words]

    def client(self, *words):
        return subprocess.run(self.words(*words), cwd=self.folder, capture_output=True, text=True)

    def fetching(self, *words):
        client = subprocess.Popen(self.words("fetch", *words), cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (client.kill(), client.communicate()))
        return client

    def part_size(self):
        return sum(part.stat().st_size for part in self.folder.glob("*.part"))

    def wait_for_part(self, client, size):
        while self.part_size() < size:
            self.assertIsNone(client.poll(), "the client has ended")

    def assert_fetched(self, name, client_output, file=None):
        original = (self.images / name).read_bytes()
        self.assertEqual((self.folder / (file or name)).read_bytes(), original)
        self.assertIn("checksum right: " + hashlib.sha256(original).hexdigest(), client_output)
        self.assertEqual(list(self.folder.glob(f"{file or name}.*")), [])

    def ticket(self, name, *options):
        host, port, secret, _ = self.client("ticket", name, *options).stdout.split()
        return (host, int(port)), bytes.fromhex(secret)

    def first_answer(self, address, secret):
        with socket.create_connection(address) as stream:
            stream.sendall(secret)
            return stream.recv(1)

    def show(self, address, secret):
        """All octets that the server sends for a ticket, without the octets 4, which tell the client to wait."""
        with socket.create_connection(address) as stream:
            stream.sendall(secret)
            return b"".join(iter(lambda: stream.recv(MIB), b"")).lstrip(b"\4")


class Fetching(Imaging):
    def test_forty_mebioctets_arrive_with_their_checksum(self):
        self.start()
        client = self.client("fetch", "large.pgm")
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertGreaterEqual((self.folder / "large.pgm").stat().st_size, LARGE)
        self.assert_fetched("large.pgm", client.stdout)

    def test_the_list_has_checksum_size_and_name(self):
        self.start()
        lines = [line.split() for line in self.client("list").stdout.splitlines()]
        self.assertEqual([line[2] for line in lines], ["large.pgm", "small.pgm"])
        for checksum, size, name in lines:
            octets = (self.images / name).read_bytes()
            self.assertEqual((checksum, int(size)), (hashlib.sha256(octets).hexdigest(), len(octets)))

    def test_progress_is_shown_on_a_terminal(self):
        self.start()
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        client = subprocess.run(self.words("fetch", "small.pgm"), cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=slave, text=True)
        os.close(slave)
        self.assertEqual(client.returncode, 0)
        self.assertRegex(os.read(master, 65536).decode(), r"small.pgm: 1.0 of 1.0 MiB, 100 %")

    def test_without_a_terminal_no_progress_is_shown(self):
        self.start()
        self.assertEqual(self.client("fetch", "small.pgm").stderr, "")

    def test_the_locator_finds_the_server_that_has_the_image(self):
        others, _ = self.start_with_another_server()
        self.assertEqual(self.client("fetch", "other.pgm").returncode, 0)
        self.assertEqual((self.folder / "other.pgm").read_bytes(), (others / "other.pgm").read_bytes())
        self.assertIn("other.pgm", self.client("list").stdout)

    def test_an_image_that_comes_while_the_server_runs_is_found(self):
        self.start()
        self.generate(self.images / "new.pgm", 1, seed=3)
        self.assert_fetched("new.pgm", self.client("fetch", "new.pgm").stdout)

    def test_more_clients_than_transfers_wait_for_their_turn(self):
        self.start("--transfers", "1")
        clients = [self.fetching("large.pgm", "--to", f"{number}.pgm") for number in range(3)]
        for number, client in enumerate(clients):
            output, errors = client.communicate()
            self.assertEqual((client.returncode, errors), (0, ""))
            self.assert_fetched("large.pgm", output, f"{number}.pgm")


class Interrupted(Imaging):
    def test_a_server_that_is_killed_in_the_middle_goes_on_when_it_is_back(self):
        self.start()
        client = self.fetching("large.pgm", "--rate", "20", "--attempts", "1000")
        self.wait_for_part(client, 4 * MIB)
        self.server.kill()
        self.assertLess(self.part_size(), LARGE)
        self.start_again()
        output, errors = client.communicate()
        self.assertEqual(client.returncode, 0, errors)
        self.assertGreater(int(re.search(r"continues at octet (\d+)", errors)[1]), 4 * MIB - 1)
        self.assert_fetched("large.pgm", output)

    def test_a_client_that_is_killed_in_the_middle_goes_on_when_it_is_started_again(self):
        self.start()
        client = self.fetching("large.pgm", "--rate", "20")
        self.wait_for_part(client, 4 * MIB)
        client.kill()
        client.communicate()
        self.assertFalse((self.folder / "large.pgm").exists())
        again = self.client("fetch", "large.pgm")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertGreater(int(re.search(r"continues at octet (\d+)", again.stderr)[1]), 4 * MIB - 1)
        self.assert_fetched("large.pgm", again.stdout)

    def test_a_client_whose_server_stays_away_gives_up_and_says_so(self):
        self.start()
        client = self.fetching("large.pgm", "--rate", "10", "--attempts", "2")
        self.wait_for_part(client, 4 * MIB)
        self.server.kill()
        _, errors = client.communicate()
        self.assertEqual(client.returncode, 1)
        self.assertIn("given up: fetch again to continue", errors)
        self.start_again()
        self.assert_fetched("large.pgm", self.client("fetch", "large.pgm").stdout)

    def test_a_restart_finds_images_and_references_again(self):
        self.start()
        checksum_file = self.images / "large.pgm.sha256"
        made = checksum_file.stat().st_mtime_ns
        self.server.kill()
        self.start_again()
        self.assert_fetched("large.pgm", self.client("fetch", "large.pgm").stdout)
        self.assertEqual(checksum_file.stat().st_mtime_ns, made)

    def test_a_locator_that_comes_back_is_waited_for(self):
        self.start()
        self.locator.kill()
        client = self.fetching("small.pgm", "--attempts", "1000")
        self.assertIn("another attempt follows", client.stderr.readline())
        Program(self, ["image_locator", self.server.reference], endpoint=self.locator.endpoint)
        output, _ = client.communicate()
        self.assert_fetched("small.pgm", output)

    def test_at_its_end_a_server_lets_transfers_finish(self):
        self.start("--grace-seconds", "300")
        client = self.fetching("large.pgm", "--rate", "20")
        self.wait_for_part(client, MIB)
        self.assertEqual(self.server.end(), 0)
        output, errors = client.communicate()
        self.assertEqual((client.returncode, errors), (0, ""))
        self.assert_fetched("large.pgm", output)

    def test_at_its_end_a_server_cuts_transfers_that_take_too_long(self):
        self.start("--grace-seconds", "0")
        address, secret = self.ticket("large.pgm")
        with socket.create_connection(address) as stream:  # reads nothing
            stream.sendall(secret)
            self.assertEqual(stream.recv(1), b"\1")
            self.assertEqual(self.server.end(), 0)

    def test_two_programs_do_not_fetch_into_one_file(self):
        self.start()
        first = self.fetching("large.pgm", "--rate", "10")
        self.wait_for_part(first, 1)
        second = self.client("fetch", "large.pgm")
        self.assertEqual(second.returncode, 1)
        self.assertIn("another program is fetching this image", second.stderr)


class Changed(Imaging):
    def replace_large(self):
        for name in ("large.pgm", "large.pgm.sha256"):
            (self.images / name).unlink()
        self.generate(self.images / "large.pgm", 40, seed=2)

    def test_octets_of_two_contents_are_never_put_together(self):
        self.start()
        client = self.fetching("large.pgm", "--rate", "20", "--attempts", "1000")
        self.wait_for_part(client, 4 * MIB)
        self.server.kill()
        self.replace_large()
        self.start_again()
        output, errors = client.communicate()
        self.assertEqual(client.returncode, 0, errors)
        self.assertIn("large.pgm: has changed, and is fetched anew", errors)
        self.assert_fetched("large.pgm", output)

    def test_a_transfer_under_way_keeps_the_content_that_it_began_with(self):
        self.start()
        before = (self.images / "large.pgm").read_bytes()
        client = self.fetching("large.pgm", "--rate", "20")
        self.wait_for_part(client, 4 * MIB)
        self.replace_large()
        self.assertEqual(client.wait(), 0)
        self.assertEqual((self.folder / "large.pgm").read_bytes(), before)

    def test_a_ticket_for_a_replaced_image_gets_the_answer_changed(self):
        self.start()
        address, secret = self.ticket("large.pgm")
        self.replace_large()
        self.assertEqual(self.show(address, secret), b"\3")

    def test_a_damaged_file_is_noticed_by_its_checksum(self):
        self.start()
        image = self.images / "small.pgm"
        status = image.stat()
        with open(image, "r+b") as file:
            file.seek(status.st_size // 2)
            octet = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([octet ^ 1]))
        os.utime(image, ns=(status.st_atime_ns, status.st_mtime_ns))  # as a disk error would
        client = self.client("fetch", "small.pgm", "--attempts", "2")
        self.assertEqual(client.returncode, 1)
        self.assertIn("the checksum is wrong: the received octets were deleted", client.stderr)
        self.assertEqual(list(self.folder.glob("small.pgm*")), [])

    def test_another_file_of_the_same_size_and_time_is_not_the_damaged_one(self):
        self.start()
        image = self.images / "small.pgm"
        status = image.stat()
        octets = bytearray(image.read_bytes())
        octets[len(octets) // 2] ^= 1
        other = self.images / "other"
        other.write_bytes(octets)
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.rename(image)
        client = self.client("fetch", "small.pgm")
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertEqual((self.folder / "small.pgm").read_bytes(), bytes(octets))

    def test_a_file_that_becomes_shorter_does_not_hold_up_the_client(self):
        self.start()
        shutil.copy(self.images / "large.pgm", self.images / "shrinking.pgm")
        client = self.fetching("shrinking.pgm", "--rate", "10", "--attempts", "2")
        self.wait_for_part(client, 1)
        os.truncate(self.images / "shrinking.pgm", MIB)
        output, errors = client.communicate()
        self.assertEqual(client.returncode, 0, errors)
        self.assert_fetched("shrinking.pgm", output)


class TicketsAndLimits(Imaging):
    def test_a_ticket_fits_one_transfer_from_its_offset_on(self):
        self.start()
        address, secret = self.ticket("small.pgm", "--offset", "1000")
        octets = (self.images / "small.pgm").read_bytes()
        self.assertEqual(self.show(address, secret), b"\1" + octets[1000:])
        self.assertEqual(self.show(address, secret), b"\2")

    def test_a_forged_ticket_is_refused(self):
        self.start()
        address, secret = self.ticket("small.pgm")
        self.assertEqual(self.show(address, bytes(32)), b"\2")
        forged = secret[:-1] + bytes([secret[-1] ^ 1])
        self.assertEqual(self.show(address, forged), b"\2")
        self.assertEqual(self.show(address, secret)[:1], b"\1")  # the true secret is still valid

    def test_an_expired_ticket_is_refused(self):
        self.start("--ticket-seconds", "0")
        self.assertEqual(self.show(*self.ticket("small.pgm")), b"\2")

    def test_tickets_are_limited_and_expired_ones_make_room(self):
        self.start("--tickets", "2", "--ticket-seconds", "3")
        tickets = [self.client("ticket", "small.pgm") for _ in range(3)]
        while tickets[-1].returncode == 0:  # on a slow machine they have expired
            tickets.append(self.client("ticket", "small.pgm"))
        self.assertIn("too many transfers", tickets[-1].stderr)
        client = self.client("fetch", "small.pgm", "--attempts", "1000")
        self.assert_fetched("small.pgm", client.stdout)

    def test_slow_clients_are_cut_off_and_others_get_their_place(self):
        self.start("--transfers", "1", "--slow-seconds", "1")
        address, secret = self.ticket("large.pgm")
        with socket.create_connection(address) as stream:  # reads nothing
            stream.sendall(secret)
            self.assertEqual(stream.recv(1), b"\1")
            self.server.wait_for_log("large.pgm: cut after octet")
            self.assert_fetched("small.pgm", self.client("fetch", "small.pgm").stdout)

    def test_connections_without_ticket_are_closed(self):
        self.start("--transfers", "1", "--show-seconds", "1")
        address, _ = self.ticket("small.pgm")
        with socket.create_connection(address) as stream:
            stream.sendall(b"half of a ticket")
            self.assert_fetched("small.pgm", self.client("fetch", "small.pgm").stdout)
            try:
                self.assertEqual(stream.recv(1), b"")
            except ConnectionResetError:
                pass  # the server closed the connection without reading the half

    def test_a_thousand_connections_without_ticket_do_not_delay_clients(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.start("--transfers", "1", "--show-seconds", "86400")
        address, secret = self.ticket("small.pgm")
        for _ in range(1000):
            self.addCleanup(socket.create_connection(address).close)
        octets = (self.images / "small.pgm").read_bytes()
        self.assertEqual(self.show(address, secret), b"\1" + octets)
        client = self.client("fetch", "small.pgm", "--attempts", "1")
        self.assert_fetched("small.pgm", client.stdout)

    def test_of_too_many_connections_without_ticket_the_oldest_is_closed(self):
        self.start("--connections", "2", "--show-seconds", "86400")
        address, secret = self.ticket("small.pgm")
        streams = [socket.create_connection(address) for _ in range(3)]
        for stream in streams:
            self.addCleanup(stream.close)
        self.assertEqual(streams[0].recv(1), b"")
        streams[1].sendall(secret)
        self.assertEqual(streams[1].recv(1), b"\1")

    @unittest.skipIf("undefined" in os.environ.get("SANITIZE", ""),
                     "the check of dynamic types takes a handle to look at memory, and there is none left")
    def test_a_server_that_was_out_of_handles_goes_on(self):
        self.server = self.serve("--connections", "1000", before=["prlimit", "--nofile=64"])
        self.locator = Program(self, ["image_locator", self.server.reference])
        address, _ = self.ticket("small.pgm")
        idle = [socket.create_connection(address) for _ in range(100)]
        self.server.wait_for_log("accept: Too many open files")
        for stream in idle:
            stream.close()
        client = self.client("fetch", "small.pgm", "--attempts", "1000")
        self.assert_fetched("small.pgm", client.stdout)

    def test_a_ticket_that_was_shown_in_time_does_not_expire_in_the_queue(self):
        self.start("--transfers", "1", "--ticket-seconds", "3")
        address, secret = self.ticket("large.pgm")
        with socket.create_connection(address) as busy, socket.create_connection(address) as waiting:
            busy.sendall(secret)
            self.assertEqual(busy.recv(1), b"\1")
            _, second = self.ticket("small.pgm")
            waiting.sendall(second)
            for _ in range(5):  # one each second
                self.assertEqual(waiting.recv(1), b"\4")
            busy.close()
            while (answer := waiting.recv(1)) == b"\4":
                pass
            self.assertEqual(answer, b"\1")

    def test_clients_that_wait_are_limited(self):
        self.start("--transfers", "1", "--waiting", "1")
        address, secret = self.ticket("large.pgm")
        with socket.create_connection(address) as busy, socket.create_connection(address) as waiting:
            busy.sendall(secret)
            self.assertEqual(busy.recv(1), b"\1")
            waiting.sendall(self.ticket("small.pgm")[1])
            self.assertEqual(waiting.recv(1), b"\4")
            self.assertEqual(self.show(*self.ticket("small.pgm")), b"\5")

    def test_a_client_that_goes_while_it_waits_makes_room(self):
        self.start("--transfers", "1", "--waiting", "1")
        address, secret = self.ticket("large.pgm")
        with socket.create_connection(address) as busy:
            busy.sendall(secret)
            self.assertEqual(busy.recv(1), b"\1")
            with socket.create_connection(address) as waiting:
                waiting.sendall(self.ticket("small.pgm")[1])
                self.assertEqual(waiting.recv(1), b"\4")
            while (answer := self.first_answer(*self.ticket("small.pgm"))) == b"\5":
                pass
            self.assertEqual(answer, b"\4")

    def test_an_offset_beyond_the_end_is_an_error(self):
        self.start()
        client = self.client("ticket", "small.pgm", "--offset", str(2 * MIB))
        self.assertEqual(client.returncode, 1)
        self.assertIn("the image has only", client.stderr)


class Mistakes(Imaging):
    def test_images_that_are_not_there_are_named(self):
        self.start()
        client = self.client("fetch", "none.pgm")
        self.assertEqual((client.returncode, client.stderr),
                         (1, "image_client: no server has an image 'none.pgm'\n"))

    def test_image_names_do_not_lead_out_of_the_folder(self):
        self.start()
        outside = self.folder / "outside.pgm"
        shutil.copy(self.images / "small.pgm", outside)
        (self.images / "link.pgm").symlink_to(outside)
        os.mkfifo(self.images / "fifo.pgm")
        (self.images / "folder.pgm").mkdir()
        for name in ("../outside.pgm", str(outside), "./small.pgm", "folder.pgm/../small.pgm", "link.pgm",
                     "fifo.pgm", "folder.pgm", ".pgm", "small.pgm.sha256", "small.pgm\n", ""):
            with self.subTest(name):
                client = self.client("fetch", name, "--to", "stolen")
                self.assertEqual(client.returncode, 1)
                self.assertIn("no server has an image", client.stderr)
        self.assertFalse((self.folder / "stolen").exists())
        self.assertNotIn("link", self.client("list").stdout)

    def test_a_full_disk_is_reported_and_what_has_arrived_is_kept(self):
        self.start()
        disk = self.folder / "disk"
        disk.mkdir()
        script = f"mount -t tmpfs -o size=4m tmpfs {disk}; cd {disk}; \"$@\"; status=$?; ls; exit $status"
        client = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh",
             *self.words("fetch", "large.pgm")], capture_output=True, text=True)
        self.assertEqual(client.returncode, 1)
        self.assertIn("No space left on device; the received octets are kept", client.stderr)
        self.assertRegex(client.stdout, r"^large\.pgm\.[0-9a-f]{16}\.part\n$")

    def test_a_folder_that_cannot_be_written_to_is_reported(self):
        self.start()
        client = self.client("fetch", "small.pgm", "--to", "no/such/folder/small.pgm")
        self.assertEqual(client.returncode, 1)
        self.assertIn("No such file or directory", client.stderr)

    def test_a_locator_that_is_gone_is_reported(self):
        self.start()
        self.locator.kill()
        client = self.client("fetch", "small.pgm", "--attempts", "1")
        self.assertEqual(client.returncode, 1)
        self.assertRegex(client.stderr, "TRANSIENT.*Connection refused.*given up")

    def test_a_list_without_the_images_of_a_server_that_is_away_is_an_error(self):
        _, second = self.start_with_another_server()
        second.kill()
        client = self.client("list")
        self.assertEqual(client.returncode, 1)
        self.assertIn("small.pgm", client.stdout)
        self.assertEqual(client.stderr,
                         "image_client: the list is not complete: 1 server could not be asked\n")

    def test_each_program_describes_itself(self):
        for program in ("image_server", "image_locator", "image_client", "image_generator"):
            shown = subprocess.run([PROGRAMS / program, "--help"], capture_output=True, text=True)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), program)
            self.assertIn("Usage: ", shown.stdout)

    def test_wrong_usage_and_failures_have_different_exit_statuses(self):
        self.start()
        self.assertEqual(self.client().returncode, 2)
        self.assertEqual(self.client("fetch").returncode, 2)
        self.assertEqual(subprocess.run([PROGRAMS / "image_locator"], capture_output=True).returncode, 2)
        server = subprocess.run([PROGRAMS / "image_server", self.folder / "none"],
                                capture_output=True, text=True)
        self.assertEqual(server.returncode, 1)
        self.assertIn("none: Not a directory", server.stderr)


class Copies(Imaging):
    TRACED = ("read", "pread64", "readv", "preadv", "recvfrom", "recvmsg", "write", "pwrite64", "writev",
              "pwritev", "sendto", "sendmsg", "sendfile", "splice", "mmap")
    # strace prints an interrupted call in two lines: the second line has the name and the result.
    CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed>).*\) += (-?\d+)")

    def trace_of_a_fetch(self):
        trace = self.folder / "trace"
        self.server = self.serve(
            before=["strace", "-f", "-qq", "-o", trace, "-e", "trace=" + ",".join(self.TRACED)],
            environment={"ASAN_OPTIONS": "detect_leaks=0"})  # LeakSanitizer cannot run under strace
        self.locator = Program(self, ["image_locator", self.server.reference])
        lines_before = trace.read_text().count("\n")
        client = self.client("fetch", "large.pgm")
        self.assert_fetched("large.pgm", client.stdout)
        traced = self.server.process.pid
        server = int(Path(f"/proc/{traced}/task/{traced}/children").read_text())
        os.kill(server, signal.SIGTERM)
        self.assertEqual(self.server.process.wait(), 0)
        return trace.read_text().splitlines()[lines_before:]

    def test_the_server_copies_no_image_through_its_memory(self):
        octets = dict.fromkeys(self.TRACED, 0)
        for line in self.trace_of_a_fetch():
            if " mmap(" in line:
                self.assertRegex(line, "MAP_ANONYMOUS|MAP_DENYWRITE", "a file was mapped")
            elif call := self.CALL.match(line):
                octets[call[1]] += max(0, int(call[2]))
        octets.pop("mmap")  # the second lines of interrupted calls
        self.assertEqual(octets.pop("sendfile"), (self.images / "large.pgm").stat().st_size)
        self.assertLess(sum(octets.values()), 64 * 1024, octets)  # calls, the ticket, log lines


if __name__ == "__main__":
    unittest.main()
