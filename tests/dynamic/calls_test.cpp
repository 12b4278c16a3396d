// Dynamic calls to a servant with a skeleton.
#include "compat/running_orb.h"
#include "compat/two_orbs.h"
#include "counter.h"
#include <perigee/dynamic/request.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;
using Target = CORBA::object_reference<CORBA::Object>;

/// Calls each function with a remote and a collocated object.
template <typename Call>
void with_both(Call call) {
  TwoOrbs orbs;
  const auto servant = CORBA::make_reference<CounterServant>();
  const Target remote = orbs.serve<Desk::Counter>(servant);
  const Target collocated = orbs.poa->servant_to_reference(servant);
  SUBCASE("over TCP") { call(remote, *servant, orbs); }
  SUBCASE("collocated") { call(collocated, *servant, orbs); }
}

TEST_CASE("a dynamic call sends arguments in all directions and returns the result") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("add");
    request->add_in_arg("a") <<= std::int32_t{40};
    request->add_inout_arg("b") <<= std::int32_t{2};
    request->add_out_arg("c", CORBA::_tc_long);
    request->set_return_type(CORBA::_tc_long);
    CHECK_FALSE(request->return_value().has_value());
    request->invoke();
    CHECK(value_of<std::int32_t>(request->return_value()) == 42);
    CHECK(value_of<std::int32_t>(request->arguments().item(1).value()) == 40);
    CHECK(value_of<std::int32_t>(request->arguments().item(2).value()) == 2);
  });
}

TEST_CASE("references to the arguments of a dynamic call are valid after the reply") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("add");
    CORBA::NVList& list = request->arguments();
    list.add_value("a", any_of(std::int32_t{40}), CORBA::ARG_IN);
    list.add_value("b", any_of(std::int32_t{2}), CORBA::ARG_INOUT);
    const CORBA::Any& c = request->add_out_arg("c", CORBA::_tc_long);
    const CORBA::Any& b = list.item(1).value();
    const CORBA::NamedValue& result = request->result();
    request->set_return_type(CORBA::_tc_long);
    request->invoke();
    REQUIRE(&b == &request->arguments().item(1).value());
    REQUIRE(&c == &request->arguments().item(2).value());
    CHECK(value_of<std::int32_t>(b) == 40);
    CHECK(value_of<std::int32_t>(c) == 2);
    CHECK(value_of<std::int32_t>(result.value()) == 42);
  });
}

TEST_CASE("a dynamic call sends structs, sequences and anys") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const Desk::Entries entries = {Desk::Entry{"first", 1.5}, Desk::Entry{"second", 2.5}};
    CORBA::NVList arguments;
    arguments.add_value("entries", any_of(entries), CORBA::ARG_IN);
    arguments.add_value("more", any_of(any_of(Desk::Entry{"inner", 3})), CORBA::ARG_IN);
    arguments.add_parameter("back", CORBA::_tc_any, CORBA::ARG_OUT);
    const auto request = CORBA::Request::create(object, "list", arguments, Desk::_tc_Entries);
    request->invoke();
    const auto result = value_of<Desk::Entries>(request->return_value());
    REQUIRE(result.size() == 2);
    CHECK(result[1].name() == "second");
    const auto back = value_of<CORBA::Any>(request->arguments().item(2).value());
    CHECK(value_of<Desk::Entry>(back).name() == "inner");
  });
}

TEST_CASE("a dynamic call shares valuetypes between its arguments and between its results") {
  with_both([](const Target& object, CounterServant&, TwoOrbs& orbs) {
    for (const auto& orb : {orbs.client, orbs.server})
      orb->register_value_factory(std::string(Desk::Node::_type_id),
                                  CORBA::make_reference<Desk::Node_init>());
    const auto node = CORBA::make_reference<OBV_Desk::Node>();
    node->number(7);
    const auto request = object->_request("chain");
    request->add_in_arg() <<= Desk::Node::_ref_type(CORBA::make_reference<OBV_Desk::Node>());
    request->add_in_arg() <<= Desk::Node::_ref_type(node);
    request->add_out_arg("again", Desk::_tc_Node);
    request->set_return_type(Desk::_tc_Node);
    request->invoke();
    const auto first = value_of<Desk::Node::_ref_type>(request->return_value());
    const auto again = value_of<Desk::Node::_ref_type>(request->arguments().item(2).value());
    REQUIRE(first);
    CHECK(again->number() == 7);
    CHECK(first->next() == again);
  });
}

