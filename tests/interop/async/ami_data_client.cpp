// Sends samples of all constructed types to a Data::Peer, and checks the results that reply
// handlers get:
//   ami_data_client FILE [--quit] [--long-double] [Perigee options]
#include "../checks.h"
#include "../data_samples.h"
#include "../perigee_call.h"
#include "call_outcome.h"
#include "data_typesAmiC.h"

#include <string>
#include <vector>

namespace {

using Traits = CORBA::amic_traits<Data::Peer>;

class Handler final : public Traits::replyhandler_base_type {
 public:
  PERIGEE_STORE(sample, const Data::Samples&)
  PERIGEE_STORE_ECHO(echo_long_double, long double)
  PERIGEE_STORE_ECHO(echo_by_enum, const Data::By_Enum&)
  PERIGEE_STORE_ECHO(echo_by_long, const Data::By_Long&)
  PERIGEE_STORE_ECHO(echo_by_boolean, const Data::By_Boolean&)
  PERIGEE_STORE_ECHO(echo_by_char, const Data::By_Char&)
  PERIGEE_STORE_ECHO(echo_by_short, const Data::By_Short&)
  PERIGEE_STORE_ECHO(echo_by_ushort, const Data::By_UShort&)
  PERIGEE_STORE_ECHO(echo_by_ulong, const Data::By_ULong&)
  PERIGEE_STORE_ECHO(echo_by_longlong, const Data::By_LongLong&)
  PERIGEE_STORE_ECHO(echo_by_ulonglong, const Data::By_ULongLong&)
  PERIGEE_STORE_ECHO(echo_own, const Data::Own&)
  PERIGEE_STORE_ECHO(echo_tree, const Data::Tree&)
  PERIGEE_STORE_ECHO(echo_node, const Data::Node&)
  PERIGEE_STORE_ECHO(echo_row, const Data::Row&)
  PERIGEE_STORE_ECHO(echo_matrix, const Data::Matrix&)
  PERIGEE_STORE_ECHO(echo_names, const Data::Names&)
  PERIGEE_STORE_ECHO(echo_board, const Data::Board&)
  PERIGEE_STORE_ECHO(echo_code, const Data::Code&)
  PERIGEE_STORE_ECHO(echo_few, const Data::Few&)
  PERIGEE_STORE_ECHO(echo_bounded, const Data::Bounded&)
  PERIGEE_STORE_ECHO(echo_amount, const Data::Amount&)
  PERIGEE_STORE_ECHO(echo_item, const Data::Item&)
  PERIGEE_STORE_ECHO(echo_items, const Data::Items&)
  PERIGEE_STORE_ECHO(echo_many, const Data::Many&)
  PERIGEE_STORE_ECHO(echo_samples, const Data::Samples&)

  interop::CallOutcome outcome;
};

/// A peer, and the handler of its calls.
struct Exchange {
  CORBA::ORB& orb;
  Traits::ref_type peer;
  CORBA::object_reference<Handler> handler = CORBA::make_reference<Handler>();

  template <typename T, typename Send>
  void check(const T& a, const T& b, const Send& send) const {
    interop::check_outcome(orb, handler->outcome, a, b, send);
  }
};

void check_all(const Exchange& to, const Data::Samples& one, const Data::Samples& other) {
#define CHECK_ECHO(NAME)                     \
  to.check(one.a_##NAME(), other.a_##NAME(), \
           [&](const auto& a, const auto& b) { to.peer->sendc_echo_##NAME(to.handler, a, b); });
  PERIGEE_DATA_MEMBERS(CHECK_ECHO)
#undef CHECK_ECHO
  to.check(one, other,
           [&](const auto& a, const auto& b) { to.peer->sendc_echo_samples(to.handler, a, b); });
}

/// Sends values of about 1 MB.
void check_large(const Exchange& to) {
  const auto items = interop::make_many<Data::Items>(30'000, interop::make_item);
  to.check(items, Data::Items(),
           [&](const auto& a, const auto& b) { to.peer->sendc_echo_items(to.handler, a, b); });
}

// omniORB is left out: it sends the 80-bit format of the processor, and not an IEEE quad.
void check_long_double(const Exchange& to) {
  to.check(1.25L, -3.5e-4000L, [&](long double a, long double b) {
    to.peer->sendc_echo_long_double(to.handler, a, b);
  });
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const Exchange to{*orb, Traits::narrow(interop::object_in_file(*orb, arguments))};
  CHECK(to.peer != nullptr);
  if (!to.peer) return interop::finish("Perigee client with handlers");
  for (int seed = 0; seed < 4; ++seed)
    check_all(to, interop::make_samples(seed), interop::make_samples(seed + 1));
  check_large(to);
  if (interop::has_option(arguments, "--long-double")) check_long_double(to);
  if (interop::has_option(arguments, "--quit")) to.peer->quit();
  return interop::finish("Perigee client with handlers");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "ami_data_client", "IOR-FILE [--quit] [--long-double]", run);
}
