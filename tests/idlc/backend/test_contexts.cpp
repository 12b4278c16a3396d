// Operations with a `context` clause have one more parameter, and send a sequence of strings after
// the arguments. Calls through stubs are in tests/interop, with Perigee and omniORB as peers.
#include "contextsS.h"
#include "fake_request.h"
#include <perigee/poa/tie.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using ContextRef = IDL::traits<CORBA::Context>::ref_type;
using Strings = std::vector<std::string>;

std::string joined(const ContextRef& context) {
  std::string text;
  try {
    for (const auto& [name, value] : context->get_values("", 0, "*"))
      text.append(name).append("=").append(value).append(";");
  } catch (const CORBA::BAD_CONTEXT&) {
    text = "nothing";
  }
  return text;
}

class Greeter final : public CORBA::servant_traits<Contexts::Loud>::base_type {
 public:
  std::string greet(const std::string& who, int32_t& length, ContextRef context) override {
    const std::string text = who + ": " + joined(context);
    length = static_cast<int32_t>(text.size());
    return text;
  }
  void note(ContextRef context) override { noted = joined(context); }
  int32_t plain(int32_t a) override { return a; }
  void shout(int32_t, ContextRef context) override { noted = "loud " + joined(context); }

  std::string noted;
};

class Silent final : public IDL::traits<Contexts::Silent>::base_type {
 public:
  void listen(ContextRef context) override { heard = context->context_name(); }
  std::string heard;
};

}  // namespace

TEST_CASE("a skeleton hands the properties of the request to the servant") {
  Greeter greeter;
  FakeRequest request("greet", std::string("Ada"), Strings{"user", "ada", "lang", "en"});
  greeter._dispatch(request);
  CHECK(request.result<std::string>() == "Ada: lang=en;user=ada;");
  CHECK(request.result<int32_t>() == 22);
}

TEST_CASE("operations without arguments and inherited operations have their contexts, too") {
  Greeter greeter;
  FakeRequest none("note", Strings{});
  greeter._dispatch(none);
  CHECK(greeter.noted == "nothing");
  FakeRequest shout("shout", int32_t{11}, Strings{"volume.max", "9"});
  greeter._dispatch(shout);
  CHECK(greeter.noted == "loud volume.max=9;");
}

TEST_CASE("a request with a missing or invalid context raises MARSHAL, and no servant is called") {
  Greeter greeter;
  FakeRequest missing("note");
  CHECK_THROWS_AS(greeter._dispatch(missing), CORBA::MARSHAL);
  FakeRequest odd("note", Strings{"user"});
  CHECK_THROWS_AS(greeter._dispatch(odd), CORBA::MARSHAL);
  CHECK(greeter.noted.empty());
}

TEST_CASE("a tie passes the context on") {
  struct Tied {
    std::string greet(const std::string& who, int32_t&, const ContextRef& context) {
      return who + joined(context);
    }
    void note(const ContextRef&) {}
    int32_t plain(int32_t a) { return a; }
  } tied;
  CORBA::servant_traits<Contexts::Greeter>::tie_type<Tied> tie(tied);
  FakeRequest request("greet", std::string("Ada "), Strings{"user", "ada"});
  tie._dispatch(request);
  CHECK(request.result<std::string>() == "Ada user=ada;");
}

TEST_CASE("operations of local interfaces have a context parameter, and get all properties") {
  Silent silent;
  silent.listen(ContextRef(perigee::make_counted<CORBA::Context>("mine")));
  CHECK(silent.heard == "mine");
}
