// AnyInterop::Peer as a Perigee servant.
#pragma once

#include "any_interopA.h"
#include "any_interopS.h"
#include <perigee/corba.h>

#include <functional>
#include <string>
#include <utility>

namespace interop {

using TypeCodeReference = IDL::traits<CORBA::TypeCode>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;

/// Takes a T out of `from` and puts it into `to`; false if `from` has no T.
template <typename T>
bool move_value(const CORBA::Any& from, CORBA::Any& to) {
  T value{};
  if (!(from >>= value)) return false;
  to <<= std::move(value);
  return true;
}

template <typename... Types>
CORBA::Any repack_as(const CORBA::Any& from) {
  CORBA::Any to;
  (void)(move_value<Types>(from, to) || ...);
  return to;
}

inline CORBA::Any repack(const CORBA::Any& from) {
  using namespace AnyInterop;
  return repack_as<bool, char, wchar_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double, long double,
                   std::string, std::wstring, Colour, Point, Person, Octets, Doubles, Names, People,
                   Blobs, Anys, TypeCodes, Tree, Parcel, Failure, CORBA::Any, TypeCodeReference,
                   IDL::traits<Peer>::ref_type, ObjectReference>(from);
}

class AnyServant final : public CORBA::servant_traits<AnyInterop::Peer>::base_type {
 public:
  explicit AnyServant(std::function<void()> on_quit) : on_quit_(std::move(on_quit)) {}

  CORBA::Any echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any& c) override {
    return echo(a, b, c);
  }
  AnyInterop::Anys echo_anys(const AnyInterop::Anys& a, AnyInterop::Anys& b,
                             AnyInterop::Anys& c) override {
    return echo(a, b, c);
  }
  AnyInterop::Parcel echo_parcel(const AnyInterop::Parcel& a, AnyInterop::Parcel& b,
                                 AnyInterop::Parcel& c) override {
    return echo(a, b, c);
  }
  TypeCodeReference echo_type(TypeCodeReference a, TypeCodeReference& b,
                              TypeCodeReference& c) override {
    return echo(a, b, c);
  }
  AnyInterop::TypeCodes echo_types(const AnyInterop::TypeCodes& a, AnyInterop::TypeCodes& b,
                                   AnyInterop::TypeCodes& c) override {
    return echo(a, b, c);
  }
  CORBA::Any repack(const CORBA::Any& value) override { return interop::repack(value); }
  TypeCodeReference type_of(const CORBA::Any& value) override { return value.type(); }
  void fail(const CORBA::Any& culprit) override { throw AnyInterop::Failure("because", culprit); }
  void quit() override { on_quit_(); }

 private:
  template <typename T>
  static T echo(const T& a, T& b, T& c) {
    c = std::exchange(b, a);
    return a;
  }

  std::function<void()> on_quit_;
};

}  // namespace interop
