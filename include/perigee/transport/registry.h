// The registry of protocols. The ORB sees protocols only through it.
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

/// Makes a messaging protocol for one ORB. Called once for each registry, which owns the result.
using MessagingMaker =
    std::function<std::unique_ptr<messaging::MessagingProtocol>(const messaging::Limits&)>;

/// Defines a scheme: its connections carry the messages of the named messaging protocol over the
/// named transport.
struct SchemeRow {
  std::string scheme;
  std::string messaging;
  std::string transport;
};

/// The parts that a plug-in or an application adds to a registry. The schemes of a transport carry
/// the ORB's own messages (GIOP). Rows define further schemes. A row may name messaging protocols
/// and transports that are registered already.
struct ProtocolParts {
  ProtocolFactories transports;
  std::vector<MessagingMaker> messagings;
  std::vector<SchemeRow> schemes;
};

/// The transports, messaging protocols and schemes of one ORB, in priority order, and the codecs of
/// their profiles. Any thread: the registry may grow while the ORB runs. A removed part is not
/// found any longer, but lives as long as the registry, since connections use it.
class PERIGEE_API ProtocolRegistry {
 public:
  /// Wraps each transport that is added, for example to record it.
  using Decorator =
      std::function<std::unique_ptr<ProtocolFactory>(std::unique_ptr<ProtocolFactory>)>;

  /// `limits` are for the messaging protocols that are added.
  explicit ProtocolRegistry(const messaging::Limits& limits = {}, Decorator decorate = {});
  ~ProtocolRegistry();
  ProtocolRegistry(const ProtocolRegistry&) = delete;
  ProtocolRegistry& operator=(const ProtocolRegistry&) = delete;

  /// Sets the ORB's own messaging protocol, which must outlive the registry. The schemes of
  /// transports carry its messages, and so do rows that name it. Must be called before anything is
  /// added. Without this call, the registry assumes that the ORB's own protocol has the name "giop"
  /// and needs a stream.
  void set_own_messaging(const messaging::MessagingProtocol& messages) noexcept;

  /// Adds all of the parts or, on an error, none. IoErrorKind::bad_plugin: a name, a scheme or the
  /// tag of a profile codec is registered already, or occurs twice among the parts; or the messages
  /// or the transport of a row are unknown. IoErrorKind::unsupported: the transport cannot carry
  /// the messages; the error names the property that the transport lacks.
  [[nodiscard]] std::expected<void, IoError> add(ProtocolParts parts);
  [[nodiscard]] std::expected<void, IoError> add(ProtocolFactories factories);
  [[nodiscard]] std::expected<void, IoError> add(std::unique_ptr<ProtocolFactory> factory);
  /// Adds a scheme. Errors: those of `add`.
  [[nodiscard]] std::expected<void, IoError> add_scheme(SchemeRow row);
  /// Adds the parts of a plug-in, a shared library. `path` is a path, or a name that the system
  /// looks for. The library stays mapped until the process ends. See <perigee/transport/plugin.h>.
  /// Errors: those of `add`; IoErrorKind::bad_plugin, with the reason, for a file that cannot be
  /// loaded, is not a plug-in or was built for another ORB, and for exceptions from the plug-in.
  [[nodiscard]] std::expected<void, IoError> load(const std::string& path);
  /// Removes a transport. Also removes the schemes of all rows that use this transport, or that use
  /// messages which were added together with it. Their names, schemes and tags become free.
  /// Connections, acceptors and references that use them remain usable. `name` is the name of a
  /// transport, one of its schemes, or the scheme of a row. For a row, the transport of the row is
  /// removed if both were added together, otherwise only the row. False if no part has the name.
  bool remove(std::string_view name);
  /// Adds again the part that was last removed by this name or scheme, and the parts that were
  /// removed with it. False if no such part was removed. Errors: those of `add`, for example if
  /// another part has taken the name.
  [[nodiscard]] std::expected<bool, IoError> restore(std::string_view name);

  /// Reads the files of all protocols again: see ProtocolFactory::reload. Tries all of them,
  /// and returns the errors.
  std::vector<IoError> reload();
  /// Whether `reload` reads anything.
  [[nodiscard]] bool has_files() const;

