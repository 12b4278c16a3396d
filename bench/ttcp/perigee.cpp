// The ttcp experiment over Perigee: a stream of oneway calls.
#include "roles.h"
#include "transfer.h"
#include "ttcpC.h"
#include "ttcpS.h"
#include <perigee/corba.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/shared_memory.h>
#include <perigee/transport/local.h>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace perigee::bench {
namespace {

using Sink = IDL::traits<Ttcp::Sink>::ref_type;

Ttcp::BinStruct to_mapped(const ttcp::NativeStruct& value) {
  return Ttcp::BinStruct(value.s, value.c, value.l, value.o, value.d);
}

// There is one transmitter at a time, so no lock is needed.
class SinkServant final : public CORBA::servant_traits<Ttcp::Sink>::base_type {
 public:
  void put_octets(const Ttcp::Octets& data) override { check_.piece(data.data(), data.size()); }
  void put_octets_borrowed(std::span<const std::uint8_t> data) override {
    check_.piece(data.data(), data.size());
  }
  void put_string(const std::string& data) override { put_string_borrowed(data); }
  void put_string_borrowed(std::string_view data) override {
    check_.piece(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  }
  void put_structs(const Ttcp::BinStructs& data) override {
    check_.add_octets(data.size() * ttcp::struct_size);
    for (const std::size_t index : {std::size_t{0}, data.size() - 1})
      if (data.at(index) != to_mapped(ttcp::make_struct(index))) check_.wrong();
  }
  void begin(std::uint32_t size) override { check_ = ttcp::Check(size); }
  Ttcp::Totals end() override {
    return Ttcp::Totals(check_.totals().octets, check_.totals().errors);
  }

 private:
  ttcp::Check check_{1};
};

/// Calls the sink with one kind of argument. The arguments are made again only if the size changes.
class Payload {
 public:
  Payload(CORBA::ORB& orb, Sink sink, const std::string& kind)
      : sink_(std::move(sink)), put_(function_of(kind)) {
    if (kind == "octets-linked") pool_ = shared_pool_of(orb);
  }

  ttcp::Totals transmit(const ttcp::Transfer& transfer) {
    prepare(transfer.size);
    sink_->begin(static_cast<std::uint32_t>(transfer.size));
    for (std::size_t left = transfer.count; left > 0; --left) (this->*put_)();
    const Ttcp::Totals totals = sink_->end();
    return {totals.octets(), totals.errors()};
  }

 private:
  using Put = void (Payload::*)();

  static Put function_of(const std::string& kind) {
    if (kind == "octets" || kind == "octets-buffered") return &Payload::put_octets;
    if (kind == "octets-linked") return &Payload::put_octets_linked;
    if (kind == "octets-borrowed") return &Payload::put_octets_borrowed;
    if (kind == "string") return &Payload::put_string;
    if (kind == "string-borrowed") return &Payload::put_string_borrowed;
    if (kind == "structs") return &Payload::put_structs;
    throw std::runtime_error("no such payload: " + kind);
  }

  void prepare(std::size_t size) {
    if (octets_.size() == size) return;
    octets_ = ttcp::make_pattern<std::uint8_t>(size);
    if (pool_) {
      shared_octets_ = shared_vector<std::uint8_t>(*pool_, size);
      std::ranges::copy(octets_, shared_octets_.begin());
    }
    string_.assign(octets_.begin(), octets_.end());
    structs_.clear();
    for (std::size_t index = 0; index < size / ttcp::struct_size; ++index)
      structs_.push_back(to_mapped(ttcp::make_struct(index)));
  }

  void put_octets() { sink_->put_octets(octets_); }
  void put_octets_borrowed() { sink_->put_octets_borrowed(octets_); }
  void put_octets_linked() { sink_->put_octets_borrowed(shared_octets_); }
  void put_string() { sink_->put_string(string_); }
  void put_string_borrowed() { sink_->put_string_borrowed(string_); }
  void put_structs() { sink_->put_structs(structs_); }

