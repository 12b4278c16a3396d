// The protocol policies of module RTCORBA, and the properties of protocols.
#include "orb/policies/define_policy.h"
#include <perigee/orb/protocol_policies.h>

namespace RTCORBA {
inline namespace perigee_v1 {

using perigee::make_counted;
namespace property = perigee::transport::property;

ProtocolProperties::~ProtocolProperties() = default;
bool ProtocolProperties::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

namespace {

// 0 leaves the size to the options, or to the system.
void set_size(perigee::transport::Properties& properties, std::string_view name,
              std::int32_t size) {
  if (size < 0)
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        std::string(name) + " cannot be " + std::to_string(size) +
            " in the properties of a protocol: a size in octets is needed, or 0");
  properties.set(name, size);
}

}  // namespace

TCPProtocolProperties::~TCPProtocolProperties() = default;
bool TCPProtocolProperties::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ProtocolProperties::_implements(repository_id);
}

perigee::transport::Properties TCPProtocolProperties::_properties() const {
  perigee::transport::Properties properties;
  set_size(properties, property::send_buffer_size, values_.send_buffer_size);
  set_size(properties, property::receive_buffer_size, values_.recv_buffer_size);
  properties.set(property::keep_alive, values_.keep_alive);
  properties.set(property::dont_route, values_.dont_route);
  properties.set(property::no_delay, values_.no_delay);
  constexpr std::uint8_t dscp_max = 63;  // six bits
  if (values_.dscp && *values_.dscp > dscp_max)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the class of service (DSCP) is above 63");
  if (values_.dscp) properties.set(property::dscp, *values_.dscp);
  return properties;
}

UnixDomainProtocolProperties::~UnixDomainProtocolProperties() = default;
bool UnixDomainProtocolProperties::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ProtocolProperties::_implements(repository_id);
}

perigee::transport::Properties UnixDomainProtocolProperties::_properties() const {
  perigee::transport::Properties properties;
  set_size(properties, property::send_buffer_size, send_buffer_size_);
  set_size(properties, property::receive_buffer_size, recv_buffer_size_);
  return properties;
}

PERIGEE_DEFINE_CALL_POLICY(ClientProtocolPolicy, CLIENT_PROTOCOL_POLICY_TYPE, protocols_)
PERIGEE_DEFINE_CALL_POLICY(ServerProtocolPolicy, SERVER_PROTOCOL_POLICY_TYPE, protocols_)

namespace {
void check_not_empty(const ProtocolList& protocols) {
  if (protocols.empty())
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a protocol policy needs at least one protocol");
}
}  // namespace

RTORB::~RTORB() = default;
bool RTORB::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

CORBA::object_reference<TCPProtocolProperties> RTORB::create_tcp_protocol_properties(
    std::int32_t send_buffer_size, std::int32_t recv_buffer_size, bool keep_alive, bool dont_route,
    bool no_delay) const {
  return CORBA::object_reference<TCPProtocolProperties>(
      make_counted<TCPProtocolProperties>(TCPProtocolProperties::Values{
          send_buffer_size, recv_buffer_size, keep_alive, dont_route, no_delay, std::nullopt}));
}

CORBA::object_reference<UnixDomainProtocolProperties> RTORB::create_unix_domain_protocol_properties(
    std::int32_t send_buffer_size, std::int32_t recv_buffer_size) const {
  return CORBA::object_reference<UnixDomainProtocolProperties>(
      make_counted<UnixDomainProtocolProperties>(send_buffer_size, recv_buffer_size));
}

CORBA::object_reference<ClientProtocolPolicy> RTORB::create_client_protocol_policy(
    const ProtocolList& protocols) const {
  check_not_empty(protocols);
  return CORBA::object_reference<ClientProtocolPolicy>(
      make_counted<ClientProtocolPolicy>(protocols));
}

CORBA::object_reference<ServerProtocolPolicy> RTORB::create_server_protocol_policy(
    const ProtocolList& protocols) const {
  check_not_empty(protocols);
  return CORBA::object_reference<ServerProtocolPolicy>(
      make_counted<ServerProtocolPolicy>(protocols));
}

}  // namespace perigee_v1
}  // namespace RTCORBA
