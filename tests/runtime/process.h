// An ORB with an Echo object and a thread in `run`, in place of a server process.
#pragma once

#include "runtime/echo.h"
#include <perigee/corba.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

using OrbRef = CORBA::object_reference<CORBA::ORB>;

/// Makes an ORB with a unique identifier, so that each test has its own ORB. Any thread.
inline OrbRef make_orb(std::vector<std::string> options = {}) {
  static std::atomic<int> number{0};
  return CORBA::ORB_init(options, "test" + std::to_string(++number));
}

class EchoServer {
 public:
  explicit EchoServer(std::vector<std::string> options = {},
                      const std::string& endpoints = "iiop://127.0.0.1:0") {
    options.insert(options.end(), {"-ORBListenEndpoints", endpoints});
    orb = make_orb(std::move(options));
    servant = CORBA::make_reference<EchoServant>();
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto id = poa->activate_object(servant);
    object = poa->id_to_reference(id);
    reference = orb->object_to_string(object);
    poa->the_POAManager()->activate();
    runner_ = std::jthread([running = orb] {
      try {
        running->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // a servant shut it down before `run`
      }
    });
  }
  ~EchoServer() { stop(); }
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;

  void stop() {
    if (!orb) return;
    orb->shutdown(false);
    if (runner_.joinable()) runner_.join();
    servant->forward_target.reset();
    object.reset();
    orb->destroy();
    orb.reset();
  }

  OrbRef orb;
  CORBA::servant_reference<EchoServant> servant;
  CORBA::object_reference<CORBA::Object> object;
  std::string reference;

 private:
  std::jthread runner_;
};

/// A client's ORB; destroyed with the object.
class EchoClient {
 public:
  explicit EchoClient(std::vector<std::string> options = {}) : orb(make_orb(std::move(options))) {}
  ~EchoClient() { orb->destroy(); }
  EchoClient(const EchoClient&) = delete;
  EchoClient& operator=(const EchoClient&) = delete;

  [[nodiscard]] Echo::Ref echo(const std::string& reference) const {
    return stub::interface_traits<Echo>::narrow(orb->string_to_object(reference));
  }

  OrbRef orb;
};

}  // namespace perigee::test
