// The outcome of a task: its value, or the exception that left it.
#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace perigee::async {

/// A value of type T (void and references too), an exception, or nothing yet.
template <typename T>
class outcome {
  struct Nothing {};
  using Stored = std::conditional_t<
      std::is_void_v<T>, Nothing,
      std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

 public:
  outcome() noexcept = default;

  [[nodiscard]] bool has_value() const noexcept { return held_.index() == 1; }
  /// Null if there is no exception.
  [[nodiscard]] std::exception_ptr error() const noexcept {
    const auto* const error = std::get_if<2>(&held_);
    return error == nullptr ? std::exception_ptr() : *error;
  }
  /// The value. Call it only if there is a value.
  [[nodiscard]] std::add_lvalue_reference_t<T> value() noexcept
    requires(!std::is_void_v<T>)
  {
    if constexpr (std::is_reference_v<T>) {
      return **std::get_if<1>(&held_);
    } else {
      return *std::get_if<1>(&held_);
    }
  }
  /// Moves the value out, or throws the exception. Call it only if the outcome holds one of them.
  T take() {
    if (const auto* const error = std::get_if<2>(&held_)) std::rethrow_exception(*error);
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(value());
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(value());
    }
  }

  template <typename U>
    requires(!std::is_void_v<T>)
  void set_value(U&& value) {
    if constexpr (std::is_reference_v<T>) {
      held_.template emplace<1>(std::addressof(value));
    } else {
      held_.template emplace<1>(std::forward<U>(value));
    }
  }
  void set_value() noexcept
    requires std::is_void_v<T>
  {
    held_.template emplace<1>();
  }
  void set_error(std::exception_ptr error) noexcept { held_.template emplace<2>(std::move(error)); }

 private:
  std::variant<std::monostate, Stored, std::exception_ptr> held_;
};

}  // namespace perigee::async
