// ORB_init: ORBs by identifier, arguments in their C form.
#include "runtime/process.h"
#include "runtime/while_making.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>

namespace perigee::test {

TEST_CASE("ORB_init gives the same ORB for the same identifier until it is destroyed") {
  std::vector<std::string> none;
  const auto first = CORBA::ORB_init(none, "same");
  CHECK(CORBA::ORB_init(none, "same") == first);
  const auto other = CORBA::ORB_init(none, "other");
  CHECK_FALSE(other == first);
  other->destroy();
  first->destroy();
  const auto second = CORBA::ORB_init(none, "same");
  CHECK_FALSE(second == first);
  CHECK_THROWS_AS((void)first->resolve_initial_references("RootPOA"), CORBA::BAD_INV_ORDER);
  second->destroy();
  second->destroy();  // a second destroy does no harm
}

std::function<void()> while_making;

namespace {

OrbRef make_with_plugin(const std::string& id) {
  std::vector<std::string> options{"-ORBProtocolLibrary", PERIGEE_PLUGIN};
  return CORBA::ORB_init(options, id);
}

}  // namespace
}  // namespace perigee::test

extern "C" PERIGEE_API void perigee_test_while_making() { perigee::test::while_making(); }

namespace perigee::test {

TEST_CASE("a plug-in may make other ORBs while its ORB is made, but not its own ORB") {
  OrbRef inner;
  bool refused = false;
  while_making = [&] {
    inner = make_orb();
    try {
      std::vector<std::string> none;
      (void)CORBA::ORB_init(none, "outer");
    } catch (const CORBA::INITIALIZE&) {
      refused = true;
    }
  };
  const auto outer = make_with_plugin("outer");
  REQUIRE(inner);
  CHECK(refused);
  inner->destroy();
  outer->destroy();
}

TEST_CASE("a thread waits for an ORB that another thread makes, and gets the same ORB") {
  std::promise<void> begun;
  std::promise<void> may_end;
  while_making = [&] {
    begun.set_value();
    may_end.get_future().wait();
  };
  auto first = std::async(std::launch::async, [] { return make_with_plugin("one"); });
  begun.get_future().wait();
  auto second = std::async(std::launch::async, [] {
    std::vector<std::string> none;
    return CORBA::ORB_init(none, "one");
  });
  const auto other = make_orb();  // does not wait
  CHECK(second.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  may_end.set_value();
  const auto made = first.get();
  CHECK(second.get() == made);
  made->destroy();
  other->destroy();
}

TEST_CASE("an ORB that could not be made can be made the next time") {
  std::vector<std::string> bad{"-ORBProtocolLibrary", "/nowhere/libnone.so"};
  CHECK_THROWS_AS((void)CORBA::ORB_init(bad, "failed"), CORBA::INITIALIZE);
  std::vector<std::string> none;
  CORBA::ORB_init(none, "failed")->destroy();
}

TEST_CASE("ORB_init takes its options out of argc and argv, and leaves the rest") {
  std::string words[] = {"program", "-ORBid", "words", "input", "-v"};
  char* argv[6] = {};
  for (int index = 0; index < 5; ++index) argv[index] = words[index].data();
  int argc = 5;
  const auto orb = CORBA::ORB_init(argc, argv);
  CHECK(orb->id() == "words");
  CHECK(argc == 3);
  CHECK(std::string(argv[1]) == "input");
  CHECK(argv[2] == words[4].data());
  CHECK(argv[3] == nullptr);
  orb->destroy();
}

TEST_CASE("ORB_init accepts an empty argument list without an array") {
  int argc = 0;
  char** const no_arguments = nullptr;
  const auto orb = CORBA::ORB_init(argc, no_arguments, "no arguments");
  CHECK(argc == 0);
  orb->destroy();
}

TEST_CASE("a bad option leaves argc and argv alone") {
  std::string words[] = {"program", "-ORBNonsense"};
  char* argv[3] = {words[0].data(), words[1].data(), nullptr};
  int argc = 2;
  CHECK_THROWS_AS((void)CORBA::ORB_init(argc, argv), CORBA::BAD_PARAM);
  CHECK(argc == 2);
}

TEST_CASE("an invalid listening endpoint raises INITIALIZE when the server is needed") {
  const auto orb = make_orb({"-ORBListenEndpoints", "iiop://256.1.1.1:0"});
  CHECK_THROWS_AS((void)orb->resolve_initial_references("RootPOA"), CORBA::INITIALIZE);
  orb->destroy();
}

TEST_CASE("a scheme row with unknown messages raises INITIALIZE and names them") {
  const std::vector<std::string> options{"-ORBScheme", "brief-tcp=brief/tcp"};
  try {
    auto arguments = options;
    (void)CORBA::ORB_init(arguments, "row");
    FAIL("the row was accepted");
  } catch (const CORBA::INITIALIZE& exception) {
    CHECK(std::string(exception.detail()).find("there is no messaging protocol brief") !=
          std::string::npos);
  }
}

TEST_CASE("an unknown scheme raises INITIALIZE, and the error lists the known schemes") {
  const auto orb = make_orb({"-ORBListenEndpoints", "pigeon://loft:1"});
  std::string detail;
  try {
    (void)orb->resolve_initial_references("RootPOA");
  } catch (const CORBA::INITIALIZE& exception) {
    detail = exception.detail();
  }
  CHECK(detail.find("listen pigeon://loft:1 (there are: iiop://") != std::string::npos);
  orb->destroy();
}

TEST_CASE("the initial references of an ORB have the adapters") {
  const auto orb = make_orb({"-ORBListenEndpoints", "iiop://127.0.0.1:0"});
  const auto names = orb->list_initial_services();
  CHECK(std::ranges::find(names, "RootPOA") != names.end());
  CHECK(std::ranges::find(names, "POACurrent") != names.end());
  orb->destroy();
}

}  // namespace perigee::test
