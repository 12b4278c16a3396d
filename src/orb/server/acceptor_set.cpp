// Opening endpoints, and making profiles out of them.
#include "orb/server/acceptor_set.h"

#include "orb/client_policies.h"
#include "orb/code_sets.h"
#include "orb/orb_core.h"
#include <perigee/base/log.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <utility>

namespace perigee::orb {

namespace {

// "PGE" and 0: who made the reference. Informative: no peer should depend on it.
constexpr std::uint32_t orb_type = 0x50474500;

std::unexpected<IoError> unknown_scheme(const transport::Endpoint& endpoint,
                                        const transport::ProtocolRegistry& protocols) {
  std::string text = transport::to_string(endpoint) + " (there are:";
  for (const std::string& scheme : protocols.schemes()) text += ' ' + scheme + "://";
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::listen, 0, std::move(text) + ")"});
}

IoError nothing_to_listen_at() {
  return {IoErrorKind::unsupported, IoOperation::listen, 0,
          "none of -ORBListenEndpoints is of a protocol of ServerProtocolPolicy"};
}

struct ChosenEndpoint {
  transport::Endpoint endpoint;
  transport::Properties properties;
};

// The configured ones, as far as ServerProtocolPolicy wants them, in its order. What nobody knows
// stays: it is an error.
std::vector<ChosenEndpoint> chosen_endpoints(OrbCore& core, const ProtocolPreference* preference) {
  std::multimap<std::size_t, ChosenEndpoint> ranked;  // among equals as configured
  for (const transport::Endpoint& endpoint : core.settings().listen_endpoints) {
    if (preference == nullptr || core.protocols().find(endpoint.scheme) == nullptr)
      ranked.emplace(0, ChosenEndpoint{endpoint, {}});
    else if (const auto place = preference->place_of(core.protocols(), endpoint.scheme))
      ranked.emplace(place->rank, ChosenEndpoint{endpoint, *place->properties});
  }
  std::vector<ChosenEndpoint> chosen;
  for (auto& [rank, endpoint] : ranked) chosen.push_back(std::move(endpoint));
  return chosen;
}

}  // namespace

void take_waiting(transport::Acceptor& acceptor,
                  const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept {
  try {
    for (std::uint32_t left = waiting_connections_max; left > 0; --left) {
      auto accepted = acceptor.accept(transport::Wait::no);
      if (!accepted || !*accepted) return;
      take(std::move(*accepted));
    }
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
  }
}

void stop_accepting(
    transport::Acceptor& acceptor,
    const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept {
  take_waiting(acceptor, take);
  acceptor.interrupt();
  take_waiting(acceptor, take);  // who came meanwhile
}

std::expected<void, IoError> AcceptorSet::open(OrbCore& core) {
  std::vector<Entry> entries;
  const auto policies = core.client_policies().of_orb();
  const auto preference = policies ? policies->values().server_protocols : nullptr;
  for (const auto& [endpoint, properties] : chosen_endpoints(core, preference.get())) {
    transport::ProtocolFactory* factory = core.protocols().find(endpoint.scheme);
    if (factory == nullptr) return unknown_scheme(endpoint, core.protocols());
    auto acceptor = factory->listen_with(endpoint, properties);
    if (!acceptor) return std::unexpected(acceptor.error());
    entries.push_back({factory, std::move(*acceptor), {}});
  }
  if (entries.empty() && preference) return std::unexpected(nothing_to_listen_at());
  entries_ = std::move(entries);
  version_ = core.settings().version_max;
  std::vector<iop::TaggedComponent> components{
      iop::encode_orb_type(orb_type),
      iop::encode_code_sets(published_code_sets(core.settings().code_sets))};
  if (core.settings().giop_lite) components.push_back(iop::encode_giop_lite());
  for (Entry& entry : entries_) entry.components = components;
  if (version_.minor > 0) share_iiop_profile();  // 1.0 has no components (interop fact 45)
  return {};
}

// Peers that look for addresses among components read the first IIOP profile only: it gets those of
// all acceptors. If nobody else makes such a profile, the first of these acceptors' protocols does.
void AcceptorSet::share_iiop_profile() {
  const auto is_guest = [](const Entry& entry) {
    return !entry.acceptor->iiop_components().empty();
  };
  const auto makes_iiop = [&](const Entry& entry) {
    return !is_guest(entry) && entry.factory->make_profile(entry.acceptor->published(), {}).tag ==
                                   iop::tag_internet_iop;
  };
  auto host = std::ranges::find_if(entries_, makes_iiop);
  if (host == entries_.end()) host = std::ranges::find_if(entries_, is_guest);
  if (host == entries_.end()) return;
  for (Entry& entry : entries_) {
    entry.has_profile = entry.acceptor == host->acceptor || !is_guest(entry);
    std::ranges::copy(entry.acceptor->iiop_components(), std::back_inserter(host->components));
  }
}

iop::Ior AcceptorSet::make_ior(std::string type_id, OctetSpan object_key) const {
  iop::Ior ior{std::move(type_id), {}};
  transport::ProfileSource source;
  source.major = version_.major;
  source.minor = version_.minor;
  source.object_key = object_key;
  for (const Entry& entry : entries_) {
    if (!entry.has_profile) continue;
    source.components = entry.components;
    source.alternates = entry.acceptor->alternates();
    ior.profiles.push_back(entry.factory->make_profile(entry.acceptor->published(), source));
  }
  return ior;
}

bool AcceptorSet::publishes(const transport::Endpoint& endpoint) const noexcept {
  return std::ranges::any_of(entries_, [&endpoint](const Entry& entry) {
    const transport::Acceptor& acceptor = *entry.acceptor;
    return acceptor.published() == endpoint || acceptor.listening() == endpoint ||
           std::ranges::find(acceptor.alternates(), endpoint) != acceptor.alternates().end();
  });
}

void AcceptorSet::stop_accepting(
    const std::function<void(std::unique_ptr<transport::Transport>)>& take) const noexcept {
  for (const Entry& entry : entries_) orb::stop_accepting(*entry.acceptor, take);
}

}  // namespace perigee::orb
