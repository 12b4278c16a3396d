// Checks the host name, the addresses and the connections to peers. Most failures of a first call
// over a network are host names that resolve to another host, loopback addresses in references, and
// firewalls.
#include "doctor/network.h"

#include "reach.h"
#include <perigee/base/printable.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

namespace perigee::tool {

namespace {

using Addresses = std::vector<ipc::InetAddr>;
using Milliseconds = std::chrono::milliseconds;

std::string list(const Addresses& addresses) {
  std::string text;
  for (const ipc::InetAddr& address : addresses)
    text += (text.empty() ? "" : ", ") + address.host();
  return text;
}

bool contains(const Addresses& addresses, const ipc::InetAddr& wanted) {
  return std::ranges::any_of(
      addresses, [&wanted](const ipc::InetAddr& each) { return each.host() == wanted.host(); });
}

std::string own_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

/// The cause of a failed connection, and its remedy.
struct Cause {
  std::string text;
  std::string remedy;
};

Cause cause_of(const std::error_code& error) {
  if (error == std::errc::connection_refused)
    return {
        "no program listens at this port",
        "start the server there; if it listens at 127.0.0.1 only, let it listen at iiop://:PORT"};
  if (error == std::errc::timed_out)
    return {"no answer", "a firewall drops the packets, or the host is down: allow the port there"};
  if (error == std::errc::network_unreachable || error == std::errc::host_unreachable)
    return {"no route to the peer", "check the routes of the local host: ip route"};
  if (error == std::errc::permission_denied || error == std::errc::operation_not_permitted)
    return {"a firewall of the local host forbids the connection",
            "allow outgoing connections to this port"};
  return {error.message(), "see whether the address and the port are right"};
}

}  // namespace

Finding check_addresses(const Addresses& addresses, const ipc::InetAddr& published) {
  Finding finding{.subject = "addresses", .text = list(addresses)};
  if (addresses.empty()) finding.text = "none";
  const std::string host = published.host();
  finding.text += "; the references of a server contain the address " + host;
  const std::string remark = remark_on_host(host);
  if (remark.empty()) return finding;
  finding.text += ", which " + remark;
  finding.verdict = Verdict::advice;
  finding.remedy =
      "if clients are on other hosts, name the address that they use: "
      "-ORBListenEndpoints \"iiop://:2809?publish=HOST\"";
  return finding;
}

Finding check_host_name(const std::string& name,
                        const std::expected<Addresses, std::string>& resolved, Milliseconds time,
                        const Addresses& addresses) {
  constexpr Milliseconds slow{500};
  Finding finding{.subject = "host name"};
  const std::string remedy = "add a line with an address of this host and this name to /etc/hosts";
  const auto advise = [&finding](std::string text, std::string what) {
    finding.verdict = Verdict::advice;
    finding.text = std::move(text);
    finding.remedy = std::move(what);
    return finding;
  };
  const std::string quoted_name = printable(name);
  if (!resolved) return advise(quoted_name + " cannot be looked up: " + resolved.error(), remedy);
  const auto foreign = std::ranges::find_if(*resolved, [&addresses](const ipc::InetAddr& each) {
    return !contains(addresses, each) && !each.host().starts_with("127.");
  });
  if (foreign != resolved->end())
    return advise(quoted_name + " resolves to " + foreign->host() + ", which is not on this host",
                  remedy);
  if (time >= slow)
    return advise("looking up " + quoted_name + " takes " + std::to_string(time.count()) + " ms",
                  "see which name server does not answer: /etc/resolv.conf");
  finding.text = quoted_name + " resolves to " + list(*resolved);
  return finding;
}

Findings check_network() {
  const auto found = ipc::interface_addresses();
  const Addresses addresses = found ? *found : Addresses();
  const std::string name = own_name();
  const auto begin = std::chrono::steady_clock::now();
  auto looked_up = ipc::resolve(name, 0);
  const auto time =
      std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begin);
  std::expected<Addresses, std::string> resolved =
      looked_up ? std::expected<Addresses, std::string>(std::move(*looked_up))
                : std::unexpected(looked_up.error().message());
  return {check_addresses(addresses, ipc::primary_address()),
          check_host_name(name, resolved, time, addresses)};
}

Findings check_peer(const std::string& peer, Milliseconds limit) {
  const auto addresses = ipc::resolve(peer);
  if (!addresses)
    return {{.subject = "peer " + printable(peer),
             .verdict = Verdict::problem,
             .text = addresses.error().message(),
             .remedy = "write host:port; see whether the name is right"}};
  Findings findings;
  for (const ipc::InetAddr& address : *addresses) {
    Finding finding{.subject = "peer " + to_string(address)};
    const auto begin = std::chrono::steady_clock::now();
    const auto stream = ipc::sock::Connector::connect(address, limit);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (stream) {
      finding.text = "connected in " + std::to_string(std::lround(time.count())) + " ms";
    } else {
      const Cause cause = cause_of(stream.error());
      finding.verdict = Verdict::problem;
      finding.text = cause.text;
      finding.remedy = cause.remedy;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace perigee::tool
