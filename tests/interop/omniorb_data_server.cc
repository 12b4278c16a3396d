// Data::Peer as an omniORB servant: prints its IOR, serves until quit().
#include "data_types.hh"
#include "omniorb_serve.h"

namespace {

/// A copy by assignment: omniORB's fixed forgets its digits when a constructor copies a struct
/// around it.
template <typename T>
T* duplicate(const T& value) {
  T* copy = new T;
  *copy = value;
  return copy;
}

class PeerServant final : public POA_Data::Peer {
 public:
  explicit PeerServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  Data::Samples* sample(CORBA::Long) override { throw CORBA::NO_IMPLEMENT(); }
  // omniORB sends the octets of the processor's own 80 bits, and other ORBs expect an IEEE quad.
  CORBA::LongDouble echo_long_double(CORBA::LongDouble, CORBA::LongDouble&,
                                     CORBA::LongDouble&) override {
    throw CORBA::NO_IMPLEMENT();
  }

#define FIXED(NAME, TYPE)                                                                  \
  Data::TYPE NAME(const Data::TYPE& a, Data::TYPE& b, Data::TYPE& c) override {            \
    c = b;                                                                                 \
    b = a;                                                                                 \
    return a;                                                                              \
  }
#define VARIABLE(NAME, TYPE)                                                               \
  Data::TYPE* NAME(const Data::TYPE& a, Data::TYPE& b, Data::TYPE##_out c) override {      \
    c = duplicate(b);                                                                       \
    b = a;                                                                                 \
    return duplicate(a);                                                                    \
  }
#define ARRAY(NAME, TYPE)                                                                  \
  Data::TYPE##_slice* NAME(const Data::TYPE a, Data::TYPE b, Data::TYPE c) override {      \
    Data::TYPE##_copy(c, b);                                                               \
    Data::TYPE##_copy(b, a);                                                               \
    return Data::TYPE##_dup(a);                                                            \
  }
  VARIABLE(echo_by_enum, By_Enum)
  VARIABLE(echo_by_long, By_Long)
  FIXED(echo_by_boolean, By_Boolean)
  FIXED(echo_by_char, By_Char)
  VARIABLE(echo_by_short, By_Short)
  FIXED(echo_by_ushort, By_UShort)
  FIXED(echo_by_ulong, By_ULong)
  VARIABLE(echo_by_longlong, By_LongLong)
  FIXED(echo_by_ulonglong, By_ULongLong)
  VARIABLE(echo_own, Own)
  VARIABLE(echo_tree, Tree)
  VARIABLE(echo_node, Node)
  ARRAY(echo_row, Row)
  ARRAY(echo_matrix, Matrix)
  VARIABLE(echo_board, Board)
  VARIABLE(echo_few, Few)
  VARIABLE(echo_bounded, Bounded)
  FIXED(echo_amount, Amount)
  VARIABLE(echo_item, Item)
  VARIABLE(echo_items, Items)
  VARIABLE(echo_many, Many)
  VARIABLE(echo_samples, Samples)
#undef FIXED
#undef VARIABLE
#undef ARRAY

  Data::Names_slice* echo_names(const Data::Names a, Data::Names b, Data::Names_out c) override {
    c = Data::Names_dup(b);
    Data::Names_copy(b, a);
    return Data::Names_dup(a);
  }
  char* echo_code(const char* a, char*& b, Data::Code_out c) override {
    c = b;
    b = CORBA::string_dup(a);
    return CORBA::string_dup(a);
  }
  void quit() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
};

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_data_server", interop::activate<PeerServant>);
}
