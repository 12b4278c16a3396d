// Two ORBs in one process with TCP between them. A fault plan may break the connections of either
// ORB. The server keeps a ledger of the requests that it has executed.
#pragma once

#include "orb/server/server_fixture.h"
#include "support/serve.h"
#include <perigee/transport/faults.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::test {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using transport::Fault;
using transport::FaultDirection;
using transport::FaultKind;
using transport::FaultScript;

inline constexpr orb::ThreadStrategy all_strategies[] = {
    orb::ThreadStrategy::automatic, orb::ThreadStrategy::thread_per_connection,
    orb::ThreadStrategy::reactive, orb::ThreadStrategy::thread_pool,
    orb::ThreadStrategy::reactor_per_core};

/// A core that speaks GIOP over TCP, whose connections follow the plan.
inline std::shared_ptr<orb::OrbCore> make_core(orb::Settings settings, transport::FaultPlan plan,
                                               const messaging::Limits& limits = {}) {
  orb::CoreParts parts;
  parts.settings = std::move(settings);
  parts.protocols = std::make_unique<transport::ProtocolRegistry>();
  auto tcp = transport::inject_faults(transport::make_tcp_protocol(), std::move(plan));
  REQUIRE(parts.protocols->add(std::move(tcp)).has_value());
  parts.messaging = giop::make_giop(limits);
  return std::make_shared<orb::OrbCore>(std::move(parts));
}

/// A client's core; destroyed with the object.
class FaultyClient {
 public:
  explicit FaultyClient(transport::FaultPlan plan, const messaging::Limits& limits = {},
                        messaging::Version version = {1, 2})
      : core_(make_core(settings(version), std::move(plan), limits)) {}
  ~FaultyClient() { core_->destroy(); }
  FaultyClient(const FaultyClient&) = delete;
  FaultyClient& operator=(const FaultyClient&) = delete;

  [[nodiscard]] orb::OrbCore& core() const noexcept { return *core_; }
  [[nodiscard]] ObjectRef object(const iop::Ior& ior) const { return core_->make_object(ior); }

 private:
  static orb::Settings settings(messaging::Version version) {
    orb::Settings settings;
    settings.version_max = version;
    return settings;
  }
  std::shared_ptr<orb::OrbCore> core_;
};

/// How often each request was executed, by the number in the request. Keeps the last million
/// numbers. Any thread may use it.
class Ledger {
 public:
  void enter(std::uint32_t number) { ++place(number); }
  [[nodiscard]] int executions(std::uint32_t number) { return place(number); }
  /// Call it before the number of an old request is used again.
  void forget(std::uint32_t number) { place(number) = 0; }

 private:
  [[nodiscard]] std::atomic<std::uint8_t>& place(std::uint32_t number) {
    return executions_[number % executions_.size()];
  }
  std::vector<std::atomic<std::uint8_t>> executions_ =
      std::vector<std::atomic<std::uint8_t>>(std::size_t{1} << 20);
};

/// Executes "act": enters the number in the ledger, and returns it with the octets that came.
class LedgerServer {
 public:
  LedgerServer(orb::Settings settings, transport::FaultPlan plan,
               const messaging::Limits& limits = {})
      : core_(make_core(std::move(settings), std::move(plan), limits)) {
    core_->set_server(orb::make_server(*core_));
    poa::install(*core_);
    const auto root =
        IDL::traits<PortableServer::POA>::narrow(core_->resolve_initial_reference("RootPOA"));
    object_ = root->servant_to_reference(
        make_servant([this](orb::ServerRequest& request) { act(request); }));
    ior_ = object_->_reference()->base()->ior;
    const OctetSpan key_octets = object_->_reference()->base()->targets.front().object_key;
    key_.assign(key_octets.begin(), key_octets.end());
    endpoint_ = object_->_reference()->base()->profiles.front().endpoints.front().endpoint;
    manager_ = root->the_POAManager();
    manager_->activate();
    runner_ = std::thread([core = core_] { serve(*core); });
  }
  ~LedgerServer() { stop(); }
  LedgerServer(const LedgerServer&) = delete;
  LedgerServer& operator=(const LedgerServer&) = delete;

  /// Returns when everything that was received has been executed.
  void stop() {
    if (!runner_.joinable()) return;
    core_->shutdown(orb::Completion::do_not_wait);
    runner_.join();
    before_reply = nullptr;
    object_.reset();
    manager_.reset();
    core_->destroy();
  }

  /// Called in each upcall, before the answer; set it before the first call.
  std::function<void()> before_reply;

  [[nodiscard]] const iop::Ior& ior() const noexcept { return ior_; }
  [[nodiscard]] OctetSpan key() const noexcept { return key_; }
  [[nodiscard]] const transport::Endpoint& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] Ledger& ledger() noexcept { return ledger_; }
  /// Must not be called after `stop`.
  [[nodiscard]] PortableServer::POAManager& manager() noexcept { return *manager_; }
  /// An object of another server, for calls from upcalls of this server.
  [[nodiscard]] ObjectRef object(const iop::Ior& ior) const { return core_->make_object(ior); }

 private:
  void act(orb::ServerRequest& request) {
    std::uint32_t number = 0;
    std::vector<std::uint8_t> data;
    request.arguments() >> number >> data;
    request.end_of_arguments();
    ledger_.enter(number);
    if (before_reply) before_reply();
    request.reply([&](cdr::Encoder& encoder) { encoder << number << data; });
  }

  Ledger ledger_;
  std::shared_ptr<orb::OrbCore> core_;
  ObjectRef object_;
  IDL::traits<PortableServer::POAManager>::ref_type manager_;
  iop::Ior ior_;
  Octets key_;
  transport::Endpoint endpoint_;
  std::thread runner_;
};

/// Calls "act"; true if the answer is right. Raises what the call raises.
inline bool call_act(const ObjectRef& object, std::uint32_t number,
                     const std::vector<std::uint8_t>& data = {}) {
  std::uint32_t result = 0;
  std::vector<std::uint8_t> same;
  stub::invoke(
      *object, {"act", stub::Operation::Kind::twoway, {}},
      [&](cdr::Encoder& encoder) { encoder << number << data; },
      [&](cdr::Decoder& decoder) { decoder >> result >> same; });
  return result == number && same == data;
}

}  // namespace perigee::test
