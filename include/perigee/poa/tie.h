// The contents of the tie templates of generated skeletons (…S.h). Code that uses ties includes
// this header or <perigee/corba.h>.
#pragma once

#include <perigee/poa/servant.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace perigee {

/// The object to which a tie passes its requests. Any class that has the operations can be its
/// class. The tie shares the ownership of the object, or the application alone owns it.
template <typename T>
class Tied final {
 public:
  /// Standard pointers convert: `make_reference<tie_type<T>>(std::make_shared<T>(…))`.
  template <typename Pointer>
    requires std::is_convertible_v<Pointer, std::shared_ptr<T>>
  Tied(Pointer&& object)  // NOLINT(google-explicit-constructor)
      : object_(std::forward<Pointer>(object)) {}
  /// The caller owns the object, which must outlive the tie.
  explicit Tied(T& object) noexcept : object_(std::shared_ptr<T>(), &object) {}

  [[nodiscard]] T* operator->() const noexcept { return object_.get(); }
  [[nodiscard]] const std::shared_ptr<T>& pointer() const noexcept { return object_; }

 private:
  std::shared_ptr<T> object_;
};

}  // namespace perigee