TEST_CASE("results of a dynamic call share valuetypes with anys and structs of other results") {
  with_both([](const Target& object, CounterServant&, TwoOrbs& orbs) {
    for (const auto& orb : {orbs.client, orbs.server})
      orb->register_value_factory(std::string(Desk::Node::_type_id),
                                  CORBA::make_reference<Desk::Node_init>());
    const Desk::Node::_ref_type node = CORBA::make_reference<OBV_Desk::Node>();
    const auto pair = object->_request("pair");
    pair->add_in_arg("node") <<= node;
    pair->add_in_arg("more") <<= any_of(node);
    pair->add_out_arg("again", CORBA::_tc_any);
    pair->set_return_type(Desk::_tc_Node);
    pair->invoke();
    const auto returned = value_of<Desk::Node::_ref_type>(pair->return_value());
    const auto inner = value_of<CORBA::Any>(pair->arguments().item(2).value());
    REQUIRE(returned);
    CHECK(value_of<Desk::Node::_ref_type>(inner) == returned);

    const Desk::Node::_ref_type other = CORBA::make_reference<OBV_Desk::Node>();
    const auto join = object->_request("join");
    join->add_in_arg("first") <<= Desk::Couple(other, node);
    join->add_in_arg("node") <<= node;
    join->add_in_arg("second") <<= Desk::Couple(node, other);
    join->add_out_arg("again", CORBA::_tc_any);
    join->set_return_type(Desk::_tc_Couple);
    join->invoke();
    const auto couple = value_of<Desk::Couple>(join->return_value());
    const auto again =
        value_of<Desk::Couple>(value_of<CORBA::Any>(join->arguments().item(3).value()));
    REQUIRE(couple.left());
    CHECK(again.left() == couple.right());
    CHECK(again.right() == couple.left());
  });
}

TEST_CASE("a dynamic call reads and writes attributes") {
  with_both([](const Target& object, CounterServant& servant, TwoOrbs&) {
    const auto setting = object->_request("_set_level");
    setting->add_in_arg() <<= std::int32_t{12};
    setting->invoke();
    CHECK(servant.level() == 12);
    const auto getting = object->_request("_get_level");
    getting->set_return_type(CORBA::_tc_long);
    getting->invoke();
    CHECK(value_of<std::int32_t>(getting->return_value()) == 12);
  });
}

TEST_CASE("a user exception of the exception list is raised as UnknownUserException") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("refuse");
    request->add_in_arg() <<= std::int32_t{5};
    request->exceptions().add(Desk::_tc_Refused);
    try {
      request->invoke();
      FAIL("no exception");
    } catch (const CORBA::UnknownUserException& unknown) {
      Desk::Refused refused;
      const bool is_refused = unknown.exception() >>= refused;
      CHECK(is_refused);
      CHECK(refused.reason() == "number 5");
      CHECK(refused.entry().amount() == 0.5);
      CHECK(std::string(unknown.what()).find("Refused") != std::string::npos);
    }
  });
}

TEST_CASE("a user exception that is not in the exception list becomes UNKNOWN") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("refuse");
    request->add_in_arg() <<= std::int32_t{-1};
    request->exceptions().add(Desk::_tc_Refused);
    try {
      request->invoke();
      FAIL("no exception");
    } catch (const CORBA::UNKNOWN& exception) {
      CHECK(exception.minor() == (CORBA::OMGVMCID | 1));
      CHECK(exception.completed() == CORBA::COMPLETED_YES);
    }
  });
}

TEST_CASE("system exceptions of the server reach the dynamic caller") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    CHECK_THROWS_AS(object->_request("fail")->invoke(), CORBA::NO_PERMISSION);
    CHECK_THROWS_AS(object->_request("no_such_operation")->invoke(), CORBA::BAD_OPERATION);
    CHECK_THROWS_AS(object->_request("add")->invoke(), CORBA::MARSHAL);  // without its arguments
  });
}

