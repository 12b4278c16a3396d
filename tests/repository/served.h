// A repository in one ORB, and a client of it in another, which talk over TCP.
#pragma once

#include "compat/two_orbs.h"
#include <perigee/repository.h>
#include <perigee/repository/server.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace perigee::test {

template <typename T>
using Ref = CORBA::object_reference<T>;

struct Served {
  explicit Served(const repository::Options& options = {}) : Served(options, {}) {}
  Served(const repository::Options& options, const std::vector<std::string>& of_client)
      : orbs("thread-pool", {}, of_client), server(orbs.server, options) {
    repository = IDL::traits<CORBA::Repository>::narrow(
        orbs.client->string_to_object(orbs.server->object_to_string(server.reference())));
    REQUIRE(repository);
  }

  [[nodiscard]] Ref<CORBA::IDLType> primitive(CORBA::PrimitiveKind kind) const {
    return repository->get_primitive(kind);
  }
  [[nodiscard]] Ref<CORBA::IDLType> long_type() const {
    return primitive(CORBA::PrimitiveKind::pk_long);
  }
  [[nodiscard]] Ref<CORBA::IDLType> void_type() const {
    return primitive(CORBA::PrimitiveKind::pk_void);
  }
  /// A member. The server ignores its TypeCode.
  [[nodiscard]] static CORBA::StructMember member(const std::string& name,
                                                  const Ref<CORBA::IDLType>& type) {
    return CORBA::StructMember(name, CORBA::_tc_void, type);
  }
  [[nodiscard]] Ref<CORBA::StructDef> make_struct(const std::string& name) const {
    return repository->create_struct("IDL:" + name + ":1.0", name, "1.0",
                                     {member("x", long_type()), member("y", long_type())});
  }
  [[nodiscard]] Ref<CORBA::InterfaceDef> make_interface(
      const std::string& name, const CORBA::InterfaceDefSeq& bases = {}) const {
    return repository->create_interface("IDL:" + name + ":1.0", name, "1.0", bases);
  }

  TwoOrbs orbs;
  repository::Server server;
  Ref<CORBA::Repository> repository;
};

/// The minor code of the OMG in the exception of the call; -1 if there is none.
template <typename Exception, typename Call>
std::int64_t minor_of(Call call) {
  try {
    call();
  } catch (const Exception& exception) {
    return exception.minor() & 0xfff;
  }
  return -1;
}

}  // namespace perigee::test
