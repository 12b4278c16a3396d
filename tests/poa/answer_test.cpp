// Deferred replies: their rules, without a network.
#include "poa/deferred_answer.h"
#include "poa/recording_hooks.h"
#include "support/allocations.h"
#include "support/log_lines.h"
#include <perigee/poa/answer.h>
#include <perigee/poa/held_exception.h>
#include <perigee/poa/stop_token.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using skeleton::Answer;

namespace {

template <typename Act>
void check_answered_before(Act&& act) {
  try {
    act();
    FAIL("answered twice");
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    CHECK(exception.completed() == CORBA::COMPLETED_YES);
  }
}

}  // namespace

TEST_CASE("a reply may be sent after the upcall") {
  Deferred test;
  test.dispatch();
  CHECK(test.request.answer().empty());
  CHECK(test.request.deferred());
  CHECK(test.request.outstanding() == 1);
  CHECK_FALSE(test.answer.answered());
  CHECK(test.answer.expected());
  test.answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  CHECK(test.request.answer() == "reply");
  CHECK(test.request.results().size() == 4);
  CHECK(test.answer.answered());
  CHECK(test.request.outstanding() == 0);  // ended, although the answer object still exists
}

TEST_CASE("a second reply of any kind is refused") {
  Deferred test;
  test.dispatch();
  SUBCASE("after results") { test.answer.reply(nullptr); }
  SUBCASE("after an exception") { test.answer.exception(CORBA::NO_PERMISSION()); }
  SUBCASE("after a forward") { test.answer.forward(*test.object); }
  const std::string first = test.request.answer();
  check_answered_before([&] { test.answer.reply(nullptr); });
  check_answered_before([&] { test.answer.exception(CORBA::TRANSIENT()); });
  check_answered_before([&] { test.answer.exception(std::make_exception_ptr(1)); });
  check_answered_before([&] { test.answer.forward(*test.object); });
  test.answer = Answer();
  CHECK(test.request.answer() == first);
}

TEST_CASE("a deferred request that is dropped gets NO_RESPONSE, COMPLETED_MAYBE") {
  Deferred test;
  test.dispatch();
  test.answer = Answer();
  CHECK(test.request.answer() == "system NO_RESPONSE");
  CHECK(test.request.completed() == CORBA::COMPLETED_MAYBE);
  CHECK(test.request.outstanding() == 0);
}

TEST_CASE("a deferred reply can be an exception, like the exception of a servant") {
  Deferred test;
  test.dispatch();
  std::string expected;
  SUBCASE("listed") {
    test.answer.exception(Odd());
    expected = "user IDL:Test/Odd:1.0";
  }
  SUBCASE("thrown somewhere") {
    test.answer.exception(std::make_exception_ptr(Odd()));
    expected = "user IDL:Test/Odd:1.0";
  }
  SUBCASE("not listed") {
    test.answer.exception(PortableServer::POA::ObjectNotActive());
    expected = "system UNKNOWN";
  }
  SUBCASE("a system exception") {
    test.answer.exception(std::make_exception_ptr(CORBA::NO_PERMISSION()));
    expected = "system NO_PERMISSION";
  }
  SUBCASE("out of memory") {
    test.answer.exception(std::make_exception_ptr(std::bad_alloc()));
    expected = "system NO_MEMORY";
  }
  SUBCASE("of C++") {
    test.answer.exception(std::make_exception_ptr(std::runtime_error("broken")));
    expected = "system UNKNOWN";
  }
  SUBCASE("no exception") {
    test.answer.exception(std::exception_ptr());
    expected = "system UNKNOWN";
  }
  SUBCASE("ForwardRequest") {
    test.answer.exception(std::make_exception_ptr(PortableServer::ForwardRequest(test.object)));
    expected = "forward";
  }
  SUBCASE("ForwardRequest as a value") {
    test.answer.exception(PortableServer::ForwardRequest(test.object));
    expected = "forward";
  }
  CHECK(test.request.answer() == expected);
}

