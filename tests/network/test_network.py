"""References that lead through real networks: NAT, containers, IPv6, several addresses.

    office --- 192.0.2.0/24 --- gateway --- 10.77.0.0/24 --- inside
                2001:db8:1::/64             2001:db8:2::/64

The gateway does not route between the two IPv4 networks: it forwards a port. It routes IPv6.
"""

import os
import unittest

from hosts import Host, connect, forwarding, ip, known_as
from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
PRICES = os.environ["PRICES"]

office, gateway, inside = Host("office"), Host("gateway"), Host("inside")
connect(office, "192.0.2.2/24", gateway, "192.0.2.1/24")
connect(inside, "10.77.0.2/24", gateway, "10.77.0.1/24")
connect(office, "2001:db8:1::2/64", gateway, "2001:db8:1::1/64")
connect(inside, "2001:db8:2::2/64", gateway, "2001:db8:2::1/64")
office.route("2001:db8:2::/64", "2001:db8:1::1")
inside.route("2001:db8:1::/64", "2001:db8:2::1")
gateway.set("net/ipv6/conf/all/forwarding", 1)
# Packets to 198.51.100.9 and 2001:db8:1::9 are lost: no answer comes, and no connection is refused.
ip("-n office addr add 198.51.100.2/24 dev a0")
ip("-n gateway route add blackhole 198.51.100.0/24")
ip("-n office neigh add 198.51.100.9 lladdr 02:00:00:00:00:01 dev a0")
ip("-n office neigh add 2001:db8:1::9 lladdr 02:00:00:00:00:01 dev a2")


def serving(listen):
    return Server(inside.command(f"{SERVER} -ORBListenEndpoints '{listen}' {PRICES}"))


class Network(unittest.TestCase):
    def call(self, server, host=office, options=""):
        return server.call(host.command(f"{CLIENT} {options} {{ior}} ACME"))

    def expect_price(self, client):
        self.assertEqual((client.returncode, client.stdout), (0, "ACME 142\n"), client.stderr)

    def test_behind_a_nat_the_gateways_address_is_published(self):
        with forwarding(gateway, "192.0.2.1", 4000, "10.77.0.2", 2809):
            with serving("iiop://:2809?publish=192.0.2.1:4000") as server:
                self.expect_price(self.call(server))
                self.assertEqual(server.end(), 0)

    def test_behind_a_nat_a_private_address_leads_nowhere_and_the_error_names_it(self):
        with serving("iiop://:2809?publish=10.77.0.2") as server:
            client = self.call(server)
            self.assertEqual(client.returncode, 3)
            self.assertIn("TRANSIENT", client.stderr)
            self.assertIn("iiop://10.77.0.2:2809: Network is unreachable", client.stderr)

    def test_one_reference_serves_clients_inside_and_clients_outside(self):
        with forwarding(gateway, "192.0.2.1", 4000, "10.77.0.2", 2809):
            with serving("iiop://:2809?publish=10.77.0.2,192.0.2.1:4000") as server:
                self.expect_price(self.call(server))
                self.expect_price(self.call(server, host=gateway))

    def test_a_server_at_all_interfaces_publishes_an_address_that_other_hosts_reach(self):
        with serving("iiop://") as server:
            self.expect_price(self.call(server, host=gateway))

    def test_publish_all_leads_to_the_server_over_ipv6_where_ipv4_does_not(self):
        with serving("iiop://?publish=all") as server:
            self.expect_price(self.call(server, host=gateway))
            self.expect_price(self.call(server))

    def test_ipv6_alone_is_enough(self):
        with serving("iiop://[2001:db8:2::2]:2809") as server:
            self.expect_price(self.call(server))

    def test_an_address_that_does_not_answer_costs_its_share_of_the_time_and_no_more(self):
        with serving("iiop://:2809?publish=198.51.100.9,[2001:db8:2::2]") as server:
            self.expect_price(self.call(server, options="-ORBConnectTimeout 1000"))

    def test_addresses_of_a_name_that_do_not_answer_cost_a_moment_even_without_a_limit(self):
        with known_as("quotes", "2001:db8:1::9", "198.51.100.9", "2001:db8:2::2"):
            with serving("iiop://:2809?publish=quotes") as server:
                self.expect_price(self.call(server, options="-ORBConnectTimeout 0"))


if __name__ == "__main__":
    unittest.main()
