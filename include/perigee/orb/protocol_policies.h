// The policies of module RTCORBA: the protocols of client and server, and the properties of their
// connections. Made by the object `resolve_initial_references("RTORB")`. See docs/policies.md.
// Source: Real-time CORBA 1.1, 5.15.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/policy.h>
#include <perigee/transport/properties.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace RTCORBA {
inline namespace perigee_v1 {

inline constexpr CORBA::PolicyType SERVER_PROTOCOL_POLICY_TYPE = 42;
inline constexpr CORBA::PolicyType CLIENT_PROTOCOL_POLICY_TYPE = 43;

/// The properties of a protocol's connections. For a protocol of your own, derive a class from it.
class PERIGEE_API ProtocolProperties : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<ProtocolProperties>;
  static constexpr std::string_view _type_id = "IDL:omg.org/RTCORBA/ProtocolProperties:1.0";
  ~ProtocolProperties() override;
  /// Perigee's own: the properties by name, for the protocol. Called when a policy is set.
  [[nodiscard]] virtual perigee::transport::Properties _properties() const = 0;

 protected:
  ProtocolProperties() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

/// Properties of TCP. Sizes in octets; 0: the sizes of -ORBTcpSendQueue and -ORBTcpReceiveQueue.
class PERIGEE_API TCPProtocolProperties final : public ProtocolProperties {
 public:
  using _ref_type = CORBA::object_reference<TCPProtocolProperties>;
  static constexpr std::string_view _type_id = "IDL:omg.org/RTCORBA/TCPProtocolProperties:1.0";

  struct Values {
    std::int32_t send_buffer_size = 0;
    std::int32_t recv_buffer_size = 0;
    bool keep_alive = false;
    bool dont_route = false;
    bool no_delay = true;
    /// Perigee's own: the class of service of RFC 2474, 0 to 63. Not set: the system's default.
    std::optional<std::uint8_t> dscp;
  };
  TCPProtocolProperties() = default;
  explicit TCPProtocolProperties(const Values& values) noexcept : values_(values) {}
  ~TCPProtocolProperties() override;

  [[nodiscard]] std::int32_t send_buffer_size() const noexcept { return values_.send_buffer_size; }
  void send_buffer_size(std::int32_t size) noexcept { values_.send_buffer_size = size; }
  [[nodiscard]] std::int32_t recv_buffer_size() const noexcept { return values_.recv_buffer_size; }
  void recv_buffer_size(std::int32_t size) noexcept { values_.recv_buffer_size = size; }
  [[nodiscard]] bool keep_alive() const noexcept { return values_.keep_alive; }
  void keep_alive(bool on) noexcept { values_.keep_alive = on; }
  [[nodiscard]] bool dont_route() const noexcept { return values_.dont_route; }
  void dont_route(bool on) noexcept { values_.dont_route = on; }
  [[nodiscard]] bool no_delay() const noexcept { return values_.no_delay; }
  void no_delay(bool on) noexcept { values_.no_delay = on; }
  [[nodiscard]] std::optional<std::uint8_t> dscp() const noexcept { return values_.dscp; }
  void dscp(std::optional<std::uint8_t> code_point) noexcept { values_.dscp = code_point; }

  [[nodiscard]] perigee::transport::Properties _properties() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  Values values_;
};

/// Properties of UNIX-domain sockets, as in TAO. Sizes in octets; 0: the system's default sizes.
class PERIGEE_API UnixDomainProtocolProperties final : public ProtocolProperties {
 public:
  using _ref_type = CORBA::object_reference<UnixDomainProtocolProperties>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/RTCORBA/UnixDomainProtocolProperties:1.0";

  UnixDomainProtocolProperties() = default;
  UnixDomainProtocolProperties(std::int32_t send_size, std::int32_t receive_size) noexcept
      : send_buffer_size_(send_size), recv_buffer_size_(receive_size) {}
  ~UnixDomainProtocolProperties() override;

  [[nodiscard]] std::int32_t send_buffer_size() const noexcept { return send_buffer_size_; }
  void send_buffer_size(std::int32_t size) noexcept { send_buffer_size_ = size; }
  [[nodiscard]] std::int32_t recv_buffer_size() const noexcept { return recv_buffer_size_; }
  void recv_buffer_size(std::int32_t size) noexcept { recv_buffer_size_ = size; }

  [[nodiscard]] perigee::transport::Properties _properties() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  std::int32_t send_buffer_size_ = 0;
  std::int32_t recv_buffer_size_ = 0;
};

/// One protocol of a policy. `protocol_type` is the tag of its profiles: IOP::TAG_INTERNET_IOP for
/// TCP, perigee::transport::tag_perigee_local for UNIX-domain sockets. The transport properties may
/// be nil. The properties of the ORB protocol (GIOP) are ignored: it has none.
class Protocol {
 public:
  using PropertiesRef = CORBA::object_reference<ProtocolProperties>;

  Protocol() = default;
  Protocol(std::uint32_t protocol_type, PropertiesRef orb_protocol_properties,
           PropertiesRef transport_protocol_properties) noexcept
      : protocol_type_(protocol_type),
        orb_protocol_properties_(std::move(orb_protocol_properties)),
        transport_protocol_properties_(std::move(transport_protocol_properties)) {}

  [[nodiscard]] std::uint32_t protocol_type() const noexcept { return protocol_type_; }
  void protocol_type(std::uint32_t tag) noexcept { protocol_type_ = tag; }
  [[nodiscard]] const PropertiesRef& orb_protocol_properties() const noexcept {
    return orb_protocol_properties_;
  }
  void orb_protocol_properties(PropertiesRef properties) noexcept {
    orb_protocol_properties_ = std::move(properties);
  }
  [[nodiscard]] const PropertiesRef& transport_protocol_properties() const noexcept {
    return transport_protocol_properties_;
  }
  void transport_protocol_properties(PropertiesRef properties) noexcept {
    transport_protocol_properties_ = std::move(properties);
  }

 private:
  std::uint32_t protocol_type_ = 0;
  PropertiesRef orb_protocol_properties_;
  PropertiesRef transport_protocol_properties_;
};

/// In order of preference.
using ProtocolList = std::vector<Protocol>;

/// The protocols that calls may use, in order of preference. The call takes the first protocol of
/// the list that the reference has. If the reference has none of them, the call raises INV_POLICY.
class PERIGEE_API ClientProtocolPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<ClientProtocolPolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/RTCORBA/ClientProtocolPolicy:1.0";

  explicit ClientProtocolPolicy(ProtocolList protocols) noexcept
      : protocols_(std::move(protocols)) {}
  ~ClientProtocolPolicy() override;
  [[nodiscard]] const ProtocolList& protocols() const noexcept { return protocols_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  ProtocolList protocols_;
};

/// Chooses the endpoints of -ORBListenEndpoints at which the server listens, and their order in
/// references. Set it for the ORB before the first object is made.
class PERIGEE_API ServerProtocolPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<ServerProtocolPolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/RTCORBA/ServerProtocolPolicy:1.0";

  explicit ServerProtocolPolicy(ProtocolList protocols) noexcept
      : protocols_(std::move(protocols)) {}
  ~ServerProtocolPolicy() override;
  [[nodiscard]] const ProtocolList& protocols() const noexcept { return protocols_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  ProtocolList protocols_;
};

/// Makes the policies and properties above: `resolve_initial_references("RTORB")`. Has only the
/// part of the interface of Real-time CORBA that concerns protocols.
class PERIGEE_API RTORB final : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<RTORB>;
  static constexpr std::string_view _type_id = "IDL:omg.org/RTCORBA/RTORB:1.0";
  RTORB() = default;
  ~RTORB() override;

  [[nodiscard]] CORBA::object_reference<TCPProtocolProperties> create_tcp_protocol_properties(
      std::int32_t send_buffer_size, std::int32_t recv_buffer_size, bool keep_alive,
      bool dont_route, bool no_delay) const;
  [[nodiscard]] CORBA::object_reference<UnixDomainProtocolProperties>
  create_unix_domain_protocol_properties(std::int32_t send_buffer_size,
                                         std::int32_t recv_buffer_size) const;
  /// @name Raise BAD_PARAM for an empty list.
  /// @{
  [[nodiscard]] CORBA::object_reference<ClientProtocolPolicy> create_client_protocol_policy(
      const ProtocolList& protocols) const;
  [[nodiscard]] CORBA::object_reference<ServerProtocolPolicy> create_server_protocol_policy(
      const ProtocolList& protocols) const;
  /// @}

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

}  // namespace perigee_v1
}  // namespace RTCORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<RTCORBA::ProtocolProperties>
    : perigee::stub::local_interface_traits<RTCORBA::ProtocolProperties> {};
template <>
struct traits<RTCORBA::TCPProtocolProperties>
    : perigee::stub::local_interface_traits<RTCORBA::TCPProtocolProperties> {};
template <>
struct traits<RTCORBA::UnixDomainProtocolProperties>
    : perigee::stub::local_interface_traits<RTCORBA::UnixDomainProtocolProperties> {};
template <>
struct traits<RTCORBA::ClientProtocolPolicy>
    : perigee::stub::local_interface_traits<RTCORBA::ClientProtocolPolicy> {};
template <>
struct traits<RTCORBA::ServerProtocolPolicy>
    : perigee::stub::local_interface_traits<RTCORBA::ServerProtocolPolicy> {};
template <>
struct traits<RTCORBA::RTORB> : perigee::stub::local_interface_traits<RTCORBA::RTORB> {};
}  // namespace perigee_v1
}  // namespace IDL
