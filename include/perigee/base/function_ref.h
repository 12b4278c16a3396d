// A non-owning reference to a callable. Does not allocate; the callable must outlive the call.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace perigee {

template <typename Signature>
class function_ref;

/// Refers to a callable for the length of a call. May be empty (`nullptr`).
template <typename Result, typename... Args>
class function_ref<Result(Args...)> {
 public:
  function_ref(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)

  template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
             requires(Callable& callable, Args... args) { callable(std::forward<Args>(args)...); })
  function_ref(Callable&& callable) noexcept  // NOLINT(google-explicit-constructor)
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Args>(args)...);
        }) {}

  explicit operator bool() const noexcept { return call_ != nullptr; }
  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_ = nullptr;
  Result (*call_)(void*, Args...) = nullptr;
};

}  // namespace perigee
