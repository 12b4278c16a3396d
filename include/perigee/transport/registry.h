// The registry of protocols: the only thing about protocols that the ORB sees.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// The protocols of one ORB, in priority order, and the codecs of the profiles that lead to them.
/// Any thread: it may grow while the ORB runs, and nothing is removed before its end.
class PERIGEE_API ProtocolRegistry {
 public:
  ProtocolRegistry();
  ~ProtocolRegistry();

  /// A scheme or the tag of a profile codec that is already registered is the error
  /// IoErrorKind::bad_address, which says whose it is; nothing of the protocol is registered then.
  [[nodiscard]] std::expected<void, IoError> add(std::unique_ptr<ProtocolFactory> factory);
  /// nullptr if no protocol has the scheme.
  [[nodiscard]] ProtocolFactory* find(std::string_view scheme) const noexcept;
  /// The connector for a scheme, made once; nullptr if no protocol has the scheme.
  [[nodiscard]] Connector* connector(std::string_view scheme) const noexcept;
  /// What all protocols together make of a profile, the protocols in their order. Nothing if there
  /// is no codec for its tag, if it is malformed, or if nobody claims it.
  [[nodiscard]] std::optional<ProfileTarget> claim(const iop::TaggedProfile& profile) const;
  /// All schemes, in the order in which they came.
  [[nodiscard]] std::vector<std::string> schemes() const;

 private:
  struct Entry {
    std::unique_ptr<ProtocolFactory> factory;
    std::unique_ptr<Connector> connector;
  };
  struct Codec {
    std::unique_ptr<iop::ProfileCodec> codec;
    std::string owner;  ///< the protocol's name
  };

  [[nodiscard]] const Entry* entry_of(std::string_view scheme) const noexcept;
  [[nodiscard]] const Codec* codec_of(std::uint32_t tag) const noexcept;
  [[nodiscard]] std::expected<void, IoError> check_new(
      const ProtocolFactory& factory,
      std::span<const std::unique_ptr<iop::ProfileCodec>> codecs) const;

  mutable std::shared_mutex mutex_;  // guards what follows
  std::vector<Entry> entries_;
  std::vector<Codec> codecs_;
};

}  // namespace perigee::transport
