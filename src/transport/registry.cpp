// The registry of transports, messages and schemes, and endpoints as text.
#include "transport/scheme_pair.h"
#include <perigee/base/printable.h>
#include <perigee/transport/registry.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <ranges>
#include <span>
#include <utility>

namespace perigee::transport {
namespace {

/// RFC 3986, 3.1. Only lower case, as in all schemes of Perigee.
bool is_scheme(std::string_view text) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto other = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, other);
}

bool has_scheme(const ProtocolFactory& factory, std::string_view scheme) noexcept {
  const auto schemes = factory.schemes();
  return std::ranges::find(schemes, scheme) != schemes.end();
}

/// Finds the entry by its name, otherwise by its scheme.
template <typename Range>
auto find_named(Range& entries, std::string_view name) {
  const auto by_name = std::ranges::find_if(
      entries, [name](const auto& entry) { return entry.factory->name() == name; });
  if (by_name != std::ranges::end(entries)) return by_name;
  return std::ranges::find_if(
      entries, [name](const auto& entry) { return has_scheme(*entry.factory, name); });
}

std::unexpected<IoError> no_endpoint(std::string_view text) {
  return std::unexpected(IoError{IoErrorKind::bad_address, IoOperation::none, 0,
                                 std::string(text) + " (<scheme>://<address> is needed)"});
}

// The error for a protocol that cannot be used as a whole.
std::unexpected<IoError> unfit(std::string text) {
  return std::unexpected(IoError{IoErrorKind::bad_plugin, IoOperation::none, 0, std::move(text)});
}

std::unexpected<IoError> tag_is_taken(const std::string& name, std::uint32_t tag,
                                      const std::string& owner) {
  return unfit(name + ": profiles with tag " + std::to_string(tag) + " are already read by " +
               owner);
}

const iop::ProfileCodec* find_codec(std::span<const std::unique_ptr<iop::ProfileCodec>> codecs,
                                    std::uint32_t tag) noexcept {
  const auto found = std::ranges::find(codecs, tag, [](const auto& codec) { return codec->tag(); });
  return found == codecs.end() ? nullptr : found->get();
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  return endpoint.scheme + "://" + printable(endpoint.address);
}

std::expected<Endpoint, IoError> parse_endpoint(std::string_view text) {
  const auto separator = text.find("://");
  if (separator == std::string_view::npos) return no_endpoint(text);
  const auto scheme = text.substr(0, separator);
  if (!is_scheme(scheme)) return no_endpoint(text);
  return Endpoint{std::string(scheme), std::string(text.substr(separator + 3))};
}

ProtocolRegistry::ProtocolRegistry(const messaging::Limits& limits, Decorator decorate)
    : limits_(limits),
      decorate_(std::move(decorate)),
      iiop_codec_(iop::make_iiop_codec()),
      scheme_codec_(make_scheme_profile_codec([this](std::uint32_t tag) { return codec(tag); })) {}
ProtocolRegistry::~ProtocolRegistry() = default;

void ProtocolRegistry::set_own_messaging(const messaging::MessagingProtocol& messages) noexcept {
  own_messages_ = &messages;
}

const ProtocolRegistry::Entry* ProtocolRegistry::entry_of(std::string_view scheme) const noexcept {
  const auto found = std::ranges::find_if(
      entries_, [scheme](const Entry& entry) { return has_scheme(*entry.factory, scheme); });
  return found == entries_.end() ? nullptr : &*found;
}

const iop::ProfileCodec* ProtocolRegistry::codec_of(std::uint32_t tag) const noexcept {
  if (tag == iiop_codec_->tag()) return iiop_codec_.get();
  if (tag == scheme_codec_->tag()) return scheme_codec_.get();
  for (const Entry& entry : entries_)
    if (const auto* const codec = find_codec(entry.codecs, tag)) return codec;
  return nullptr;
}

ProtocolRegistry::Entry ProtocolRegistry::make_entry(std::unique_ptr<ProtocolFactory> factory) {
  Entry entry;
  entry.connector = factory->make_connector();
  entry.codecs = factory->make_profile_codecs();
  entry.factory = std::move(factory);
  return entry;
}

std::expected<void, IoError> ProtocolRegistry::check_fit(const Entry& entry,
                                                         std::string_view scheme) const {
  const auto* const messages = entry.messages != nullptr ? entry.messages : own_messages_;
  const auto carrier = entry.factory->carrier();
  const auto fit = messages != nullptr
                       ? messaging::fit(*messages, carrier)
                       : messaging::Fit{messaging::Carries::nothing,
                                        messaging::missing(messaging::Needs{}, carrier)};
  if (fit.missing.empty()) return {};
  const std::string carried = messages != nullptr ? std::string(messages->name()) : "giop";
  const bool oneways = fit.carries == messaging::Carries::oneways;
  return std::unexpected(IoError{IoErrorKind::unsupported, IoOperation::none, 0,
                                 "protocol " + std::string(entry.factory->name()) + ": " +
                                     std::string(scheme) + " carries " + carried +
                                     (oneways ? " (oneways only)" : "") +
                                     ", but its transport does not " + std::string(fit.missing)});
}

