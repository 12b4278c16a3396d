// The middle tier: one server. The command line selects its concurrency model.
#include "relayAmhS.h"
#include "relayAmiC.h"
#include "relayAsync.h"
#include "relayAsyncS.h"
#include "relayS.h"
#include "roles.h"
#include <perigee/corba.h>

#include <pthread.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::bench {
namespace {

using Tier = MiddleTier::Tier;
using OrbRef = CORBA::object_reference<CORBA::ORB>;
using SinkRef = CORBA::amic_traits<Tier>::ref_type;

/// A servant that waits for the sink.
class Waiting final : public CORBA::servant_traits<Tier>::base_type {
 public:
  Waiting(SinkRef sink, std::size_t work_steps) : sink_(std::move(sink)), work_(work_steps) {}
  std::int64_t relay(std::int64_t time_stamp) override {
    work(work_);
    return sink_->relay(time_stamp);
  }

 private:
  SinkRef sink_;
  std::size_t work_;
};

/// Replies to the source when the sink has replied.
class PassOn final : public CORBA::amic_traits<Tier>::replyhandler_base_type {
 public:
  using _pooled = void;
  using Handler = CORBA::amh_traits<Tier>::response_handler_ref_type;

  explicit PassOn(Handler handler) : handler_(std::move(handler)) {}
  void relay(std::int64_t time_stamp) override { handler_->relay(time_stamp); }
  void relay_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    try {
      holder->raise_exception();
    } catch (...) {
      handler_->relay_excep(
          CORBA::amh_traits<Tier>::exception_holder_type(std::current_exception()));
    }
  }

 private:
  Handler handler_;
};

class Handling final : public CORBA::amh_traits<Tier>::base_type {
 public:
  Handling(SinkRef sink, std::size_t work_steps) : sink_(std::move(sink)), work_(work_steps) {}
  void relay(PassOn::Handler handler, std::int64_t time_stamp) override {
    work(work_);
    sink_->sendc_relay(CORBA::make_reference<PassOn>(std::move(handler)), time_stamp);
  }

 private:
  SinkRef sink_;
  std::size_t work_;
};

class Awaiting final : public CORBA::async_traits<Tier>::base_type {
 public:
  Awaiting(SinkRef sink, std::size_t work_steps) : sink_(std::move(sink)), work_(work_steps) {}
  task<std::int64_t> relay(std::int64_t time_stamp) override {
    work(work_);
    co_return co_await sink_->_async().relay(time_stamp);
  }

 private:
  SinkRef sink_;
  std::size_t work_;
};

CORBA::servant_reference<PortableServer::Servant> make_servant(ServantKind kind, SinkRef sink,
                                                               std::size_t work_steps) {
  switch (kind) {
    case ServantKind::none:
      break;
    case ServantKind::synchronous:
      return CORBA::make_reference<Waiting>(std::move(sink), work_steps);
    case ServantKind::response_handlers:
      return CORBA::make_reference<Handling>(std::move(sink), work_steps);
    case ServantKind::coroutines:
      return CORBA::make_reference<Awaiting>(std::move(sink), work_steps);
  }
  throw std::logic_error("no such kind of servant");
}

// Raises the limits, so that one upcall of each client can wait, nested or on spare threads. The
// servers of the paper had no such limits.
OrbRef make_orb(const Model& model, std::size_t clients) {
  std::vector<std::string> arguments{
      "middle",  "-ORBListenEndpoints",      "iiop://127.0.0.1:0",       "-ORBLocalTransports",
      "none",    "-ORBThreadStrategy",       model.thread_strategy,      "-ORBServerConnectionsMax",
      "1000000", "-ORBNestedUpcallDepthMax", std::to_string(clients + 1)};
  if (!model.threads.empty()) arguments.insert(arguments.end(), {"-ORBThreads", model.threads});
  return CORBA::ORB_init(arguments);
}

void* run_orb(void* orb) {
  (*static_cast<OrbRef*>(orb))->run();
  return nullptr;
}

// Runs the ORB on a thread whose stack has room for all upcalls.
void run_with_stack(OrbRef& orb, std::size_t size) {
  pthread_attr_t attributes;
  pthread_t thread{};
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, size) != 0 ||
      pthread_create(&thread, &attributes, &run_orb, &orb) != 0)
    throw std::runtime_error("cannot start a thread with a stack for all upcalls");
  pthread_join(thread, nullptr);
}

}  // namespace

int run_middle(const Model& model, std::uint16_t sink_port, std::size_t clients,
               std::size_t work_steps) {
  if (model.servants == ServantKind::none)
    run_raw_middle(sink_port, std::stoul(model.threads), work_steps);
  OrbRef orb = make_orb(model, clients);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  SinkRef sink = CORBA::amic_traits<Tier>::unchecked_narrow(
      orb->string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + std::to_string(sink_port) + "/sink"));
  const auto servant = make_servant(model.servants, std::move(sink), work_steps);
  const auto object = poa->id_to_reference(poa->activate_object(servant));
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(object) << std::endl;
  constexpr std::size_t stack_per_upcall = std::size_t{32} * 1024;
  if (model.name == "TPR-ST")
    run_with_stack(orb, stack_per_upcall * (clients + 256));
  else
    orb->run();
  return 0;
}

}  // namespace perigee::bench
