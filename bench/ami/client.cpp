// The client of the experiment: one thread, which makes the calls and runs the event loop.
#include "ami.h"
#include "void_callsAmiC.h"
#include "void_callsAsync.h"
#include <perigee/async/call.h>
#include <perigee/async/completion.h>
#include <perigee/async/when.h>
#include <perigee/corba.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace perigee::bench {
namespace {

using Asynchronous = CORBA::amic_traits<Ami::Cuber>;
using OrbRef = CORBA::object_reference<CORBA::ORB>;
using CuberRef = Asynchronous::ref_type;

/// The number of calls, and of calls in flight.
struct Work {
  std::size_t calls;
  std::size_t in_flight;
};

/// Calls with reply handlers. Each handler makes the next call.
class Callbacks {
 public:
  Callbacks(CuberRef cuber, Work work)
      : cuber_(std::move(cuber)), to_send_(work.calls), unanswered_(work.calls) {
    for (std::size_t index = 0; index < work.in_flight; ++index) send_next();
  }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  completion<void> over;

 private:
  class Handler final : public Asynchronous::replyhandler_base_type {
   public:
    using _pooled = void;

    explicit Handler(Callbacks& callbacks) : callbacks_(callbacks) {}
    void cube_void() override { callbacks_.answered(); }
    void cube_void_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
      try {
        holder->raise_exception();
      } catch (...) {
        callbacks_.over.fail(std::current_exception());
      }
    }

   private:
    Callbacks& callbacks_;
  };

  void send_next() {
    if (to_send_ == 0) return;
    --to_send_;
    cuber_->sendc_cube_void(CORBA::make_reference<Handler>(*this));
  }
  void answered() {
    send_next();
    if (--unanswered_ == 0) over.complete();
  }

  CuberRef cuber_;
  std::size_t to_send_;
  std::size_t unanswered_;
};

task<> call_back(CuberRef cuber, Work work) {
  Callbacks callbacks(std::move(cuber), work);
  co_await callbacks.over;
}

task<> call_in_turn(CuberRef cuber, std::size_t& to_send) {
  while (to_send > 0) {
    --to_send;
    co_await cuber->_async().cube_void();
  }
}

task<> call_in_tasks(CuberRef cuber, Work work) {
  std::vector<task<>> callers;
  for (std::size_t index = 0; index < work.in_flight; ++index)
    callers.push_back(call_in_turn(cuber, work.calls));
  co_await when_all(std::move(callers));
}

// Works without tasks. Before each new call, waits for the result of the oldest call if `in_flight`
// calls are in flight.
void call_ahead(const CuberRef& cuber, const Work& work) {
  std::vector<call<>> calls(work.in_flight);
  for (std::size_t index = 0; index < work.calls + work.in_flight; ++index) {
    call<>& oldest = calls[index % work.in_flight];
    if (oldest) std::exchange(oldest, {}).get();
    if (index < work.calls) oldest = cuber->_async().cube_void();
  }
}

void make_calls(const std::string& kind, const OrbRef& orb, const CuberRef& cuber,
                const Work& work) {
  if (kind == "callbacks") {
    run(orb, call_back(cuber, work));
  } else if (kind == "coroutines") {
    run(orb, call_in_tasks(cuber, work));
  } else if (kind == "deferred") {
    call_ahead(cuber, work);
  } else {
    for (std::size_t index = 0; index < work.calls; ++index) cuber->cube_void();
  }
}

}  // namespace

int run_ami_client(const std::string& kind, const std::string& reference) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> arguments{"ami"};
  const OrbRef orb = CORBA::ORB_init(arguments);
  const CuberRef cuber = Asynchronous::unchecked_narrow(orb->string_to_object(reference));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Work work{};
    words >> work.in_flight >> work.calls;
    if (!words || work.in_flight == 0 || work.calls == 0)
      throw std::runtime_error("expected \"IN_FLIGHT CALLS\", both above 0, found: " + line);
    const auto begin = Clock::now();
    make_calls(kind, orb, cuber, work);
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    std::cout << "ok " << time.count() / static_cast<double>(work.calls) << std::endl;
  }
  return 0;
}

}  // namespace perigee::bench
