// Dynamic calls whose outcome the program gets later.
#include "compat/two_orbs.h"
#include "counter.h"
#include <perigee/dynamic/polling.h>
#include <perigee/dynamic/request.h>

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

namespace perigee::test {

namespace {

using Target = CORBA::object_reference<CORBA::Object>;
using RequestRef = CORBA::object_reference<CORBA::Request>;

RequestRef request_add(const Target& object, std::int32_t a, std::int32_t b) {
  const auto request = object->_request("add");
  request->add_in_arg() <<= a;
  request->add_inout_arg() <<= b;
  request->add_out_arg("c", CORBA::_tc_long);
  request->set_return_type(CORBA::_tc_long);
  return request;
}

RequestRef request_note(const Target& object, std::int32_t number) {
  const auto request = object->_request("note");
  request->add_in_arg() <<= number;
  return request;
}

/// A server with a Counter, and references to it.
struct Served {
  TwoOrbs orbs;
  CORBA::servant_reference<CounterServant> servant = CORBA::make_reference<CounterServant>();
  Target remote = orbs.serve<Desk::Counter>(servant);
  Target collocated = orbs.poa->servant_to_reference(servant);
};

std::uint32_t minor_of_order(auto call) {
  try {
    call();
    return 0;
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    return exception.minor() & 0xfff;
  }
}

TEST_CASE("a deferred call gives its results in get_response") {
  const Served served;
  for (const Target& object : {served.remote, served.collocated}) {
    const auto request = request_add(object, 40, 2);
    request->send_deferred();
    request->get_response();
    CHECK(value_of<std::int32_t>(request->return_value()) == 42);
    CHECK(value_of<std::int32_t>(request->arguments().item(1).value()) == 40);
    CHECK(value_of<std::int32_t>(request->arguments().item(2).value()) == 2);
  }
}

TEST_CASE("poll_response advances the call without another thread of the client") {
  const Served served;
  const auto request = request_add(served.remote, 1, 2);
  request->send_deferred();
  while (!request->poll_response()) std::this_thread::yield();
  request->get_response();
  CHECK(value_of<std::int32_t>(request->return_value()) == 3);
}

TEST_CASE("get_response raises the exception of the deferred call") {
  const Served served;
  for (const Target& object : {served.remote, served.collocated}) {
    const auto refused = object->_request("refuse");
    refused->add_in_arg() <<= std::int32_t{5};
    refused->exceptions().add(Desk::_tc_Refused);
    refused->send_deferred();
    CHECK_THROWS_AS(refused->get_response(), CORBA::UnknownUserException);
    const auto failed = object->_request("fail");
    failed->send_deferred();
    CHECK_THROWS_AS(failed->get_response(), CORBA::NO_PERMISSION);
  }
}

TEST_CASE("poll_response and get_response raise BAD_INV_ORDER in the wrong order") {
  const Served served;
  const auto request = request_add(served.remote, 1, 2);
  CHECK(minor_of_order([&] { (void)request->poll_response(); }) == 11);
  CHECK(minor_of_order([&] { request->get_response(); }) == 11);
  request->send_deferred();
  CHECK(minor_of_order([&] { request->send_deferred(); }) == 10);
  request->get_response();
  CHECK(minor_of_order([&] { (void)request->poll_response(); }) == 12);
  CHECK(minor_of_order([&] { request->get_response(); }) == 12);
  const auto synchronous = request_add(served.remote, 1, 2);
  synchronous->invoke();
  CHECK(minor_of_order([&] { (void)synchronous->poll_response(); }) == 13);
  CHECK(minor_of_order([&] { synchronous->get_response(); }) == 13);
}

TEST_CASE("a deferred call continues after its Request was destroyed") {
  const Served served;
  {
    const auto setting = served.remote->_request("_set_level");
    setting->add_in_arg() <<= std::int32_t{8};
    setting->send_deferred();
  }
  while (served.servant->level() != 8) {  // each further call also advances the first call
    const auto other = request_add(served.remote, 1, 2);
    other->send_deferred();
    other->get_response();
  }
}

TEST_CASE("a change of the arguments after send_deferred does not reach the call") {
  const Served served;
  const auto request = request_add(served.remote, 40, 2);
  request->send_deferred();
  request->arguments().item(0).value(any_of(std::int32_t{1}));
  request->get_response();
  CHECK(value_of<std::int32_t>(request->return_value()) == 42);
}

TEST_CASE("references to the arguments of a deferred call are valid after get_response") {
  const Served served;
  for (const Target& object : {served.remote, served.collocated}) {
    const auto request = request_add(object, 40, 2);
    const CORBA::Any& b = request->arguments().item(1).value();
    const CORBA::Any& result = request->return_value();
    request->send_deferred();
    request->get_response();
    REQUIRE(&b == &request->arguments().item(1).value());
    CHECK(value_of<std::int32_t>(b) == 40);
    CHECK(value_of<std::int32_t>(result) == 42);
  }
}

TEST_CASE("get_response replaces a list whose items were changed after send_deferred") {
  const Served served;
  const auto added = request_add(served.remote, 40, 2);
  added->send_deferred();
  added->arguments().add_value("more", any_of(true), CORBA::ARG_IN);
  added->get_response();
  CHECK(added->arguments().count() == 3);
  CHECK(value_of<std::int32_t>(added->arguments().item(1).value()) == 40);
  const auto turned = request_add(served.remote, 40, 2);
  turned->send_deferred();
  turned->arguments().item(1) = CORBA::NamedValue("b", CORBA::Any(), CORBA::ARG_IN);
  turned->get_response();
  CHECK(turned->arguments().item(1).flags() == CORBA::ARG_INOUT);
  CHECK(value_of<std::int32_t>(turned->arguments().item(1).value()) == 40);
}

TEST_CASE("get_next_response gives each of several deferred requests once") {
  const Served served;
  CORBA::RequestSeq requests;
  for (std::int32_t number = 0; number != 20; ++number)
    requests.push_back(request_add(served.remote, number, 100));
  CORBA::send_multiple_requests_deferred(served.orbs.client, requests);
  std::set<std::int32_t> sums;
  for (std::size_t count = 0; count != requests.size(); ++count) {
    if (count == 0)
      while (!CORBA::poll_next_response(served.orbs.client)) std::this_thread::yield();
    const auto request = CORBA::get_next_response(served.orbs.client);
    request->get_response();
    sums.insert(value_of<std::int32_t>(request->return_value()));
  }
  CHECK(sums.size() == 20);
  CHECK(*sums.begin() == 100);
  CHECK(minor_of_order([&] { (void)CORBA::get_next_response(served.orbs.client); }) == 11);
  CHECK(minor_of_order([&] { (void)CORBA::poll_next_response(served.orbs.client); }) == 11);
}

TEST_CASE("a pollable set waits for the next response of deferred requests") {
  const Served served;
  const auto take_two = [](const CORBA::object_reference<CORBA::ORB>& orb, const Target& object) {
    const auto set = CORBA::make_reference<CORBA::PollableSet>(orb);
    const CORBA::valuetype_reference<CORBA::Pollable> pollable = set->create_dii_pollable();
    set->add_pollable(pollable);
    CHECK_THROWS_AS((void)set->get_ready_pollable(0), CORBA::NO_RESPONSE);
    CHECK_FALSE(pollable->is_ready(0));
    CORBA::send_multiple_requests_deferred(orb,
                                           {request_add(object, 1, 2), request_add(object, 3, 4)});
    for (int count = 0; count != 2; ++count) {
      CHECK(set->get_ready_pollable(polling::wait_for_ever) == pollable);
      CHECK(set->number_left() == 0);
      CHECK(pollable->is_ready(0));
      CORBA::get_next_response(orb)->get_response();
      set->add_pollable(pollable);
    }
    CHECK_FALSE(pollable->is_ready(0));
  };
  take_two(served.orbs.client, served.remote);
  take_two(served.orbs.server, served.collocated);
}

TEST_CASE("a pollable set waits again if another function has taken the response") {
  const Served served;
  const auto set = CORBA::make_reference<CORBA::PollableSet>(served.orbs.client);
  set->add_pollable(set->create_dii_pollable());
  CORBA::send_multiple_requests_deferred(served.orbs.client, {request_add(served.remote, 1, 2)});
  CORBA::get_next_response(served.orbs.client)->get_response();
  CHECK_THROWS_AS((void)set->get_ready_pollable(0), CORBA::NO_RESPONSE);
  CHECK(set->number_left() == 1);
}

TEST_CASE("a wait without a limit is refused if no deferred request is left") {
  const Served served;
  const auto& orb = served.orbs.client;
  const auto set = CORBA::make_reference<CORBA::PollableSet>(orb);
  const auto pollable = set->create_dii_pollable();
  set->add_pollable(pollable);
  set->add_pollable(set->create_dii_pollable());
  const auto check_refused = [&] {
    CHECK(minor_of_order([&] { (void)pollable->is_ready(polling::wait_for_ever); }) == 11);
    CHECK(minor_of_order([&] { (void)set->get_ready_pollable(polling::wait_for_ever); }) == 11);
    CHECK(set->number_left() == 2);
    CHECK_FALSE(pollable->is_ready(1));
    CHECK_THROWS_AS((void)set->get_ready_pollable(1), CORBA::TIMEOUT);
  };
  check_refused();
  CORBA::send_multiple_requests_deferred(orb, {request_add(served.remote, 1, 2)});
  CHECK(pollable->is_ready(polling::wait_for_ever));
  CORBA::get_next_response(orb)->get_response();
  check_refused();
}

TEST_CASE(
    "threads that wait for deferred requests end when another thread takes the last request") {
  const Served served;
  const auto& orb = served.orbs.client;
  const auto set = CORBA::make_reference<CORBA::PollableSet>(orb);
  const auto pollable = set->create_dii_pollable();
  set->add_pollable(pollable);
  for (int round = 0; round != 50; ++round) {
    CORBA::send_multiple_requests_deferred(orb, {request_add(served.remote, 1, 2)});
    std::thread one(
        [&] { (void)minor_of_order([&] { pollable->is_ready(polling::wait_for_ever); }); });
    std::thread other([&] {
      (void)minor_of_order(
          [&] { set->add_pollable(set->get_ready_pollable(polling::wait_for_ever)); });
    });
    CORBA::get_next_response(orb)->get_response();
    one.join();
    other.join();
    CHECK(set->number_left() == 1);
  }
}

TEST_CASE("several threads share the responses of get_next_response") {
  const Served served;
  CORBA::RequestSeq requests;
  for (std::int32_t number = 0; number != 50; ++number)
    requests.push_back(request_add(served.remote, number, 100));
  CORBA::send_multiple_requests_deferred(served.orbs.client, requests);
  std::atomic<int> taken{0};
  const auto take_all = [&] {
    while (true) {
      try {
        CORBA::get_next_response(served.orbs.client)->get_response();
        ++taken;
      } catch (const CORBA::BAD_INV_ORDER&) {
        return;  // no request is left
      }
    }
  };
  std::thread other(take_all);
  take_all();
  other.join();
  CHECK(taken == 50);
}

/// Two threads take responses while this thread sends requests. Returns the sum of the results.
std::int64_t take_while_sending(const CORBA::object_reference<CORBA::ORB>& orb,
                                const Target& object, std::int32_t rounds) {
  std::atomic<std::int64_t> sum{0};
  std::atomic<std::int32_t> left{rounds * 3};
  const auto take = [&] {
    while (left > 0) {
      try {
        const auto request = CORBA::get_next_response(orb);
        if (!request) throw std::logic_error("get_next_response has returned nil");
        request->get_response();
        sum += value_of<std::int32_t>(request->return_value());
        --left;
      } catch (const CORBA::BAD_INV_ORDER& exception) {
        if ((exception.minor() & 0xfff) != 11) throw;
        std::this_thread::yield();  // no request is left at present
      }
    }
  };
  std::thread first(take);
  std::thread second(take);
  for (std::int32_t round = 0; round != rounds; ++round)
    CORBA::send_multiple_requests_deferred(
        orb, {request_add(object, 1, 0), request_add(object, 10, 0), request_add(object, 100, 0)});
  first.join();
  second.join();
  return sum;
}

TEST_CASE("threads take responses while another thread sends requests") {
  const Served served;
  SUBCASE("over TCP") {
    CHECK(take_while_sending(served.orbs.client, served.remote, 300) == 300 * 111);
  }
  SUBCASE("collocated") {
    CHECK(take_while_sending(served.orbs.server, served.collocated, 2000) == 2000 * 111);
  }
}

TEST_CASE("send_multiple_requests_deferred adds no initial reference") {
  const Served served;
  const auto names = served.orbs.client->list_initial_services();
  CORBA::send_multiple_requests_deferred(served.orbs.client, {request_add(served.remote, 1, 2)});
  CHECK(served.orbs.client->list_initial_services() == names);
  CORBA::get_next_response(served.orbs.client)->get_response();
}

TEST_CASE("get_next_response gives completed requests after shutdown, until destroy") {
  const Served served;
  const auto& orb = served.orbs.client;
  CORBA::send_multiple_requests_deferred(
      orb, {request_add(served.remote, 1, 2), request_add(served.remote, 3, 4)});
  while (!CORBA::poll_next_response(orb)) std::this_thread::yield();
  orb->shutdown(true);
  CORBA::get_next_response(orb)->get_response();
  CHECK(CORBA::get_next_response(orb) != nullptr);
  CHECK(minor_of_order([&] { (void)CORBA::get_next_response(orb); }) == 11);
  orb->destroy();
  CHECK(minor_of_order([&] { (void)CORBA::get_next_response(orb); }) == 4);
}

TEST_CASE("get_response removes a request from the list of get_next_response") {
  const Served served;
  const CORBA::RequestSeq requests = {request_add(served.collocated, 1, 1),
                                      request_add(served.collocated, 2, 2)};
  CORBA::send_multiple_requests_deferred(served.orbs.server, requests);
  requests[0]->get_response();
  CHECK(CORBA::get_next_response(served.orbs.server) == requests[1]);
  CHECK(minor_of_order([&] { (void)CORBA::get_next_response(served.orbs.server); }) == 11);
}

TEST_CASE("get_response raises the exception of a request that could not be sent") {
  const Served served;
  const auto bad = served.remote->_request("note");
  bad->add_in_arg();  // without a value
  CORBA::send_multiple_requests_deferred(served.orbs.client,
                                         {bad, request_add(served.remote, 1, 2)});
  CHECK(CORBA::get_next_response(served.orbs.client) == bad);
  CHECK_THROWS_AS(bad->get_response(), CORBA::BAD_PARAM);
  const auto good = CORBA::get_next_response(served.orbs.client);
  good->get_response();
  CHECK(value_of<std::int32_t>(good->return_value()) == 3);
}

TEST_CASE("a list of requests is refused if an item is nil, occurs twice, or is of another ORB") {
  const Served served;
  const auto request = request_add(served.remote, 1, 2);
  const auto& orb = served.orbs.client;
  CHECK_THROWS_AS(CORBA::send_multiple_requests_deferred(orb, {request, nullptr}),
                  CORBA::BAD_PARAM);
  CHECK(minor_of_order([&] { CORBA::send_multiple_requests_deferred(orb, {request, request}); }) ==
        10);
  CHECK_THROWS_AS(CORBA::send_multiple_requests_deferred(served.orbs.server, {request}),
                  CORBA::BAD_PARAM);
  request->invoke();  // works, because the refused calls did not send the request
}

TEST_CASE("several oneways are sent in their order, and the first exception is raised at the end") {
  const Served served;
  CORBA::send_multiple_requests_oneway(
      served.orbs.client, {request_note(served.remote, 1), request_note(served.remote, 2)});
  const auto bad = served.remote->_request("note");
  bad->add_in_arg();
  CHECK_THROWS_AS(CORBA::send_multiple_requests_oneway(served.orbs.client,
                                                       {bad, request_note(served.remote, 4)}),
                  CORBA::BAD_PARAM);
  CHECK_FALSE(served.remote->_non_existent());
  CHECK(served.servant->noted() == 7);
}

TEST_CASE("an ORB that is destroyed ends its deferred requests") {
  RequestRef request;
  {
    TwoOrbs orbs;
    orbs.poa->the_POAManager()->hold_requests(false);
    const Target object = orbs.serve<Desk::Counter>(CORBA::make_reference<CounterServant>());
    request = request_add(object, 1, 2);
    CORBA::send_multiple_requests_deferred(orbs.client, {request});
    CHECK_FALSE(CORBA::poll_next_response(orbs.client));
  }
  CHECK_THROWS_AS(request->get_response(), CORBA::SystemException);
}

}  // namespace

}  // namespace perigee::test