TEST_CASE("a request can be deferred once, and not after its reply") {
  const TestOrb orb;
  Answer first;
  bool answers_first = false;
  SUBCASE("deferred twice") {}
  SUBCASE("deferred after a reply") { answers_first = true; }
  FakeRequest request(
      orb.key_of(orb.root()->servant_to_reference(make_servant([&](orb::ServerRequest& given) {
        given.end_of_arguments();
        if (answers_first)
          given.reply(nullptr);
        else
          first = Answer(given);
        check_answered_before([&] { const Answer second(given); });
      }))));
  orb.root()->the_POAManager()->activate();
  orb.dispatcher().dispatch(request);
  CHECK(request.outstanding() == (answers_first ? 0 : 1));
  first = Answer();
  CHECK(request.answer() == (answers_first ? "reply" : "system NO_RESPONSE"));
}

TEST_CASE("a deferred reply may destroy the servant of its request") {
  class Owner final : public PortableServer::Servant {
   public:
    [[nodiscard]] std::string_view _primary_interface() const noexcept override {
      return "IDL:Test/Acting:1.0";
    }
    void _dispatch(orb::ServerRequest& request) override { answer = Answer(request); }
    Answer answer;
  };
  const TestOrb orb;
  auto owner = CORBA::make_reference<Owner>();
  Owner& servant = *owner;
  const CORBA::weak_servant_reference<Owner> alive(owner);
  const auto object = orb.root()->servant_to_reference(owner);
  FakeRequest request(orb.key_of(object));
  orb.root()->the_POAManager()->activate();
  orb.dispatcher().dispatch(request);
  owner = nullptr;
  orb.root()->deactivate_object(orb.root()->reference_to_id(object));
  CHECK_FALSE(alive.expired());
  servant.answer.reply(nullptr);
  CHECK(alive.expired());
  CHECK(request.answer() == "reply");
}

TEST_CASE("a deferred request whose Answer is overwritten counts as dropped at once") {
  Deferred first;
  Deferred second;
  first.dispatch();
  second.dispatch();
  first.answer = std::move(second.answer);
  CHECK(first.request.answer() == "system NO_RESPONSE");
  first.answer.reply(nullptr);
  CHECK(second.request.answer() == "reply");
}

TEST_CASE("results that do not encode raise MARSHAL, and the client gets MARSHAL") {
  Deferred test;
  test.dispatch();
  const auto fail = [](cdr::Encoder& encoder) { encoder.fail(cdr::ErrorKind::too_large); };
  CHECK_THROWS_AS(test.answer.reply(fail), CORBA::MARSHAL);
  CHECK(test.request.answer() == "system MARSHAL");
  check_answered_before([&] { test.answer.reply(nullptr); });
}

TEST_CASE("if the encoding of results throws, the client gets UNKNOWN") {
  Deferred test;
  test.dispatch();
  CHECK_THROWS_AS(test.answer.reply([](cdr::Encoder&) { throw std::runtime_error("no"); }),
                  std::runtime_error);
  CHECK(test.request.answer() == "system UNKNOWN");
}

TEST_CASE("if several threads reply at the same time, one reply is sent") {
  for (int round = 0; round < 50; ++round) {
    Deferred test;
    test.dispatch();
    std::atomic<int> answered{0};
    std::atomic<int> refused{0};
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
          try {
            test.answer.reply(nullptr);
            ++answered;
          } catch (const CORBA::BAD_INV_ORDER&) {
            ++refused;
          }
        });
    }
    CHECK(answered == 1);
    CHECK(refused == 3);
    CHECK(test.request.answer() == "reply");
  }
}

TEST_CASE("the servant stays until the reply is sent") {
  std::atomic<int> alive{0};
  Deferred test(&alive);
  test.dispatch();
  test.orb.root()->deactivate_object(test.orb.root()->reference_to_id(test.object));
  CHECK(alive == 1);
  test.answer.reply(nullptr);
  CHECK(alive == 0);
}

