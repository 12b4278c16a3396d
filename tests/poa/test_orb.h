// A whole server in the test's process: ORB core, TCP, GIOP, server engine, adapters.
#pragma once

#include "orb/core/orb_core.h"
#include "orb/references/reference.h"
#include "orb/server/make_server.h"
#include "poa/install.h"
#include <perigee/corba.h>
#include <perigee/giop/giop.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>

#include <memory>
#include <thread>

namespace perigee::test {

inline orb::Settings server_settings(orb::ThreadStrategy strategy) {
  orb::Settings settings;
  settings.listen_endpoints = {{"iiop", "127.0.0.1:0"}};
  settings.thread_strategy = strategy;
  settings.threads = 2;
  settings.drain_idle_timeout = std::chrono::milliseconds(20);
  return settings;
}

/// The parts in which the ORB of a test differs from other ORBs.
struct TestParts {
  orb::Settings settings = server_settings(orb::ThreadStrategy::thread_per_connection);
  std::unique_ptr<transport::ProtocolFactory> protocol = transport::make_tcp_protocol();
  messaging::Limits limits;
  poa::AdapterLimits adapter_limits;
  const Clock* clock = &steady_clock();
};

/// An ORB with a server, which serves from `serve` on. The destructor destroys the ORB.
class TestOrb {
 public:
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

  explicit TestOrb(
      orb::Settings settings = server_settings(orb::ThreadStrategy::thread_per_connection),
      std::unique_ptr<transport::ProtocolFactory> protocol = transport::make_tcp_protocol())
      : TestOrb(TestParts{.settings = std::move(settings), .protocol = std::move(protocol)}) {}
  explicit TestOrb(TestParts given) {
    orb::CoreParts parts;
    parts.clock = given.clock;
    parts.settings = std::move(given.settings);
    parts.messaging = giop::make_giop(given.limits);
    parts.protocols = std::make_unique<transport::ProtocolRegistry>();
    parts.protocols->set_own_messaging(*parts.messaging);
    REQUIRE(parts.protocols->add(std::move(given.protocol)).has_value());
    core_ = std::make_shared<orb::OrbCore>(std::move(parts));
    core_->set_server(orb::make_server(*core_));
    poa::install(*core_, given.adapter_limits);
    root_ = IDL::traits<PortableServer::POA>::narrow(core_->resolve_initial_reference("RootPOA"));
    REQUIRE(root_);
  }
  ~TestOrb() {
    core_->destroy();
    if (runner_.joinable()) runner_.join();
  }
  TestOrb(const TestOrb&) = delete;
  TestOrb& operator=(const TestOrb&) = delete;

  [[nodiscard]] orb::OrbCore& core() const noexcept { return *core_; }
  [[nodiscard]] const PoaRef& root() const noexcept { return root_; }
  [[nodiscard]] orb::RequestDispatcher& dispatcher() const { return *core_->dispatcher(); }

  /// Serves: activates the Root POA's manager; the loop of a reactive server runs on a thread.
  void serve() {
    root_->the_POAManager()->activate();
    runner_ = std::thread([core = core_] {
      try {
        core->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // the test was over before the thread began
      }
    });
  }

  [[nodiscard]] Octets key_of(const CORBA::object_reference<CORBA::Object>& object) const {
    const auto profiles = object->_reference()->base();
    const auto& targets = profiles->targets;
    REQUIRE(!targets.empty());
    return {targets.front().object_key.begin(), targets.front().object_key.end()};
  }
  [[nodiscard]] transport::Endpoint endpoint_of(
      const CORBA::object_reference<CORBA::Object>& object) const {
    return object->_reference()->base()->profiles.front().endpoints.front().endpoint;
  }

 private:
  std::shared_ptr<orb::OrbCore> core_;
  PoaRef root_;
  std::thread runner_;
};

}  // namespace perigee::test