  Sink sink_;
  Put put_;
  Ttcp::Octets octets_;
  std::optional<shared_pool> pool_;  // of octets that are linked
  shared_vector<std::uint8_t> shared_octets_;
  std::string string_;
  Ttcp::BinStructs structs_;
};

/// The same object with buffered oneways. `begin` and `end` send the buffered calls.
Sink buffering(CORBA::ORB& orb, const Sink& sink) {
  CORBA::Any none;
  none <<= Messaging::SYNC_NONE;
  return IDL::traits<Ttcp::Sink>::unchecked_narrow(sink->_set_policy_overrides(
      {orb.create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, none), make_buffering_constraint({})},
      CORBA::SetOverrideType::SET_OVERRIDE));
}

std::vector<std::string> orb_arguments(const TtcpRole& role) {
  const std::string size = std::to_string(role.queue_size);
  std::vector<std::string> arguments{"ttcp", "-ORBTcpSendQueue", size, "-ORBTcpReceiveQueue", size};
  arguments.insert(arguments.end(), role.options.begin(), role.options.end());
  return arguments;
}

// UNIX-domain sockets get their queues from policies, because the options above are those of TCP.
// The rings of shared memory have a fixed size.
void set_unix_domain_queues(CORBA::ORB& orb, const std::string& family, std::size_t queue_size) {
  if (family != "unix" || queue_size == 0) return;
  const auto size = static_cast<std::int32_t>(queue_size);
  const auto rt_orb = IDL::traits<RTCORBA::RTORB>::narrow(orb.resolve_initial_references("RTORB"));
  const RTCORBA::ProtocolList local{{transport::tag_perigee_local, nullptr,
                                     rt_orb->create_unix_domain_protocol_properties(size, size)}};
  IDL::traits<CORBA::PolicyManager>::narrow(orb.resolve_initial_references("ORBPolicyManager"))
      ->set_policy_overrides({rt_orb->create_client_protocol_policy(local),
                              rt_orb->create_server_protocol_policy(local)},
                             CORBA::SetOverrideType::SET_OVERRIDE);
}

std::string endpoint_of(const std::string& family, const std::string& address) {
  if (family != "tcp")
    return (family == "unix" ? "uiop" : "shmiop") + std::string("://@perigee-ttcp-") +
           std::to_string(getpid());
  const bool is_v6 = address.find(':') != std::string::npos;
  return "iiop://" + (is_v6 ? '[' + address + ']' : address) + ":0";
}

}  // namespace

int run_orb_receiver(const std::string& family, const TtcpRole& role) {
  std::vector<std::string> arguments = orb_arguments(role);
  arguments.insert(arguments.end(), {"-ORBListenEndpoints", endpoint_of(family, role.address),
                                     "-ORBLocalTransports", "none"});
  auto orb = CORBA::ORB_init(arguments);
  set_unix_domain_queues(*orb, family, role.queue_size);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<SinkServant>();
  auto sink = servant->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(sink) << std::endl;
  orb->run();
  return 0;
}

int run_orb_transmitter(const std::string& family, const std::string& reference,
                        const TtcpRole& role) {
  std::vector<std::string> arguments = orb_arguments(role);
  auto orb = CORBA::ORB_init(arguments);
  set_unix_domain_queues(*orb, family, role.queue_size);
  auto sink = IDL::traits<Ttcp::Sink>::narrow(orb->string_to_object(reference));
  if (!sink) throw std::runtime_error("not a Ttcp::Sink: " + reference);
  if (role.payload == "octets-buffered") sink = buffering(*orb, sink);
  Payload payload(*orb, std::move(sink), role.payload);
  return ttcp::serve_transfers(
      [&payload](const ttcp::Transfer& transfer) { return payload.transmit(transfer); });
}

}  // namespace perigee::bench
