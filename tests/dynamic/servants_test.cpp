// Dynamic servants that are called through stubs.
#include "compat/two_orbs.h"
#include "counter.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include "support/await_condition.h"
#include <perigee/cdr/buffer.h>
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/dynamic/request.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using RequestRef = CORBA::object_reference<CORBA::ServerRequest>;
using ObjectId = PortableServer::ObjectId;

/// Runs the action of the test.
class ActingServant final : public PortableServer::DynamicImplementation {
 public:
  using Action = std::function<void(const RequestRef&)>;
  explicit ActingServant(Action action) : action_(std::move(action)) {}

  void invoke(RequestRef request) override { action_(request); }
  std::string _primary_interface(const ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return std::string(Desk::Counter::_type_id);
  }

 private:
  const Action action_;
};

using CounterRef = IDL::traits<Desk::Counter>::ref_type;

CounterRef serve(TwoOrbs& orbs, const ActingServant::Action& action) {
  const auto servant = CORBA::make_reference<ActingServant>(action);
  const auto object = orbs.poa->id_to_reference(orbs.poa->activate_object(servant));
  return IDL::traits<Desk::Counter>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
}

/// Calls `check` with a remote and a collocated stub of a dynamic servant.
template <typename Check>
void with_both(const ActingServant::Action& action, Check check) {
  TwoOrbs orbs;
  check(serve(orbs, action));
  const auto object = orbs.poa->servant_to_reference(CORBA::make_reference<ActingServant>(action));
  check(IDL::traits<Desk::Counter>::narrow(object));
}

std::uint32_t minor_of_order(auto call) {
  try {
    call();
    return 0;
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    return exception.minor() & 0xfff;
  }
}

CORBA::NVList parameters_of_add() {
  CORBA::NVList list;
  list.add_parameter("a", CORBA::_tc_long, CORBA::ARG_IN);
  list.add_parameter("b", CORBA::_tc_long, CORBA::ARG_INOUT);
  list.add_parameter("c", CORBA::_tc_long, CORBA::ARG_OUT);
  return list;
}

void serve_add(const RequestRef& request) {
  CORBA::NVList& arguments = request->arguments(parameters_of_add());
  const auto a = value_of<std::int32_t>(arguments.item(0).value());
  const auto b = value_of<std::int32_t>(arguments.item(1).value());
  arguments.item(1).value(any_of(a));
  arguments.item(2).value(any_of(b));
  request->set_result(any_of(a + b));
}

TEST_CASE("a dynamic servant gets the arguments and gives the results of a stub's call") {
  with_both(serve_add, [](const CounterRef& counter) {
    std::int32_t b = 2;
    std::int32_t c = 0;
    CHECK(counter->add(40, b, c) == 42);
    CHECK(b == 40);
    CHECK(c == 2);
  });
}

TEST_CASE("a dynamic servant serves attributes, and operations without results") {
  std::int32_t level = 0;
  const auto serve_level = [&level](const RequestRef& request) {
    CORBA::NVList parameters;
    if (request->operation() == "_set_level") {
      parameters.add_parameter("level", CORBA::_tc_long, CORBA::ARG_IN);
      level = value_of<std::int32_t>(request->arguments(parameters).item(0).value());
    } else {
      request->arguments({});
      request->set_result(any_of(level));
    }
  };
  with_both(serve_level, [](const CounterRef& counter) {
    counter->level(counter->level() + 1);
    CHECK(counter->level() > 0);
  });
  CHECK(level == 2);
}

