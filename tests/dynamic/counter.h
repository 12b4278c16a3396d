// A servant with a skeleton, for dynamic calls, and the types of its interface.
#pragma once

#include "deskA.h"
#include "deskS.h"
#include <perigee/corba.h>
#include <perigee/orb/context.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace perigee::test {

class CounterServant : public CORBA::servant_traits<Desk::Counter>::base_type {
 public:
  std::int32_t level() override { return level_; }
  void level(std::int32_t level) override { level_ = level; }
  std::int32_t add(std::int32_t a, std::int32_t& b, std::int32_t& c) override {
    c = b;
    b = a;
    return a + c;
  }
  Desk::Entries list(const Desk::Entries& entries, const CORBA::Any& more,
                     CORBA::Any& back) override {
    back = more;
    return entries;
  }
  Desk::Node::_ref_type chain(Desk::Node::_ref_type first, Desk::Node::_ref_type second,
                              Desk::Node::_ref_type& again) override {
    first->next(second);
    again = second;
    return first;
  }
  Desk::Node::_ref_type pair(Desk::Node::_ref_type node, const CORBA::Any& more,
                             CORBA::Any& again) override {
    again = more;
    return node;
  }
  Desk::Couple join(const Desk::Couple& first, Desk::Node::_ref_type node,
                    const Desk::Couple& second, CORBA::Any& again) override {
    if (first.right() != node || second.left() != node || second.right() != first.left())
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the nodes are not shared");
    again <<= second;
    return first;
  }
  void refuse(std::int32_t number) override {
    if (number < 0) throw Desk::Lost(number);
    throw Desk::Refused("number " + std::to_string(number), Desk::Entry{"entry", 0.5});
  }
  void fail() override { throw CORBA::NO_PERMISSION(77, CORBA::COMPLETED_NO); }
  void note(std::int32_t number) override { noted_ += number; }
  std::string languages(IDL::traits<CORBA::Context>::ref_type context) override {
    std::string text;
    for (const auto& [name, value] : context->get_values("", 0, "*")) text += value + ";";
    return text;
  }
  [[nodiscard]] std::int32_t noted() const noexcept { return noted_; }

 private:
  std::atomic<std::int32_t> level_{0};
  std::atomic<std::int32_t> noted_{0};
};

/// An any of the value.
template <typename T>
CORBA::Any any_of(T value) {
  CORBA::Any any;
  any <<= value;
  return any;
}
/// The value of the any; a default value if it has another type.
template <typename T>
T value_of(const CORBA::Any& any) {
  T value{};
  (void)(any >>= value);
  return value;
}

}  // namespace perigee::test