std::expected<void, IoError> ProtocolRegistry::check(const Entry& entry) const {
  const std::string name = "protocol " + std::string(entry.factory->name());
  if (std::ranges::any_of(entry.codecs, [](const auto& codec) { return codec == nullptr; }))
    return unfit(name + " has a profile codec that is null");
  const auto schemes = entry.factory->schemes();
  if (schemes.empty()) return unfit(name + " has no scheme");
  for (const std::string_view scheme : schemes) {
    if (!is_scheme(scheme))
      return unfit(name + ": the scheme '" + std::string(scheme) + "' is not a valid name");
    if (std::ranges::count(schemes, scheme) > 1)
      return unfit(name + ": the scheme " + std::string(scheme) + " is listed twice");
    if (auto checked = check_fit(entry, scheme); !checked) return checked;
  }
  for (const auto& codec : entry.codecs) {
    const auto same = [&codec](const auto& other) { return other->tag() == codec->tag(); };
    if (std::ranges::count_if(entry.codecs, same) > 1)
      return unfit(name + " reads profiles with tag " + std::to_string(codec->tag()) + " twice");
    if (codec->tag() == iiop_codec_->tag() || codec->tag() == scheme_codec_->tag())
      return tag_is_taken(name, codec->tag(), "the ORB");
  }
  return {};
}

std::expected<void, IoError> ProtocolRegistry::check_beside(const Entry& entry,
                                                            const Entry& other) {
  const std::string name = "protocol " + std::string(entry.factory->name());
  const std::string other_name = "protocol " + std::string(other.factory->name());
  if (entry.factory->name() == other.factory->name()) return unfit(name + " is registered already");
  for (const std::string_view scheme : entry.factory->schemes())
    if (has_scheme(*other.factory, scheme))
      return unfit(name + ": the scheme " + std::string(scheme) + " is already that of " +
                   other_name);
  for (const auto& codec : entry.codecs)
    if (find_codec(other.codecs, codec->tag()) != nullptr)
      return tag_is_taken(name, codec->tag(), other_name);
  return {};
}

std::expected<void, IoError> ProtocolRegistry::check_beside_all(const Entry& entry) const {
  for (const Entry& other : entries_)
    if (auto checked = check_beside(entry, other); !checked) return checked;
  return {};
}

bool ProtocolRegistry::is_there(const Messages& messages) const noexcept {
  return !messages.has_transports || std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.transport == nullptr && entry.group == messages.group;
  });
}

const messaging::MessagingProtocol* ProtocolRegistry::messages_named(
    std::string_view name, const std::vector<Messages>& added) const noexcept {
  for (const Messages& messages : added)
    if (messages.protocol->name() == name) return messages.protocol.get();
  for (const Messages& messages : messages_)
    if (messages.protocol->name() == name && is_there(messages)) return messages.protocol.get();
  return nullptr;
}

ProtocolFactory* ProtocolRegistry::transport_named(std::string_view name,
                                                   const Entries& added) const noexcept {
  for (const Entries* const all : {&added, &entries_})
    for (const Entry& entry : *all)
      if (entry.transport == nullptr && entry.factory->name() == name) return entry.factory.get();
  return nullptr;
}

/// The part of `add` that needs no lock: it calls the new transports and messages.
std::expected<ProtocolRegistry::Added, IoError> ProtocolRegistry::make(ProtocolParts parts) const {
  Added added;
  for (auto& factory : parts.transports) {
    if (!factory) return unfit("a transport that is null");
    added.transports.push_back(
        make_entry(decorate_ ? decorate_(std::move(factory)) : std::move(factory)));
    const Entry& entry = added.transports.back();
    if (auto checked = check(entry); !checked) return std::unexpected(checked.error());
    for (const Entry& other : std::span(added.transports).first(added.transports.size() - 1))
      if (auto checked = check_beside(entry, other); !checked)
        return std::unexpected(checked.error());
  }
  for (const MessagingMaker& maker : parts.messagings) {
    Messages messages{maker ? maker(limits_) : nullptr, 0, !added.transports.empty()};
    if (messages.protocol == nullptr) return unfit("a messaging protocol that is null");
    added.messages.push_back(std::move(messages));
  }
  added.rows = std::move(parts.schemes);
  return added;
}

