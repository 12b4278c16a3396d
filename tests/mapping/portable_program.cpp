// Source for any implementation of the IDL-to-C++11 mapping, in the style of TAOX11's examples. It
// uses names of the standards only, except for the names of Perigee's headers.
#include "portableS.h"
#include <perigee/corba.h>
#include <perigee/orb/codec.h>

#include <doctest/doctest.h>

#include <sstream>

namespace {

class Hello final : public CORBA::servant_traits<Test::Hello>::base_type {
 public:
  explicit Hello(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}
  ~Hello() override = default;

  std::string name() override { return this->name_; }
  void name(const std::string& value) override { this->name_ = value; }
  std::string get_string() override { return "Hello there!"; }
  void fill(Test::Report& report, Test::Numbers& doubled) override {
    if (report.author().empty()) throw Test::Refused("nobody signed");
    for (int32_t number : report.numbers()) doubled.push_back(2 * number);
    report.mood(Test::Mood::busy);
    report.author() += " and " + this->name_;
  }
  IDL::traits<Test::Hello>::ref_type partner(IDL::traits<Test::Hello>::ref_type other) override {
    return other ? other : this->_this();
  }
  void shutdown() override { this->orb_->shutdown(false); }

  Hello(const Hello&) = delete;
  Hello(Hello&&) = delete;
  Hello& operator=(const Hello&) = delete;
  Hello& operator=(Hello&&) = delete;

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string name_ = "Hello";
};

class Observer final : public virtual IDL::traits<Test::Observer>::base_type {
 public:
  void seen(const Test::Report& report) override {
    text_ << IDL::traits<Test::Report>::write(report);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

/// Not a servant by itself: a tie makes a servant of it.
struct Silent {
  std::string name() { return "Silent"; }
  void name(const std::string&) {}
  std::string get_string() { return ""; }
  void fill(Test::Report&, Test::Numbers&) { throw Test::Refused("as always"); }
  IDL::traits<Test::Hello>::ref_type partner(IDL::traits<Test::Hello>::ref_type) { return {}; }
  void shutdown() {}
};

struct Session {
  Session() {
    char name[] = "program";
    char* arguments[] = {name, nullptr};
    int count = 1;
    orb = CORBA::ORB_init(count, arguments);
    IDL::traits<CORBA::Object>::ref_type obj = orb->resolve_initial_references("RootPOA");
    root_poa = IDL::traits<PortableServer::POA>::narrow(obj);
    IDL::traits<PortableServer::POAManager>::ref_type poaman = root_poa->the_POAManager();
    poaman->activate();
  }
  ~Session() { orb->destroy(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  IDL::traits<Test::Hello>::ref_type serve(CORBA::servant_traits<Test::Hello>::ref_type impl) {
    PortableServer::ObjectId id = root_poa->activate_object(impl);
    IDL::traits<CORBA::Object>::ref_type object = root_poa->id_to_reference(id);
    std::string ior = orb->object_to_string(object);
    return IDL::traits<Test::Hello>::narrow(orb->string_to_object(ior));
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root_poa;
};

}  // namespace

TEST_CASE("operations, attributes and exceptions are used by the mapping's names") {
  Session session;
  IDL::traits<Test::Hello>::ref_type hello =
      session.serve(CORBA::make_reference<Hello>(session.orb));
  REQUIRE(hello != nullptr);
  CHECK(hello->get_string() == "Hello there!");
  hello->name("World");
  CHECK(hello->name() == "World");
  Test::Report report("Ada", Test::Mood::calm, {1, 2});
  Test::Numbers doubled;
  hello->fill(report, doubled);
  CHECK(doubled == Test::Numbers{2, 4});
  CHECK(report == Test::Report("Ada and World", Test::Mood::busy, {1, 2}));
  try {
    Test::Report empty;
    hello->fill(empty, doubled);
    FAIL("not refused");
  } catch (const CORBA::Exception& e) {
    std::ostringstream text;
    text << e.what() << " | " << e;
    CHECK(text.str() ==
          "IDL:Test/Refused:1.0 {why=\"nobody signed\"} | "
          "IDL:Test/Refused:1.0 {why=\"nobody signed\"}");
  }
}

TEST_CASE("references are passed and compared, and may be nil, as the mapping says") {
  Session session;
  IDL::traits<Test::Hello>::ref_type hello =
      session.serve(CORBA::make_reference<Hello>(session.orb));
  CHECK(hello->partner(hello)->_is_equivalent(hello));
  CHECK(hello->partner(nullptr)->_is_equivalent(hello));
  IDL::traits<Test::Hello>::weak_ref_type weak = hello;
  CHECK(weak.lock() == hello);
  IDL::traits<Test::Hello>::ref_type nil;
  CHECK_THROWS_AS(nil->get_string(), CORBA::INV_OBJREF);
}

TEST_CASE("a codec encodes a value and decodes it again") {
  Session session;
  const auto orb = session.orb;
  auto codecs =
      IDL::traits<IOP::CodecFactory>::narrow(orb->resolve_initial_references("CodecFactory"));
  auto codec = codecs->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  CORBA::Any price;
  price <<= 142;
  CORBA::Any same = codec->decode(codec->encode(price));
  CORBA::Any value = codec->decode_value(codec->encode_value(price), price.type());
  CHECK(same == price);
  CHECK(value == price);
}

TEST_CASE("a tie serves an object that is shared, given away, or kept by the caller") {
  using Tie = CORBA::servant_traits<Test::Hello>::tie_type<Silent>;
  Session session;
  Silent kept;
  for (const CORBA::servant_traits<Test::Hello>::ref_type& servant :
       {CORBA::servant_traits<Test::Hello>::ref_type(
            CORBA::make_reference<Tie>(std::make_shared<Silent>())),
        CORBA::servant_traits<Test::Hello>::ref_type(
            CORBA::make_reference<Tie>(std::make_unique<Silent>())),
        CORBA::servant_traits<Test::Hello>::ref_type(CORBA::make_reference<Tie>(kept))}) {
    const auto silent = session.serve(servant);
    CHECK(silent->name() == "Silent");
    CHECK_FALSE(silent->partner(silent));
    Test::Report report;
    Test::Numbers numbers;
    CHECK_THROWS_AS(silent->fill(report, numbers), Test::Refused);
  }
}

TEST_CASE("local interfaces are implemented and called in the process, and cannot be stringified") {
  Session session;
  auto impl = CORBA::make_reference<Observer>();
  IDL::traits<Test::Observer>::ref_type observer = impl;
  observer->seen(Test::Report("Ada", Test::Mood::busy, {3}));
  CHECK(impl->text() == "Test::Report{author=\"Ada\", mood=busy, numbers={3}}");
  CHECK_THROWS_AS((void)session.orb->object_to_string(observer), CORBA::MARSHAL);
}
