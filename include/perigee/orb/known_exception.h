// The user exceptions that have TypeCodes in this program. The ORB inserts them into an any without
// knowing their classes. Generated …A.cpp files include this header. Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <concepts>
#include <string_view>

namespace perigee::any {

/// Copies `exception` into `any`, with its TypeCode. False, without a change of `any`, if the
/// exception is of another class than E. Throws std::bad_alloc.
template <std::derived_from<CORBA::UserException> E>
bool insert_exception(CORBA::Any& any, const CORBA::UserException& exception) {
  const auto* const known = dynamic_cast<const E*>(&exception);
  if (known == nullptr) return false;
  any <<= *known;
  return true;
}

/// Lists a class of user exceptions, as long as the object lives. Any thread.
///
/// A static object in the generated files for any. Stubs and skeletons do not depend on these
/// files, so no other code can give the class to the ORB. The constructor allocates no memory.
class PERIGEE_API KnownException {
 public:
  using Inserter = bool (*)(CORBA::Any& any, const CORBA::UserException& exception);

  /// `repository_id` must outlive the object.
  KnownException(std::string_view repository_id, Inserter inserter) noexcept;
  ~KnownException();
  KnownException(const KnownException&) = delete;
  KnownException& operator=(const KnownException&) = delete;

  /// Copies `exception` into `any`, if its class is listed. Otherwise returns false and leaves
  /// `any` unchanged. Throws std::bad_alloc.
  [[nodiscard]] static bool insert(CORBA::Any& any, const CORBA::UserException& exception);

 private:
  const std::string_view repository_id_;
  const Inserter inserter_;
  KnownException* next_ = nullptr;      // guarded by the lock of the list, as `previous_`
  KnownException* previous_ = nullptr;  // null: the first of the list
};

}  // namespace perigee::any
