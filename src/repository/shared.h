// The data that all servants of one repository share: the store with its lock, the POA, and the
// right to write.
#pragma once

#include "repository/store.h"
#include "repository/type_codes.h"
#include <perigee/poa/peer_current.h>
#include <perigee/poa/poa.h>
#include <perigee/repository/embedded_octets.h>

#include <memory>
#include <mutex>
#include <vector>

namespace perigee::repository {

/// Any thread. The lock is held only during calls of the store and of the POA, and never during
/// calls of other objects.
class Shared final {
 public:
  Shared(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options);

  /// The POA of the objects. Set once, before the first request.
  void serve_from(CORBA::object_reference<PortableServer::POA> poa) { poa_ = std::move(poa); }
  [[nodiscard]] const CORBA::object_reference<PortableServer::POA>& poa() const { return poa_; }

  /// The repository itself.
  [[nodiscard]] CORBA::object_reference<CORBA::Repository> repository();
  /// Adds the definitions that a program brings. Raises the exceptions of EmbeddedReader.
  void load(const std::vector<Embedded>& descriptions);
  /// The kind of the definition with this object id. Raises OBJECT_NOT_EXIST.
  [[nodiscard]] Kind kind_of(const PortableServer::ObjectId& id);
  /// A reference to the object of a definition; nil for nullptr. The caller must hold the lock.
  template <typename T>
  [[nodiscard]] CORBA::object_reference<T> reference(const Definition* definition) const {
    if (definition == nullptr) return nullptr;
    return IDL::traits<T>::unchecked_narrow(object(*definition));
  }
  /// The definition of an object of this repository. Raises BAD_PARAM for nil, for objects of other
  /// servers, and for destroyed objects. The caller must hold the lock.
  [[nodiscard]] Definition& definition(const CORBA::object_reference<CORBA::Object>& object);

 private:
  friend class Access;
  [[nodiscard]] CORBA::object_reference<CORBA::Object> object(const Definition& definition) const;
  [[nodiscard]] bool may_write() const;

  std::mutex mutex_;
  Store store_;
  const Writers writers_;
  CORBA::object_reference<PortableServer::POA> poa_;
  CORBA::object_reference<PortableServer::Current> current_;
  CORBA::object_reference<PeerCurrent> peer_;
};

/// One request: holds the lock, and knows the definition of the request's object.
class Access final {
 public:
  enum class Right { read, write };
  /// Raises NO_PERMISSION for Right::write if the client may not write, and OBJECT_NOT_EXIST if the
  /// definition has been destroyed.
  Access(Shared& shared, Right right);

  [[nodiscard]] Definition& operator*() const noexcept { return *definition_; }
  [[nodiscard]] Definition* operator->() const noexcept { return definition_; }
  [[nodiscard]] Store& store() const noexcept { return shared_.store_; }
  [[nodiscard]] Shared& shared() const noexcept { return shared_; }

  /// Calls `change`, and checks the definition and the types that depend on it afterwards. If an
  /// exception is thrown, the definition keeps its former state.
  template <typename Change>
  void change(Change&& change) const {
    Details former = *definition_;
    try {
      change(*definition_);
      store().changed();
      check(*definition_);
      check_dependent_types(store(), *definition_);
      store().replaced(*definition_, former);
    } catch (...) {
      static_cast<Details&>(*definition_) = std::move(former);
      store().changed();
      throw;
    }
  }
  /// Moves the definition. Checks the types that depend on a valuetype that gets a member.
  void move(Definition& container, const NewName& name) const;
  /// Puts a prepared definition into the store, if it passes the checks.
  Definition& commit(std::unique_ptr<Definition> prepared) const;
  Definition& commit_anonymous(std::unique_ptr<Definition> prepared) const;

 private:
  void check(Definition& definition) const;
  /// Checks the types that depend on a valuetype, as if it had the new member.
  void check_with(Definition& value, Definition& member) const;

  Shared& shared_;
  std::unique_lock<std::mutex> lock_;
  Definition* definition_;
};

}  // namespace perigee::repository
