// Gets samples of all constructed types from a Data::Peer, and sends them back in every direction:
//   omniorb_data_client FILE [--quit] [omniORB options]
// omniORB encodes the sent and the returned value, and the octets must be the same.
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "checks.h"
#include "data_types.hh"
#include "omniorb_call.h"

namespace {

/// The value as omniORB encodes it, with padding of zeros.
template <typename T>
std::string octets(const T& value) {
  cdrMemoryStream stream(0, true);
  value >>= stream;
  return {static_cast<const char*>(stream.bufPtr()), stream.bufSize()};
}

template <typename T, typename Call>
void check_fixed(Call call, const T& a, const T& b) {
  T changing;  // not copied: see duplicate() in the server
  changing = b;
  T c;
  T result;
  result = call(a, changing, c);
  CHECK(octets(result) == octets(a));
  CHECK(octets(changing) == octets(a));
  CHECK(octets(c) == octets(b));
}

template <typename T, typename Var, typename Call>
void check_variable(Call call, const T& a, const T& b) {
  T changing;  // not copied: see duplicate() in the server
  changing = b;
  Var c;
  Var result = call(a, changing, c);
  CHECK(octets(result.in()) == octets(a));
  CHECK(octets(changing) == octets(a));
  CHECK(octets(c.in()) == octets(b));
}

void check_unions(Data::Peer_ptr peer, const Data::Samples& one, const Data::Samples& other) {
#define CHECK_FIXED(NAME, TYPE)                                                               \
  check_fixed<Data::TYPE>(                                                                    \
      [&](const Data::TYPE& a, Data::TYPE& b, Data::TYPE& c) { return peer->echo_##NAME(a, b, c); }, \
      one.a_##NAME, other.a_##NAME)
#define CHECK_VARIABLE(NAME, TYPE)                                                            \
  check_variable<Data::TYPE, Data::TYPE##_var>(                                               \
      [&](const Data::TYPE& a, Data::TYPE& b, Data::TYPE##_var& c) {                          \
        return peer->echo_##NAME(a, b, c.out());                                              \
      },                                                                                      \
      one.a_##NAME, other.a_##NAME)
  CHECK_VARIABLE(by_enum, By_Enum);
  CHECK_VARIABLE(by_long, By_Long);
  CHECK_FIXED(by_boolean, By_Boolean);
  CHECK_FIXED(by_char, By_Char);
  CHECK_VARIABLE(by_short, By_Short);
  CHECK_FIXED(by_ushort, By_UShort);
  CHECK_FIXED(by_ulong, By_ULong);
  CHECK_VARIABLE(by_longlong, By_LongLong);
  CHECK_FIXED(by_ulonglong, By_ULongLong);
  CHECK_VARIABLE(own, Own);
  CHECK_VARIABLE(tree, Tree);
}

void check_others(Data::Peer_ptr peer, const Data::Samples& one, const Data::Samples& other) {
  CHECK_VARIABLE(node, Node);
  CHECK_VARIABLE(board, Board);
  CHECK_VARIABLE(few, Few);
  CHECK_VARIABLE(bounded, Bounded);
  CHECK_FIXED(amount, Amount);
  CHECK_VARIABLE(item, Item);
  CHECK_VARIABLE(items, Items);
  CHECK_VARIABLE(many, Many);
  check_variable<Data::Samples, Data::Samples_var>(
      [&](const Data::Samples& a, Data::Samples& b, Data::Samples_var& c) {
        return peer->echo_samples(a, b, c.out());
      },
      one, other);
}

void check_arrays(Data::Peer_ptr peer, const Data::Samples& one, const Data::Samples& other) {
  Data::Row row_b;
  Data::Row row_c;
  Data::Row_copy(row_b, other.a_row);
  Data::Row_var row = peer->echo_row(one.a_row, row_b, row_c);
  CHECK(std::memcmp(row.in(), one.a_row, sizeof one.a_row) == 0);
  CHECK(std::memcmp(row_b, one.a_row, sizeof one.a_row) == 0);
  CHECK(std::memcmp(row_c, other.a_row, sizeof other.a_row) == 0);

  Data::Matrix matrix_b;
  Data::Matrix matrix_c;
  Data::Matrix_copy(matrix_b, other.a_matrix);
  Data::Matrix_var matrix = peer->echo_matrix(one.a_matrix, matrix_b, matrix_c);
  CHECK(std::memcmp(matrix.in(), one.a_matrix, sizeof one.a_matrix) == 0);
  CHECK(std::memcmp(matrix_b, one.a_matrix, sizeof one.a_matrix) == 0);
  CHECK(std::memcmp(matrix_c, other.a_matrix, sizeof other.a_matrix) == 0);

  Data::Names names_b;
  Data::Names_var names_c;
  Data::Names_copy(names_b, other.a_names);
  Data::Names_var names = peer->echo_names(one.a_names, names_b, names_c.out());
  for (CORBA::ULong index = 0; index < 2; ++index) {
    CHECK(std::strcmp(names[index], one.a_names[index]) == 0);
    CHECK(std::strcmp(names_b[index], one.a_names[index]) == 0);
    CHECK(std::strcmp(names_c[index], other.a_names[index]) == 0);
  }
}

void check_strings(Data::Peer_ptr peer) {
  CORBA::String_var b = CORBA::string_dup("old");
  CORBA::String_var c;
  CORBA::String_var result = peer->echo_code("abcde", b.inout(), c.out());
  CHECK(std::strcmp(result.in(), "abcde") == 0);
  CHECK(std::strcmp(b.in(), "abcde") == 0);
  CHECK(std::strcmp(c.in(), "old") == 0);
}

/// The same elements again and again, until they are 10 MB.
template <typename Sequence>
Sequence repeated(const Sequence& some, CORBA::ULong count) {
  Sequence many;
  many.length(count);
  for (CORBA::ULong index = 0; index < count; ++index) many[index] = some[index % some.length()];
  return many;
}

void check_large(Data::Peer_ptr peer, const Data::Samples& sample) {
  check_variable<Data::Items, Data::Items_var>(
      [&](const Data::Items& a, Data::Items& b, Data::Items_var& c) {
        return peer->echo_items(a, b, c.out());
      },
      repeated(sample.a_items, 300'000), Data::Items());
  check_variable<Data::Many, Data::Many_var>(
      [&](const Data::Many& a, Data::Many& b, Data::Many_var& c) {
        return peer->echo_many(a, b, c.out());
      },
      repeated(sample.a_many, 600'000), sample.a_many);
}

/// Checks the values that Perigee's server made, as omniORB decodes them.
void check_values(const Data::Samples& sample, CORBA::Long seed) {
  const bool is_odd = seed % 2 != 0;
  CHECK(sample.a_by_enum._d() == (is_odd ? Data::line : Data::circle));
  if (is_odd) CHECK(std::strcmp(sample.a_by_enum.label(), "label") == 0);
  CHECK(sample.a_by_boolean._d() == is_odd);
  CHECK(sample.a_by_char._d() == (is_odd ? 'a' : '\n'));
  if (!is_odd) CHECK(sample.a_by_char.b()[1] == -2.5);
  CHECK(sample.a_by_short._d() == (is_odd ? 7 : -3));
  if (!is_odd) CHECK(sample.a_by_ulong.rest() == -3);
  CHECK(sample.a_own._d() == (is_odd ? Data::Own::first : Data::Own::second));
  CHECK(sample.a_row[1] == -seed);
  CHECK(sample.a_matrix[1][0] == 4.5);
  CHECK(std::strcmp(sample.a_board.labels[0], "one") == 0);
  CHECK(sample.a_board.cells[1][1].tracks[0] == seed - 300);
  CHECK(sample.a_amount + CORBA::Fixed("12345678.91") == CORBA::Fixed(seed));
  CHECK(sample.a_item.tax == CORBA::Fixed("0.12345"));
  CHECK(sample.a_few.length() == 4);
}

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  std::string ior;
  std::ifstream(argv[1]) >> ior;
  CORBA::Object_var object = orb->string_to_object(ior.c_str());
  Data::Peer_var peer = Data::Peer::_narrow(object);
  CHECK(!CORBA::is_nil(peer));
  for (CORBA::Long seed = 0; seed < 6; ++seed) {
    Data::Samples_var one = peer->sample(seed);
    Data::Samples_var other = peer->sample(seed + 1);
    check_values(one.in(), seed);
    check_unions(peer, one.in(), other.in());
    check_others(peer, one.in(), other.in());
    check_arrays(peer, one.in(), other.in());
  }
  check_strings(peer);
  const Data::Samples_var sample = peer->sample(0);
  check_large(peer, sample.in());
  if (argc > 2 && std::strcmp(argv[2], "--quit") == 0) peer->quit();
  return interop::finish("omniORB client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_data_client", "IOR-FILE [--quit]", run);
}
