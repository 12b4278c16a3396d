// The places of the tests' objects and callers: another ORB over TCP, or the same ORB.
#pragma once

#include "support/serve.h"
#include <perigee/corba.h>

#include <doctest/doctest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

using OrbRef = CORBA::object_reference<CORBA::ORB>;
using PoaRef = CORBA::object_reference<PortableServer::POA>;

/// Identifiers are unique, so that each test has its own ORB.
inline OrbRef make_orb(std::vector<std::string> options = {}) {
  static int number = 0;
  return CORBA::ORB_init(options, "async" + std::to_string(++number));
}

/// The ORB of a server, which runs in its own thread, and the ORB of a client.
class Places final {
 public:
  explicit Places(const std::string& strategy, std::vector<std::string> server_options = {},
                  std::vector<std::string> client_options = {})
      : server(make_orb(serving(strategy, std::move(server_options)))),
        client(make_orb(std::move(client_options))),
        poa(IDL::traits<PortableServer::POA>::narrow(
            server->resolve_initial_references("RootPOA"))) {
    poa->the_POAManager()->activate();
    runner_ = std::jthread([running = server] { serve(*running); });
  }
  ~Places() {
    client->destroy();
    server->shutdown(false);
    runner_.join();
    poa.reset();
    server->destroy();
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// The servant's object, as seen by the client and by its own process.
  template <typename Interface, typename Servant>
  std::vector<CORBA::object_reference<Interface>> both_ways(
      const CORBA::servant_reference<Servant>& servant) const {
    const auto object = poa->id_to_reference(poa->activate_object(servant));
    const std::string reference = server->object_to_string(object);
    return {IDL::traits<Interface>::narrow(client->string_to_object(reference)),
            IDL::traits<Interface>::narrow(server->string_to_object(reference))};
  }

  OrbRef server;
  OrbRef client;
  PoaRef poa;

 private:
  static std::vector<std::string> serving(const std::string& strategy,
                                          std::vector<std::string> options) {
    options.insert(options.end(),
                   {"-ORBThreadStrategy", strategy, "-ORBListenEndpoints", "iiop://127.0.0.1:0"});
    return options;
  }

  std::jthread runner_;
};

/// Runs functions one after the other on its own thread.
class Later final {
 public:
  Later() : thread_([this] { work(); }) {}
  ~Later() {
    add(nullptr);
    thread_.join();
  }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  void add(std::function<void()> step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    changed_.notify_one();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !steps_.empty(); });
      const std::function<void()> step = std::move(steps_.front());
      steps_.pop_front();
      lock.unlock();
      if (!step) return;
      step();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> steps_;
  std::thread thread_;
};

/// Lives until the program ends: its thread must not destroy the object that joins it.
inline Later& later() {
  static Later instance;
  return instance;
}

}  // namespace perigee::test
