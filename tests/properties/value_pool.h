// Random values of random valuetypes. Members refer to values that were made before, so values are
// shared, but form no cycles.
#pragma once

#include "random_value.h"
#include "random_valuetypesA.h"
#include <perigee/orb/make_reference.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

using AnyValue = CORBA::valuetype_reference<CORBA::ValueBase>;

class ValuePool final {
 public:
  explicit ValuePool(RandomValues& random) : random_(random) {}

  void add(AnyValue value) { values_.push_back(std::move(value)); }
  [[nodiscard]] const Rolled::All& values() const noexcept { return values_; }

  /// Calls `set` with a random value of the type of a member.
  template <typename T, typename Set>
  void fill(const T& /*member*/, Set set) {
    T value{};
    choose(value);
    set(std::move(value));
  }

 private:
  template <typename T>
  void choose(T& value) {
    random_.fill(value, 2);
  }
  void choose(Rolled::BoxedText::_ref_type& box) {
    choose_box<Rolled::BoxedText, std::string>(box);
  }
  void choose(Rolled::BoxedLongs::_ref_type& box) {
    choose_box<Rolled::BoxedLongs, std::vector<std::int32_t>>(box);
  }
  void choose(Rolled::Values& values) {
    values.resize(random_.below(4));
    for (Rolled::V0::_ref_type& value : values) choose(value);
  }
  /// Null, or a value that was made before.
  template <typename T>
  void choose(CORBA::valuetype_reference<T>& value) {
    std::vector<CORBA::valuetype_reference<T>> found(1);
    for (const AnyValue& each : values_)
      if (auto cast = dynamic_counted_cast<T>(each._shared())) found.emplace_back(std::move(cast));
    value = found[random_.below(found.size())];
  }
  template <typename Box, typename T>
  void choose_box(typename Box::_ref_type& box) {
    if (random_.below(4) == 0) return;
    T value;
    random_.fill(value, 1);
    box = CORBA::make_reference<Box>(std::move(value));
  }

  RandomValues& random_;
  Rolled::All values_;
};

}  // namespace perigee::test