TEST_CASE("a result that is not of the given type raises MARSHAL and changes no argument") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("add");
    request->add_in_arg() <<= std::int32_t{1};
    request->add_inout_arg() <<= std::int32_t{2};
    request->add_out_arg("c", Desk::_tc_Entries);
    request->set_return_type(CORBA::_tc_long);
    CHECK_THROWS_AS(request->invoke(), CORBA::MARSHAL);
    CHECK(value_of<std::int32_t>(request->arguments().item(1).value()) == 2);
    CHECK_FALSE(request->return_value().has_value());
  });
}

TEST_CASE("a dynamic oneway reaches the servant before the next call") {
  with_both([](const Target& object, CounterServant& servant, TwoOrbs&) {
    const auto request = object->_request("note");
    request->add_in_arg() <<= std::int32_t{3};
    request->send_oneway();
    CHECK_FALSE(object->_non_existent());
    CHECK(servant.noted() == 3);
  });
}

TEST_CASE("a dynamic call carries the properties of its context") {
  with_both([](const Target& object, CounterServant&, TwoOrbs& orbs) {
    orbs.client->get_default_context()->set_values({{"lang", "de"}, {"user", "ada"}});
    const auto request = object->_request("languages");
    request->set_return_type(CORBA::_tc_string);
    request->ctx(orbs.client->get_default_context(), {"lang*"});
    request->invoke();
    CHECK(value_of<std::string>(request->return_value()) == "de;");
  });
}

TEST_CASE("the time limit of the reference ends a dynamic call") {
  TwoOrbs orbs;
  orbs.poa->the_POAManager()->hold_requests(false);
  const auto object = orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
  const Target limited = with_timeout(object, 20ms);
  CHECK_THROWS_AS(limited->_request("fail")->invoke(), CORBA::TIMEOUT);
  const auto deferred = limited->_request("fail");
  deferred->send_deferred();
  CHECK_THROWS_AS(deferred->get_response(), CORBA::TIMEOUT);
}

TEST_CASE("the decoding limit of the ORB applies to the results of a dynamic call") {
  TwoOrbs orbs("thread-pool", {}, {"-ORBDecodedSizeMax", "100000"});
  const Target object = orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
  // Each any takes far more memory than its two octets on the wire.
  const std::vector<CORBA::Any> many(50'000);
  CORBA::NVList arguments;
  arguments.add_value("entries", any_of(Desk::Entries()), CORBA::ARG_IN);
  arguments.add_value("more", any_of(any_of(many)), CORBA::ARG_IN);
  arguments.add_parameter("back", CORBA::_tc_any, CORBA::ARG_OUT);
  const auto request = CORBA::Request::create(object, "list", arguments, Desk::_tc_Entries);
  request->invoke();
  const auto back = value_of<CORBA::Any>(request->arguments().item(2).value());
  std::vector<CORBA::Any> extracted;
  CHECK_THROWS_AS((void)(back >>= extracted), CORBA::IMP_LIMIT);
}

TEST_CASE("a dynamic oneway obeys the SyncScopePolicy of its reference") {
  TwoOrbs orbs;
  const auto servant = CORBA::make_reference<CounterServant>();
  const Target object = orbs.serve<Desk::Counter>(servant);
  const Target synchronised = with_sync_scope(object, Messaging::SYNC_WITH_TARGET);
  const auto request = synchronised->_request("note");
  request->add_in_arg() <<= std::int32_t{3};
  request->send_oneway();
  CHECK(servant->noted() == 3);  // the servant has returned
}

/// Answers `level` by a dynamic call of another object.
class AskingServant final : public CounterServant {
 public:
  std::int32_t level() override {
    const auto request = other->_request("_get_level");
    request->set_return_type(CORBA::_tc_long);
    if (!is_deferred) {
      request->invoke();
    } else {
      request->send_deferred();
      while (!request->poll_response()) continue;
      request->get_response();
    }
    return value_of<std::int32_t>(request->return_value()) + 1;
  }

  Target other;
  bool is_deferred = false;
};

TEST_CASE("a servant makes dynamic calls in its upcalls, with each thread strategy") {
  for (const char* const strategy :
       {"reactive", "thread-per-connection", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    TwoOrbs orbs(strategy);
    const RunningOrb running(orbs.server);
    const auto asked = CORBA::make_reference<CounterServant>();
    asked->level(5);
    const auto asking = CORBA::make_reference<AskingServant>();
    const auto asked_object = orbs.poa->id_to_reference(orbs.poa->activate_object(asked));
    asking->other = asked_object;
    const auto object = orbs.serve<Desk::Counter>(asking);
    CHECK(object->level() == 6);  // collocated
    // Another ORB's object, and back to the server.
    asking->other = orbs.server->string_to_object(orbs.server->object_to_string(asked_object));
    CHECK(object->level() == 6);
    asking->is_deferred = true;
    CHECK(object->level() == 6);
  }
}

class ForwardingServant final : public CounterServant {
 public:
  explicit ForwardingServant(Target target) : target_(std::move(target)) {}
  std::int32_t level() override { throw PortableServer::ForwardRequest(target_); }

 private:
  Target target_;
};

TEST_CASE("a dynamic call follows a forward") {
  TwoOrbs orbs;
  const auto servant = CORBA::make_reference<CounterServant>();
  servant->level(9);
  const Target target = orbs.serve<Desk::Counter>(servant);
  const Target object = orbs.serve<Desk::Counter>(CORBA::make_reference<ForwardingServant>(target));
  const auto request = object->_request("_get_level");
  request->set_return_type(CORBA::_tc_long);
  request->invoke();
  CHECK(value_of<std::int32_t>(request->return_value()) == 9);
}

TEST_CASE("a request with a missing value or type is not sent") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto without_value = object->_request("note");
    without_value->add_in_arg("number");
    CHECK_THROWS_AS(without_value->invoke(), CORBA::BAD_PARAM);
    without_value->arguments().item(0).value(any_of(std::int32_t{1}));
    CHECK_NOTHROW(without_value->send_oneway());  // the refused call did not send the request

    const auto wrong_type = object->_request("note");
    wrong_type->arguments().add_parameter("number", CORBA::_tc_short, CORBA::ARG_IN).value() <<=
        std::int32_t{1};
    CHECK_THROWS_AS(wrong_type->invoke(), CORBA::BAD_PARAM);

    const auto without_type = object->_request("note");
    without_type->arguments().add_item("number", CORBA::ARG_OUT);
    CHECK_THROWS_AS(without_type->invoke(), CORBA::BAD_PARAM);
  });
}

