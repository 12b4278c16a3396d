// Builds something for each client, and calls the client's watcher meanwhile. Prints the reference
// of the builder. With -ORBAcceptBidirectional yes, the calls use the client's own connection.
#include "callbacksS.h"
#include <perigee/corba.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using WatcherRef = IDL::traits<Callbacks::Watcher>::ref_type;

void report(const WatcherRef& watcher) try {
  for (std::uint32_t percent = 25; percent <= 100; percent += 25) watcher->progress(percent);
} catch (const CORBA::SystemException& error) {
  std::cerr << "callbacks_server: the watcher cannot be called: " << error.what() << std::endl;
}

class Builder final : public CORBA::servant_traits<Callbacks::Builder>::base_type {
 public:
  // Returns at once. The destructor of the builder joins the threads.
  void build(WatcherRef watcher) override {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([watcher = std::move(watcher)] { report(watcher); });
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::vector<std::jthread> threads_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto builder = CORBA::make_reference<Builder>();
  const std::string reference = orb->object_to_string(builder->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "callbacks_server: " << error.what() << '\n';
  return 1;
}