TEST_CASE("a dynamic servant passes structs, sequences, anys and shared valuetypes on") {
  const auto pass_on = [](const RequestRef& request) {
    CORBA::NVList parameters;
    if (request->operation() == "list") {
      parameters.add_parameter("entries", Desk::_tc_Entries, CORBA::ARG_IN);
      parameters.add_parameter("more", CORBA::_tc_any, CORBA::ARG_IN);
      parameters.add_parameter("back", CORBA::_tc_any, CORBA::ARG_OUT);
    } else {
      parameters.add_parameter("first", Desk::_tc_Node, CORBA::ARG_IN);
      parameters.add_parameter("second", Desk::_tc_Node, CORBA::ARG_IN);
      parameters.add_parameter("again", Desk::_tc_Node, CORBA::ARG_OUT);
    }
    CORBA::NVList& arguments = request->arguments(parameters);
    arguments.item(2).value(arguments.item(1).value());
    request->set_result(arguments.item(0).value());
  };
  TwoOrbs orbs;  // the server has no value factory
  const auto counter = serve(orbs, pass_on);
  CORBA::Any back;
  const Desk::Entries entries = {Desk::Entry{"first", 1.5}, Desk::Entry{"second", 2.5}};
  CHECK(counter->list(entries, any_of(Desk::Entry{"inner", 3}), back)[1].name() == "second");
  CHECK(value_of<Desk::Entry>(back).name() == "inner");

  orbs.client->register_value_factory(std::string(Desk::Node::_type_id),
                                      CORBA::make_reference<Desk::Node_init>());
  const Desk::Node::_ref_type second = CORBA::make_reference<OBV_Desk::Node>();
  second->number(7);
  const Desk::Node::_ref_type first = CORBA::make_reference<OBV_Desk::Node>();
  first->next(second);
  Desk::Node::_ref_type again;
  const auto result = counter->chain(first, second, again);
  CHECK(again->number() == 7);
  CHECK(result->next() == again);
}

TEST_CASE("a dynamic servant replies with a user exception from an any or of a generated class") {
  const auto refuse = [](const RequestRef& request) {
    CORBA::NVList parameters;
    parameters.add_parameter("number", CORBA::_tc_long, CORBA::ARG_IN);
    const auto number = value_of<std::int32_t>(request->arguments(parameters).item(0).value());
    if (number < 0) return request->set_exception(Desk::Lost(number));
    request->set_exception(any_of(Desk::Refused("because", Desk::Entry{"entry", 0.5})));
  };
  with_both(refuse, [](const CounterRef& counter) {
    try {
      counter->refuse(1);
      FAIL("no exception");
    } catch (const Desk::Refused& refused) {
      CHECK(refused.reason() == "because");
      CHECK(refused.entry().name() == "entry");
      CHECK(refused.entry().amount() == 0.5);
    }
    try {
      counter->refuse(-3);
      FAIL("no exception");
    } catch (const Desk::Lost& lost) {
      CHECK(lost.number() == -3);
    }
  });
}

TEST_CASE("set_exception works before arguments, and replaces a result") {
  const auto fail = [](const RequestRef& request) {
    if (request->operation() == "add") {
      serve_add(request);
      request->set_exception(CORBA::NO_PERMISSION(5, CORBA::COMPLETED_NO));
      CHECK(minor_of_order([&] { request->set_result(any_of(true)); }) == 9);
    } else {
      request->set_exception(CORBA::NO_PERMISSION(5, CORBA::COMPLETED_NO));
      CHECK(minor_of_order([&] { request->arguments({}); }) == 7);
    }
  };
  with_both(fail, [](const CounterRef& counter) {
    std::int32_t b = 0;
    CHECK_THROWS_AS(counter->fail(), CORBA::NO_PERMISSION);
    CHECK_THROWS_AS(counter->add(1, b, b), CORBA::NO_PERMISSION);
  });
}

// The form of an any in CDR: the TypeCode, then the value.
template <typename Encode>
CORBA::Any any_of_type(const CORBA::object_reference<CORBA::TypeCode>& type, Encode encode_value) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << type;
  encode_value(encoder);
  cdr::Decoder decoder(buffer.own_octets(), std::endian::native);
  CORBA::Any any;
  decoder >> any;
  REQUIRE(decoder.ok());
  return any;
}

CORBA::Any any_of_system_exception(CORBA::ORB& orb, const CORBA::SystemException& exception) {
  const auto status = orb.create_enum_tc("IDL:omg.org/CORBA/completion_status:1.0",
                                         "completion_status", {"YES", "NO", "MAYBE"});
  const auto type =
      orb.create_exception_tc(exception._rep_id(), exception._name(),
                              {CORBA::StructMember("minor", CORBA::_tc_ulong, nullptr),
                               CORBA::StructMember("completed", status, nullptr)});
  return any_of_type(type, [&exception](cdr::Encoder& encoder) {
    orb::encode_system_exception(encoder, exception);
  });
}