TEST_CASE("a request is sent once only") {
  with_both([](const Target& object, CounterServant&, TwoOrbs&) {
    const auto request = object->_request("_get_level");
    request->set_return_type(CORBA::_tc_long);
    request->invoke();
    const auto raises_10 = [](auto call) {
      try {
        call();
        FAIL("no exception");
      } catch (const CORBA::BAD_INV_ORDER& exception) {
        CHECK(exception.minor() == (CORBA::OMGVMCID | 10));
      }
    };
    raises_10([&] { request->invoke(); });
    raises_10([&] { request->send_oneway(); });
    raises_10([&] { request->send_deferred(); });
    raises_10([&] { request->add_in_arg(); });
    raises_10([&] { request->set_return_type(CORBA::_tc_short); });
  });
}

TEST_CASE("a request needs a remote target and a name") {
  TwoOrbs orbs;
  const Target object = orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
  CHECK_THROWS_AS((void)CORBA::Request::create(nullptr, "note", {}), CORBA::INV_OBJREF);
  CHECK_THROWS_AS((void)object->_request(""), CORBA::BAD_PARAM);
  try {
    (void)orbs.poa->_request("note");
    FAIL("no exception");
  } catch (const CORBA::NO_IMPLEMENT& exception) {
    CHECK(exception.minor() == (CORBA::OMGVMCID | 4));
  }
}

TEST_CASE("an exception list takes types of exceptions only") {
  CORBA::ExceptionList list = {Desk::_tc_Refused, Desk::_tc_Lost};
  CHECK(list.count() == 2);
  CHECK(list.item(1)->name() == "Lost");
  CHECK_THROWS_AS(list.add(CORBA::_tc_long), CORBA::BAD_TYPECODE);
  CHECK_THROWS_AS(list.add(nullptr), CORBA::BAD_TYPECODE);
  list.remove(0);
  CHECK(list.item(0)->name() == "Lost");
  CHECK_THROWS_AS((void)list.item(1), CORBA::Bounds);
  CHECK_THROWS_AS(list.remove(1), CORBA::Bounds);
}

}  // namespace

}  // namespace perigee::test
