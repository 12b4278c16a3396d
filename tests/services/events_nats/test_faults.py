"""Stores in NATS whose servers are killed, stopped, full, wrong or hostile."""

import shutil
import socket
import sys
import unittest
from pathlib import Path

from nats_cluster import NATS, Cluster, ask_api
from store_client import StoreClient


def publish(port, subject, octets, headers=b""):
    """Publishes a message in the text protocol of NATS."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection, connection.makefile("rb") as lines:
        lines.readline()  # INFO
        head = b"NATS/1.0\r\n" + headers + b"\r\n"
        connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n'
                           + f"HPUB {subject} {len(head)} {len(head) + len(octets)}\r\n".encode() + head + octets
                           + b"\r\nPING\r\n")
        while lines.readline() != b"PONG\r\n":
            pass


def numbers_rise(events):
    numbers = [number for number, _ in events]
    return numbers == sorted(set(numbers))


@unittest.skipUnless(NATS, "nats-server is not installed")
class Faults(unittest.TestCase):
    def test_a_killed_server_loses_no_event_and_the_listener_goes_on(self):
        with Cluster() as cluster, StoreClient(cluster.urls) as store, StoreClient(cluster.urls) as other:
            self.assertEqual(store.subscribe("printer"), "0")
            stored = {}
            for round_number in range(3):
                for index in range(20):
                    text = f"e{round_number}-{index}"
                    stored[store.append_at_last(text)] = text
                store.tell("fill 200 100")
                cluster.servers[0].kill()
                cluster.servers[0].start()
                for index in range(200):
                    answer = store.line(f"filled {index} ").split()
                    if answer[2] != "error":
                        stored[int(answer[2])] = str(index).ljust(100, ".")[:40]
            # An event without a certain result may be stored, too, so there may be more events than results.
            found = store.read_at_last("printer", 0, len(stored), max(stored))
            self.assertEqual({number: found.get(number) for number in stored}, stored)
            for client in (store, other):
                events = client.await_events(len(found))
                self.assertTrue(numbers_rise(events))
                self.assertEqual(dict(events[:len(found)]), found)

    def test_events_keep_their_order_while_the_server_is_killed(self):
        with Cluster() as cluster, StoreClient(cluster.urls) as store:
            self.assertEqual(store.subscribe("printer"), "0")
            store.tell("fill 5000 20")
            cluster.servers[0].kill()
            cluster.servers[0].start()
            numbers = [store.line(f"filled {index} ").split()[2] for index in range(5000)]
            stored = [int(number) for number in numbers if number != "error"]
            self.assertEqual(stored, sorted(stored))
            self.assertGreater(len(stored), 0)
            texts = [int(text.strip(".")) for text in store.read_at_last("printer", 0, len(stored)).values()]
            self.assertEqual(texts, sorted(set(texts)))  # no event twice

    def test_results_are_uncertain_while_the_server_is_stopped_and_certain_afterwards(self):
        with Cluster() as cluster, StoreClient(cluster.urls) as store:
            self.assertEqual(store.append("before"), "1")
            self.assertEqual(store.subscribe("printer"), "1")
            cluster.servers[0].stop()
            self.assertIn("error uncertain", store.append("meanwhile"))
            self.assertRegex(store.acknowledge("printer", 1), "done")  # acknowledged already: nothing to store
            answer = store.subscribe("second")
            self.assertRegex(answer, "error (unavailable|uncertain)")
            cluster.servers[0].go_on()
            number = store.append_at_last("after")
            self.assertEqual(store.read_at_last("printer", 1, 1 if number == 2 else 2)[number], "after")

    def test_requests_fail_in_time_while_there_is_no_server(self):
        with Cluster() as cluster, StoreClient(cluster.urls) as store:
            self.assertEqual(store.append("before"), "1")
            cluster.servers[0].kill()
            for command, beginning in (("append x", "appended x"), ("subscribe s next", "subscribed s"),
                                       ("list", "list"), ("unsubscribe s", "unsubscribed s"),
                                       ("acknowledge s 1", "acknowledged s")):
                self.assertRegex(store.ask(command, beginning), "error (unavailable|uncertain) ")
            cluster.servers[0].start()
            self.assertEqual(store.append_at_last("after"), 2)

    def test_a_full_stream_refuses_events_or_removes_the_oldest(self):
        with Cluster() as cluster:
            with StoreClient(cluster.urls, channel="a", events_max=3, refuse_new=1) as store:
                self.assertEqual([store.append(text) for text in "abc"], ["1", "2", "3"])
                self.assertRegex(store.append("d"), "error full .*maximum messages exceeded")
            with StoreClient(cluster.urls, channel="b", events_max=3, recent_octets_max=0) as store:
                self.assertEqual(store.subscribe("s", "first"), "0")
                self.assertEqual([store.append(text) for text in "abcd"], ["1", "2", "3", "4"])
                store.await_events(4)
                self.assertEqual(store.read("s", 0), {2: "b", 3: "c", 4: "d"})

    def test_a_full_stream_has_room_again_when_all_subscriptions_have_acknowledged(self):
        with Cluster() as cluster, StoreClient(cluster.urls, events_max=2, refuse_new=1, trim_ms=50) as store:
            self.assertEqual([store.subscribe(name) for name in "ab"], ["0", "0"])
            self.assertEqual([store.append(text) for text in "xy"], ["1", "2"])
            self.assertIn("error full", store.append("z"))
            self.assertEqual(store.acknowledge("a", 2), "done")
            self.assertEqual(store.acknowledge("b", 1), "done")
            self.assertEqual(store.append_at_last("z"), 3)
            self.assertEqual(store.read_at_last("b", 1, 2), {2: "y", 3: "z"})

    def test_a_full_stream_has_room_again_when_the_last_subscription_to_its_events_ends(self):
        with Cluster() as cluster, StoreClient(cluster.urls, events_max=2, refuse_new=1, trim_ms=50) as store:
            self.assertEqual([store.subscribe(name) for name in "ab"], ["0", "0"])
            self.assertEqual([store.append(text) for text in "xy"], ["1", "2"])
            self.assertEqual(store.acknowledge("a", 2), "done")
            self.assertIn("error full", store.append("z"))
            self.assertEqual(store.ask("unsubscribe b", "unsubscribed b"), "done")
            self.assertEqual(store.append_at_last("z"), 3)

    def test_a_full_stream_has_room_again_after_a_restart_of_the_service(self):
        with Cluster() as cluster:
            options = {"events_max": 2, "refuse_new": 1}
            with StoreClient(cluster.urls, **options) as store:  # the store ends before it removes events
                self.assertEqual(store.subscribe("a"), "0")
                self.assertEqual([store.append(text) for text in "xy"], ["1", "2"])
                self.assertEqual(store.acknowledge("a", 2), "done")
            with StoreClient(cluster.urls, trim_ms=50, **options) as store:
                self.assertEqual(store.append_at_last("z"), 3)

    def test_a_subscription_that_is_ahead_of_a_stream_continues_with_the_next_event_of_the_stream(self):
        with Cluster() as cluster:
            with StoreClient(cluster.urls) as store:
                self.assertEqual([store.append(text) for text in "abc"], ["1", "2", "3"])
                self.assertEqual(store.subscribe("s"), "3")
            # As after a power loss of the server: the stream has lost events that the subscription has acknowledged.
            port = cluster.servers[0].port
            made = ask_api(port, "$JS.API.STREAM.INFO.test-news", {})["created"]
            publish(port, "test.subscriptions.news.s", f"perigee-subscription 1\n1000\n{made}\ns".encode())
            with StoreClient(cluster.urls) as store:
                self.assertEqual(store.ask("list", "list"), "1 s=3")
                self.assertEqual(store.append("d"), "4")
                self.assertEqual(store.read_at_last("s", 3, 1), {4: "d"})
                self.assertEqual(store.acknowledge("s", 4), "done")
            with StoreClient(cluster.urls) as store:
                self.assertEqual(store.ask("list", "list"), "1 s=4")

    def test_events_that_reuse_the_numbers_of_lost_events_are_delivered(self):
        with Cluster() as cluster:
            server = cluster.servers[0]
            stream = Path(cluster.folder.name, "n0", "jetstream", "$G", "streams", "test-news")
            older = Path(cluster.folder.name, "older")
            with StoreClient(cluster.urls) as store:
                self.assertEqual(store.subscribe("s", "first"), "0")
                self.assertEqual([store.append(text) for text in "ab"], ["1", "2"])
                self.assertEqual(store.acknowledge("s", 2), "done")
            server.kill()
            shutil.copytree(stream, older)
            server.start()
            server.await_healthy()
            with StoreClient(cluster.urls) as store:
                self.assertEqual([store.append(text) for text in "cd"], ["3", "4"])
                self.assertEqual(store.acknowledge("s", 4), "done")
            server.kill()
            shutil.rmtree(stream)
            shutil.copytree(older, stream)
            server.start()
            server.await_healthy()
            with StoreClient(cluster.urls) as store:
                self.assertEqual([store.append(text) for text in "efg"], ["3", "4", "5"])
                self.assertEqual(store.ask("list", "list"), "1 s=2")
                self.assertEqual(store.read_at_last("s", 2, 3), {3: "e", 4: "f", 5: "g"})

    def test_other_requests_go_on_at_once_after_a_read_without_a_server(self):
        with Cluster() as cluster, StoreClient(cluster.urls, recent_octets_max=0) as store:
            self.assertEqual(store.subscribe("s", "first"), "0")
            self.assertEqual(store.append("a"), "1")
            store.await_events(1)
            cluster.servers[0].kill()
            store.tell("read s 0")
            cluster.servers[0].start()
            self.assertEqual(store.append_at_last("b"), 2)
            self.assertEqual(store.read_at_last("s", 0, 2), {1: "a", 2: "b"})

    def test_a_server_without_jetstream_is_a_clear_error(self):
        with Cluster(jetstream=False) as cluster, StoreClient(cluster.urls, start_ms=1000) as store:
            self.assertRegex(store.opened, "error .*start nats-server with --jetstream")

    def test_a_server_that_cannot_be_reached_is_a_clear_error(self):
        with StoreClient("nats://127.0.0.1:1", start_ms=1000) as store:
            self.assertRegex(store.opened, "error unavailable nats://127.0.0.1:1: .*[Nn]o server")

    def test_the_error_of_a_wrong_password_is_clear_and_does_not_show_the_password(self):
        with Cluster(options=["--user", "u", "--pass", "right"]) as cluster:
            with StoreClient(cluster.urls.replace("://", "://u:wrong@")) as store:
                self.assertRegex(store.opened, "error failed nats://127.0.0.1:[0-9]+: .*[Aa]uthorization")
            with StoreClient(cluster.urls.replace("://", "://u:right@")) as store:
                self.assertEqual(store.opened, "open")

    def test_the_stream_of_another_program_is_a_clear_error(self):
        with Cluster() as cluster:
            port = cluster.servers[0].port
            for name, config in (("other", {"subjects": ["orders"]}), ("copies", {"subjects": ["test.events.copies"],
                                                                                  "storage": "memory"})):
                made = ask_api(port, f"$JS.API.STREAM.CREATE.test-{name}", {"name": f"test-{name}", **config})
                self.assertNotIn("error", made)
                with StoreClient(cluster.urls, channel=name) as store:
                    self.assertRegex(store.opened, f"error corrupt the NATS stream 'test-{name}' was not made for")
            ask_api(port, "$JS.API.STREAM.CREATE.x", {"name": "x", "subjects": ["test.events.taken"]})
            with StoreClient(cluster.urls, channel="taken") as store:
                self.assertRegex(store.opened, "error corrupt .*overlap.*choose another prefix")

    def test_a_removed_stream_ends_the_channel_with_a_clear_error(self):
        with Cluster() as cluster, StoreClient(cluster.urls, missing_ms=300) as store:
            self.assertEqual(store.append("x"), "1")
            self.assertEqual(store.subscribe("s"), "1")
            self.assertIn("success", ask_api(cluster.servers[0].port, "$JS.API.STREAM.DELETE.test-news", {}))
            for _ in range(100):
                if "start the event service again" in (answer := store.append("y")):
                    break
            self.assertIn("start the event service again", answer)
            with StoreClient(cluster.urls) as again:  # a new stream: the subscription begins again
                self.assertEqual(again.append("z"), "1")
                self.assertEqual(again.subscribe("s"), "0")
                self.assertEqual(again.read_at_last("s", 0, 1), {1: "z"})

    def test_hostile_messages_of_other_programs_are_events_or_clear_errors(self):
        with Cluster() as cluster, StoreClient(cluster.urls) as store, \
                StoreClient(cluster.urls, recent_octets_max=0) as reader:  # reads each event from the server
            port = cluster.servers[0].port
            self.assertEqual(store.subscribe("s", "first"), "0")
            publish(port, "test.events.news", b"\xff\x00" * 20)
            publish(port, "test.events.news", b"")
            publish(port, "test.events.news", b"", b"Status: 503\r\nNats-Msg-Id: 1.2.3\r\nNats-Sequence: 7\r\n")
            publish(port, "_INBOX.x.f.0.1", b"x")
            self.assertEqual(store.append_at_last("good"), 4)
            for client in (store, reader):
                client.await_events(4)
                self.assertEqual(list(client.read("s", 0)), [1, 2, 3, 4])
                self.assertEqual(client.read("s", 1), {2: "", 3: "", 4: "good"})
            publish(port, "test.subscriptions.news.bad", b"no record")
            self.assertRegex(store.subscribe("bad"), "error corrupt .*damaged")
            self.assertEqual(store.ask("list", "list"), "1 s=0")
            publish(port, "test.subscriptions.news.new", b"perigee-subscription 3\nwhatever")
            self.assertRegex(store.subscribe("new"), "error newer .*later version")
            # The record of the subscription x has the name s, so acknowledgements of x would go to s.
            publish(port, "test.subscriptions.news.x", b"perigee-subscription 1\n2\nmonday\ns")
            self.assertRegex(store.acknowledge("x", 3), "error corrupt .*damaged")
            with StoreClient(cluster.urls) as again:  # one bad record does not stop a channel
                self.assertEqual(again.opened, "open")
                self.assertEqual(again.ask("list", "list"), "1 s=0")
            for name in ("bad", "x", "new"):
                answer = store.ask(f"unsubscribe {name}", f"unsubscribed {name}")
                self.assertEqual(answer, "done")


@unittest.skipUnless(NATS, "nats-server is not installed")
class Clusters(unittest.TestCase):
    def test_three_replicas_lose_no_event_when_any_server_is_killed(self):
        with Cluster(3) as cluster, StoreClient(cluster.urls, replicas=3) as store, \
                StoreClient(cluster.urls, replicas=3) as other:
            self.assertEqual((store.opened, other.opened), ("open", "open"))
            self.assertEqual(store.subscribe("printer"), "0")
            stored = {}
            for server in cluster.servers:
                for index in range(20):
                    text = f"e{server.port}-{index}"
                    stored[store.append_at_last(text)] = text
                    if index == 10:
                        server.kill()
                server.start()
                server.await_healthy()
                last = other.append_at_last(f"o{server.port}")
                self.assertNotIn(last, stored)
            self.assertEqual(sorted(stored), list(stored))
            # An event whose first attempt had no certain result may be stored twice.
            found = store.read_at_last("printer", 0, len(stored) + 3, last)
            self.assertEqual({number: found.get(number) for number in stored}, stored)
            # The stream of subscriptions may still elect its leader, which takes longer than one request may wait.
            store.acknowledge_at_last("printer", max(stored))
            self.assertEqual(other.subscribe("printer"), str(max(stored)))
            for client in (store, other):
                events = client.await_events(len(found))
                self.assertTrue(numbers_rise(events))
                self.assertTrue(stored.items() <= dict(events).items())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
