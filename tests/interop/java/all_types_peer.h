// AllTypes::Peer as a Perigee servant, for the server and for the call-backs to the client.
#pragma once

#include "all_typesA.h"
#include "all_typesS.h"
#include "all_types_samples.h"
#include <perigee/corba.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace interop {

using PeerReference = IDL::traits<AllTypes::Peer>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;
using TypeCodeReference = IDL::traits<CORBA::TypeCode>::ref_type;

/// An any for each member, in their order.
template <typename Samples>
AllTypes::Anys pack_members(const Samples& samples) {
  AllTypes::Anys anys;
  Samples::_visit(samples, [&anys](std::string_view, const auto& member) {
    CORBA::Any any;
    any <<= member;
    anys.push_back(any);
  });
  return anys;
}

/// BAD_PARAM, with the name of the member in its text, if an any has another type.
template <typename Samples>
Samples unpack_members(const AllTypes::Anys& anys) {
  Samples samples;
  std::size_t index = 0;
  Samples::_visit(samples, [&](std::string_view name, auto& member) {
    if (index >= anys.size() || !(anys.at(index++) >>= member))
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_YES, "no value of " + std::string(name));
  });
  return samples;
}

/// The code points of a text in UTF-8, where a character has one to four octets.
inline AllTypes::CodePoints code_points_of_utf8(const std::string& text) {
  AllTypes::CodePoints points;
  for (const char letter : text) {
    const auto octet = static_cast<unsigned char>(letter);
    if (octet < 0x80)
      points.push_back(octet);
    else if (octet < 0xc0)
      points.back() = points.back() << 6 | (octet & 0x3fU);
    else
      points.push_back(octet & (octet < 0xe0 ? 0x1fU : octet < 0xf0 ? 0x0fU : 0x07U));
  }
  return points;
}

inline std::string utf8_of(const AllTypes::CodePoints& points) {
  std::string text;
  for (const std::uint32_t point : points) {
    if (point < 0x80) {
      text += static_cast<char>(point);
      continue;
    }
    const int following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const std::uint32_t first_octet = following == 1 ? 0xc0 : following == 2 ? 0xe0 : 0xf0;
    text += static_cast<char>(first_octet | point >> (6 * following));
    for (int left = following - 1; left >= 0; --left)
      text += static_cast<char>(0x80 | (point >> (6 * left) & 0x3f));
  }
  return text;
}

class AllTypesServant final : public CORBA::servant_traits<AllTypes::Peer>::base_type {
 public:
  AllTypesServant(std::string name, std::function<void()> on_quit)
      : name_(std::move(name)), on_quit_(std::move(on_quit)) {}

  void set_references(PeerReference forwarder, PeerReference gone) {
    forwarder_ = std::move(forwarder);
    gone_ = std::move(gone);
  }

  AllTypes::Samples samples(std::int32_t seed) override { return make_samples(seed); }
  AllTypes::WideSamples wide_samples(std::int32_t seed) override { return make_wide_samples(seed); }
  AllTypes::FixedSamples fixed_samples(std::int32_t seed) override {
    return make_fixed_samples(seed);
  }

#define BY_VALUE(NAME, TYPE)                                                                    \
  AllTypes::TYPE echo_##NAME(AllTypes::TYPE a, AllTypes::TYPE& b, AllTypes::TYPE& c) override { \
    return echo<AllTypes::TYPE>(a, b, c);                                                       \
  }
#define BY_REFERENCE(NAME, TYPE)                                                            \
  AllTypes::TYPE echo_##NAME(const AllTypes::TYPE& a, AllTypes::TYPE& b, AllTypes::TYPE& c) \
      override {                                                                            \
    return echo<AllTypes::TYPE>(a, b, c);                                                   \
  }
  PERIGEE_BASIC_TYPES(BY_VALUE)
  PERIGEE_OTHER_TYPES(BY_REFERENCE)
  PERIGEE_WIDE_TYPES(BY_REFERENCE)
  PERIGEE_FIXED_TYPES(BY_REFERENCE)
  BY_REFERENCE(samples, Samples)
  BY_REFERENCE(parcel, Parcel)
  BY_REFERENCE(peers, Peers)
