// Makes ORBs with interceptors. One initializer serves all tests.
#include "desk.h"

#include <coroutine>
#include <mutex>
#include <thread>

namespace perigee::test {

namespace {

thread_local const Initialize* pre_init_now = nullptr;
thread_local const Initialize* post_init_now = nullptr;

class TestInitializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info info) override {
    if (pre_init_now != nullptr && *pre_init_now) (*pre_init_now)(info);
  }
  void post_init(Info info) override {
    if (post_init_now != nullptr && *post_init_now) (*post_init_now)(info);
  }
};

void register_once() {
  static const bool registered = [] {
    PortableInterceptor::register_orb_initializer(CORBA::make_reference<TestInitializer>());
    return true;
  }();
  (void)registered;
}

class PlainClerk final : public CORBA::servant_traits<Desk::Clerk>::base_type {
 public:
  explicit PlainClerk(std::atomic<int>& noted) : noted_(noted) {}
  std::int32_t twice(std::int32_t value) override { return twice_or_raise(value); }
  void note(std::int32_t value) override {
    ++noted_;
    noted_.notify_all();
    (void)twice_or_raise(value);
  }

 private:
  std::atomic<int>& noted_;
};

/// The threads that reply. The servant does not own them, because one of them may release the
/// servant. Any thread may call `run`.
class ReplyThreads {
 public:
  template <typename Reply>
  void run(Reply reply) {
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back(std::move(reply));
  }
  void join() {
    std::vector<std::thread> ended;
    {
      const std::scoped_lock lock(mutex_);
      ended.swap(threads_);
    }
    for (std::thread& thread : ended) thread.join();
  }

 private:
  std::mutex mutex_;  // guards threads_: several threads of the server make upcalls
  std::vector<std::thread> threads_;
};

ReplyThreads& reply_threads() {
  static ReplyThreads threads;
  return threads;
}

/// A task that awaits it continues on another thread.
struct OtherThreadOfReplies {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) const {
    reply_threads().run([task] { task.resume(); });
  }
  void await_resume() const noexcept {}
};

/// Replies on another thread.
class DeferredClerk final : public CORBA::amh_traits<Desk::Clerk>::base_type {
 public:
  using Handler = CORBA::amh_traits<Desk::Clerk>::response_handler_ref_type;
  using Holder = CORBA::amh_traits<Desk::Clerk>::exception_holder_type;
  explicit DeferredClerk(std::atomic<int>& noted) : noted_(noted) {}
  void twice(Handler handler, std::int32_t value) override {
    reply_threads().run([handler = std::move(handler), value] {
      try {
        handler->twice(twice_or_raise(value));
      } catch (const Desk::Refused& refused) {
        handler->twice_excep(Holder(refused));
      } catch (const CORBA::NO_PERMISSION& exception) {
        handler->twice_excep(Holder(exception));
      }
    });
  }
  void note(Handler, std::int32_t) override {
    ++noted_;
    noted_.notify_all();
  }

 private:
  std::atomic<int>& noted_;
};

/// Suspends, and replies on another thread.
class CoroutineClerk final : public CORBA::async_traits<Desk::Clerk>::base_type {
 public:
  explicit CoroutineClerk(std::atomic<int>& noted) : noted_(noted) {}
  perigee::task<std::int32_t> twice(std::int32_t value) override {
    co_await OtherThreadOfReplies();
    co_return twice_or_raise(value);
  }
  perigee::task<> note(std::int32_t value) override {
    ++noted_;
    noted_.notify_all();
    (void)twice_or_raise(value);
    co_return;
  }

 private:
  std::atomic<int>& noted_;
};

}  // namespace

std::int32_t twice_or_raise(std::int32_t value) {
  if (value < 0) throw Desk::Refused("negative");
  if (value == forbidden) throw CORBA::NO_PERMISSION(7, CORBA::COMPLETED_NO);
  return 2 * value;
}

ServantRef make_clerk(Kind kind, std::atomic<int>& noted) {
  switch (kind) {
    case Kind::plain:
      return CORBA::make_reference<PlainClerk>(noted);
    case Kind::deferred:
      return CORBA::make_reference<DeferredClerk>(noted);
    case Kind::coroutine:
      break;
  }
  return CORBA::make_reference<CoroutineClerk>(noted);
}

CORBA::object_reference<CORBA::ORB> make_orb(const std::string& name,
                                             std::vector<std::string> arguments,
                                             Initialize pre_init, Initialize post_init) {
  register_once();
  struct Now {
    Now(const Initialize& pre, const Initialize& post) {
      pre_init_now = &pre;
      post_init_now = &post;
    }
    ~Now() { pre_init_now = post_init_now = nullptr; }
  } const now(pre_init, post_init);
  return CORBA::ORB_init(arguments, name);
}

DeskOrbs::DeskOrbs(const Plan& plan, Kind kind, const std::vector<std::string>& server_options) {
  static std::atomic<int> number{0};
  const std::string name = "desk-" + std::to_string(++number);
  std::vector<std::string> options = {"program", "-ORBListenEndpoints", "iiop://127.0.0.1:0"};
  options.insert(options.end(), server_options.begin(), server_options.end());
  const auto add_clients = [&](const PortableInterceptor::ORBInitializer::Info& info) {
    int index = 0;
    for (const auto& actions : plan.clients)
      info->add_client_request_interceptor(
          CORBA::make_reference<PlannedClient>("client " + std::to_string(++index), log, actions));
  };
  server = make_orb(name + "-server", options, [&](const auto& info) {
    add_clients(info);
    int index = 0;
    for (const auto& actions : plan.servers)
      info->add_server_request_interceptor(
          CORBA::make_reference<PlannedServer>("server " + std::to_string(++index), log, actions));
    if (plan.server_init) plan.server_init(info);
  });
  std::vector<std::string> client_options = {"program"};
  client_options.insert(client_options.end(), plan.client_options.begin(),
                        plan.client_options.end());
  client = make_orb(name + "-client", client_options, [&](const auto& info) {
    add_clients(info);
    if (plan.client_init) plan.client_init(info);
  });
  poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  clerk = serve(make_clerk(kind, noted));
  local_clerk =
      IDL::traits<Desk::Clerk>::narrow(server->string_to_object(client->object_to_string(clerk)));
}

DeskOrbs::~DeskOrbs() {
  clerk.reset();
  local_clerk.reset();
  client->destroy();
  server->destroy();
  reply_threads().join();
}

ClerkRef DeskOrbs::serve(const ServantRef& servant) {
  const auto object = poa->id_to_reference(poa->activate_object(servant));
  return IDL::traits<Desk::Clerk>::narrow(
      client->string_to_object(server->object_to_string(object)));
}

void DeskOrbs::await_notes(int count) {
  for (int seen = noted; seen < count; seen = noted) noted.wait(seen);
}

}  // namespace perigee::test