TEST_CASE("a user exception with other members than the client's raises MARSHAL") {
  TwoOrbs orbs;
  const auto type =
      orbs.server->create_exception_tc("IDL:Desk/Refused:1.0", "Refused",
                                       {CORBA::StructMember("number", CORBA::_tc_octet, nullptr)});
  const auto counter = serve(orbs, [&type](const RequestRef& request) {
    request->set_exception(any_of_type(type, [](cdr::Encoder& encoder) {
      encoder.write_string("IDL:Desk/Refused:1.0");
      encoder << std::uint8_t{1};
    }));
  });
  CHECK_THROWS_AS(counter->refuse(1), CORBA::MARSHAL);  // by a stub
  const auto request = counter->_request("refuse");
  request->add_in_arg() <<= std::int32_t{1};
  request->exceptions().add(Desk::_tc_Refused);
  CHECK_THROWS_AS(request->invoke(), CORBA::MARSHAL);
}

TEST_CASE("a system exception in an any reaches the client as an exception of its class") {
  TwoOrbs orbs;
  const auto counter = serve(orbs, [&orbs](const RequestRef& request) {
    request->arguments({});
    request->set_exception(
        any_of_system_exception(*orbs.server, CORBA::NO_PERMISSION(5, CORBA::COMPLETED_MAYBE)));
  });
  try {
    counter->fail();
    FAIL("no exception");
  } catch (const CORBA::NO_PERMISSION& exception) {
    CHECK(exception.minor() == 5);
    CHECK(exception.completed() == CORBA::COMPLETED_MAYBE);
  }
}

