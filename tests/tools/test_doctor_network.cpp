// The checks of `perigee doctor` of names, addresses and peers.
#include "doctor/network.h"
#include <perigee/ipc/sock.h>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace perigee::tool {

using namespace std::chrono_literals;
using ipc::InetAddr;

namespace {

const InetAddr lan = InetAddr::v4({192, 0, 2, 7}, 0);

Finding check_name(const std::vector<InetAddr>& resolved, std::chrono::milliseconds time = 0ms) {
  return check_host_name("host", resolved, time, {InetAddr::loopback(), lan});
}

}  // namespace

TEST_CASE("references with a loopback address get advice") {
  CHECK(check_addresses({InetAddr::loopback(), lan}, lan).verdict == Verdict::ok);
  const Finding finding = check_addresses({InetAddr::loopback()}, InetAddr::loopback());
  CHECK(finding.verdict == Verdict::advice);
  CHECK(finding.remedy.find("publish=HOST") != std::string::npos);
}

TEST_CASE("the name of the host must lead to this host") {
  CHECK(check_name({lan}).verdict == Verdict::ok);
  CHECK(check_name({InetAddr::v4({127, 0, 1, 1}, 0)}).verdict == Verdict::ok);
  const Finding foreign = check_name({InetAddr::v4({192, 0, 2, 8}, 0)});
  CHECK(foreign.verdict == Verdict::advice);
  CHECK(foreign.text == "host resolves to 192.0.2.8, which is not on this host");
  CHECK(check_name({lan}, 700ms).text == "looking up host takes 700 ms");
  CHECK(check_host_name("host", std::unexpected(std::string("no such name")), 0ms, {lan}).text ==
        "host cannot be looked up: no such name");
}

TEST_CASE("a peer that does not listen is a problem") {
  auto acceptor = ipc::sock::Acceptor::open(InetAddr::loopback());
  REQUIRE(acceptor);
  const std::string address = to_string(*acceptor->local_address());
  const Findings open = check_peer(address, 5s);
  REQUIRE(open.size() == 1);
  CHECK(open.front().verdict == Verdict::ok);
  acceptor->close();
  const Findings closed = check_peer(address, 5s);
  REQUIRE(closed.size() == 1);
  CHECK(closed.front().verdict == Verdict::problem);
  CHECK(closed.front().text == "no program listens at this port");
  CHECK(check_peer("no port", 5s).front().verdict == Verdict::problem);
}

}  // namespace perigee::tool