#undef BY_VALUE
#undef BY_REFERENCE
  wchar_t echo_wide_letter(wchar_t a, wchar_t b, wchar_t& c) override {
    c = b;
    return a;
  }
  std::wstring echo_wide_text(const std::wstring& a, const std::wstring& b,
                              std::wstring& c) override {
    c = b;
    return a;
  }
  AllTypes::WideCode echo_wide_code(const AllTypes::WideCode& a, const AllTypes::WideCode& b,
                                    AllTypes::WideCode& c) override {
    c = b;
    return a;
  }
  CORBA::Any echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any& c) override {
    return echo<CORBA::Any>(a, b, c);
  }
  TypeCodeReference echo_type(TypeCodeReference a, TypeCodeReference& b,
                              TypeCodeReference& c) override {
    return echo<TypeCodeReference>(a, b, c);
  }
  PeerReference echo_peer(PeerReference a, PeerReference& b, PeerReference& c) override {
    return echo<PeerReference>(a, b, c);
  }
  ObjectReference echo_object(ObjectReference a, ObjectReference& b, ObjectReference& c) override {
    return echo<ObjectReference>(a, b, c);
  }

  AllTypes::Anys pack(const AllTypes::Samples& values) override { return pack_members(values); }
  AllTypes::Samples unpack(const AllTypes::Anys& values) override {
    return unpack_members<AllTypes::Samples>(values);
  }
  AllTypes::Anys pack_wide(const AllTypes::WideSamples& values) override {
    return pack_members(values);
  }
  AllTypes::WideSamples unpack_wide(const AllTypes::Anys& values) override {
    return unpack_members<AllTypes::WideSamples>(values);
  }
  AllTypes::Anys pack_fixed(const AllTypes::FixedSamples& values) override {
    return pack_members(values);
  }
  AllTypes::FixedSamples unpack_fixed(const AllTypes::Anys& values) override {
    return unpack_members<AllTypes::FixedSamples>(values);
  }

  AllTypes::CodePoints code_points_of(const std::string& text) override {
    return code_points_of_utf8(text);
  }
  std::string text_of(const AllTypes::CodePoints& text) override { return utf8_of(text); }
  AllTypes::CodePoints code_points_of_wide(const std::wstring& text) override {
    return {text.begin(), text.end()};
  }
  std::wstring wide_text_of(const AllTypes::CodePoints& text) override {
    return {text.begin(), text.end()};
  }

  std::int32_t level() override { return level_; }
  void level(std::int32_t value) override { level_ = value; }
  std::string name() override { return name_; }
  std::string whoami(const std::string& greeting) override { return greeting + ", I am " + name_; }

  void refuse(std::int32_t code) override {
    if (code == 0) throw AllTypes::Empty();
    throw AllTypes::Refused("because", code, make_point(code));
  }
  void forbid() override {
    throw CORBA::NO_PERMISSION(77, CORBA::COMPLETED_NO, "only for brokers");
  }
  void stumble() override { throw std::runtime_error("no CORBA exception"); }
  void note(std::int32_t number) override { notes_ += number; }
  std::int32_t notes() override { return notes_; }
  std::string relay(PeerReference other, const std::string& greeting) override {
    return other->whoami(greeting);
  }

  PeerReference nothing() override { return nullptr; }
  PeerReference forwarder() override { return forwarder_; }
  PeerReference gone() override { return gone_; }
  void quit() override { on_quit_(); }

 private:
  /// c = old b, b = a, returns a.
  template <typename T>
  static T echo(const T& a, T& b, T& c) {
    c = std::exchange(b, a);
    return a;
  }

  std::string name_;
  std::function<void()> on_quit_;
  PeerReference forwarder_;
  PeerReference gone_;
  std::atomic<std::int32_t> level_ = 0;
  std::atomic<std::int32_t> notes_ = 0;
};

}  // namespace interop
