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
#include <mutex>
#include <system_error>
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

std::shared_ptr<const ProtocolPreference> server_preference(OrbCore& core) {
  const auto policies = core.client_policies().of_orb();
  return policies ? policies->values().server_protocols : nullptr;
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

// Who names an endpoint later wants it, whatever the policy prefers.
transport::Properties properties_for(OrbCore& core, const transport::Endpoint& endpoint) {
  const auto preference = server_preference(core);
  if (!preference || core.protocols().find(endpoint.scheme) == nullptr) return {};
  const auto place = preference->place_of(core.protocols(), endpoint.scheme);
  return place ? *place->properties : transport::Properties{};
}

std::expected<std::unique_ptr<Listener>, IoError> listen(OrbCore& core,
                                                         const ChosenEndpoint& chosen) {
  const transport::Endpoint& endpoint = chosen.endpoint;
  transport::ProtocolFactory* const factory = core.protocols().find(endpoint.scheme);
  if (factory == nullptr) return unknown_scheme(endpoint, core.protocols());
  auto acceptor = factory->listen_with(endpoint, chosen.properties);
  if (!acceptor) return std::unexpected(acceptor.error());
  const messaging::Protocol& messages = core.messaging_of(endpoint.scheme);
  return std::make_unique<Listener>(
      Listener{factory, std::move(*acceptor), &messages, core.version_max(messages)});
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
  std::vector<std::unique_ptr<Listener>> listeners;
  const auto preference = server_preference(core);
  for (const ChosenEndpoint& chosen : chosen_endpoints(core, preference.get())) {
    auto listener = listen(core, chosen);
    if (!listener) return std::unexpected(listener.error());
    listeners.push_back(std::move(*listener));
  }
  if (listeners.empty() && preference) return std::unexpected(nothing_to_listen_at());
  const std::lock_guard lock(mutex_);
  components_ = {iop::encode_orb_type(orb_type),
                 iop::encode_code_sets(published_code_sets(core.settings().code_sets))};
  if (core.settings().giop_lite) components_.push_back(iop::encode_giop_lite());
  // 1.0 has no components (interop fact 45).
  shares_iiop_profile_ = core.settings().version_max.minor > 0;
  listeners_ = std::move(listeners);
  arrange_components();
  return {};
}

// Under the server's mutex: who stops it afterwards finds the listener here.
std::expected<transport::Endpoint, IoError> AcceptorSet::add(OrbCore& core,
                                                             const transport::Endpoint& endpoint,
                                                             const Serving& serving) {
  auto listener = listen(core, {endpoint, properties_for(core, endpoint)});
  if (!listener) return std::unexpected(listener.error());
  transport::Endpoint published = (*listener)->acceptor->published();
  const std::lock_guard lock(serving.mutex);
  if (serving.stopping)
    return std::unexpected(
        IoError{IoErrorKind::interrupted, IoOperation::listen, 0, to_string(endpoint)});
  Listener& added = insert(std::move(*listener));
  try {
    serving.begin(added);
  } catch (const std::system_error& error) {  // no more threads
    withdraw(added);
    return std::unexpected(IoError{IoErrorKind::system, IoOperation::listen, error.code().value(),
                                   to_string(endpoint)});
  } catch (...) {
    withdraw(added);
    throw;
  }
  return published;
}

Listener& AcceptorSet::insert(std::unique_ptr<Listener> listener) {
  const std::lock_guard lock(mutex_);
  Listener& inserted = *listeners_.emplace_back(std::move(listener));
  arrange_components();
  return inserted;
}

// It stays, since others may be looking at it; who connects there is refused.
void AcceptorSet::withdraw(Listener& listener) noexcept {
  orb::stop_accepting(*listener.acceptor, [](auto /*transport*/) {});
  const std::lock_guard lock(mutex_);
  listener.is_withdrawn = true;
  listener.has_profile = false;
}

std::vector<Listener*> AcceptorSet::listeners() const {
  const std::shared_lock lock(mutex_);
  std::vector<Listener*> all;
  for (const auto& listener : listeners_) all.push_back(listener.get());
  return all;
}

// Peers that look for addresses among components read the first IIOP profile only: it gets those of
// all acceptors. If nobody else makes such a profile, the first of these acceptors' protocols does.
void AcceptorSet::arrange_components() {
  for (const auto& listener : listeners_) {
    listener->components = components_;
    listener->has_profile = !listener->is_withdrawn;
  }
  if (!shares_iiop_profile_) return;
  const auto is_guest = [](const auto& listener) {
    return listener->has_profile && !listener->acceptor->iiop_components().empty();
  };
  const auto makes_iiop = [&](const auto& listener) {
    return listener->has_profile && !is_guest(listener) &&
           listener->factory->make_profile(listener->acceptor->published(), {}).tag ==
               iop::tag_internet_iop;
  };
  auto host = std::ranges::find_if(listeners_, makes_iiop);
  if (host == listeners_.end()) host = std::ranges::find_if(listeners_, is_guest);
  if (host == listeners_.end()) return;
  for (const auto& listener : listeners_) {
    if (!is_guest(listener)) continue;
    std::ranges::copy(listener->acceptor->iiop_components(),
                      std::back_inserter((*host)->components));
    listener->has_profile = listener == *host;
  }
}

iop::Ior AcceptorSet::make_ior(std::string type_id, OctetSpan object_key) const {
  iop::Ior ior{std::move(type_id), {}};
  transport::ProfileSource source;
  source.object_key = object_key;
  const std::shared_lock lock(mutex_);
  for (const auto& listener : listeners_) {
    if (!listener->has_profile) continue;
    source.major = listener->version.major;
    source.minor = listener->version.minor;
    source.components = listener->components;
    source.alternates = listener->acceptor->alternates();
    ior.profiles.push_back(
        listener->factory->make_profile(listener->acceptor->published(), source));
  }
  return ior;
}

bool AcceptorSet::publishes(const transport::Endpoint& endpoint) const noexcept {
  const std::shared_lock lock(mutex_);
  return std::ranges::any_of(listeners_, [&endpoint](const auto& listener) {
    const transport::Acceptor& acceptor = *listener->acceptor;
    return !listener->is_withdrawn &&
           (acceptor.published() == endpoint || acceptor.listening() == endpoint ||
            std::ranges::find(acceptor.alternates(), endpoint) != acceptor.alternates().end());
  });
}

// Without the lock in `take`, which may take a lock of the server's.
void AcceptorSet::stop_accepting(const std::function<void(Accepted)>& take) const noexcept {
  for (std::size_t index = 0;; ++index) {
    std::shared_lock lock(mutex_);
    if (index == listeners_.size()) return;
    const Listener& listener = *listeners_[index];
    lock.unlock();
    orb::stop_accepting(*listener.acceptor,
                        [&](auto transport) { take(listener.accepted(std::move(transport))); });
  }
}

}  // namespace perigee::orb
