// Opens endpoints, and makes the profiles of references that lead there.
#include "orb/server/acceptor_set.h"

#include "orb/context/code_sets.h"
#include "orb/core/orb_core.h"
#include "orb/policies/client_policies.h"
#include <perigee/base/log.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace perigee::orb {

namespace {

// "PGE" and 0: the ORB that made the reference. Informative: no peer should depend on it.
constexpr std::uint32_t orb_type = 0x50474500;

// Adds the place in the configuration file that named the endpoint.
std::unexpected<IoError> named_in(const OrbCore& core, const transport::Endpoint& endpoint,
                                  IoError error) {
  error.endpoint += core.settings().place_of(endpoint.scheme + "://" + endpoint.address);
  return std::unexpected(std::move(error));
}

std::unexpected<IoError> unknown_scheme(const transport::Endpoint& endpoint,
                                        const transport::ProtocolRegistry& protocols) {
  std::string text = transport::to_string(endpoint) + " (there are:";
  for (const std::string& scheme : protocols.schemes()) text += ' ' + scheme + "://";
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::listen, 0, std::move(text) + ")"});
}

IoError nothing_to_listen_at() {
  return {IoErrorKind::unsupported, IoOperation::listen, 0,
          "no endpoint of -ORBListenEndpoints uses a protocol of ServerProtocolPolicy"};
}

// "host:port" or "[host]:port".
void add_listen_point(std::vector<iop::ListenPoint>& points, const transport::Endpoint& endpoint) {
  const std::string_view address = endpoint.address;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return;
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const std::string_view digits = address.substr(colon + 1);
  const auto end = std::from_chars(digits.begin(), digits.end(), port).ptr;
  if (end == digits.end() && port != 0) points.push_back({std::string(host), port});
}

std::shared_ptr<const ProtocolPreference> server_preference(OrbCore& core) {
  const auto policies = core.client_policies().of_orb();
  return policies ? policies->values().server_protocols : nullptr;
}

/// Whether a failure to listen at an endpoint is an error, or the server runs without the endpoint.
enum class Need : std::uint8_t { required, optional };

struct ChosenEndpoint {
  transport::Endpoint endpoint;
  transport::Properties properties;
  Need need = Need::required;
};

bool has_scheme(const std::vector<transport::Endpoint>& endpoints, std::string_view scheme) {
  return std::ranges::find(endpoints, scheme, &transport::Endpoint::scheme) != endpoints.end();
}

// The endpoints of protocols for this host (-ORBLocalTransports), whose addresses are empty: the
// protocols choose them. Protocols that are not loaded, or that TLS excludes, are left out.
std::vector<transport::Endpoint> local_endpoints(const OrbCore& core) {
  std::vector<transport::Endpoint> endpoints;
  for (const std::string& scheme : core.settings().local_transports)
    if (!has_scheme(core.settings().listen_endpoints, scheme) &&
        core.protocols().find(scheme) != nullptr)
      endpoints.push_back({scheme, ""});
  return endpoints;
}

// The configured endpoints that ServerProtocolPolicy wants, in its order. An endpoint of an unknown
// protocol stays, and is an error later. Endpoints for this host follow, if there is an endpoint of
// the scheme `local_transports_beside`.
std::vector<ChosenEndpoint> chosen_endpoints(OrbCore& core, const ProtocolPreference* preference) {
  std::multimap<std::size_t, ChosenEndpoint> ranked;  // equal ranks stay in the configured order
  const auto add = [&](const transport::Endpoint& endpoint, Need need) {
    if (preference == nullptr || core.protocols().find(endpoint.scheme) == nullptr)
      ranked.emplace(0, ChosenEndpoint{endpoint, {}, need});
    else if (const auto place = preference->place_of(core.protocols(), endpoint.scheme))
      ranked.emplace(place->rank, ChosenEndpoint{endpoint, *place->properties, need});
  };
  for (const transport::Endpoint& endpoint : core.settings().listen_endpoints)
    add(endpoint, Need::required);
  const bool is_beside = std::ranges::any_of(ranked, [&core](const auto& each) {
    return each.second.endpoint.scheme == core.settings().local_transports_beside;
  });
  if (is_beside)
    for (const transport::Endpoint& endpoint : local_endpoints(core)) add(endpoint, Need::optional);
  std::vector<ChosenEndpoint> chosen;
  for (auto& [rank, endpoint] : ranked) chosen.push_back(std::move(endpoint));
  return chosen;
}

// An endpoint that the application adds later is used even if the policy excludes its protocol.
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
  if (factory == nullptr)
    return named_in(core, endpoint, unknown_scheme(endpoint, core.protocols()).error());
  transport::Properties properties = chosen.properties;
  if (core.settings().accept_shards) properties.set(transport::property::share_port, 1);
  auto acceptor = factory->listen_with(endpoint, properties);
  if (!acceptor) return named_in(core, endpoint, acceptor.error());
  const messaging::MessagingProtocol& messages = messaging_of(core.context(), endpoint.scheme);
  return std::make_unique<Listener>(
      Listener{factory, std::move(*acceptor), &messages, version_max(core.context(), messages)});
}