TEST_CASE("the functions of a server request raise BAD_INV_ORDER in the wrong order") {
  RequestRef kept;
  const auto check = [&kept](const RequestRef& request) {
    kept = request;
    CHECK(minor_of_order([&] { request->set_result(any_of(true)); }) == 9);
    CHECK(minor_of_order([&] { (void)request->ctx(); }) == 8);
    CHECK_THROWS_AS(request->defer(), CORBA::BAD_INV_ORDER);
    CHECK_THROWS_AS(request->reply(), CORBA::BAD_INV_ORDER);
    serve_add(request);
    CHECK(minor_of_order([&] { request->arguments({}); }) == 7);
    CHECK(minor_of_order([&] { request->set_result(any_of(true)); }) == 9);
    CHECK(minor_of_order([&] { (void)request->ctx(); }) == 8);
    CHECK_THROWS_AS(request->reply(), CORBA::BAD_INV_ORDER);
  };
  TwoOrbs orbs;
  std::int32_t b = 2;
  std::int32_t c = 0;
  CHECK(serve(orbs, check)->add(40, b, c) == 42);
  CHECK_THROWS_AS(kept->arguments({}), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS(kept->set_exception(CORBA::UNKNOWN()), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS(kept->defer(), CORBA::BAD_INV_ORDER);
  CHECK(kept->operation() == "add");
}

TEST_CASE("set_exception takes exceptions only, and set_result needs a value") {
  const auto check = [](const RequestRef& request) {
    request->arguments({});
    CHECK_THROWS_AS(request->set_result(CORBA::Any()), CORBA::BAD_PARAM);
    try {
      request->set_exception(any_of(std::int32_t{1}));
      FAIL("no exception");
    } catch (const CORBA::BAD_PARAM& exception) {
      CHECK(exception.minor() == (CORBA::OMGVMCID | 21));
    }
  };
  TwoOrbs orbs;
  CHECK_NOTHROW(serve(orbs, check)->fail());
}

TEST_CASE("a dynamic servant reads the context of a request") {
  const auto answer = [](const RequestRef& request) {
    request->arguments({});
    std::string text;
    for (const auto& [name, value] : request->ctx()->get_values("", 0, "*")) text += value + ";";
    request->set_result(any_of(text));
  };
  TwoOrbs orbs;
  orbs.client->get_default_context()->set_values({{"lang", "de"}, {"user", "ada"}});
  CHECK(serve(orbs, answer)->languages(orbs.client->get_default_context()) == "de;");
}

TEST_CASE("a servant that throws, or leaves out arguments or a result, replies with an exception") {
  const auto misbehave = [](const RequestRef& request) {
    if (request->operation() == "fail") throw CORBA::NO_PERMISSION(3, CORBA::COMPLETED_YES);
    if (request->operation() == "note") throw std::runtime_error("not a CORBA exception");
    if (request->operation() == "add") {  // without values for the results
      request->arguments(parameters_of_add()).item(1).value(any_of(true));
      return;
    }
    if (request->operation() == "refuse") throw Desk::Lost(1);
  };
  with_both(misbehave, [](const CounterRef& counter) {
    std::int32_t b = 0;
    CHECK_THROWS_AS(counter->fail(), CORBA::NO_PERMISSION);
    CHECK_NOTHROW(counter->note(1));
    CHECK_THROWS_AS(counter->add(1, b, b), CORBA::BAD_PARAM);
    CHECK_THROWS_AS(counter->refuse(1), CORBA::UNKNOWN);  // thrown, not set
    CHECK_THROWS_AS((void)counter->level(), CORBA::BAD_INV_ORDER);
  });
}

TEST_CASE("arguments of other types than the servant gives raise MARSHAL at the client") {
  const auto take_text = [](const RequestRef& request) {
    CORBA::NVList parameters;
    parameters.add_parameter("a", Desk::_tc_Entries, CORBA::ARG_IN);
    request->arguments(parameters);
  };
  with_both(take_text, [](const CounterRef& counter) {
    std::int32_t b = 0;
    CHECK_THROWS_AS(counter->add(1'000'000, b, b), CORBA::MARSHAL);
  });
  const auto take_untyped = [](const RequestRef& request) {
    CORBA::NVList parameters;
    parameters.add_item("a", CORBA::ARG_IN);
    CHECK_THROWS_AS(request->arguments(parameters), CORBA::BAD_PARAM);
    request->arguments({});
  };
  with_both(take_untyped, [](const CounterRef& counter) { CHECK_NOTHROW(counter->fail()); });
}

TEST_CASE("the reply is the error of the arguments, also if the servant ignores it") {
  const auto ignore = [](const RequestRef& request) {
    CORBA::NVList parameters;
    parameters.add_parameter("a", Desk::_tc_Entries, CORBA::ARG_IN);
    CHECK_THROWS_AS(request->arguments(parameters), CORBA::MARSHAL);
    CHECK(minor_of_order([&] { request->set_result(any_of(std::int32_t{1})); }) == 9);
    if (request->operation() == "refuse") request->set_exception(Desk::Refused());
  };
  with_both(ignore, [](const CounterRef& counter) {
    std::int32_t b = 0;
    CHECK_THROWS_AS(counter->add(1'000'000, b, b), CORBA::MARSHAL);
    CHECK_THROWS_AS(counter->refuse(1'000'000), Desk::Refused);
  });
}

CORBA::NVList parameters_of_join() {
  CORBA::NVList list;
  list.add_parameter("first", Desk::_tc_Couple, CORBA::ARG_IN);
  list.add_parameter("node", Desk::_tc_Node, CORBA::ARG_IN);
  list.add_parameter("second", Desk::_tc_Couple, CORBA::ARG_IN);
  list.add_parameter("again", CORBA::_tc_any, CORBA::ARG_OUT);
  return list;
}

// The servant has no factory, so all values are without a class of the program.
TEST_CASE("arguments of a dynamic servant share valuetypes with anys and structs") {
  TwoOrbs orbs;
  orbs.client->register_value_factory(std::string(Desk::Node::_type_id),
                                      CORBA::make_reference<Desk::Node_init>());
  const auto pass_on = [](const RequestRef& request) {
    CORBA::NVList parameters;
    if (request->operation() == "join") {
      CORBA::NVList& arguments = request->arguments(parameters_of_join());
      arguments.item(3).value(any_of(arguments.item(2).value()));
      request->set_result(arguments.item(0).value());
      return;
    }
    parameters.add_parameter("node", Desk::_tc_Node, CORBA::ARG_IN);
    parameters.add_parameter("more", CORBA::_tc_any, CORBA::ARG_IN);
    parameters.add_parameter("again", CORBA::_tc_any, CORBA::ARG_OUT);
    CORBA::NVList& arguments = request->arguments(parameters);
    arguments.item(2).value(arguments.item(1).value());
    request->set_result(arguments.item(0).value());
  };
  const auto counter = serve(orbs, pass_on);
  const Desk::Node::_ref_type node = CORBA::make_reference<OBV_Desk::Node>();
  const Desk::Node::_ref_type other = CORBA::make_reference<OBV_Desk::Node>();
  CORBA::Any again;
  const auto returned = counter->pair(node, any_of(Desk::Couple(other, node)), again);
  CHECK(value_of<Desk::Couple>(again).right() == returned);
  CHECK(value_of<Desk::Couple>(again).left() != returned);

  const Desk::Couple couple =
      counter->join(Desk::Couple(other, node), node, Desk::Couple(node, other), again);
  REQUIRE(couple.left());
  CHECK(value_of<Desk::Couple>(again).left() == couple.right());
  CHECK(value_of<Desk::Couple>(again).right() == couple.left());
}

TEST_CASE("a dynamic servant serves oneways") {
  std::int32_t noted = 0;
  const auto note = [&noted](const RequestRef& request) {
    if (request->operation() != "note") return;
    CHECK_FALSE(request->response_expected());
    CORBA::NVList parameters;
    parameters.add_parameter("number", CORBA::_tc_long, CORBA::ARG_IN);
    noted += value_of<std::int32_t>(request->arguments(parameters).item(0).value());
    request->set_exception(Desk::Lost(1));  // dropped
  };
  with_both(note, [](const CounterRef& counter) {
    counter->note(2);
    CHECK_FALSE(counter->_non_existent());
  });
  CHECK(noted == 4);
}

/// A request to which the servant has not replied yet.
class Held {
 public:
  void put(const RequestRef& request) {
    const std::lock_guard lock(mutex_);
    request_ = request;
    changed_.notify_all();
  }
  RequestRef take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return request_ != nullptr; });
    return std::exchange(request_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  RequestRef request_;
};

CORBA::object_reference<CORBA::Request> start_add(
    const CORBA::object_reference<CORBA::Object>& to) {
  const auto request = to->_request("add");
  request->add_in_arg() <<= std::int32_t{40};
  request->add_inout_arg() <<= std::int32_t{2};
  request->add_out_arg("c", CORBA::_tc_long);
  request->set_return_type(CORBA::_tc_long);
  request->exceptions().add(Desk::_tc_Lost);
  request->send_deferred();
  return request;
}

/// A dynamic servant that defers its replies, and a deferred call of it. The servant has computed
/// its results.
struct DeferredAdd {
  TwoOrbs orbs;
  Held held;
  CounterRef counter = serve(orbs, [this](const RequestRef& served) {
    serve_add(served);
    served->defer();
    CHECK_THROWS_AS(served->defer(), CORBA::BAD_INV_ORDER);
    held.put(served);
  });
  CORBA::object_reference<CORBA::Request> call = start_add(counter);
  RequestRef request = take_driven();

  /// The request is sent only while the client drives the call.
  RequestRef take_driven() {
    (void)call->poll_response();
    return held.take();
  }
};

TEST_CASE("a dynamic servant replies after invoke, on another thread") {
  DeferredAdd add;
  CHECK_FALSE(add.call->poll_response());
  CHECK(add.request->response_expected());
  add.request->reply();
  CHECK_THROWS_AS(add.request->reply(), CORBA::BAD_INV_ORDER);
  add.call->get_response();
  CHECK(value_of<std::int32_t>(add.call->return_value()) == 42);
  CHECK(value_of<std::int32_t>(add.call->arguments().item(2).value()) == 2);
}

TEST_CASE("a dynamic servant reads the contexts of a request during invoke and until its reply") {
  constexpr IOP::ServiceId id = 0x48000001;
  const IOP::ServiceContext sent(id, {1, 2, 3});
  TwoOrbs orbs;
  Held held;
  std::optional<IOP::ServiceContext> in_invoke;
  const CounterRef counter = serve(orbs, [&](const RequestRef& served) {
    serve_add(served);
    in_invoke = request_service_context_of(served, id);
    served->defer();
    held.put(served);
  });
  const auto call = start_add(with_service_contexts(counter, {sent}));
  (void)call->poll_response();
  const RequestRef request = held.take();
  CHECK(in_invoke == sent);
  CHECK(request_service_context_of(request, id) == sent);
  CHECK_FALSE(request_service_context_of(request, id + 1));
  request->reply();
  CHECK_FALSE(request_service_context_of(request, id));
  CHECK_FALSE(request_service_context_of(RequestRef(), id));
  call->get_response();
}

TEST_CASE("defer raises TRANSIENT with COMPLETED_MAYBE if the contexts find no memory") {
  // The contexts of eight requests find memory.
  TwoOrbs orbs("thread-pool", {"-ORBMessageSizeMax", "65536", "-ORBDecodedSizeMax", "1024",
                               "-ORBDecodedTotalSizeMax", "1024"});
  constexpr std::size_t kept_max = 8;
  std::mutex mutex;
  std::vector<RequestRef> kept;  // guarded by mutex
  const CounterRef counter = serve(orbs, [&](const RequestRef& served) {
    if (served->operation() == "note") {
      CORBA::NVList parameters;
      parameters.add_parameter("number", CORBA::_tc_long, CORBA::ARG_IN);
      served->arguments(parameters);
    } else {
      serve_add(served);
    }
    served->defer();
    const std::lock_guard lock(mutex);
    kept.push_back(served);
  });
  const CounterRef called = with_service_contexts(
      counter, {IOP::ServiceContext(0x48000001, std::vector<std::uint8_t>(60'000))});
  for (std::size_t count = 0; count != kept_max; ++count) called->note(1);
  await_condition([&] {
    const std::lock_guard lock(mutex);
    return kept.size() == kept_max;
  });
  try {
    std::int32_t b = 2;
    std::int32_t c = 0;
    called->add(40, b, c);
    FAIL("no exception");
  } catch (const CORBA::TRANSIENT& exception) {
    CHECK(exception.minor() == orb::minor_decoded_too_many);
    CHECK(exception.completed() == CORBA::COMPLETED_MAYBE);
  }
}

TEST_CASE("defer does not raise an error of the arguments again") {
  TwoOrbs orbs;
  Held held;
  const CounterRef counter = serve(orbs, [&held](const RequestRef& served) {
    CORBA::NVList parameters;
    parameters.add_parameter("a", CORBA::_tc_string, CORBA::ARG_IN);
    CHECK_THROWS_AS(served->arguments(parameters), CORBA::MARSHAL);
    CHECK_NOTHROW(served->defer());
    held.put(served);
  });
  const auto call =
      start_add(with_service_contexts(counter, {IOP::ServiceContext(0x48000001, {1})}));
  (void)call->poll_response();
  held.take()->reply();
  CHECK_THROWS_AS(call->get_response(), CORBA::MARSHAL);
}

TEST_CASE("a deferred reply may be a user exception") {
  DeferredAdd add;
  add.request->set_exception(Desk::Lost(4));
  add.request->reply();
  try {
    add.call->get_response();
    FAIL("no exception");
  } catch (const CORBA::UnknownUserException& unknown) {
    CHECK(value_of<Desk::Lost>(unknown.exception()).number() == 4);
  }
}

TEST_CASE("a deferred request that the servant drops is answered with NO_RESPONSE") {
  DeferredAdd add;
  add.request = nullptr;
  CHECK_THROWS_AS(add.call->get_response(), CORBA::NO_RESPONSE);
}

TEST_CASE("an exception that invoke throws after defer becomes the reply") {
  TwoOrbs orbs;
  RequestRef kept;
  const auto counter = serve(orbs, [&kept](const RequestRef& request) {
    serve_add(request);
    request->defer();
    kept = request;
    throw CORBA::NO_PERMISSION(1, CORBA::COMPLETED_NO);
  });
  std::int32_t b = 0;
  CHECK_THROWS_AS(counter->add(1, b, b), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(kept->reply(), CORBA::BAD_INV_ORDER);
}

TEST_CASE("one reply is sent if invoke throws while another thread replies") {
  TwoOrbs orbs;
  std::mutex mutex;
  std::vector<std::thread> threads;  // guarded by mutex
  const auto counter = serve(orbs, [&](const RequestRef& request) {
    request->arguments({});
    request->defer();
    const std::lock_guard lock(mutex);
    threads.emplace_back([request] {
      try {
        request->set_exception(CORBA::NO_PERMISSION(1, CORBA::COMPLETED_NO));
        request->reply();
      } catch (const CORBA::BAD_INV_ORDER& exception) {
        CHECK(exception.completed() == CORBA::COMPLETED_NO);
      }
    });
    throw CORBA::NO_PERMISSION(2, CORBA::COMPLETED_NO);
  });
  for (int count = 0; count != 50; ++count) CHECK_THROWS_AS(counter->fail(), CORBA::NO_PERMISSION);
  const std::lock_guard lock(mutex);
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("a deferred reply without a result's value sends and raises BAD_PARAM") {
  TwoOrbs orbs;
  const auto counter = serve(orbs, [](const RequestRef& request) {
    request->arguments(parameters_of_add());
    request->defer();
    CHECK_THROWS_AS(request->reply(), CORBA::BAD_PARAM);
  });
  std::int32_t b = 0;
  CHECK_THROWS_AS(counter->add(1, b, b), CORBA::BAD_PARAM);
}

/// Serves all objects of an adapter. The id of an object is the name of its interface.
class DefaultServant final : public PortableServer::DynamicImplementation {
 public:
  void invoke(RequestRef request) override {
    CHECK(_this()->_is_a("IDL:Desk/Counter:1.0"));
    request->arguments({});
    request->set_result(any_of(std::int32_t{5}));
  }
  std::string _primary_interface(const ObjectId& id,
                                 CORBA::object_reference<PortableServer::POA> poa) override {
    CHECK(poa->the_name() == "dynamic");
    return "IDL:Desk/" + std::string(id.begin(), id.end()) + ":1.0";
  }
};

TEST_CASE("a dynamic default servant serves objects of several interfaces") {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  TwoOrbs orbs;
  const auto poa = orbs.poa->create_POA(
      "dynamic", orbs.poa->the_POAManager(),
      {orbs.poa->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
       orbs.poa->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
       orbs.poa->create_request_processing_policy(
           RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
  poa->set_servant(CORBA::make_reference<DefaultServant>());
  const auto client_object = [&](const std::string& name) {
    const auto object = poa->create_reference_with_id(ObjectId(name.begin(), name.end()), "");
    return orbs.client->string_to_object(orbs.server->object_to_string(object));
  };
  const auto counter = client_object("Counter");
  const auto other = client_object("Other");
  CHECK(counter->_repository_id() == "IDL:Desk/Counter:1.0");
  CHECK(other->_repository_id() == "IDL:Desk/Other:1.0");
  CHECK(counter->_is_a("IDL:Desk/Counter:1.0"));
  CHECK_FALSE(other->_is_a("IDL:Desk/Counter:1.0"));
  CHECK(other->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  CHECK_FALSE(other->_non_existent());
  CHECK_FALSE(other->_get_component());
  CHECK(IDL::traits<Desk::Counter>::narrow(counter)->level() == 5);
}

/// Gives its own object as the definition of its interface.
class DescribedServant final : public PortableServer::DynamicImplementation {
 public:
  void invoke(RequestRef) override {}
  std::string _primary_interface(const ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return std::string(Desk::Counter::_type_id);
  }
  CORBA::object_reference<CORBA::Object> _get_interface() override { return _this(); }
};

CORBA::object_reference<CORBA::Object> interface_of(
    const CORBA::object_reference<CORBA::Object>& object) {
  const auto request = object->_request("_interface");
  request->set_return_type(CORBA::_tc_Object);
  request->invoke();
  return value_of<CORBA::object_reference<CORBA::Object>>(request->return_value());
}

TEST_CASE("a dynamic servant gives the definition of its interface, or raises INTF_REPOS") {
  TwoOrbs orbs;
  const auto described = orbs.poa->servant_to_reference(CORBA::make_reference<DescribedServant>());
  CHECK(interface_of(described)->_is_equivalent(described));
  const auto counter = serve(orbs, serve_add);
  CHECK_THROWS_AS((void)interface_of(counter), CORBA::INTF_REPOS);
}

TEST_CASE("a reference to an active dynamic servant has the interface of the object") {
  TwoOrbs orbs;
  const auto servant = CORBA::make_reference<ActingServant>(serve_add);
  const auto object = orbs.poa->id_to_reference(orbs.poa->activate_object(servant));
  CHECK(object->_reference()->ior().type_id == Desk::Counter::_type_id);
  CHECK(servant->_is_a("IDL:Desk/Counter:1.0"));
  CHECK(servant->_this()->_is_equivalent(object));
}

class UnnamedServant final : public PortableServer::DynamicImplementation {
 public:
  bool fails = true;

  void invoke(RequestRef request) override { request->arguments({}); }
  std::string _primary_interface(const ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    if (fails) throw CORBA::NO_RESOURCES(5, CORBA::COMPLETED_NO);
    return std::string(Desk::Counter::_type_id);
  }
};

TEST_CASE("a dynamic servant whose _primary_interface throws in _this is not activated") {
  const TwoOrbs orbs;
  const auto servant = CORBA::make_reference<UnnamedServant>();
  CHECK_THROWS_AS((void)servant->_this(), CORBA::NO_RESOURCES);
  CHECK_THROWS_AS((void)orbs.poa->servant_to_reference(servant), CORBA::NO_RESOURCES);
  servant->fails = false;
  const auto id = orbs.poa->activate_object(servant);
  servant->fails = true;
  CHECK_THROWS_AS((void)servant->_this(), CORBA::NO_RESOURCES);
  CHECK(orbs.poa->id_to_servant(id) == servant);  // the failed _this has not deactivated it
}

TEST_CASE("a gateway without value factories keeps the valuetypes that arguments share") {
  TwoOrbs orbs;
  for (const auto& orb : {orbs.client, orbs.server})
    orb->register_value_factory(std::string(Desk::Node::_type_id),
                                CORBA::make_reference<Desk::Node_init>());
  const CORBA::object_reference<CORBA::Object> target =
      orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
  TwoOrbs gateway_orbs;
  const auto reached = gateway_orbs.client->string_to_object(orbs.server->object_to_string(target));
  const auto pass_on = [&reached](const RequestRef& request) {
    CORBA::NVList& arguments = request->arguments(parameters_of_join());
    const auto call =
        CORBA::Request::create(reached, request->operation(), arguments, Desk::_tc_Couple, {});
    call->invoke();
    arguments = call->arguments();
    request->set_result(call->return_value());
  };
  const auto served = serve(gateway_orbs, pass_on);
  const auto counter = IDL::traits<Desk::Counter>::unchecked_narrow(
      orbs.client->string_to_object(gateway_orbs.client->object_to_string(served)));
  const Desk::Node::_ref_type node = CORBA::make_reference<OBV_Desk::Node>();
  const Desk::Node::_ref_type other = CORBA::make_reference<OBV_Desk::Node>();
  CORBA::Any again;
  const Desk::Couple couple =
      counter->join(Desk::Couple(other, node), node, Desk::Couple(node, other), again);
  REQUIRE(couple.left());
  CHECK(value_of<Desk::Couple>(again).left() == couple.right());
}

TEST_CASE("a gateway passes results and exceptions of dynamic calls on") {
  TwoOrbs orbs;
  const CORBA::object_reference<CORBA::Object> target =
      orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
  const auto pass_on = [&target](const RequestRef& request) {
    CORBA::NVList parameters;
    if (request->operation() == "add") parameters = parameters_of_add();
    if (request->operation() == "refuse")
      parameters.add_parameter("number", CORBA::_tc_long, CORBA::ARG_IN);
    CORBA::NVList& arguments = request->arguments(parameters);
    const auto call = CORBA::Request::create(
        target, request->operation(), arguments,
        request->operation() == "add" ? CORBA::_tc_long : CORBA::_tc_void, {Desk::_tc_Refused});
    try {
      call->invoke();
      arguments = call->arguments();
      if (call->return_value().has_value()) request->set_result(call->return_value());
    } catch (const CORBA::Exception& exception) {
      request->set_exception(exception);
    }
  };
  const auto counter = serve(orbs, pass_on);
  std::int32_t b = 2;
  std::int32_t c = 0;
  CHECK(counter->add(40, b, c) == 42);
  CHECK(c == 2);
  CHECK_THROWS_AS(counter->refuse(5), Desk::Refused);
  CHECK_THROWS_AS(counter->fail(), CORBA::NO_PERMISSION);
}

}  // namespace

}  // namespace perigee::test
