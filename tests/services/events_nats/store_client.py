"""Runs a program that uses a store in NATS, sends it commands, and waits for its result lines."""

import collections
import os
import subprocess
import threading
import time

CLIENT = os.environ["CLIENT"]


class StoreClient:
    """The end of the `with` statement kills the program."""

    def __init__(self, urls, channel="news", prefix="test", **options):
        words = [f"{name}={value}" for name, value in options.items()]
        self.process = subprocess.Popen([CLIENT, urls, prefix, channel, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, errors="replace")
        self.lines = collections.deque()
        self.events = []
        self.changed = threading.Condition()
        self.has_ended = False
        self.thread = threading.Thread(target=self.read_lines)
        self.thread.start()
        self.opened = self.line("open")

    def read_lines(self):
        for line in self.process.stdout:
            with self.changed:
                line = line.rstrip("\n")
                (self.events if line.startswith("event ") else self.lines).append(line)
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def line(self, beginning):
        """Waits for the next line with this beginning. Removes the line from `lines`, and returns it."""
        def found():
            return next((line for line in self.lines if line.startswith(beginning)), None)

        with self.changed:
            if not self.changed.wait_for(lambda: found() or self.has_ended, timeout=60) or not found():
                raise AssertionError(f"no line '{beginning}…' among {list(self.lines)[-20:]}")
            line = found()
            self.lines.remove(line)
            return line

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command, beginning):
        """The rest of the result line of a command."""
        self.tell(command)
        return self.line(beginning)[len(beginning):].strip()

    def append(self, text):
        return self.ask(f"append {text}", f"appended {text}")

    def append_at_last(self, text):
        """Appends the text until it is stored. Returns its number."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            number = self.append(text)
            if not number.startswith("error"):
                return int(number)
        raise AssertionError(number)

    def subscribe(self, name, begin="next"):
        return self.ask(f"subscribe {name} {begin}", f"subscribed {name}")

    def read(self, name, after, events=1000):
        """The texts of the events, by number."""
        answer = self.ask(f"read {name} {after} {events}", f"read {name}")
        if answer.startswith("error"):
            raise AssertionError(answer)
        return dict((int(number), text) for number, text in (word.split("=") for word in answer.split()[1:]))

    def read_at_last(self, name, after, count, last=0):
        """Reads until it has at least `count` events after `after`, and all events up to the number `last`."""
        found = {}
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found.update(self.read(name, max(found, default=after)))
            if len(found) >= count and max(found, default=after) >= last:
                return found
            with self.changed:
                self.changed.wait(0.05)
        raise AssertionError(f"only {found}")

    def acknowledge(self, name, number):
        return self.ask(f"acknowledge {name} {number}", f"acknowledged {name}")

    def acknowledge_at_last(self, name, number):
        """Acknowledges the number until the store has stored the acknowledgement."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            answer = self.acknowledge(name, number)
            if answer == "done":
                return
        raise AssertionError(answer)

    def await_events(self, count):
        """Waits until the listener has got `count` events. Returns its events as (number, text)."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.events) >= count or self.has_ended, timeout=60)
            split = [line.split(" ", 2) for line in self.events]
            assert len(split) >= count, split
            return [(int(number), text) for _, number, text in split]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except OSError:
            pass  # the program has ended