  /// nullptr if no protocol has the scheme.
  [[nodiscard]] ProtocolFactory* find(std::string_view scheme) const noexcept;
  /// The connector for a scheme, made once; nullptr if no protocol has the scheme.
  [[nodiscard]] Connector* connector(std::string_view scheme) const noexcept;
  /// The messaging protocol of a scheme's connections; nullptr: the ORB's own.
  [[nodiscard]] const messaging::MessagingProtocol* messaging(
      std::string_view scheme) const noexcept;
  /// Asks all protocols for the endpoints of a profile, in the order of the protocols. Empty if
  /// there is no codec for its tag, if the profile is malformed, or if no protocol claims it.
  [[nodiscard]] std::optional<ProfileTarget> claim(const iop::TaggedProfile& profile) const;
  /// The codec of a tag; nullptr if none is known. Lives as long as the registry.
  [[nodiscard]] const iop::ProfileCodec* codec(std::uint32_t tag) const noexcept;
  /// All schemes, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> schemes() const;
  /// The description of one protocol.
  struct Listed {
    std::string name;
    std::vector<std::string> schemes;
    bool is_removed = false;  ///< `restore` can add it again
  };
  /// The registered protocols, in the order in which they were added; then the removed protocols,
  /// once each.
  [[nodiscard]] std::vector<Listed> list() const;
  /// Grows whenever protocols are added or removed. While the number is the same, a caller need not
  /// look at the protocols again.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return changes_.load(std::memory_order_acquire);
  }

 private:
  /// A transport, or the scheme of a row.
  struct Entry {
    std::unique_ptr<ProtocolFactory> factory;
    std::unique_ptr<Connector> connector;
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    const messaging::MessagingProtocol* messages =
        nullptr;  // the messages of a row; null: the ORB's own protocol
    const ProtocolFactory* transport =
        nullptr;                // the transport of a row; null: this is a transport
    std::uint64_t group = 0;    // of parts that were added together
    std::uint64_t removal = 0;  // of parts that were removed together
  };
  using Entries = std::vector<Entry>;

  struct Messages {
    std::unique_ptr<messaging::MessagingProtocol> protocol;
    std::uint64_t group = 0;
    bool has_transports = false;  // the messages stay as long as a transport of the group
  };

  /// The codec and the protocols that read profiles of a tag. They live as long as the registry.
  struct Readers {
    const iop::ProfileCodec* codec;
    std::vector<const ProtocolFactory*> factories;
  };

  /// Parts that are being added. Not locked.
  struct Added {
    Entries transports;
    std::vector<Messages> messages;
    std::vector<SchemeRow> rows;
  };
  using Checked = std::expected<void, IoError>;

  [[nodiscard]] Readers readers_of(std::uint32_t tag) const;
  [[nodiscard]] static Entry make_entry(std::unique_ptr<ProtocolFactory> factory);
  [[nodiscard]] std::expected<Added, IoError> make(ProtocolParts parts) const;
  [[nodiscard]] std::expected<Entry, IoError> make_pair(SchemeRow row, const Added& added) const;
  [[nodiscard]] std::expected<Entries, IoError> make_pairs(Added& added) const;
  [[nodiscard]] const Entry* entry_of(std::string_view scheme) const noexcept;
  [[nodiscard]] const iop::ProfileCodec* codec_of(std::uint32_t tag) const noexcept;
  [[nodiscard]] bool is_there(const Messages& messages) const noexcept;
  [[nodiscard]] const messaging::MessagingProtocol* messages_named(
      std::string_view name, const std::vector<Messages>& added) const noexcept;
  [[nodiscard]] ProtocolFactory* transport_named(std::string_view name,
                                                 const Entries& added) const noexcept;
  [[nodiscard]] bool is_usable(const Entry& entry) const noexcept;
  [[nodiscard]] Checked check(const Entry& entry) const;
  [[nodiscard]] Checked check_fit(const Entry& entry, std::string_view scheme) const;
  [[nodiscard]] static Checked check_beside(const Entry& entry, const Entry& other);
  [[nodiscard]] Checked check_beside_all(const Entry& entry) const;
  [[nodiscard]] Checked check_messages(const std::vector<Messages>& added) const;

  const messaging::Limits limits_;
  const Decorator decorate_;
  const std::unique_ptr<iop::ProfileCodec> iiop_codec_;    // several transports use its profiles
  const std::unique_ptr<iop::ProfileCodec> scheme_codec_;  // the codec of the profiles of rows
  const messaging::MessagingProtocol* own_messages_ = nullptr;
  mutable std::shared_mutex mutex_;  // guards the members below
  Entries entries_;
  Entries removed_;
  std::vector<Messages> messages_;
  std::uint64_t groups_ = 0;
  std::uint64_t removals_ = 0;
  std::atomic<std::uint64_t> changes_{0};  // written under the mutex
};

}  // namespace perigee::transport
