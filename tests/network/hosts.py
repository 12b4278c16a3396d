"""Hosts and the links between them: network namespaces, with veth pairs as cables."""

import contextlib
import itertools
import os
import shlex
import shutil
import subprocess
import tempfile


def ip(arguments):
    subprocess.run(["ip", *shlex.split(arguments)], check=True)


class Host:
    """A host: a network namespace. `command` gives the command that runs a program on the host."""

    def __init__(self, name):
        self.name = name
        ip(f"netns add {name}")
        # Link-local addresses can be used at once, without duplicate address detection.
        self.set("net/ipv6/conf/default/accept_dad", 0)
        ip(f"-n {name} link set lo up")

    def command(self, text):
        return f"ip netns exec {self.name} {text}"

    def set(self, name, value):
        """Sets a kernel parameter."""
        subprocess.run(["ip", "netns", "exec", self.name, "tee", f"/proc/sys/{name}"],
                       input=str(value), text=True, stdout=subprocess.DEVNULL, check=True)

    def route(self, network, gateway):
        ip(f"-n {self.name} route add {network} via {gateway}")


_cables = itertools.count()


def connect(host, address, other, other_address):
    """Connects two hosts by a cable. Addresses are written as 192.0.2.1/24 or 2001:db8::1/64. Returns the names of both
    devices."""
    number = next(_cables)
    ends = ((host, f"a{number}", address), (other, f"b{number}", other_address))
    ip(f"-n {host.name} link add a{number} type veth peer name b{number} netns {other.name}")
    for end, device, own in ends:
        ip(f"-n {end.name} addr add {own} dev {device} {'nodad' if ':' in own else ''}")
        ip(f"-n {end.name} link set {device} up")
    return ends[0][1], ends[1][1]


def translate(gateway, outside, forwarded=()):
    """Sets up NAT: connections of the hosts behind the gateway have its address at the device `outside`. Other hosts
    reach these hosts only through `forwarded`: each (port, "host:port") leads from a port of the gateway to a host."""
    if shutil.which("nft") is None:
        raise RuntimeError("the program nft, which translates addresses, is missing: apt-get install nftables")
    gateway.set("net/ipv4/ip_forward", 1)
    forwards = "".join(f'iifname "{outside}" tcp dport {port} dnat to {to}; ' for port, to in forwarded)
    rules = f"""table ip nat {{
      chain leave {{ type nat hook postrouting priority srcnat; oifname "{outside}" masquerade; }}
      chain enter {{ type nat hook prerouting priority dstnat; {forwards} }}
    }}"""
    subprocess.run(shlex.split(gateway.command("nft -f -")), input=rules, text=True, check=True)


# Forwards one port, like a gateway with NAT or a container engine.
_FORWARDER = """
import asyncio, sys
listen, port, to, to_port = sys.argv[1:]
async def pump(reader, writer):
    try:
        while octets := await reader.read(65536):
            writer.write(octets)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()
async def forward(reader, writer):
    far_reader, far_writer = await asyncio.open_connection(to, int(to_port))
    await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
    far_writer.close()
    writer.close()
async def main():
    server = await asyncio.start_server(forward, listen, int(port))
    print("ready", flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextlib.contextmanager
def forwarding(gateway, listen, port, to, to_port):
    command = shlex.split(gateway.command("python3 -c")) + [_FORWARDER, listen, str(port), to, str(to_port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the forwarder has not started")
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def known_as(name, *addresses):
    """In the context, the name resolves to these addresses on each host."""
    with tempfile.NamedTemporaryFile("w") as hosts:
        hosts.writelines(f"{address} {name}\n" for address in addresses)
        hosts.flush()
        os.chmod(hosts.name, 0o644)
        subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "/etc/hosts"], check=True)
