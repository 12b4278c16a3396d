// IORTable: names for references, which clients use as `corbaloc::host:port/Name`. The interface is
// that of TAO. A program gets the table by `resolve_initial_references("IORTable")`.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_exception.h>
#include <perigee/orb/local_object.h>

#include <string>
#include <string_view>

namespace IORTable {
inline namespace perigee_v1 {

PERIGEE_LOCAL_EXCEPTION(AlreadyBound)
PERIGEE_LOCAL_EXCEPTION(NotFound)
/// Finds references for names that are not in the table. Called by the threads that serve requests,
/// several at once.
class PERIGEE_API Locator : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<Locator>;
  static constexpr std::string_view _type_id = "IDL:IORTable/Locator:1.0";
  ~Locator() override;

  /// A reference in text form. Raises NotFound.
  virtual std::string locate(const std::string& object_key) = 0;

 protected:
  Locator() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }
};

/// Has names for references. If a request's whole object key is a name of the table, the client is
/// forwarded to the reference of that name (LOCATION_FORWARD). Any thread.
class PERIGEE_API Table : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<Table>;
  static constexpr std::string_view _type_id = "IDL:IORTable/Table:1.0";
  ~Table() override;

  /// `ior`: a reference in text form. Raises AlreadyBound; BAD_PARAM like string_to_object.
  virtual void bind(const std::string& object_key, const std::string& ior) = 0;
  virtual void rebind(const std::string& object_key, const std::string& ior) = 0;
  /// Raises NotFound.
  virtual void unbind(const std::string& object_key) = 0;
  /// Sets the locator. While it is nil, as at the start, names that are not in the table are
  /// unknown.
  virtual void set_locator(CORBA::object_reference<Locator> the_locator) = 0;

 protected:
  Table() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }
};

}  // namespace perigee_v1
}  // namespace IORTable

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<IORTable::Locator> : perigee::stub::local_interface_traits<IORTable::Locator> {};
template <>
struct traits<IORTable::Table> : perigee::stub::local_interface_traits<IORTable::Table> {};
}  // namespace perigee_v1
}  // namespace IDL
