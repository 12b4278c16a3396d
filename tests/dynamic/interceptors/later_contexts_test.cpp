// Service contexts of requests to which the servant replies after the upcall: response handlers and
// coroutines.
#include "compat/running_orb.h"
#include "coroutines/leaves.h"
#include "desk.h"
#include "orb/values/system_exceptions.h"
#include <perigee/async/request_contexts.h>
#include <perigee/async/when.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/request_contexts.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace perigee::test {

namespace {

using Data = std::vector<std::uint8_t>;
using Handler = CORBA::amh_traits<Desk::Clerk>::response_handler_ref_type;

constexpr IOP::ServiceId first_id = 0x48000001;
constexpr IOP::ServiceId second_id = 0x48000002;
constexpr std::int32_t no_context = -1;

std::int32_t size_of(const std::optional<IOP::ServiceContext>& context) {
  return context ? static_cast<std::int32_t>(context->context_data().size()) : no_context;
}

ClerkRef with_context(const ClerkRef& clerk, std::size_t size) {
  return with_service_contexts(clerk, {{first_id, Data(size, 7)}});
}

/// A reference of the client, and a reference of the server, whose calls are collocated.
std::vector<ClerkRef> both_references(DeskOrbs& orbs, const ServantRef& servant) {
  const ClerkRef remote = orbs.serve(servant);
  return {remote, IDL::traits<Desk::Clerk>::narrow(
                      orbs.server->string_to_object(orbs.client->object_to_string(remote)))};
}

/// Keeps its response handlers, until the test takes them.
class HoldingClerk final : public CORBA::amh_traits<Desk::Clerk>::base_type {
 public:
  void twice(Handler handler, std::int32_t) override {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(handler));
    changed_.notify_all();
  }
  void note(Handler, std::int32_t) override {}

  /// Counts a call that the server has refused before `twice`.
  void count_refused() {
    const std::lock_guard lock(mutex_);
    ++refused_;
    changed_.notify_all();
  }
  /// Waits until this number of calls are held or refused. If they do not come, drops the held
  /// calls, so that no thread waits for their replies.
  std::vector<Handler> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    const bool have_come = changed_.wait_for(lock, std::chrono::minutes(2),
                                             [&] { return held_.size() + refused_ == count; });
    std::vector<Handler> held = std::exchange(held_, {});
    refused_ = 0;
    lock.unlock();
    REQUIRE(have_come);
    return held;
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<Handler> held_;
  std::size_t refused_ = 0;
};

ClerkRef serve_on_main_thread(DeskOrbs& orbs, const ServantRef& servant) {
  const auto child = orbs.poa->create_POA(
      "main", orbs.poa->the_POAManager(),
      {orbs.poa->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const auto object = child->id_to_reference(child->activate_object(servant));
  return IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
}

/// Less than the memory that the arguments of one message may use without a charge.
constexpr std::size_t large_size = 200'000;

/// Interceptors that add a large context to each request.
Clients large_contexts() {
  return {{{"send_request", [](const ClientInfoRef& info) {
              info->add_request_service_context({first_id, Data(large_size)}, true);
            }}}};
}
/// The decoded values of a server may take 2 MiB in all, as much as those of one message.
constexpr std::size_t small_memory_size = 8 * 262'144;
std::vector<std::string> small_memory() {
  return {"-ORBMessageSizeMax",      "262144", "-ORBDecodedSizeMax", "0",
          "-ORBDecodedTotalSizeMax", "65536"};
}

/// The text of the exception without its detail.
std::string exception_kind(const CORBA::SystemException& exception) {
  const std::string text = exception.what();
  return text.substr(0, text.find(':'));
}

/// Calls from several threads at once. Each call has a time limit of some minutes.
class Callers {
 public:
  Callers(const ClerkRef& clerk, HoldingClerk& holding, std::size_t count) {
    const ClerkRef called = with_timeout(clerk, std::chrono::minutes(4));
    for (std::size_t index = 0; index < count; ++index)
      threads_.emplace_back([this, called, &holding] {
        try {
          (void)called->twice(1);
        } catch (const CORBA::SystemException& exception) {
          {
            const std::lock_guard lock(mutex_);
            refusals_.push_back(exception_kind(exception));
          }
          holding.count_refused();
        }
      });
  }
  ~Callers() {
    for (std::thread& thread : threads_) thread.join();
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  /// Waits until all calls have ended. Returns the kinds of their exceptions.
  [[nodiscard]] const std::vector<std::string>& join() {
    for (std::thread& thread : std::exchange(threads_, {})) thread.join();
    return refusals_;
  }

 private:
  std::mutex mutex_;  // guards refusals_
  std::vector<std::string> refusals_;
  std::vector<std::thread> threads_;
};

perigee::task<std::int32_t> size_in_task(IOP::ServiceId id) {
  const auto context = co_await request_service_context_of_this_task(id);
  co_return size_of(context);
}

/// `twice` returns the size of the context that the task `work` sees on another thread.
class LaterClerk final : public CORBA::async_traits<Desk::Clerk>::base_type {
 public:
  using Work = perigee::task<std::int32_t> (*)();
  LaterClerk(OtherThread& elsewhere, Work work) : elsewhere_(elsewhere), work_(work) {}
  perigee::task<std::int32_t> twice(std::int32_t) override {
    co_await elsewhere_;
    if (request_service_context(first_id)) co_return 1000;  // that thread is in no upcall
    const std::int32_t size = co_await work_();
    co_return size;
  }
  perigee::task<> note(std::int32_t) override { co_return; }

 private:
  OtherThread& elsewhere_;
  const Work work_;
};

perigee::task<std::int32_t> awaited() {
  const std::int32_t size = co_await size_in_task(first_id);
  co_return size;
}

perigee::task<std::int32_t> all_of_two() {
  const auto [first, second] = co_await when_all(size_in_task(first_id), size_in_task(second_id));
  co_return second == no_context ? first : 2000;
}

perigee::task<std::int32_t> any_of_two() {
  const auto first = co_await when_any(size_in_task(first_id), size_in_task(first_id));
  co_return std::get<0>(first);
}

}  // namespace

TEST_CASE("a response handler has the contexts of its request until the reply") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto servant = CORBA::make_reference<HoldingClerk>();
  auto& holding = static_cast<HoldingClerk&>(*servant);
  for (const ClerkRef& clerk : both_references(orbs, servant)) {
    auto called = with_context(clerk, 3)->_async().twice(1);
    const Handler handler = holding.take(1).front();
    // Further requests use the memory of the first message.
    auto others = with_context(clerk, 2)->_async().twice(1);
    const Handler other = holding.take(1).front();
    const auto context = request_service_context_of(handler, first_id);
    REQUIRE(context);
    CHECK(*context == IOP::ServiceContext(first_id, {7, 7, 7}));
    CHECK_FALSE(request_service_context_of(handler, second_id));
    CHECK(size_of(request_service_context_of(other, first_id)) == 2);
    handler->twice(5);
    CHECK_FALSE(request_service_context_of(handler, first_id));
    other->twice(6);
    CHECK(called.get() == 5);
    CHECK(others.get() == 6);
  }
}

TEST_CASE("a request without contexts has none for its response handler") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto servant = CORBA::make_reference<HoldingClerk>();
  const ClerkRef clerk = with_timeout(orbs.serve(servant), std::chrono::minutes(10));
  auto called = clerk->_async().twice(1);
  const Handler handler = static_cast<HoldingClerk&>(*servant).take(1).front();
  CHECK_FALSE(request_service_context_of(handler, first_id));
  CHECK_FALSE(request_service_context_of(handler, 0x50474501));  // the ORB's own context
  CHECK_FALSE(request_service_context_of(Handler(), first_id));
  handler->twice(2);
  CHECK(called.get() == 2);
}

