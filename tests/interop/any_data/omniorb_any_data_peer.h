// AnyData::Peer as an omniORB servant. Moves members of Data::Samples into anys and out of them.
#pragma once

#include "omniorb_repack.h"

namespace interop {

/// Calls `act(index, member)` for each member that is a struct, a union or a sequence. `index` is
/// the position of the member in Data::Samples, and of its any in AnyData::Anys.
template <typename Samples, typename Act>
void for_each_object(Samples& samples, Act act) {
  act(0, samples.a_by_enum);
  act(1, samples.a_by_long);
  act(2, samples.a_by_boolean);
  act(3, samples.a_by_char);
  act(4, samples.a_by_short);
  act(5, samples.a_by_ushort);
  act(6, samples.a_by_ulong);
  act(7, samples.a_by_longlong);
  act(8, samples.a_by_ulonglong);
  act(9, samples.a_own);
  act(10, samples.a_tree);
  act(11, samples.a_node);
  act(15, samples.a_board);
  act(17, samples.a_few);
  act(18, samples.a_bounded);
  act(20, samples.a_item);
  act(21, samples.a_items);
  act(22, samples.a_many);
}

constexpr CORBA::ULong member_count = 23;

/// The other members: arrays, strings and fixed.
inline void pack_others(const Data::Samples& samples, AnyData::Anys& anys) {
  // The constructors of …_forany take no const array. `<<=` copies the array.
  Data::Samples& values = const_cast<Data::Samples&>(samples);
  anys[12] <<= Data::Row_forany(values.a_row);
  anys[13] <<= Data::Matrix_forany(values.a_matrix);
  anys[14] <<= Data::Names_forany(values.a_names);
  anys[16] <<= CORBA::Any::from_string(values.a_code.in(), 5);
  anys[19] <<= CORBA::Any::from_fixed(values.a_amount, 10, 2);
}

inline void require(bool condition, const CORBA::Any& any) {
  if (condition) return;
  CORBA::TypeCode_var type = any.type();
  throw AnyData::Unknown(type._retn());
}

inline void unpack_others(const AnyData::Anys& anys, Data::Samples& samples) {
  Data::Row_forany row;
  require(anys[12] >>= row, anys[12]);
  Data::Row_copy(samples.a_row, row.in());
  Data::Matrix_forany matrix;
  require(anys[13] >>= matrix, anys[13]);
  Data::Matrix_copy(samples.a_matrix, matrix.in());
  Data::Names_forany names;
  require(anys[14] >>= names, anys[14]);
  Data::Names_copy(samples.a_names, names.in());
  const char* code = nullptr;
  require(anys[16] >>= CORBA::Any::to_string(code, 5), anys[16]);
  samples.a_code = code;
  CORBA::Fixed amount;
  require(anys[19] >>= CORBA::Any::to_fixed(amount, 10, 2), anys[19]);
  samples.a_amount = amount;
}

struct PackMember {
  AnyData::Anys& anys;
  template <typename T>
  void operator()(CORBA::ULong index, const T& member) const {
    T* copy = new T;
    *copy = member;  // the copy constructor would lose the digits of a fixed: see move_object
    anys[index] <<= copy;
  }
};

struct UnpackMember {
  const AnyData::Anys& anys;
  template <typename T>
  void operator()(CORBA::ULong index, T& member) const {
    const T* value = nullptr;
    require(anys[index] >>= value, anys[index]);
    member = *value;
  }
};

inline AnyData::Anys* pack(const Data::Samples& samples) {
  AnyData::Anys_var anys = new AnyData::Anys;
  anys->length(member_count);
  for_each_object(samples, PackMember{anys.inout()});
  pack_others(samples, anys.inout());
  return anys._retn();
}

inline Data::Samples* unpack(const AnyData::Anys& anys) {
  Data::Samples_var samples = new Data::Samples;
  for_each_object(samples.inout(), UnpackMember{anys});
  unpack_others(anys, samples.inout());
  return samples._retn();
}

template <typename T>
const T& value_in(const CORBA::Any& any) {
  const T* value = nullptr;
  require(any >>= value, any);
  return *value;
}

template <typename T>
CORBA::Any* new_any(const T& value) {
  CORBA::Any_var any = new CORBA::Any;
  any.inout() <<= value;
  return any._retn();
}

class AnyDataServant final : public POA_AnyData::Peer {
 public:
  explicit AnyDataServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  CORBA::Any* repack(const CORBA::Any& a, CORBA::Any& b, CORBA::Any_OUT_arg c) override {
    CORBA::Any_var result = new CORBA::Any;
    CORBA::Any_var old_b = new CORBA::Any;
    interop::repack(b, old_b.inout());
    interop::repack(a, b);
    interop::repack(a, result.inout());
    c = old_b._retn();
    return result._retn();
  }
  AnyData::Anys* pack(const Data::Samples& samples) override { return interop::pack(samples); }
  Data::Samples* unpack(const AnyData::Anys& anys) override { return interop::unpack(anys); }
  CORBA::Any* pack_wide(const AnyData::Wide& value) override { return new_any(value); }
  AnyData::Wide* unpack_wide(const CORBA::Any& any) override {
    return new AnyData::Wide(value_in<AnyData::Wide>(any));
  }
  CORBA::Any* pack_links(const AnyData::Links& value) override { return new_any(value); }
  AnyData::Links* unpack_links(const CORBA::Any& any) override {
    return new AnyData::Links(value_in<AnyData::Links>(any));
  }
  Data::Samples* sample(CORBA::Long) override { throw CORBA::NO_IMPLEMENT(); }
  void quit() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
};

}  // namespace interop