TEST_CASE("destroying a POA with wait_for_completion waits for deferred replies") {
  Deferred test;
  test.dispatch();
  std::promise<void> destroying;
  auto destroyed = std::async(std::launch::async, [&] {
    destroying.set_value();
    test.orb.root()->destroy(true, true);
    return test.request.answer();
  });
  destroying.get_future().wait();
  CHECK(destroyed.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  test.answer.reply(nullptr);
  CHECK(destroyed.get() == "reply");
}

TEST_CASE("a POA that was destroyed without waiting exists until the deferred reply is sent") {
  std::atomic<int> alive{0};
  Deferred test(&alive);
  test.dispatch();
  test.orb.root()->destroy(true, false);
  CHECK(alive == 1);
  test.answer.reply(nullptr);
  CHECK(test.request.answer() == "reply");
  CHECK(alive == 0);
}

TEST_CASE("a default servant may defer its reply") {
  const TestOrb orb;
  Answer answer;
  std::atomic<int> alive{0};
  const auto poa = orb.root()->create_POA(
      "default", orb.root()->the_POAManager(),
      {orb.root()->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT),
       orb.root()->create_id_uniqueness_policy(
           PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID)});
  poa->set_servant(
      make_servant([&](orb::ServerRequest& given) { answer = Answer(given); }, &alive));
  orb.root()->the_POAManager()->activate();
  FakeRequest request(orb.key_of(poa->create_reference("IDL:Test/Acting:1.0")));
  orb.dispatcher().dispatch(request);
  CHECK(request.outstanding() == 1);
  poa->destroy(true, false);
  CHECK(alive == 1);
  answer.reply(nullptr);
  CHECK(request.answer() == "reply");
  CHECK(alive == 0);
}

TEST_CASE("hooks see the end of a request when its reply is sent") {
  Deferred test;
  RecordingHooks hooks;
  auto& dispatcher = static_cast<poa::Dispatcher&>(test.orb.dispatcher());
  dispatcher.set_hooks(&hooks);
  test.dispatch();
  CHECK(hooks.seen == std::vector<std::string>{"contexts act", "serve act"});
  test.answer.reply(nullptr);
  CHECK(hooks.seen == std::vector<std::string>{"contexts act", "serve act", "reply act"});
  dispatcher.set_hooks(nullptr);
}

TEST_CASE("a servant that deferred its reply gets a stop request when the request is cancelled") {
  Deferred test;
  test.dispatch();
  const std::stop_token token = stop_token_of(test.answer);
  std::atomic<int> calls{0};
  const std::stop_callback callback(token, [&] { ++calls; });
  CHECK_FALSE(token.stop_requested());
  test.request.cancel();
  CHECK(token.stop_requested());
  CHECK(calls == 1);
  CHECK(stop_token_of(test.answer).stop_requested());
  test.answer.reply(nullptr);  // the servant may still answer
  CHECK_FALSE(stop_token_of(test.answer).stop_possible());
  CHECK_FALSE(stop_token_of(Answer()).stop_possible());
}

TEST_CASE("a deferred oneway expects no reply, and its reply is dropped") {
  Deferred test;
  test.request.set_response_expected(false);
  test.dispatch();
  CHECK_FALSE(test.answer.expected());
  SUBCASE("given") { test.answer.reply(nullptr); }
  SUBCASE("an exception") { test.answer.exception(CORBA::NO_PERMISSION()); }
  SUBCASE("dropped") { test.answer = Answer(); }
  CHECK(test.request.answer().empty());
  CHECK(test.request.outstanding() == 0);
}

namespace {

class Handler : public CORBA::LocalObject {
 public:
  virtual void done() = 0;
};

class HandlerImpl final : public Handler, public skeleton::HandlerState {
 public:
  using HandlerState::HandlerState;
  void done() override { _answer().reply(nullptr); }
};

using HandlerRef = CORBA::object_reference<Handler>;

/// Runs an AMH servant in an upcall, and returns the answer that the client gets.
std::string answer_of(const std::function<void(const HandlerRef&)>& servant) {
  const TestOrb orb;
  FakeRequest request(
      orb.key_of(orb.root()->servant_to_reference(make_servant([&](orb::ServerRequest& given) {
        given.set_raises(raises_odd);
        const skeleton::Handled<HandlerImpl> handled(given);
        handled.call([&] { servant(handled.reference<Handler>()); });
      }))));
  orb.root()->the_POAManager()->activate();
  orb.dispatcher().dispatch(request);
  CHECK(request.outstanding() == 0);
  return request.answer();
}

}  // namespace

TEST_CASE("an exception of a servant is its reply, unless the servant has replied before") {
  CHECK(answer_of([](const HandlerRef&) { throw Odd(); }) == "user IDL:Test/Odd:1.0");
  CHECK(answer_of([](const HandlerRef&) { throw CORBA::NO_PERMISSION(); }) ==
        "system NO_PERMISSION");
  CHECK(answer_of([](const HandlerRef&) { throw std::runtime_error("no"); }) == "system UNKNOWN");
  CHECK(answer_of([](const HandlerRef& handler) {
          handler->done();
          throw Odd();
        }) == "reply");
  CHECK(answer_of([](const HandlerRef& handler) { handler->done(); }) == "reply");
  CHECK(answer_of([](const HandlerRef&) {}) == "system NO_RESPONSE");
}

