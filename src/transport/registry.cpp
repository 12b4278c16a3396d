// The registry of protocols, and endpoints as text.
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

/// RFC 3986, 3.1, in lower case as all our schemes are.
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

/// The entry of the protocol that has the name, else of one that has it for a scheme.
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

// A protocol, not an address: nothing of it can be used.
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

std::string name_of(const messaging::Protocol* messages) {
  return messages != nullptr ? std::string(messages->name()) : "GIOP";
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
    : limits_(limits), decorate_(std::move(decorate)), iiop_codec_(iop::make_iiop_codec()) {}
ProtocolRegistry::~ProtocolRegistry() = default;

const ProtocolRegistry::Entry* ProtocolRegistry::entry_of(std::string_view scheme) const noexcept {
  const auto found = std::ranges::find_if(
      entries_, [scheme](const Entry& entry) { return has_scheme(*entry.factory, scheme); });
  return found == entries_.end() ? nullptr : &*found;
}

const iop::ProfileCodec* ProtocolRegistry::codec_of(std::uint32_t tag) const noexcept {
  if (tag == iiop_codec_->tag()) return iiop_codec_.get();
  for (const Entry& entry : entries_)
    if (const auto* const codec = find_codec(entry.codecs, tag)) return codec;
  return nullptr;
}

ProtocolRegistry::Entry ProtocolRegistry::make_entry(
    std::unique_ptr<ProtocolFactory> factory) const {
  Entry entry;
  entry.connector = factory->make_connector();
  entry.codecs = factory->make_profile_codecs();
  for (const std::string_view scheme : factory->schemes())
    entry.messaging.push_back(factory->make_messaging(scheme, limits_));
  entry.factory = std::move(factory);
  return entry;
}

std::expected<void, IoError> ProtocolRegistry::check(const Entry& entry) const {
  const std::string name = "protocol " + std::string(entry.factory->name());
  if (std::ranges::any_of(entry.codecs, [](const auto& codec) { return codec == nullptr; }))
    return unfit(name + " brings a profile codec that is none");
  const auto schemes = entry.factory->schemes();
  if (schemes.empty()) return unfit(name + " has no scheme");
  for (std::size_t index = 0; index < schemes.size(); ++index) {
    const std::string scheme(schemes[index]);
    if (!is_scheme(scheme)) return unfit(name + ": the scheme '" + scheme + "'");
    if (std::ranges::count(schemes, scheme) > 1)
      return unfit(name + ": the scheme " + scheme + " comes twice");
    const auto* const messages = entry.messaging[index].get();
    const auto needs = messages != nullptr ? messages->needs() : messaging::Delivery{};
    const auto lacks = messaging::missing(needs, entry.factory->delivery());
    if (!lacks.empty())
      return std::unexpected(IoError{IoErrorKind::unsupported, IoOperation::none, 0,
                                     name + ": " + scheme + " carries " + name_of(messages) +
                                         ", but does not " + std::string(lacks)});
  }
  for (const auto& codec : entry.codecs) {
    const auto same = [&codec](const auto& other) { return other->tag() == codec->tag(); };
    if (std::ranges::count_if(entry.codecs, same) > 1)
      return unfit(name + " reads profiles with tag " + std::to_string(codec->tag()) + " twice");
    if (codec->tag() == iiop_codec_->tag()) return tag_is_taken(name, codec->tag(), "the ORB");
  }
  return {};
}

std::expected<void, IoError> ProtocolRegistry::check_beside(const Entry& entry,
                                                            const Entry& other) {
  const std::string name = "protocol " + std::string(entry.factory->name());
  const std::string other_name = "protocol " + std::string(other.factory->name());
  if (entry.factory->name() == other.factory->name()) return unfit(name + " is there already");
  for (const std::string_view scheme : entry.factory->schemes())
    if (has_scheme(*other.factory, scheme))
      return unfit(name + ": the scheme " + std::string(scheme) + " is already that of " +
                   other_name);
  for (const auto& codec : entry.codecs)
    if (find_codec(other.codecs, codec->tag()) != nullptr)
      return tag_is_taken(name, codec->tag(), other_name);
  return {};
}

std::expected<void, IoError> ProtocolRegistry::add(std::unique_ptr<ProtocolFactory> factory) {
  ProtocolFactories one;
  one.push_back(std::move(factory));
  return add(std::move(one));
}

std::expected<void, IoError> ProtocolRegistry::add(ProtocolFactories factories) {
  Entries added;
  for (auto& factory : factories) {
    if (!factory) return unfit("a protocol that is none");
    added.push_back(make_entry(decorate_ ? decorate_(std::move(factory)) : std::move(factory)));
    if (auto checked = check(added.back()); !checked) return checked;
    for (const Entry& other : std::span(added).first(added.size() - 1))
      if (auto checked = check_beside(added.back(), other); !checked) return checked;
  }
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : added)
    for (const Entry& other : entries_)
      if (auto checked = check_beside(entry, other); !checked) return checked;
  entries_.reserve(entries_.size() + added.size());  // from here on nothing fails
  std::ranges::move(added, std::back_inserter(entries_));
  changes_.fetch_add(1, std::memory_order_release);
  return {};
}

bool ProtocolRegistry::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = find_named(entries_, name);
  if (found == entries_.end()) return false;
  removed_.push_back(std::move(*found));
  entries_.erase(found);
  changes_.fetch_add(1, std::memory_order_release);
  return true;
}

std::expected<bool, IoError> ProtocolRegistry::restore(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto newest_first = std::views::reverse(removed_);
  const auto found = find_named(newest_first, name);
  const auto there = find_named(entries_, name);
  if (there != entries_.end())
    return unfit("protocol " + std::string(there->factory->name()) + " is there already");
  if (found == newest_first.end()) return false;
  for (const Entry& other : entries_)
    if (auto checked = check_beside(*found, other); !checked)
      return std::unexpected(checked.error());
  entries_.push_back(std::move(*found));
  removed_.erase(std::next(found).base());
  changes_.fetch_add(1, std::memory_order_release);
  return true;
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

const messaging::Protocol* ProtocolRegistry::messaging(std::string_view scheme) const noexcept {
  const std::shared_lock lock(mutex_);
  const Entry* const entry = entry_of(scheme);
  if (entry == nullptr) return nullptr;
  const auto schemes = entry->factory->schemes();
  const auto index = std::ranges::find(schemes, scheme) - schemes.begin();
  return entry->messaging[static_cast<std::size_t>(index)].get();
}

ProtocolRegistry::Readers ProtocolRegistry::readers_of(std::uint32_t tag) const {
  const std::shared_lock lock(mutex_);
  Readers readers{codec_of(tag), {}};
  for (const Entry& entry : entries_) readers.factories.push_back(entry.factory.get());
  return readers;
}

// What protocols do takes no lock of ours: they may call the registry.
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

std::vector<ProtocolRegistry::Listed> ProtocolRegistry::list() const {
  const std::shared_lock lock(mutex_);
  std::vector<Listed> all;
  const auto add = [&all](const Entry& entry, bool is_removed) {
    const auto schemes = entry.factory->schemes();
    const std::string name(entry.factory->name());
    if (is_removed && std::ranges::find(all, name, &Listed::name) != all.end()) return;
    all.push_back({name, {schemes.begin(), schemes.end()}, is_removed});
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
