// The exceptions in AMH exception holders (…AmhS.h).
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>

#include <exception>
#include <type_traits>
#include <utility>

namespace perigee::skeleton {

/// The contents of an exception holder: an exception to reply with. Copies share it.
class PERIGEE_API HeldException {
 public:
  /// A copy of the exception, with its type.
  template <typename Exception>
    requires std::is_base_of_v<CORBA::Exception, std::remove_cvref_t<Exception>>
  explicit HeldException(Exception&& exception) {
    if constexpr (std::is_final_v<std::remove_cvref_t<Exception>>)
      exception_ = std::make_exception_ptr(std::forward<Exception>(exception));
    else
      exception_ = copy_of(exception);
  }
  /// Null counts as UNKNOWN.
  explicit HeldException(std::exception_ptr exception) noexcept
      : exception_(std::move(exception)) {}

  [[nodiscard]] const std::exception_ptr& _exception() const noexcept { return exception_; }
  /// Throws the exception.
  [[noreturn]] void _raise_exception() const;

 private:
  [[nodiscard]] static std::exception_ptr copy_of(const CORBA::Exception& exception);

  std::exception_ptr exception_;
};

}  // namespace perigee::skeleton
