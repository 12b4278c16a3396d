// Servants in the C++11 mapping: the base of skeletons, counted references, traits.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perigee {
template <typename T>
class Tied;  // <perigee/poa/tie.h>: included by code that uses ties
namespace orb {
class ServerRequest;
}
}  // namespace perigee

namespace PortableServer {
inline namespace perigee_v1 {
class POA;
class Servant;
}  // namespace perigee_v1
}  // namespace PortableServer

namespace CORBA {
inline namespace perigee_v1 {

template <typename T>
class weak_servant_reference;

/// A counted reference to a servant. The application's references and the POAs in which the servant
/// is active own it. Using a null reference raises INV_OBJREF.
template <typename T>
class servant_reference {
 public:
  using element_type = T;

  servant_reference() noexcept = default;
  servant_reference(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit servant_reference(perigee::counted_ptr<T> servant) noexcept
      : servant_(std::move(servant)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  servant_reference(  // NOLINT(google-explicit-constructor)
      const servant_reference<U>& other) noexcept
      : servant_(other._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  servant_reference(  // NOLINT(google-explicit-constructor)
      servant_reference<U>&& other) noexcept
      : servant_(std::move(other)._shared()) {}

  [[nodiscard]] T* operator->() const {
    if (!servant_) _raise_nil_reference();
    return servant_.get();
  }
  [[nodiscard]] T& operator*() const { return *operator->(); }
  [[nodiscard]] T* get() const noexcept { return servant_.get(); }
  explicit operator bool() const noexcept { return servant_ != nullptr; }
  void reset() noexcept { servant_.reset(); }
  void swap(servant_reference& other) noexcept { servant_.swap(other.servant_); }
  friend void swap(servant_reference& a, servant_reference& b) noexcept { a.swap(b); }
  [[nodiscard]] weak_servant_reference<T> weak_reference() const noexcept {
    return weak_servant_reference<T>(*this);
  }
  [[nodiscard]] const perigee::counted_ptr<T>& _shared() const& noexcept { return servant_; }
  [[nodiscard]] perigee::counted_ptr<T> _shared() && noexcept { return std::move(servant_); }

  template <typename U>
  friend bool operator==(const servant_reference& a, const servant_reference<U>& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const servant_reference& a, std::nullptr_t) noexcept {
    return !a.servant_;
  }

 private:
  perigee::counted_ptr<T> servant_;
};

/// Does not keep the servant alive.
template <typename T>
class weak_servant_reference {
 public:
  weak_servant_reference() noexcept = default;
  weak_servant_reference(const servant_reference<T>& strong) noexcept  // NOLINT
      : servant_(strong._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_servant_reference(  // NOLINT(google-explicit-constructor)
      const servant_reference<U>& strong) noexcept
      : servant_(strong._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_servant_reference(  // NOLINT(google-explicit-constructor)
      const weak_servant_reference<U>& other) noexcept
      : servant_(other._shared()) {}
  [[nodiscard]] servant_reference<T> lock() const noexcept {
    return servant_reference<T>(servant_.lock());
  }
  [[nodiscard]] bool expired() const noexcept { return servant_.expired(); }
  void reset() noexcept { servant_.reset(); }
  void swap(weak_servant_reference& other) noexcept { servant_.swap(other.servant_); }
  friend void swap(weak_servant_reference& a, weak_servant_reference& b) noexcept { a.swap(b); }
  friend bool operator==(const weak_servant_reference& a, std::nullptr_t) noexcept {
    return a.expired();
  }
  [[nodiscard]] const perigee::weak_counted_ptr<T>& _shared() const noexcept { return servant_; }

 private:
  perigee::weak_counted_ptr<T> servant_;
};

/// For an interface, generated code specialises this with: `base_type` (the skeleton to derive
/// from), `ref_type`, `weak_ref_type`. For a class of servants, these types name the class itself.
template <typename T>
struct servant_traits;
template <typename T>
  requires(requires { sizeof(T); } && std::is_base_of_v<PortableServer::Servant, T>)
struct servant_traits<T> {
  using base_type = T;
  using ref_type = servant_reference<T>;
  using weak_ref_type = weak_servant_reference<T>;

  /// The servant as a T, or null if the servant is not a T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const servant_reference<U>& servant) {
    if (!servant) return nullptr;
    return ref_type(perigee::dynamic_counted_cast<T>(servant._shared()));
  }
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace PortableServer {
inline namespace perigee_v1 {

/// Base of all skeletons. A servant may serve several objects and POAs. Several threads may call it
/// at once, unless its POA's thread policy or the ORB's thread strategy excludes this.
class PERIGEE_API Servant : public virtual perigee::counted_from_this {
 public:
  virtual ~Servant();
  Servant(const Servant&) = delete;
  Servant& operator=(const Servant&) = delete;

  /// The POA for implicit activation by `_this`: the Root POA unless overridden.
  virtual CORBA::object_reference<POA> _default_POA();
  /// Whether the servant's interface is the named one, or derives from it.
  virtual bool _is_a(const std::string& repository_id);
  virtual bool _non_existent();
  /// The definition of the interface, a CORBA::InterfaceDef of <perigee/repository.h>: the reply to
  /// `_get_interface` of a reference. Unless overridden, asks the Interface Repository that the ORB
  /// of the upcall has as the initial reference `InterfaceRepository`, and blocks for this call.
  /// Raises INTF_REPOS: OMG minor 1 outside of upcalls, without a repository and if the call fails;
  /// OMG minor 2 if the repository does not know the interface. Source: CORBA 3.0, 4.3.2.
  virtual CORBA::object_reference<CORBA::Object> _get_interface();
  /// Repository id of the most derived interface.
  [[nodiscard]] virtual std::string_view _primary_interface() const noexcept = 0;

  /// Decodes the arguments, calls the servant's function and replies. Generated. May throw any
  /// exception: the adapter catches it.
  virtual void _dispatch(perigee::orb::ServerRequest& request) = 0;

  /// A reference to this servant; null in its constructor, in its destructor, and if it was not
  /// made by CORBA::make_reference.
  [[nodiscard]] CORBA::servant_reference<Servant> _self() noexcept {
    return CORBA::servant_reference<Servant>(counted(*this));
  }
  /// The same, under the name that TAOX11 has for it.
  [[nodiscard]] CORBA::servant_reference<Servant> _lock() noexcept { return _self(); }

 protected:
  Servant() = default;
};

}  // namespace perigee_v1
}  // namespace PortableServer

namespace perigee::skeleton {
/// `_this()` of every skeleton. In an upcall on this servant, it is a reference to the object of
/// the upcall. Otherwise it is the result of `servant_to_reference` of `_default_POA()`: the only
/// active object of the servant, or a new object by implicit activation. Raises the exceptions of
/// `servant_to_reference` (PortableServer::POA::ServantNotActive and WrongPolicy). Raises
/// OBJ_ADAPTER if CORBA::make_reference has not made the servant.
PERIGEE_API CORBA::object_reference<CORBA::Object> reference_to_this(
    PortableServer::Servant& servant);
}  // namespace perigee::skeleton
