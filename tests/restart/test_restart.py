"""A server that is ended by SIGTERM and started again, many times, under the load of a client.

No call is lost and none is executed twice: the client gets as many answers as the servers execute
calls. A call may fail with TRANSIENT or COMM_FAILURE, and COMPLETED_NO. A call fails with
COMPLETED_MAYBE if a server ended before it accepted a connection that the system had accepted for it:
the client cannot know whether the call was executed. None of these calls was executed. For each
restart, each client thread has at most one such call.
"""

import atexit
import os
import re
import signal
import subprocess
import sys

RESTARTS = int(os.environ.get("RESTARTS", "10"))
CALLS_PER_LIFE = 500
CLIENT_THREADS = 8


class Life:
    """The server, from its start to its end in order."""

    def __init__(self, strategy, port):
        self.process = subprocess.Popen(
            [os.environ["SERVER"], "-ORBThreadStrategy", strategy,
             "-ORBListenEndpoints", f"iiop://127.0.0.1:{port}"],
            stdout=subprocess.PIPE, text=True,
        )
        atexit.register(self.process.kill)  # if anything fails
        self.reference = self.process.stdout.readline().strip()
        if not self.reference.startswith("IOR:"):
            sys.exit("the server has not started")

    def end(self):
        """Returns how many calls were executed."""
        self.process.send_signal(signal.SIGTERM)
        executed = self.process.stdout.read()
        if self.process.wait() != 0:
            sys.exit("the server has failed")
        return int(executed)


def port_of(reference):
    described = subprocess.run([os.environ["TOOL"], "ior", reference], capture_output=True, text=True)
    return int(re.search(r"127\.0\.0\.1:(\d+)", described.stdout)[1])


def answered(client):
    client.stdin.write("?\n")
    client.stdin.flush()
    line = client.stdout.readline()
    if not line:
        sys.exit("the client has failed")
    return int(line)


def run(strategy):
    life = Life(strategy, 0)
    port = port_of(life.reference)
    client = subprocess.Popen(
        [os.environ["CLIENT"], life.reference], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(client.kill)
    executed = 0
    for _ in range(RESTARTS):
        goal = answered(client) + CALLS_PER_LIFE
        while answered(client) < goal:
            pass
        executed += life.end()
        life = Life(strategy, port)
    output, _ = client.communicate()
    executed += life.end()
    if client.returncode != 0:
        sys.exit("the client has failed")
    answers, not_made, unknown = map(int, output.split())
    print(f"{strategy}: {RESTARTS} restarts, {answers} calls answered, {executed} executed, "
          f"{not_made} not made, {unknown} unknown")
    if answers != executed:
        sys.exit("calls were lost, or executed twice")
    if unknown > RESTARTS * CLIENT_THREADS:
        sys.exit("servers did not end in order")


for name in sys.argv[1:]:
    run(name)
