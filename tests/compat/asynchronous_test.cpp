// Reply handlers with functions for oneways, weak references to handlers, and replies that arrive
// during perform_work with a duration.
#include "deskAmiC.h"
#include "deskS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <string>
#include <type_traits>

namespace {

using Traits = CORBA::amic_traits<Compat::Desk>;
using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

class DeskImpl : public CORBA::servant_traits<Compat::Desk>::base_type {
 public:
  void note(const std::string& /*text*/) override { ++count_; }
  int32_t count() override { return count_; }
  void end() override {}
  void mark(const IDL::bounded_string<5>& /*label*/) override {}

 private:
  std::atomic<int32_t> count_{0};
};

class Handler : public Traits::replyhandler_base_type {
 public:
  void note() override { FAIL("a oneway has no reply"); }
  void note_excep(Excep /*holder*/) override { FAIL("a oneway has no exception"); }
  void count(int32_t result) override { counted = result; }
  void count_excep(Excep /*holder*/) override {}
  void end() override {}
  void end_excep(Excep /*holder*/) override {}
  void mark() override {}
  void mark_excep(Excep holder) override {
    try {
      holder->raise_exception();
    } catch (const CORBA::Exception& exception) {
      failure_ = exception._name();
    }
  }
  std::atomic<int32_t> counted{-1};
  /// Call it on the thread that runs the loop: that thread also calls the handler's functions.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::string failure_;
};

/// A handler need not have the functions of oneways.
class SmallHandler : public Traits::replyhandler_base_type {
 public:
  void count(int32_t /*result*/) override {}
  void count_excep(Excep /*holder*/) override {}
  void end() override {}
  void end_excep(Excep /*holder*/) override {}
  void mark() override {}
  void mark_excep(Excep /*holder*/) override {}
};

}  // namespace

TEST_CASE("a handler with functions for oneways receives the other replies") {
  perigee::test::TwoOrbs orbs;
  const auto desk = Traits::narrow(orbs.serve<Compat::Desk>(CORBA::make_reference<DeskImpl>()));
  const auto handler = CORBA::make_reference<Handler>();
  desk->note("x");
  desk->end();  // the note has been executed
  desk->sendc_count(handler);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (handler->counted < 0 && std::chrono::steady_clock::now() < end) {
    std::chrono::seconds time(1);
    orbs.client->perform_work(time);
  }
  CHECK(handler->counted == 1);
  CHECK(CORBA::make_reference<SmallHandler>());
}

TEST_CASE("the handler gets BAD_PARAM for a value that exceeds its bound") {
  perigee::test::TwoOrbs orbs;
  const auto desk = Traits::narrow(orbs.serve<Compat::Desk>(CORBA::make_reference<DeskImpl>()));
  const auto handler = CORBA::make_reference<Handler>();
  IDL::bounded_string<5> label = "12345";
  std::string& plain = label;
  plain += "6";
  desk->sendc_mark(handler, label);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (handler->failure().empty() && std::chrono::steady_clock::now() < end)
    orbs.client->perform_work(std::chrono::milliseconds(10));
  CHECK(handler->failure() == "BAD_PARAM");
}

TEST_CASE("weak references to a handler and to its C++ object expire with the object") {
  Traits::replyhandler_weak_ref_type weak_handler;
  Traits::replyhandler_weak_servant_ref_type weak_object;
  CHECK(weak_handler.expired());
  {
    const Traits::replyhandler_servant_ref_type handler = CORBA::make_reference<Handler>();
    weak_object = handler.weak_reference();
    weak_handler = Traits::replyhandler_ref_type(handler).weak_reference();
    CHECK(weak_object.lock() == handler);
    CHECK(!weak_handler.expired());
  }
  CHECK(weak_object.expired());
  CHECK(weak_handler.expired());
}

TEST_CASE("the AMI header of an IDL file includes the AMI headers of the included IDL files") {
  // The traits are in auditAmiC.h, which deskAmiC.h includes.
  static_assert(std::is_same_v<CORBA::amic_traits<Compat::Audit>::replyhandler_ref_type,
                               CORBA::object_reference<Compat::AMI_AuditHandler>>);
}

TEST_CASE("references for asynchronous calls and to handlers are written with their types") {
  perigee::test::TwoOrbs orbs;
  const auto text_of = [](const auto& reference) {
    std::ostringstream out;
    out << reference;
    return out.str();
  };
  const auto desk = Traits::narrow(orbs.serve<Compat::Desk>(CORBA::make_reference<DeskImpl>()));
  CHECK(text_of(desk) == "CORBA::amic_traits<Compat::Desk>::ref_type{IDL:Compat/Desk:1.0}");
  const auto id = orbs.poa->activate_object(CORBA::make_reference<SmallHandler>());
  const auto handler = Traits::replyhandler_traits::narrow(orbs.poa->id_to_reference(id));
  CHECK(text_of(handler) ==
        "IDL::traits<Compat::AMI_DeskHandler>::ref_type{IDL:Compat/AMI_DeskHandler:1.0}");
}
