// AnyData::Peer as a Perigee servant; values in anys, by way of their C++ types.
#pragma once

#include "../data_samples.h"
#include "any_dataA.h"
#include "any_dataS.h"
#include <perigee/corba.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace interop {

using TypeCodeReference = IDL::traits<CORBA::TypeCode>::ref_type;
using PeerReference = IDL::traits<AnyData::Peer>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;

CORBA::Any repack(const CORBA::Any& from);

/// Repacks the anys inside a value.
template <typename T>
void repack_inside(T&) {}
inline void repack_inside(CORBA::Any& any) { any = repack(any); }
inline void repack_inside(AnyData::Anys& anys) {
  for (CORBA::Any& any : anys) any = repack(any);
}
inline void repack_inside(AnyData::TwoAnys& anys) {
  for (CORBA::Any& any : anys) any = repack(any);
}
inline void repack_inside(AnyData::Nest& nest) {
  repack_inside(nest.first());
  repack_inside(nest.few());
  for (auto& row : nest.table())
    for (CORBA::Any& any : row) repack_inside(any);
}

/// Takes a T out of `from` and puts it into `to`; false if there is none.
template <typename T>
bool move_value(const CORBA::Any& from, CORBA::Any& to) {
  T value{};
  if (!(from >>= value)) return false;
  repack_inside(value);
  to <<= std::move(value);
  return true;
}

template <typename... Types>
bool move_one_of(const CORBA::Any& from, CORBA::Any& to) {
  return (move_value<Types>(from, to) || ...);
}

inline bool move_data(const CORBA::Any& from, CORBA::Any& to) {
  using namespace Data;
  return move_one_of<Shape, By_Enum, By_Long, By_Boolean, By_Char, By_Short, By_UShort, By_ULong,
                     By_LongLong, By_ULongLong, Own, Own::Choice, Own::Pair, Tree, Trees, Node,
                     Nodes, Row, Matrix, Names, Cell, Board, Code, Few, Bounded, Amount, Fraction,
                     Item, Items, Many, Samples>(from, to);
}

/// Copies the value, and the values of its anys, into new anys; AnyData::Unknown if these tests do
/// not have the type.
inline CORBA::Any repack(const CORBA::Any& from) {
  using namespace AnyData;
  CORBA::Any to;
  const bool is_known =
      !from.has_value() || move_data(from, to) ||
      move_one_of<bool, char, wchar_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                  std::uint32_t, std::int64_t, std::uint64_t, float, double, long double,
                  std::string, std::wstring, TypeCodeReference, Anys, Octets, Longs, LongLongs,
                  Doubles, Texts, WideTexts, TwoAnys, AnyTable, Wide, Links, Nest, CORBA::Any,
                  PeerReference, ObjectReference>(from, to);
  if (!is_known) throw Unknown(from.type());
  return to;
}

template <typename T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

template <typename T>
T value_in(const CORBA::Any& any) {
  T value{};
  if (!(any >>= value)) throw AnyData::Unknown(any.type());
  return value;
}

inline AnyData::Anys pack(const Data::Samples& samples) {
  AnyData::Anys anys;
  Data::Samples::_visit(
      samples, [&anys](std::string_view, const auto& member) { anys.push_back(any_of(member)); });
  return anys;
}

inline Data::Samples unpack(const AnyData::Anys& anys) {
  Data::Samples samples;
  std::size_t index = 0;
  Data::Samples::_visit(samples, [&]<typename T>(std::string_view, T& member) {
    member = value_in<T>(anys.at(index++));
  });
  return samples;
}

class AnyDataServant final : public CORBA::servant_traits<AnyData::Peer>::base_type {
 public:
  explicit AnyDataServant(std::function<void()> on_quit) : on_quit_(std::move(on_quit)) {}

  CORBA::Any repack(const CORBA::Any& a, CORBA::Any& b, CORBA::Any& c) override {
    c = interop::repack(b);
    b = interop::repack(a);
    return b;
  }
  AnyData::Anys pack(const Data::Samples& samples) override { return interop::pack(samples); }
  Data::Samples unpack(const AnyData::Anys& anys) override { return interop::unpack(anys); }
  CORBA::Any pack_wide(const AnyData::Wide& value) override { return any_of(value); }
  AnyData::Wide unpack_wide(const CORBA::Any& any) override { return value_in<AnyData::Wide>(any); }
  CORBA::Any pack_links(const AnyData::Links& value) override { return any_of(value); }
  AnyData::Links unpack_links(const CORBA::Any& any) override {
    return value_in<AnyData::Links>(any);
  }
  Data::Samples sample(std::int32_t seed) override { return make_samples(seed); }
  void quit() override { on_quit_(); }

 private:
  std::function<void()> on_quit_;
};

}  // namespace interop
