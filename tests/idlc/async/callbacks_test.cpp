// Callbacks over the client's own connection. The servants block, use reply and response handlers,
// or are coroutines. The client's references name a port without a listener. So each callback that
// arrives has come over the connection that the client has opened.
#include "places.h"
#include "support/serve.h"
#include "tickerAmhS.h"
#include "tickerAmiC.h"
#include "tickerAsync.h"
#include "tickerAsyncS.h"
#include "tickerS.h"
#include <perigee/corba.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using FeedRef = CORBA::object_reference<Ticker::Feed>;
using ListenerRef = CORBA::object_reference<Ticker::Listener>;
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;
using Raised = IDL::traits<Messaging::ExceptionHolder>::ref_type;

std::exception_ptr exception_of(const Raised& raised) {
  try {
    raised->raise_exception();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// --- Objects of the server ---

class BlockingFeed final : public CORBA::servant_traits<Ticker::Feed>::base_type {
 public:
  std::int32_t push(ListenerRef to, std::int32_t value) override { return to->price(value); }
  std::int32_t twice(std::int32_t value) override { return 2 * value; }
};

using FeedHolder = CORBA::amh_traits<Ticker::Feed>::exception_holder_type;
using FeedHandler = CORBA::amh_traits<Ticker::Feed>::response_handler_ref_type;

/// Gives the client's result to the caller of `push`.
class PriceReply final : public CORBA::amic_traits<Ticker::Listener>::replyhandler_base_type {
 public:
  explicit PriceReply(FeedHandler handler) : handler_(std::move(handler)) {}
  void price(std::int32_t result) override { handler_->push(result); }
  void price_excep(Raised raised) override {
    handler_->push_excep(FeedHolder(exception_of(raised)));
  }

 private:
  const FeedHandler handler_;
};

class HandlerFeed final : public CORBA::amh_traits<Ticker::Feed>::base_type {
 public:
  void push(FeedHandler handler, ListenerRef to, std::int32_t value) override {
    CORBA::amic_traits<Ticker::Listener>::narrow(to)->sendc_price(
        CORBA::make_reference<PriceReply>(handler), value);
  }
  void twice(FeedHandler handler, std::int32_t value) override {
    later().add([handler, value] { handler->twice(2 * value); });
  }
};

class CoroutineFeed final : public CORBA::async_traits<Ticker::Feed>::base_type {
 public:
  task<std::int32_t> push(ListenerRef to, std::int32_t value) override {
    co_return co_await to->_async().price(value);
  }
  task<std::int32_t> twice(std::int32_t value) override { co_return 2 * value; }
};

// --- Objects of the client. They call the server again. ---

class BlockingListener final : public CORBA::servant_traits<Ticker::Listener>::base_type {
 public:
  explicit BlockingListener(FeedRef feed) : feed_(std::move(feed)) {}
  std::int32_t price(std::int32_t value) override { return feed_->twice(value) + 1; }

 private:
  const FeedRef feed_;
};

using ListenerHolder = CORBA::amh_traits<Ticker::Listener>::exception_holder_type;
using ListenerHandler = CORBA::amh_traits<Ticker::Listener>::response_handler_ref_type;

/// Gives the server's result to the caller of `price`.
class TwiceReply final : public CORBA::amic_traits<Ticker::Feed>::replyhandler_base_type {
 public:
  explicit TwiceReply(ListenerHandler handler) : handler_(std::move(handler)) {}
  void push(std::int32_t /*result*/) override {}
  void push_excep(Raised /*raised*/) override {}
  void twice(std::int32_t result) override { handler_->price(result + 1); }
  void twice_excep(Raised raised) override {
    handler_->price_excep(ListenerHolder(exception_of(raised)));
  }

 private:
  const ListenerHandler handler_;
};

class HandlerListener final : public CORBA::amh_traits<Ticker::Listener>::base_type {
 public:
  explicit HandlerListener(FeedRef feed) : feed_(std::move(feed)) {}
  void price(ListenerHandler handler, std::int32_t value) override {
    CORBA::amic_traits<Ticker::Feed>::narrow(feed_)->sendc_twice(
        CORBA::make_reference<TwiceReply>(handler), value);
  }

 private:
  const FeedRef feed_;
};

class CoroutineListener final : public CORBA::async_traits<Ticker::Listener>::base_type {
 public:
  explicit CoroutineListener(FeedRef feed) : feed_(std::move(feed)) {}
  task<std::int32_t> price(std::int32_t value) override {
    const std::int32_t twice = co_await feed_->_async().twice(value);
    co_return twice + 1;
  }

 private:
  const FeedRef feed_;
};

// --- Both sides ---

enum class Kind : std::uint8_t { blocking, handlers, coroutines };
constexpr Kind kinds[] = {Kind::blocking, Kind::handlers, Kind::coroutines};
constexpr const char* strategies[] = {"auto", "thread-per-connection", "reactive", "thread-pool",
                                      "reactor-per-core"};

ServantRef make_feed(Kind kind) {
  switch (kind) {
    case Kind::blocking:
      return CORBA::make_reference<BlockingFeed>();
    case Kind::handlers:
      return CORBA::make_reference<HandlerFeed>();
    case Kind::coroutines:
      break;
  }
  return CORBA::make_reference<CoroutineFeed>();
}

ServantRef make_listener(Kind kind, const FeedRef& feed) {
  switch (kind) {
    case Kind::blocking:
      return CORBA::make_reference<BlockingListener>(feed);
    case Kind::handlers:
      return CORBA::make_reference<HandlerListener>(feed);
    case Kind::coroutines:
      break;
  }
  return CORBA::make_reference<CoroutineListener>(feed);
}

enum class Runs : bool { no, yes };

/// An ORB whose objects belong to a POA with the bidirectional policy BOTH.
class Side {
 public:
  Side(std::vector<std::string> options, Runs runs) : orb(make_orb(std::move(options))) {
    const auto root =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    CORBA::Any value;
    value <<= BiDirPolicy::BOTH;
    poa_ = root->create_POA("both", root->the_POAManager(),
                            {orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value)});
    root->the_POAManager()->activate();
    if (runs == Runs::yes) run();
  }
  ~Side() {
    orb->shutdown(false);
    if (runner_.joinable()) runner_.join();
    poa_.reset();
    orb->destroy();
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  /// Starts a thread that enters ORB::run.
  void run() {
    runner_ = std::jthread([running = orb] { serve(*running); });
  }
  [[nodiscard]] CORBA::object_reference<CORBA::Object> activate(const ServantRef& servant) const {
    return poa_->id_to_reference(poa_->activate_object(servant));
  }

  OrbRef orb;

 private:
  PoaRef poa_;
  std::jthread runner_;
};

std::vector<std::string> server_options(const std::string& strategy) {
  return {"-ORBThreadStrategy",      strategy, "-ORBListenEndpoints", "iiop://127.0.0.1:0",
          "-ORBAcceptBidirectional", "yes"};
}

std::vector<std::string> client_options(const std::string& strategy) {
  return {"-ORBThreadStrategy",     strategy,
          "-ORBListenEndpoints",    "iiop://127.0.0.1:0?publish=127.0.0.1:1",
          "-ORBOfferBidirectional", "yes"};
}

/// A feed in a server, and a listener in its client.
struct Pair {
  Pair(const std::string& server_strategy, const std::string& client_strategy,
       Runs client_runs = Runs::yes)
      : server(server_options(server_strategy), Runs::yes),
        client(client_options(client_strategy), client_runs) {}

  void place(Kind feed_kind, Kind listener_kind) {
    const auto object = server.activate(make_feed(feed_kind));
    feed = IDL::traits<Ticker::Feed>::narrow(
        client.orb->string_to_object(server.orb->object_to_string(object)));
    listener =
        IDL::traits<Ticker::Listener>::narrow(client.activate(make_listener(listener_kind, feed)));
  }

  Side server;
  Side client;
  FeedRef feed;
  ListenerRef listener;
};

// --- Calls of the client ---

class PushReply final : public CORBA::amic_traits<Ticker::Feed>::replyhandler_base_type {
 public:
  void push(std::int32_t result) override { tell(result); }
  void push_excep(Raised /*raised*/) override { tell(-1); }
  void twice(std::int32_t /*result*/) override {}
  void twice_excep(Raised /*raised*/) override {}

  std::atomic<std::int32_t> pushed{0};
  std::atomic<bool> told{false};

 private:
  void tell(std::int32_t value) {
    pushed = value;
    told = true;
  }
};

std::int32_t push_by_handler(const Pair& pair, std::int32_t value) {
  const auto handler = CORBA::make_reference<PushReply>();
  CORBA::amic_traits<Ticker::Feed>::narrow(pair.feed)->sendc_push(handler, pair.listener, value);
  stub::drive_until(*pair.client.orb, [&] { return handler->told.load(); });
  return handler->pushed;
}

void check_calls(const Pair& pair) {
  for (std::int32_t value = 1; value <= 3; ++value) {
    const std::int32_t result = 2 * value + 1;
    CHECK(pair.feed->push(pair.listener, value) == result);
    CHECK(push_by_handler(pair, value) == result);
    CHECK(pair.feed->_async().push(pair.listener, value).get() == result);
  }
}

void check_calls_at_the_same_time(const Pair& pair) {
  std::vector<call<std::int32_t>> calls;
  for (std::int32_t value = 0; value < 10; ++value)
    calls.push_back(pair.feed->_async().push(pair.listener, value));
  for (std::int32_t value = 0; value < 10; ++value)
    CHECK(calls[static_cast<std::size_t>(value)].get() == 2 * value + 1);
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::blocking:
      return "blocking";
    case Kind::handlers:
      return "handlers";
    case Kind::coroutines:
      break;
  }
  return "coroutines";
}

}  // namespace

