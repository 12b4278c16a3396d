// Interop::Peer as a Perigee servant, used by the server and, for call-backs, by the client.
#pragma once

#include "interopC.h"
#include "interopS.h"
#include <perigee/corba.h>

#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace interop {

/// c = old b, b = a, returns a.
template <typename T>
T echo(const T& a, T& b, T& c) {
  c = std::exchange(b, a);
  return a;
}

class PeerServant : public CORBA::servant_traits<Interop::Peer>::base_type {
 public:
  using PeerReference = IDL::traits<Interop::Peer>::ref_type;
  using ObjectReference = IDL::traits<CORBA::Object>::ref_type;

  PeerServant(std::string name, std::function<void()> on_quit)
      : name_(std::move(name)), on_quit_(std::move(on_quit)) {}

  std::string whoami(const std::string& greeting) override { return greeting + ", I am " + name_; }
  std::string preferences(const std::string& who, std::int32_t& count,
                          IDL::traits<CORBA::Context>::ref_type context) override {
    std::string text = who + ": ";
    CORBA::ContextValues values;
    try {
      values = context->get_values("", 0, "*");
    } catch (const CORBA::BAD_CONTEXT&) {  // the request has no properties
    }
    for (const auto& [name, value] : values) text.append(name + "=" + value + ";");
    count = static_cast<std::int32_t>(values.size());
    return text;
  }
  std::int32_t level() override { return level_; }
  void level(std::int32_t value) override { level_ = value; }
  std::string name() override { return name_; }

  void nothing() override {}

#define BASIC(NAME, TYPE) \
  TYPE NAME(TYPE a, TYPE& b, TYPE& c) override { return echo<TYPE>(a, b, c); }
#define VARIABLE(NAME, TYPE) \
  TYPE NAME(const TYPE& a, TYPE& b, TYPE& c) override { return echo<TYPE>(a, b, c); }
  BASIC(echo_boolean, bool)
  BASIC(echo_char, char)
  BASIC(echo_octet, std::uint8_t)
  BASIC(echo_short, std::int16_t)
  BASIC(echo_ushort, std::uint16_t)
  BASIC(echo_long, std::int32_t)
  BASIC(echo_ulong, std::uint32_t)
  BASIC(echo_longlong, std::int64_t)
  BASIC(echo_ulonglong, std::uint64_t)
  BASIC(echo_float, float)
  BASIC(echo_double, double)
  BASIC(echo_colour, Interop::Colour)
  VARIABLE(echo_string, std::string)
  VARIABLE(echo_point, Interop::Point)
  VARIABLE(echo_person, Interop::Person)
  VARIABLE(echo_octets, Interop::Octets)
  VARIABLE(echo_longs, Interop::Longs)
  VARIABLE(echo_doubles, Interop::Doubles)
  VARIABLE(echo_booleans, Interop::Booleans)
  VARIABLE(echo_names, Interop::Names)
  VARIABLE(echo_colours, Interop::Colours)
  VARIABLE(echo_points, Interop::Points)
  VARIABLE(echo_people, Interop::People)
  VARIABLE(echo_matrix, Interop::Matrix)
  VARIABLE(echo_peers, Interop::Peers)
  VARIABLE(echo_contacts, Interop::Contacts)
  BASIC(echo_peer, PeerReference)
  BASIC(echo_object, ObjectReference)
#undef BASIC
#undef VARIABLE

  void reach(const Interop::Contact& contact) override { throw Interop::Unreachable(contact); }
  std::int32_t digest(std::span<const std::uint8_t> data, std::span<const double> numbers,
                      std::string_view text, double& sum, std::string& copy) override {
    sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    copy = text;
    return static_cast<std::int32_t>(data.size());
  }

  Interop::Person owner() override { return owner_; }
  void owner(const Interop::Person& value) override { owner_ = value; }

  void refuse(std::int32_t code) override {
    if (code == 0) throw Interop::Empty();
    throw Interop::Refused("because", code, Interop::Point(1, code, -2, 0.5));
  }
  void forbid() override { throw CORBA::NO_PERMISSION(77, CORBA::COMPLETED_NO); }
  void stumble() override { throw std::runtime_error("no CORBA exception"); }

  void note(std::int32_t number) override {
    ++notes_;
    sum_ += number;
  }
  std::int32_t notes(std::int32_t& sum) override {
    sum = sum_;
    return notes_;
  }

  std::string relay(PeerReference other, const std::string& greeting) override {
    return other->whoami(greeting);
  }
  PeerReference forwarder() override { return forwarder_; }
  void set_forwarder(PeerReference forwarder) { forwarder_ = std::move(forwarder); }
  PeerReference nil_peer() override { return nullptr; }
  void quit() override { on_quit_(); }

 private:
  std::string name_;
  std::function<void()> on_quit_;
  std::int32_t level_ = 0;
  Interop::Person owner_;
  std::int32_t notes_ = 0;
  std::int32_t sum_ = 0;
  PeerReference forwarder_;
};

}  // namespace interop
