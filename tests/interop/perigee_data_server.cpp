// Data::Peer as a Perigee servant: prints its IOR, and serves until a client calls quit().
#include "data_samples.h"
#include "data_typesS.h"
#include "perigee_serve.h"

#include <functional>
#include <utility>

namespace {

/// c = old b, b = a, returns a.
template <typename T>
T echo(const T& a, T& b, T& c) {
  c = std::exchange(b, a);
  return a;
}

class PeerServant final : public CORBA::servant_traits<Data::Peer>::base_type {
 public:
  explicit PeerServant(std::function<void()> on_quit) : on_quit_(std::move(on_quit)) {}

  Data::Samples sample(std::int32_t seed) override { return interop::make_samples(seed); }
  long double echo_long_double(long double a, long double& b, long double& c) override {
    return echo(a, b, c);
  }
#define ECHO(NAME, TYPE)                                                        \
  Data::TYPE NAME(const Data::TYPE& a, Data::TYPE& b, Data::TYPE& c) override { \
    return echo(a, b, c);                                                       \
  }
  ECHO(echo_by_enum, By_Enum)
  ECHO(echo_by_long, By_Long)
  ECHO(echo_by_boolean, By_Boolean)
  ECHO(echo_by_char, By_Char)
  ECHO(echo_by_short, By_Short)
  ECHO(echo_by_ushort, By_UShort)
  ECHO(echo_by_ulong, By_ULong)
  ECHO(echo_by_longlong, By_LongLong)
  ECHO(echo_by_ulonglong, By_ULongLong)
  ECHO(echo_own, Own)
  ECHO(echo_tree, Tree)
  ECHO(echo_node, Node)
  ECHO(echo_row, Row)
  ECHO(echo_matrix, Matrix)
  ECHO(echo_names, Names)
  ECHO(echo_board, Board)
  ECHO(echo_code, Code)
  ECHO(echo_few, Few)
  ECHO(echo_bounded, Bounded)
  ECHO(echo_amount, Amount)
  ECHO(echo_item, Item)
  ECHO(echo_items, Items)
  ECHO(echo_many, Many)
  ECHO(echo_samples, Samples)
#undef ECHO
  void quit() override { on_quit_(); }

 private:
  std::function<void()> on_quit_;
};

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_data_server", interop::activate<PeerServant>);
}
