// The registry of protocols: the only thing about protocols that the ORB sees.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::transport {

using ProtocolFactories = std::vector<std::unique_ptr<ProtocolFactory>>;

/// The protocols of one ORB, in priority order, and the codecs of the profiles that lead to them.
/// Any thread: it may grow while the ORB runs. What is removed is not found any more, but lives as
/// long as the registry: connections use it.
class PERIGEE_API ProtocolRegistry {
 public:
  /// Wraps each protocol that is added: recorders, say.
  using Decorator =
      std::function<std::unique_ptr<ProtocolFactory>(std::unique_ptr<ProtocolFactory>)>;

  /// `limits` are for the messages of protocols that bring their own.
  explicit ProtocolRegistry(const messaging::Limits& limits = {}, Decorator decorate = {});
  ~ProtocolRegistry();

  /// All of them or, on an error, none. Errors: IoErrorKind::bad_plugin, which says whose it is,
  /// for a name, a scheme or the tag of a profile codec that is already registered, or twice among
  /// these; IoErrorKind::unsupported for messages that the transport cannot carry.
  [[nodiscard]] std::expected<void, IoError> add(ProtocolFactories factories);
  [[nodiscard]] std::expected<void, IoError> add(std::unique_ptr<ProtocolFactory> factory);
  /// Adds what a plug-in brings, a shared library: a path, or a name that the system looks for. The
  /// library stays mapped until the process ends. See transport/plugin.h. Errors: those of `add`;
  /// IoErrorKind::bad_plugin, which says why, for a file that cannot be loaded, that is no plug-in
  /// or was built for another ORB, and for exceptions from the plug-in.
  [[nodiscard]] std::expected<void, IoError> load(const std::string& path);
  /// From now on nobody finds the protocol, and its schemes and tags are free. Connections,
  /// acceptors and references that use it go on. `name`: its own, or one of its schemes. False if
  /// there is none.
  bool remove(std::string_view name);
  /// Finds again what was removed last by this name, or with this scheme. False if nothing was.
  /// Errors: those of `add`, if another has taken its place, or it is there.
  [[nodiscard]] std::expected<bool, IoError> restore(std::string_view name);

  /// nullptr if no protocol has the scheme.
  [[nodiscard]] ProtocolFactory* find(std::string_view scheme) const noexcept;
  /// The connector for a scheme, made once; nullptr if no protocol has the scheme.
  [[nodiscard]] Connector* connector(std::string_view scheme) const noexcept;
  /// The messages on connections of a scheme; nullptr: those of the ORB.
  [[nodiscard]] const messaging::Protocol* messaging(std::string_view scheme) const noexcept;
  /// What all protocols together make of a profile, the protocols in their order. Nothing if there
  /// is no codec for its tag, if it is malformed, or if nobody claims it.
  [[nodiscard]] std::optional<ProfileTarget> claim(const iop::TaggedProfile& profile) const;
  /// The codec of a tag; nullptr if none is known. Lives as long as the registry.
  [[nodiscard]] const iop::ProfileCodec* codec(std::uint32_t tag) const noexcept;
  /// All schemes, in the order in which they came.
  [[nodiscard]] std::vector<std::string> schemes() const;
  /// One protocol, for people.
  struct Listed {
    std::string name;
    std::vector<std::string> schemes;
    bool is_removed = false;  ///< and `restore` brings it back
  };
  /// Those that are there, in the order in which they came; then those that were removed, once
  /// each.
  [[nodiscard]] std::vector<Listed> list() const;
  /// Becomes more whenever protocols come or go: who has looked at some number of changes need not
  /// look again at the same number.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return changes_.load(std::memory_order_acquire);
  }

 private:
  struct Entry {
    std::unique_ptr<ProtocolFactory> factory;
    std::unique_ptr<Connector> connector;
    std::vector<std::unique_ptr<messaging::Protocol>> messaging;  // of each scheme; or null
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
  };
  using Entries = std::vector<Entry>;

  /// Who may read profiles of a tag. They live as long as the registry.
  struct Readers {
    const iop::ProfileCodec* codec;
    std::vector<const ProtocolFactory*> factories;
  };

  [[nodiscard]] Readers readers_of(std::uint32_t tag) const;
  [[nodiscard]] Entry make_entry(std::unique_ptr<ProtocolFactory> factory) const;
  [[nodiscard]] const Entry* entry_of(std::string_view scheme) const noexcept;
  [[nodiscard]] const iop::ProfileCodec* codec_of(std::uint32_t tag) const noexcept;
  [[nodiscard]] std::expected<void, IoError> check(const Entry& entry) const;
  [[nodiscard]] static std::expected<void, IoError> check_beside(const Entry& entry,
                                                                 const Entry& other);

  const messaging::Limits limits_;
  const Decorator decorate_;
  const std::unique_ptr<iop::ProfileCodec> iiop_codec_;  // nobody's own: several use its profiles
  mutable std::shared_mutex mutex_;                      // guards what follows
  Entries entries_;
  Entries removed_;
  std::atomic<std::uint64_t> changes_{0};  // written under the mutex
};

}  // namespace perigee::transport
