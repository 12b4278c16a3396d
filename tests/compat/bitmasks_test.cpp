// Bitmasks as parameters, with the signatures of TAOX11.
#include "deskAmhS.h"
#include "deskAmiC.h"
#include "deskS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <type_traits>

using Compat::Choices;

namespace {

class ToggleImpl final : public CORBA::servant_traits<Compat::Toggle>::base_type {
 public:
  Choices choices() override { return choices_; }
  void choices(const Choices& value) override { choices_ = value; }
  Choices replace(const Choices& added, Choices& removed) override {
    return std::exchange(removed, added);
  }

 private:
  Choices choices_;
};

using Traits = CORBA::amic_traits<Compat::Toggle>;
using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

class Handler final : public Traits::replyhandler_base_type {
 public:
  void get_choices(const Choices& result) override { got = result; }
  void get_choices_excep(Excep /*holder*/) override {}
  void set_choices() override {}
  void set_choices_excep(Excep /*holder*/) override {}
  void replace(const Choices& result, const Choices& removed) override {
    replaced = result == Choices(Choices::quiet) && removed == Choices(Choices::quick);
  }
  void replace_excep(Excep /*holder*/) override {}

  // Written and read by the thread that runs the loop.
  Choices got;
  bool replaced = false;
};

}  // namespace

TEST_CASE("an 'in' parameter of a bitmask type is a const reference") {
  static_assert(std::is_same_v<decltype(&Compat::Toggle::replace),
                               Choices (Compat::Toggle::*)(const Choices&, Choices&)>);
  using Later = POA::Compat::AMH_Toggle;
  using ResponseHandler = CORBA::object_reference<Compat::AMH_ToggleResponseHandler>;
  static_assert(std::is_same_v<decltype(&Later::replace),
                               void (Later::*)(ResponseHandler, const Choices&, const Choices&)>);
  perigee::test::TwoOrbs orbs;
  const auto object = orbs.serve<Compat::Toggle>(CORBA::make_reference<ToggleImpl>());
  object->choices(Choices(Choices::quick));
  CHECK(object->choices() == Choices(Choices::quick));
  Choices removed(Choices::quiet);
  CHECK(object->replace(Choices(Choices::quick), removed) == Choices(Choices::quiet));
  CHECK(removed == Choices(Choices::quick));
}

TEST_CASE("asynchronous calls and their handlers pass bitmasks in the same way") {
  perigee::test::TwoOrbs orbs;
  const auto object =
      Traits::narrow(orbs.serve<Compat::Toggle>(CORBA::make_reference<ToggleImpl>()));
  const auto handler = CORBA::make_reference<Handler>();
  object->sendc_replace(handler, Choices(Choices::quick), Choices(Choices::quiet));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!handler->replaced && std::chrono::steady_clock::now() < end)
    orbs.client->perform_work(std::chrono::milliseconds(10));
  CHECK(handler->replaced);
}