TEST_CASE("errors of an asynchronous servant are logged with the operation") {
  LogLines lines(log::Level::warning);
  std::string expected;
  SUBCASE("no exception of CORBA's") {
    (void)answer_of([](const HandlerRef&) { throw std::runtime_error("no"); });
    expected = "act: the client gets UNKNOWN for no";
  }
  SUBCASE("no exception at all") {
    (void)answer_of([](const HandlerRef&) { throw 42; });
    expected = "act: the client gets UNKNOWN for an exception of an unknown type";
  }
  SUBCASE("an exception that the operation does not raise") {
    (void)answer_of([](const HandlerRef&) { throw PortableServer::POA::ObjectNotActive(); });
    expected =
        "act: the client gets UNKNOWN, since the operation does not raise "
        "IDL:omg.org/PortableServer/POA/ObjectNotActive:";
  }
  SUBCASE("null for an exception") {
    Deferred test;
    test.dispatch();
    test.answer.exception(std::exception_ptr());
    expected = "act: the client gets UNKNOWN: the exception to reply with is null";
  }
  SUBCASE("an answer that is dropped") {
    (void)answer_of([](const HandlerRef&) {});
    expected = "act: the client gets NO_RESPONSE: the answer was dropped";
  }
  SUBCASE("an exception after the answer") {
    (void)answer_of([](const HandlerRef& handler) {
      handler->done();
      throw std::runtime_error("late");
    });
    expected = "act: thrown after the answer: late";
  }
  CHECK_MESSAGE(lines.have("orb: " + expected), lines.text());
}

TEST_CASE("permitted actions of servants are not logged as errors") {
  LogLines lines(log::Level::warning);
  Deferred test;
  SUBCASE("exceptions that clients get") {
    test.dispatch();
    SUBCASE("of the operation") { test.answer.exception(Odd()); }
    SUBCASE("of the system") { test.answer.exception(CORBA::NO_PERMISSION()); }
  }
  SUBCASE("dropping an answer that no client expects") {
    SUBCASE("a oneway") { test.request.set_response_expected(false); }
    SUBCASE("a request that is cancelled") {}
    test.dispatch();
    if (test.answer.expected()) test.request.cancel();
    test.answer = Answer();
  }
  CHECK(lines.text().empty());
}

TEST_CASE("an exception of a oneway's servant, which no client gets, is logged at level info") {
  LogLines lines(log::Level::info);
  Deferred test;
  test.request.set_response_expected(false);
  test.dispatch();
  test.answer.exception(CORBA::NO_PERMISSION());
  CHECK(lines.have("orb: act: the client expects no reply and does not get NO_PERMISSION"));
}

TEST_CASE("a handler is refused after its servant has thrown an exception") {
  HandlerRef kept;
  CHECK(answer_of([&](const HandlerRef& handler) {
          kept = handler;
          throw Odd();
        }) == "user IDL:Test/Odd:1.0");
  CHECK_THROWS_AS(kept->done(), CORBA::BAD_INV_ORDER);
}

TEST_CASE("a held exception is thrown with its own type") {
  const auto thrown = [](const skeleton::HeldException& held) {
    try {
      held._raise_exception();
    } catch (const Odd&) {
      return "Odd";
    } catch (const CORBA::TRANSIENT&) {
      return "TRANSIENT";
    } catch (const CORBA::UNKNOWN&) {
      return "UNKNOWN";
    } catch (const std::runtime_error&) {
      return "runtime_error";
    }
  };
  CHECK(thrown(skeleton::HeldException(Odd())) == std::string("Odd"));
  const CORBA::TRANSIENT transient;
  const CORBA::Exception& base = transient;
  CHECK(thrown(skeleton::HeldException(base)) == std::string("TRANSIENT"));
  CHECK(thrown(skeleton::HeldException(std::make_exception_ptr(std::runtime_error("x")))) ==
        std::string("runtime_error"));
  const skeleton::HeldException none{std::exception_ptr()};
  CHECK(thrown(none) == std::string("UNKNOWN"));
}