// One line at the level `info`: the server also works without this endpoint.
void log_no_local_endpoint(const std::string& scheme, const IoError& error) {
  log::write(log::Level::info, "server",
             "does not listen at " + scheme + " for clients of this host: " + to_string(error));
}

}  // namespace

std::expected<void, IoError> AcceptorSet::open(OrbCore& core) {
  std::vector<std::unique_ptr<Listener>> listeners;
  const auto preference = server_preference(core);
  for (const ChosenEndpoint& chosen : chosen_endpoints(core, preference.get())) {
    auto listener = listen(core, chosen);
    if (listener) {
      listeners.push_back(std::move(*listener));
      continue;
    }
    if (chosen.need == Need::required) return std::unexpected(listener.error());
    log_no_local_endpoint(chosen.endpoint.scheme, listener.error());
  }
  if (listeners.empty() && preference) return std::unexpected(nothing_to_listen_at());
  const std::lock_guard lock(mutex_);
  components_ = {iop::encode_orb_type(orb_type),
                 iop::encode_code_sets(published_code_sets(core.settings().code_sets))};
  if (core.settings().giop_lite) components_.push_back(iop::encode_giop_lite());
  // Profiles of version 1.0 have no components (interop fact 45 of docs/interop.md).
  shares_iiop_profile_ = core.settings().version_max.minor > 0;
  listeners_ = std::move(listeners);
  has_local_ = std::ranges::any_of(listeners_, [&core](const auto& listener) {
    return listener->acceptor->listening().scheme == core.settings().local_transports_beside;
  });
  published_ = arranged(served());
  return {};
}

std::expected<transport::Endpoint, IoError> AcceptorSet::add(OrbCore& core,
                                                             const transport::Endpoint& endpoint,
                                                             const Serving& serving) {
  auto published = add_one(core, endpoint, serving);
  if (published && endpoint.scheme == core.settings().local_transports_beside)
    add_local(core, serving);
  return published;
}

// Done once: the first endpoint of the scheme `local_transports_beside` was added after `open`.
void AcceptorSet::add_local(OrbCore& core, const Serving& serving) noexcept try {
  if (has_local_.exchange(true)) return;
  const auto preference = server_preference(core);
  for (const transport::Endpoint& endpoint : local_endpoints(core)) {
    if (preference && !preference->place_of(core.protocols(), endpoint.scheme)) continue;
    const auto published = add_one(core, endpoint, serving);
    if (!published) log_no_local_endpoint(endpoint.scheme, published.error());
  }
} catch (const std::exception& exception) {  // no memory, or no thread
  log::write(log::Level::info, "server", exception.what());
}

// The listener is added under the server's mutex, so a thread that stops the server afterwards
// finds it.
std::expected<transport::Endpoint, IoError> AcceptorSet::add_one(
    OrbCore& core, const transport::Endpoint& endpoint, const Serving& serving) {
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
  } catch (...) {
    withdraw(added);
    throw;
  }
  return published;
}

Listener& AcceptorSet::insert(std::unique_ptr<Listener> listener) {
  const std::lock_guard lock(mutex_);
  Chosen all = served();
  all.push_back(listener.get());
  auto published = arranged(all);  // may throw, so it comes before all changes
  Listener& inserted = *listeners_.emplace_back(std::move(listener));
  published_ = std::move(published);
  protocol_changes_.store(0, std::memory_order_release);  // its protocol may be removed already
  return inserted;
}

// The listener stays in the list, since other threads may be using it. It refuses clients that
// connect.
void AcceptorSet::withdraw(Listener& listener) noexcept {
  engine::stop_accepting(*listener.acceptor, [](auto /*transport*/) {});
  const std::lock_guard lock(mutex_);
  listener.is_withdrawn = true;
  std::erase_if(published_, [&](const Published& each) { return each.listener == &listener; });
}

// If memory runs out, the next call tries again.
std::vector<Listener*> AcceptorSet::withdraw_removed(const OrbCore& core) noexcept try {
  const std::uint64_t changes = core.protocols().changes();  // read before the listeners
  if (changes == protocol_changes_.load(std::memory_order_acquire)) return {};
  std::vector<Listener*> removed;
  const std::lock_guard lock(mutex_);
  for (const auto& listener : listeners_) {
    const std::string& scheme = listener->acceptor->listening().scheme;
    if (!listener->is_withdrawn && core.protocols().find(scheme) != listener->factory)
      removed.push_back(listener.get());
  }
  Chosen left = served();
  std::erase_if(left, [&removed](const Listener* each) {
    return std::ranges::find(removed, each) != removed.end();
  });
  published_ = arranged(left);
  for (Listener* const listener : removed) listener->is_withdrawn = true;
  protocol_changes_.store(changes, std::memory_order_release);
  return removed;
} catch (const std::exception& exception) {
  log::write(log::Level::warning, "server", exception.what());
  return {};
}