TEST_CASE("a coroutine has the contexts of its request on every thread, in each awaited task") {
  OtherThread elsewhere;
  for (const LaterClerk::Work work : {awaited, all_of_two, any_of_two}) {
    const auto servant = CORBA::make_reference<LaterClerk>(elsewhere, work);
    DeskOrbs orbs({.clients = {}, .servers = {}});
    for (const ClerkRef& clerk : both_references(orbs, servant)) {
      CHECK(with_context(clerk, 3)->twice(1) == 3);
      CHECK(with_context(clerk, 0)->twice(1) == 0);
      CHECK(clerk->twice(1) == no_context);
    }
  }
}

TEST_CASE("a task that serves no request has no contexts") {
  Started<std::int32_t> started(size_in_task(first_id));
  CHECK(started.get() == no_context);
}

TEST_CASE("MAIN_THREAD_MODEL: servants read the contexts after the upcall") {
  OtherThread elsewhere;
  const auto servant = CORBA::make_reference<LaterClerk>(elsewhere, awaited);
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const ClerkRef clerk = serve_on_main_thread(orbs, servant);
  const RunningOrb running(orbs.server);
  CHECK(with_context(clerk, 3)->twice(1) == 3);
}

TEST_CASE("the contexts of deferred requests count as decoded values") {
  for (const bool on_main_thread : {false, true}) {
    CAPTURE(on_main_thread);
    DeskOrbs orbs({.clients = large_contexts(), .servers = {}}, Kind::plain, small_memory());
    const auto servant = CORBA::make_reference<HoldingClerk>();
    auto& holding = static_cast<HoldingClerk&>(*servant);
    const ClerkRef clerk =
        on_main_thread ? serve_on_main_thread(orbs, servant) : orbs.serve(servant);
    const RunningOrb running(orbs.server);
    constexpr std::size_t count = 32;
    Callers callers(clerk, holding, count);
    const std::vector<Handler> held = holding.take(count);
    CHECK(held.size() == small_memory_size / large_size);
    for (const Handler& handler : held) handler->twice(2);
    const std::vector<std::string>& refusals = callers.join();
    CHECK(refusals.size() == count - held.size());
    for (const std::string& refusal : refusals)
      CHECK(refusal ==
            exception_kind(CORBA::TRANSIENT(orb::minor_decoded_too_many, CORBA::COMPLETED_NO)));
    Callers last(clerk, holding, 1);  // the memory is free again
    for (const Handler& handler : holding.take(1)) handler->twice(3);
    CHECK(last.join().empty());
  }
}

}  // namespace perigee::test