// Expects the mutex to be held. "giop" means the ORB's own messages even if they are not
// registered.
std::expected<ProtocolRegistry::Entry, IoError> ProtocolRegistry::make_pair(
    SchemeRow row, const Added& added) const {
  const std::string name = "scheme " + row.scheme;
  if (!is_scheme(row.scheme)) return unfit("scheme '" + row.scheme + "': not a valid name");
  ProtocolFactory* const transport = transport_named(row.transport, added.transports);
  if (transport == nullptr) return unfit(name + ": there is no transport " + row.transport);
  const std::string_view own = own_messages_ != nullptr ? own_messages_->name() : "giop";
  const auto* const messages = messages_named(row.messaging, added.messages);
  if (messages == nullptr && row.messaging != own)
    return unfit(name + ": there is no messaging protocol " + row.messaging);
  Entry pair = make_entry(make_scheme_pair(std::move(row.scheme), *transport));
  pair.messages = messages;
  pair.transport = transport;
  if (auto checked = check(pair); !checked) return std::unexpected(checked.error());
  return pair;
}

std::expected<ProtocolRegistry::Entries, IoError> ProtocolRegistry::make_pairs(Added& added) const {
  Entries pairs;
  for (SchemeRow& row : added.rows) {
    auto pair = make_pair(std::move(row), added);
    if (!pair) return std::unexpected(pair.error());
    for (const Entries* const all : {&added.transports, &pairs})
      for (const Entry& other : *all)
        if (auto checked = check_beside(*pair, other); !checked)
          return std::unexpected(checked.error());
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

std::expected<void, IoError> ProtocolRegistry::check_messages(
    const std::vector<Messages>& added) const {
  for (auto messages = added.begin(); messages != added.end(); ++messages) {
    const std::string name(messages->protocol->name());
    const bool twice = std::any_of(added.begin(), messages, [&](const Messages& other) {
      return other.protocol->name() == name;
    });
    const bool is_own = own_messages_ != nullptr && own_messages_->name() == name;
    if (twice || is_own || messages_named(name, {}) != nullptr)
      return unfit("the messaging protocol " + name + " is registered already");
  }
  return {};
}

std::expected<void, IoError> ProtocolRegistry::add(ProtocolParts parts) {
  auto added = make(std::move(parts));
  if (!added) return std::unexpected(added.error());
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : added->transports)
    if (auto checked = check_beside_all(entry); !checked) return checked;
  if (auto checked = check_messages(added->messages); !checked) return checked;
  auto pairs = make_pairs(*added);
  if (!pairs) return std::unexpected(pairs.error());
  for (Entry& pair : *pairs) {
    if (auto checked = check_beside_all(pair); !checked) return checked;
    added->transports.push_back(std::move(pair));
  }
  entries_.reserve(entries_.size() + added->transports.size());
  messages_.reserve(messages_.size() + added->messages.size());  // nothing below fails
  ++groups_;
  for (Entry& entry : added->transports) entry.group = groups_;
  for (Messages& messages : added->messages) messages.group = groups_;
  std::ranges::move(added->transports, std::back_inserter(entries_));
  std::ranges::move(added->messages, std::back_inserter(messages_));
  changes_.fetch_add(1, std::memory_order_release);
  return {};
}

std::expected<void, IoError> ProtocolRegistry::add(ProtocolFactories factories) {
  return add(ProtocolParts{std::move(factories), {}, {}});
}

std::expected<void, IoError> ProtocolRegistry::add(std::unique_ptr<ProtocolFactory> factory) {
  ProtocolFactories one;
  one.push_back(std::move(factory));
  return add(std::move(one));
}

std::expected<void, IoError> ProtocolRegistry::add_scheme(SchemeRow row) {
  ProtocolParts one;
  one.schemes.push_back(std::move(row));
  return add(std::move(one));
}

/// False for the scheme of a row whose transport or messages are no longer registered.
bool ProtocolRegistry::is_usable(const Entry& entry) const noexcept {
  if (entry.transport == nullptr) return true;
  const bool has_transport = std::ranges::any_of(
      entries_, [&](const Entry& other) { return other.factory.get() == entry.transport; });
  const auto messages = std::ranges::find_if(
      messages_, [&](const Messages& other) { return other.protocol.get() == entry.messages; });
  return has_transport && (messages == messages_.end() || is_there(*messages));
}

bool ProtocolRegistry::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto found = find_named(entries_, name);
  if (found == entries_.end()) return false;
  const auto of_plugin = std::ranges::find_if(entries_, [found](const Entry& entry) {
    return entry.factory.get() == found->transport && entry.group == found->group;
  });
  if (of_plugin != entries_.end()) found = of_plugin;
  removed_.reserve(removed_.size() + entries_.size());  // nothing below fails
  ++removals_;
  const auto take_out = [this](Entries::iterator entry) {
    entry->removal = removals_;
    removed_.push_back(std::move(*entry));
    return entries_.erase(entry);
  };
  take_out(found);
  for (auto entry = entries_.begin(); entry != entries_.end();)
    entry = is_usable(*entry) ? std::next(entry) : take_out(entry);
  changes_.fetch_add(1, std::memory_order_release);
  return true;
}

