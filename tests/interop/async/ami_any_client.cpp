// Sends anys, TypeCodes and wide text to an AnyInterop::Peer, and checks the results that reply
// handlers get:
//   ami_any_client FILE [--quit] [--no-wide] [Perigee options]
#include "../checks.h"
#include "../perigee_call.h"
#include "any_interopA.h"
#include "any_interopAmiC.h"
#include "call_outcome.h"

#include <string>
#include <vector>

namespace {

using namespace AnyInterop;
using CORBA::Any;
using Traits = CORBA::amic_traits<Peer>;
using TypeReference = IDL::traits<CORBA::TypeCode>::ref_type;

class Handler final : public Traits::replyhandler_base_type {
 public:
  PERIGEE_STORE_ECHO(echo_any, const Any&)
  PERIGEE_STORE_ECHO(echo_anys, const Anys&)
  PERIGEE_STORE_ECHO(echo_parcel, const Parcel&)
  PERIGEE_STORE_ECHO(echo_type, TypeReference)
  PERIGEE_STORE_ECHO(echo_types, const TypeCodes&)
  PERIGEE_STORE(repack, const Any&)
  PERIGEE_STORE(type_of, TypeReference)
  PERIGEE_STORE_DONE(fail)

  interop::CallOutcome outcome;
};

template <typename T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

/// A peer, and the handler of its calls.
struct Exchange {
  CORBA::ORB& orb;
  Traits::ref_type peer;
  CORBA::object_reference<Handler> handler = CORBA::make_reference<Handler>();

  [[nodiscard]] interop::CallOutcome& outcome() const { return handler->outcome; }
  void check_any(const Any& a, const Any& b) const {
    interop::check_outcome(orb, outcome(), a, b, [&](const Any& first, const Any& second) {
      peer->sendc_echo_any(handler, first, second);
    });
    outcome().await(orb, [&] { peer->sendc_repack(handler, a); });
    const auto* const repacked = outcome().results<Any>();
    CHECK((repacked != nullptr && std::get<0>(*repacked) == a));
    outcome().await(orb, [&] { peer->sendc_type_of(handler, a); });
    const auto* const type = outcome().results<TypeReference>();
    CHECK((type != nullptr && std::get<0>(*type)->equal(a.type())));
  }
  template <typename T>
  void check_value(const T& value) const {
    check_any(any_of(value), any_of(std::string("old")));
  }
  void check_type(const TypeReference& type) const {
    outcome().await(orb, [&] { peer->sendc_echo_type(handler, type, CORBA::_tc_long); });
    const auto* const types = outcome().results<TypeReference, TypeReference, TypeReference>();
    CHECK((types != nullptr && std::get<0>(*types)->equal(type) &&
           std::get<1>(*types)->equal(type) && std::get<2>(*types)->equal(CORBA::_tc_long)));
  }
};

Point point() { return Point(7, -100001, 3, 0.125); }
Person person() { return Person("a person", Colour::blue, true, point()); }
Tree tree() { return Tree("root", {Tree("a", {Tree("aa", {})}), Tree("b", {})}); }

void check_values(const Exchange& to, bool has_wide) {
  to.check_value(true);
  to.check_value('x');
  to.check_value(std::uint8_t{255});
  to.check_value(std::int16_t{-32768});
  to.check_value(std::uint64_t{1} << 63);
  to.check_value(1e300);
  to.check_value(std::string("a text"));
  to.check_any(Any(), Any());
  to.check_value(Colour::green);
  to.check_value(person());
  to.check_value(Octets(100'000, 7));
  to.check_value(Names{"", "one", "two"});
  to.check_value(tree());
  to.check_value(Anys{any_of(point()), Any(), any_of(any_of(std::int16_t{5}))});
  to.check_value(Parcel(1, any_of(People{person()}), _tc_People, tree()));
  to.check_value(TypeReference(_tc_Parcel));
  if (!has_wide) return;
  to.check_value(L'\u20ac');
  to.check_value(std::wstring(L"wide \u20ac"));
}

void check_parameters(const Exchange& to) {
  const Anys anys{any_of(point()), any_of(std::string("text")), Any()};
  interop::check_outcome(
      to.orb, to.outcome(), anys, Anys{any_of(true)},
      [&](const Anys& a, const Anys& b) { to.peer->sendc_echo_anys(to.handler, a, b); });
  const Parcel parcel(9, any_of(person()), _tc_Tree, tree());
  to.outcome().await(to.orb, [&] {
    to.peer->sendc_echo_parcel(to.handler, parcel, Parcel(1, Any(), CORBA::_tc_null, Tree()));
  });
  const auto* const parcels = to.outcome().results<Parcel, Parcel, Parcel>();
  CHECK((parcels != nullptr && std::get<0>(*parcels) == parcel && std::get<1>(*parcels) == parcel));
  for (const TypeReference& type :
       {TypeReference(_tc_Tree), TypeReference(_tc_Parcel), TypeReference(_tc_Friend),
        TypeReference(_tc_Peer), TypeReference(_tc_Colour), TypeReference(CORBA::_tc_any)})
    to.check_type(type);
  CHECK_THROWS(interop::await_or_throw(to.orb, to.outcome(),
                                       [&] { to.peer->sendc_fail(to.handler, any_of(tree())); }),
               Failure, CHECK(caught.reason() == "because");
               CHECK(caught.culprit() == any_of(tree())));
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const bool quit = interop::has_option(arguments, "--quit");
  const bool has_wide = !interop::has_option(arguments, "--no-wide");
  const Exchange to{*orb, Traits::narrow(interop::object_in_file(*orb, arguments))};
  CHECK(to.peer != nullptr);
  if (!to.peer) return interop::finish("Perigee client of any with handlers");
  check_values(to, has_wide);
  check_parameters(to);
  if (quit) to.peer->quit();
  return interop::finish("Perigee client of any with handlers");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "ami_any_client", "IOR-FILE [--quit] [--no-wide]", run);
}
