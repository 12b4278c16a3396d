// Opening endpoints, and making profiles out of them.
#include "orb/server/acceptor_set.h"

#include "orb/code_sets.h"
#include "orb/orb_core.h"
#include <perigee/base/log.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <exception>
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

std::expected<void, IoError> AcceptorSet::open(OrbCore& core) {
  std::vector<Entry> entries;
  for (const transport::Endpoint& endpoint : core.settings().listen_endpoints) {
    transport::ProtocolFactory* factory = core.protocols().find(endpoint.scheme);
    if (factory == nullptr) return unknown_scheme(endpoint, core.protocols());
    auto acceptor = factory->listen(endpoint);
    if (!acceptor) return std::unexpected(acceptor.error());
    entries.push_back({factory, std::move(*acceptor)});
  }
  entries_ = std::move(entries);
  version_ = core.settings().version_max;
  components_ = {iop::encode_orb_type(orb_type),
                 iop::encode_code_sets(published_code_sets(core.settings().code_sets))};
  if (core.settings().giop_lite) components_.push_back(iop::encode_giop_lite());
  return {};
}

iop::Ior AcceptorSet::make_ior(std::string type_id, OctetSpan object_key) const {
  iop::Ior ior{std::move(type_id), {}};
  transport::ProfileSource source;
  source.major = version_.major;
  source.minor = version_.minor;
  source.object_key = object_key;
  source.components = components_;
  for (const Entry& entry : entries_) {
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

void AcceptorSet::interrupt() noexcept {
  for (const Entry& entry : entries_) entry.acceptor->interrupt();
}

}  // namespace perigee::orb
