// Plug-ins that fit this ORB. The macro PLUGIN_BRINGS selects the protocols that a plug-in brings.
#include <perigee/transport/plugin.h>

#include <array>
#include <stdexcept>

#ifdef PLUGIN_CALLS
extern "C" void PLUGIN_CALLS();  // defined by the program
#endif

namespace perigee::test {
namespace {

/// A protocol that claims no profile and makes no connection.
class PluggedProtocol final : public transport::ProtocolFactory {
 public:
  explicit PluggedProtocol(std::string_view scheme) : schemes_{scheme} {}
  [[nodiscard]] std::string_view name() const noexcept override { return schemes_.front(); }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return schemes_;
  }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override { return nullptr; }
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const transport::Endpoint& endpoint) override {
    return std::unexpected(
        IoError{IoErrorKind::unsupported, IoOperation::listen, 0, transport::to_string(endpoint)});
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t /*tag*/, const iop::ProfileBody& /*body*/) const override {
    return {};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(
      const transport::Endpoint& /*endpoint*/,
      const transport::ProfileSource& /*source*/) const override {
    return {};
  }

 private:
  const std::array<std::string_view, 1> schemes_;
};

/// An exception of a type that only the plug-in knows.
struct PluginFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Brings : std::uint8_t { two_protocols, nothing, same_twice, exception, number };

void make_parts(transport::ProtocolParts& parts) {
  transport::ProtocolFactories& protocols = parts.transports;
#ifdef PLUGIN_CALLS
  PLUGIN_CALLS();
#endif
  protocols.push_back(std::make_unique<PluggedProtocol>("plugged"));
  switch (Brings::PLUGIN_BRINGS) {
    case Brings::two_protocols:
      protocols.push_back(std::make_unique<PluggedProtocol>("plugged2"));
      break;
    case Brings::nothing:
      protocols.clear();
      break;
    case Brings::same_twice:
      protocols.push_back(std::make_unique<PluggedProtocol>("plugged"));
      break;
    case Brings::exception:
      throw PluginFailure("out of order");
    case Brings::number:
      throw 7;
  }
}

}  // namespace
}  // namespace perigee::test

PERIGEE_PROTOCOL_PLUGIN(perigee::test::make_parts)