TEST_CASE("servants of every kind are called back, and call back, under each strategy") {
  for (const std::string strategy : strategies) {
    CAPTURE(strategy);
    Pair pair(strategy, strategy);
    for (const Kind feed : kinds)
      for (const Kind listener : kinds) {
        CAPTURE(name_of(feed));
        CAPTURE(name_of(listener));
        pair.place(feed, listener);
        check_calls(pair);
        check_calls_at_the_same_time(pair);
      }
  }
}

TEST_CASE("server and client may have different thread strategies") {
  for (const std::string server : strategies)
    for (const std::string client : strategies) {
      if (server == client) continue;
      CAPTURE(server);
      CAPTURE(client);
      Pair pair(server, client);
      for (const Kind kind : kinds) {
        CAPTURE(name_of(kind));
        pair.place(kind, kind);
        check_calls(pair);
      }
    }
}

TEST_CASE("a reactive client that is not in ORB::run is called back while its calls wait") {
  for (const std::string strategy : strategies) {
    CAPTURE(strategy);
    Pair pair(strategy, "reactive", Runs::no);
    for (const Kind feed : kinds)
      for (const Kind listener : kinds) {
        CAPTURE(name_of(feed));
        CAPTURE(name_of(listener));
        pair.place(feed, listener);
        check_calls(pair);
      }
  }
}

TEST_CASE("a thread enters ORB::run while threads of a reactive client wait for callbacks") {
  for (const Kind kind : kinds)
    for (int round = 0; round < 5; ++round) {
      CAPTURE(name_of(kind));
      CAPTURE(round);
      Pair pair("auto", "reactive", Runs::no);
      pair.place(kind, kind);
      std::vector<std::jthread> callers;
      for (int number = 0; number < 3; ++number)
        callers.emplace_back([&pair] {
          for (int call = 0; call < 5; ++call) check_calls(pair);
        });
      check_calls(pair);
      pair.client.run();
      check_calls(pair);
      for (std::jthread& caller : callers) caller.join();
    }
}

}  // namespace perigee::test