void AcceptorSet::close_removed(const OrbCore& core, function_ref<void(Listener&)> close) noexcept {
  for (Listener* const listener : withdraw_removed(core)) try {
      close(*listener);
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "server", exception.what());
      const std::lock_guard lock(mutex_);
      listener->is_withdrawn = false;
      protocol_changes_.store(0, std::memory_order_release);
    }
}

std::vector<Listener*> AcceptorSet::listeners() const {
  const std::shared_lock lock(mutex_);
  std::vector<Listener*> all;
  for (const auto& listener : listeners_) all.push_back(listener.get());
  return all;
}

AcceptorSet::Chosen AcceptorSet::served() const {
  Chosen all;
  for (const auto& listener : listeners_)
    if (!listener->is_withdrawn) all.push_back(listener.get());
  return all;
}

AcceptorSet::Chosen AcceptorSet::preferred(const transport::ProtocolRegistry& protocols,
                                           const ProtocolPreference& preference) const {
  std::multimap<std::size_t, const Listener*> ranked;  // equal ranks stay in the order of opening
  for (const Listener* const listener : served()) {
    const auto place = preference.place_of(protocols, listener->acceptor->listening().scheme);
    if (place) ranked.emplace(place->rank, listener);
  }
  Chosen chosen;
  for (const auto& [rank, listener] : ranked) chosen.push_back(listener);
  return chosen;
}

// Some acceptors publish their addresses as components of an IIOP profile (`iiop_components`).
// Peers look for such components in the first IIOP profile only. So the first acceptor that makes
// an IIOP profile of its own gets these components, too. If there is none, the first acceptor with
// such components makes the profile.
std::vector<AcceptorSet::Published> AcceptorSet::arranged(const Chosen& chosen) const {
  const auto is_guest = [this](const Listener* listener) {
    return shares_iiop_profile_ && !listener->acceptor->iiop_components().empty();
  };
  const auto makes_iiop = [&](const Listener* listener) {
    return !is_guest(listener) &&
           listener->factory->make_profile(listener->acceptor->published(), {}).tag ==
               iop::tag_internet_iop;
  };
  auto host = std::ranges::find_if(chosen, makes_iiop);
  if (host == chosen.end()) host = std::ranges::find_if(chosen, is_guest);
  std::vector<Published> published;
  for (const Listener* const listener : chosen) {
    const bool is_host = host != chosen.end() && listener == *host;
    if (is_guest(listener) && !is_host) continue;
    published.push_back({listener, components_});
    if (!is_host) continue;
    for (const Listener* const guest : chosen)
      if (is_guest(guest))
        std::ranges::copy(guest->acceptor->iiop_components(),
                          std::back_inserter(published.back().components));
  }
  return published;
}

iop::Ior AcceptorSet::make_ior(const transport::ProtocolRegistry& protocols,
                               ReferenceParts parts) const {
  iop::Ior ior{std::move(parts.type_id), {}};
  transport::ProfileSource source;
  source.object_key = parts.object_key;
  const std::shared_lock lock(mutex_);
  std::vector<Published> some;
  if (parts.preference != nullptr) some = arranged(preferred(protocols, *parts.preference));
  for (const Published& each : parts.preference != nullptr ? some : published_) {
    const Listener& listener = *each.listener;
    source.major = listener.version.major;
    source.minor = listener.version.minor;
    source.components = each.components;
    source.alternates = listener.acceptor->alternates();
    ior.profiles.push_back(listener.factory->make_profile(listener.acceptor->published(), source));
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

std::uint64_t AcceptorSet::datagrams_dropped() const noexcept {
  std::uint64_t count = 0;
  const std::shared_lock lock(mutex_);
  for (const auto& listener : listeners_) count += listener->acceptor->datagrams_dropped();
  return count;
}

std::vector<iop::ListenPoint> AcceptorSet::listen_points(std::string_view scheme) const {
  std::vector<iop::ListenPoint> points;
  const std::shared_lock lock(mutex_);
  for (const Listener* const listener : served()) {
    if (listener->acceptor->published().scheme != scheme) continue;
    add_listen_point(points, listener->acceptor->published());
    for (const transport::Endpoint& other : listener->acceptor->alternates())
      add_listen_point(points, other);
  }
  return points;
}

// Also closes the connections that wait in the queues of the acceptors.
void AcceptorSet::turn_away() const noexcept {
  const std::shared_lock lock(mutex_);
  for (const auto& listener : listeners_)
    engine::stop_accepting(*listener->acceptor, [](auto /*transport*/) {});
}

}  // namespace perigee::orb
