// The base of generated coroutine clients (…Async.h, …Async.cpp).
#pragma once

#include <perigee/async/call.h>
#include <perigee/orb/mapping.h>

namespace CORBA {
inline namespace perigee_v1 {

// `async_traits` of an interface has these types:
// - `client_type`: the type that `_async()` returns;
// - the classes of operations with several results, such as `get_quote_results`;
// - for servants (…AsyncS.h): `base_type` (the skeleton to derive from), `ref_type` and
//   `weak_ref_type`.

template <typename T>
class weak_servant_reference;

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::async {

/// Base of generated clients. It points to the object that the client calls, but does not own it. A
/// client is valid as long as the reference from which it was made. Calls hold references of their
/// own.
class Client {
 public:
  [[nodiscard]] const CORBA::Object& _target() const noexcept { return *target_; }

 protected:
  /// The default constructor is for the base classes of a client. This class is a virtual base, so
  /// only the most derived class sets the object.
  Client() noexcept = default;
  explicit Client(const CORBA::Object& target) noexcept : target_(&target) {}

 private:
  const CORBA::Object* target_ = nullptr;
};

}  // namespace perigee::async
