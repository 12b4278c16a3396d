"""A proxy before a member of etcd, which fails as a test tells it.

The proxy can lose the answer to a change, leave watches unconfirmed, and divide the messages of watches.
"""

import contextlib
import http.client
import http.server
import threading
import urllib.parse

TRANSACTION = "/v3/kv/txn"
WATCH = "/v3/watch"
PROBE = "/v3/kv/range"


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection of a naming server, with all its requests."""

    protocol_version = "HTTP/1.1"
    requests = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_kept, self.requests = self.requests > 0, self.requests + 1
        proxy = self.server.proxy
        try:
            if self.path == WATCH:
                self.watch(body)
            elif self.path == TRANSACTION and proxy.takes_loss(is_kept):
                self.forward(body)
                self.close_connection = True  # without an answer
            else:
                proxy.note_probe(self.path)
                self.answer(*self.forward(body))
        except OSError:
            self.close_connection = True

    def forward(self, body):
        """Sends the request to the member. Returns the status and the body of the answer."""
        with contextlib.closing(self.connect(body)) as connection:
            answer = connection.getresponse()
            return answer.status, answer.read()

    def connect(self, body):
        """Sends the request to the member. Returns the connection."""
        connection = http.client.HTTPConnection(self.server.proxy.member)
        connection.request("POST", self.path, body, {"Content-Type": "application/json"})
        return connection

    def answer(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def watch(self, body):
        proxy = self.server.proxy
        with proxy.changed:
            proxy.watches += 1
            proxy.changed.notify_all()
            is_silent = proxy.is_silent
        if is_silent:
            self.rfile.read(1)  # until the naming server ends the connection
            self.close_connection = True
            return
        with contextlib.closing(self.connect(body)) as connection, connection.getresponse() as answer:
            self.send_response(answer.status)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while line := answer.readline():
                for part in proxy.parts(line):
                    self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")

    def log_message(self, *_):
        pass


class Proxy:
    """`with Proxy(cluster.members[0].url) as proxy`: a member at `proxy.url`."""

    def __init__(self, url):
        self.member = urllib.parse.urlsplit(url).netloc
        self.changed = threading.Condition()  # guards the numbers below
        self.watches = 0  # watches that have begun
        self.probes = 0  # requests to read
        self.losses = {"kept": 0, "any": 0}  # how many answers to changes the proxy will lose
        self.is_silent = False  # whether watches stay unconfirmed
        self.parts = lambda line: [line]  # divides a message of a watch

    def lose_answer(self, connection):
        """Makes the proxy lose the next answer to a change: on a "kept" connection, or on "any"."""
        with self.changed:
            self.losses[connection] += 1

    def takes_loss(self, is_kept):
        with self.changed:
            for connection, left in self.losses.items():
                if left > 0 and (is_kept or connection == "any"):
                    self.losses[connection] -= 1
                    return True
            return False

    def await_watches(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: self.watches >= count, 60), "the watch did not begin"

    def note_probe(self, path):
        with self.changed:
            self.probes += path == PROBE
            self.changed.notify_all()

    def await_probe(self):
        """Waits until a naming server reads again."""
        with self.changed:
            seen = self.probes
            assert self.changed.wait_for(lambda: self.probes > seen, 60), "no read"

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Connection)
        self.server.daemon_threads = True
        self.server.proxy = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
