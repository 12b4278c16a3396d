// Sends samples of all constructed types to a Data::Peer and checks the results:
//   perigee_data_client FILE [--quit] [--long-double] [Perigee options]
#include "checks.h"
#include "data_samples.h"
#include "perigee_call.h"

#include <iostream>
#include <string>
#include <vector>

namespace {

using PeerReference = IDL::traits<Data::Peer>::ref_type;

template <typename T, typename Call>
void check_echo(Call call, const T& a, const T& b) {
  T changing = b;
  T c{};
  const T result = call(a, changing, c);
  CHECK((result == a));
  CHECK((changing == a));
  CHECK((c == b));
}

void check_all(const PeerReference& peer, const Data::Samples& one, const Data::Samples& other) {
#define CHECK_ECHO(NAME)                                                                  \
  check_echo([&](const auto& a, auto& b, auto& c) { return peer->echo_##NAME(a, b, c); }, \
             one.a_##NAME(), other.a_##NAME());
  PERIGEE_DATA_MEMBERS(CHECK_ECHO)
#undef CHECK_ECHO
  check_echo([&](const auto& a, auto& b, auto& c) { return peer->echo_samples(a, b, c); }, one,
             other);
}

/// Sends sequences of about 10 MB.
void check_large(const PeerReference& peer) {
  const auto some = interop::make_many<Data::Items>(100, interop::make_item);
  Data::Items items;
  while (items.size() < 300'000) items.insert(items.end(), some.begin(), some.end());
  check_echo([&](const auto& a, auto& b, auto& c) { return peer->echo_items(a, b, c); }, items,
             Data::Items());
  check_echo([&](const auto& a, auto& b, auto& c) { return peer->echo_many(a, b, c); },
             interop::make_many<Data::Many>(600'000, interop::make_by_long), Data::Many());
}

// omniORB is left out, because its octets are no IEEE quad.
void check_long_double(const PeerReference& peer) {
  check_echo([&](const auto& a, auto& b, auto& c) { return peer->echo_long_double(a, b, c); },
             1.25L, -3.5e-4000L);
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const auto peer = IDL::traits<Data::Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer != nullptr);
  if (!peer) return interop::finish("Perigee client");
  for (int seed = 0; seed < 6; ++seed)
    check_all(peer, interop::make_samples(seed), interop::make_samples(seed + 1));
  check_large(peer);
  bool quit = false;
  for (const std::string& argument : arguments) {
    if (argument == "--quit") quit = true;
    if (argument == "--long-double") check_long_double(peer);
  }
  if (quit) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_data_client", "IOR-FILE [--quit] [--long-double]", run);
}
