// The table of servants.
#include "repository/servants.h"

#include "repository/interface_servants.h"
#include "repository/member_servants.h"
#include "repository/type_servants.h"

namespace perigee::repository {

CORBA::servant_reference<PortableServer::Servant> make_servant(Kind kind, Shared& shared) {
  const auto make = [&shared]<typename T>() -> CORBA::servant_reference<PortableServer::Servant> {
    return CORBA::make_reference<T>(shared);
  };
  switch (kind) {
    case Kind::dk_Repository:
      return make.template operator()<RepositoryServant>();
    case Kind::dk_Module:
      return make.template operator()<ModuleServant>();
    case Kind::dk_Constant:
      return make.template operator()<ConstantServant>();
    case Kind::dk_Struct:
      return make.template operator()<StructServant>();
    case Kind::dk_Union:
      return make.template operator()<UnionServant>();
    case Kind::dk_Enum:
      return make.template operator()<EnumServant>();
    case Kind::dk_Alias:
      return make.template operator()<AliasServant<POA::CORBA::AliasDef>>();
    case Kind::dk_ValueBox:
      return make.template operator()<AliasServant<POA::CORBA::ValueBoxDef>>();
    case Kind::dk_Native:
      return make.template operator()<NativeServant>();
    case Kind::dk_Primitive:
      return make.template operator()<PrimitiveServant>();
    case Kind::dk_String:
      return make.template operator()<StringServant<POA::CORBA::StringDef>>();
    case Kind::dk_Wstring:
      return make.template operator()<StringServant<POA::CORBA::WstringDef>>();
    case Kind::dk_Fixed:
      return make.template operator()<FixedServant>();
    case Kind::dk_Sequence:
      return make.template operator()<SequenceServant>();
    case Kind::dk_Array:
      return make.template operator()<ArrayServant>();
    case Kind::dk_Exception:
      return make.template operator()<ExceptionServant>();
    case Kind::dk_Attribute:
      return make.template operator()<AttributeServant>();
    case Kind::dk_Operation:
      return make.template operator()<OperationServant>();
    case Kind::dk_Interface:
      return make.template operator()<InterfaceServant<POA::CORBA::ExtInterfaceDef>>();
    case Kind::dk_AbstractInterface:
      return make.template operator()<InterfaceServant<POA::CORBA::ExtAbstractInterfaceDef>>();
    case Kind::dk_LocalInterface:
      return make.template operator()<InterfaceServant<POA::CORBA::ExtLocalInterfaceDef>>();
    case Kind::dk_Value:
      return make.template operator()<ValueServant>();
    case Kind::dk_ValueMember:
      return make.template operator()<ValueMemberServant>();
    default:
      return nullptr;
  }
}

}  // namespace perigee::repository