std::expected<bool, IoError> ProtocolRegistry::restore(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto newest_first = std::views::reverse(removed_);
  const auto found = find_named(newest_first, name);
  const auto there = find_named(entries_, name);
  if (there != entries_.end())
    return unfit("protocol " + std::string(there->factory->name()) + " is registered already");
  if (found == newest_first.end()) return false;
  const std::uint64_t removal = found->removal;
  const auto together = [removal](const Entry& entry) { return entry.removal == removal; };
  for (const Entry& entry : removed_)
    if (together(entry))
      if (auto checked = check_beside_all(entry); !checked) return std::unexpected(checked.error());
  entries_.reserve(entries_.size() + removed_.size());
  for (Entry& entry : removed_)
    if (together(entry)) entries_.push_back(std::move(entry));
  std::erase_if(removed_, [](const Entry& entry) { return entry.factory == nullptr; });
  changes_.fetch_add(1, std::memory_order_release);
  return true;
}

bool ProtocolRegistry::has_files() const {
  const std::shared_lock lock(mutex_);
  return std::ranges::any_of(entries_,
                             [](const Entry& entry) { return entry.factory->has_files(); });
}

std::vector<IoError> ProtocolRegistry::reload() {
  std::vector<ProtocolFactory*> factories;  // they live as long as the registry
  {
    const std::shared_lock lock(mutex_);
    for (const Entry& entry : entries_) factories.push_back(entry.factory.get());
  }
  std::vector<IoError> errors;
  for (ProtocolFactory* const factory : factories)
    if (const auto reloaded = factory->reload(); !reloaded) errors.push_back(reloaded.error());
  return errors;
}

ProtocolFactory* ProtocolRegistry::find(std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  return entry != nullptr ? entry->factory.get() : nullptr;
}

Connector* ProtocolRegistry::connector(std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  return entry != nullptr ? entry->connector.get() : nullptr;
}

const messaging::MessagingProtocol* ProtocolRegistry::messaging(
    std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  return entry != nullptr ? entry->messages : nullptr;
}

ProtocolRegistry::Readers ProtocolRegistry::readers_of(std::uint32_t tag) const {
  const std::shared_lock lock(mutex_);
  Readers readers{codec_of(tag), {}};
  for (const Entry& entry : entries_) readers.factories.push_back(entry.factory.get());
  return readers;
}

// Protocols are called without the lock: they may call the registry.
std::optional<ProfileTarget> ProtocolRegistry::claim(const iop::TaggedProfile& profile) const {
  const Readers readers = readers_of(profile.tag);
  if (readers.codec == nullptr) return std::nullopt;
  auto body = readers.codec->decode(profile, iop::IorLimits{});
  if (!body) return std::nullopt;
  ProfileTarget target;
  for (const ProtocolFactory* const factory : readers.factories)
    std::ranges::move(factory->claim(profile.tag, *body), std::back_inserter(target.endpoints));
  if (target.endpoints.empty()) return std::nullopt;
  target.major = body->major;
  target.minor = body->minor;
  target.object_key = std::move(body->object_key);
  target.components = std::move(body->components);
  return target;
}

const iop::ProfileCodec* ProtocolRegistry::codec(std::uint32_t tag) const noexcept {
  const std::shared_lock lock(mutex_);
  return codec_of(tag);
}

// The scheme of a row is listed with its transport, if both are usable or both are removed.
std::vector<ProtocolRegistry::Listed> ProtocolRegistry::list() const {
  const std::shared_lock lock(mutex_);
  std::vector<Listed> all;
  std::vector<const ProtocolFactory*> listed;
  const auto add = [&](const Entry& entry, bool is_removed) {
    const auto transport = std::ranges::find(listed, entry.transport);
    if (entry.transport != nullptr && transport != listed.end()) {
      Listed& of_transport = all[static_cast<std::size_t>(transport - listed.begin())];
      if (of_transport.is_removed == is_removed)
        return of_transport.schemes.emplace_back(entry.factory->name()), void();
    }
    const auto schemes = entry.factory->schemes();
    const std::string name(entry.factory->name());
    if (is_removed && std::ranges::find(all, name, &Listed::name) != all.end()) return;
    all.push_back({name, {schemes.begin(), schemes.end()}, is_removed});
    listed.push_back(entry.factory.get());
  };
  for (const Entry& entry : entries_) add(entry, false);
  for (const Entry& entry : removed_) add(entry, true);
  return all;
}

std::vector<std::string> ProtocolRegistry::schemes() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> all;
  for (const Entry& entry : entries_)
    for (const std::string_view scheme : entry.factory->schemes()) all.emplace_back(scheme);
  return all;
}

}  // namespace perigee::transport
