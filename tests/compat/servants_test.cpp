// References of a servant to itself, and the traits of classes of servants.
#include "two_orbs.h"
#include "valuesS.h"

#include <doctest/doctest.h>

#include <type_traits>

namespace {

class StoreImpl : public CORBA::servant_traits<Compat::Store>::base_type {
 public:
  Compat::Few trim(const Compat::Few& values) override { return values; }
  Compat::Couple marry(const Compat::Couple& ages) override { return ages; }
  /// Deactivates the object of the servant.
  Compat::Code tag(const Compat::Code& text) override {
    const auto adapter = _default_POA();
    adapter->deactivate_object(adapter->servant_to_id(_lock()));
    return text;
  }
  IDL::traits<PortableServer::POA>::ref_type _default_POA() override { return poa; }
  IDL::traits<PortableServer::POA>::ref_type poa;
};

class OtherImpl : public StoreImpl {};

}  // namespace

TEST_CASE("a servant deactivates itself with the reference that _lock returns") {
  perigee::test::TwoOrbs orbs;
  const auto servant = CORBA::make_reference<StoreImpl>();
  servant->poa = orbs.poa;
  const auto store = orbs.serve<Compat::Store>(servant);
  CHECK(store->tag("x") == "x");
  CHECK_THROWS_AS(store->tag("x"), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("servant_traits<Impl>::narrow returns null for a servant of another class") {
  const CORBA::servant_traits<PortableServer::Servant>::ref_type any_servant =
      CORBA::make_reference<StoreImpl>();
  CHECK(CORBA::servant_traits<StoreImpl>::narrow(any_servant) == any_servant);
  CHECK(!CORBA::servant_traits<OtherImpl>::narrow(any_servant));
  static_assert(std::is_same_v<CORBA::servant_traits<StoreImpl>::ref_type,
                               CORBA::servant_reference<StoreImpl>>);
}

TEST_CASE("references to servants swap their servants") {
  auto first = CORBA::make_reference<StoreImpl>();
  CORBA::servant_reference<StoreImpl> second;
  const auto* const servant = first.get();
  first.swap(second);
  CHECK(first == nullptr);
  CHECK(second.get() == servant);
  auto weak = second.weak_reference();
  CORBA::weak_servant_reference<StoreImpl> other;
  swap(weak, other);
  CHECK(other.lock() == second);
}
