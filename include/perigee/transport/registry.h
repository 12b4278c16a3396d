// The registry of protocols: the only thing about protocols that the ORB sees.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <expected>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// The protocols of one ORB, in priority order. Filled before the ORB runs; then any thread.
class PERIGEE_API ProtocolRegistry {
 public:
  ProtocolRegistry();
  ~ProtocolRegistry();

  /// A scheme that is already registered is the error IoErrorKind::bad_address.
  [[nodiscard]] std::expected<void, IoError> add(std::unique_ptr<ProtocolFactory> factory);
  /// nullptr if no protocol has the scheme.
  [[nodiscard]] ProtocolFactory* find(std::string_view scheme) const noexcept;
  /// The connector for a scheme, made once; nullptr if no protocol has the scheme.
  [[nodiscard]] Connector* connector(std::string_view scheme) const noexcept;
  /// Asks the protocols in order; the first that claims the profile wins.
  [[nodiscard]] std::optional<ProfileTarget> claim(const iop::TaggedProfile& profile) const;

 private:
  struct Entry {
    std::unique_ptr<ProtocolFactory> factory;
    std::unique_ptr<Connector> connector;
  };
  std::vector<Entry> entries_;
};

}  // namespace perigee::transport
