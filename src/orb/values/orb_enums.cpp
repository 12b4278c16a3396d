// The TypeCodes of the enums of orb.idl.
#include <perigee/orb/orb_enums.h>

#include <iterator>

namespace perigee::any {

namespace {

constexpr cdr::TypeMember kinds[] = {{"tk_null"},
                                     {"tk_void"},
                                     {"tk_short"},
                                     {"tk_long"},
                                     {"tk_ushort"},
                                     {"tk_ulong"},
                                     {"tk_float"},
                                     {"tk_double"},
                                     {"tk_boolean"},
                                     {"tk_char"},
                                     {"tk_octet"},
                                     {"tk_any"},
                                     {"tk_TypeCode"},
                                     {"tk_Principal"},
                                     {"tk_objref"},
                                     {"tk_struct"},
                                     {"tk_union"},
                                     {"tk_enum"},
                                     {"tk_string"},
                                     {"tk_sequence"},
                                     {"tk_array"},
                                     {"tk_alias"},
                                     {"tk_except"},
                                     {"tk_longlong"},
                                     {"tk_ulonglong"},
                                     {"tk_longdouble"},
                                     {"tk_wchar"},
                                     {"tk_wstring"},
                                     {"tk_fixed"},
                                     {"tk_value"},
                                     {"tk_value_box"},
                                     {"tk_native"},
                                     {"tk_abstract_interface"},
                                     {"tk_local_interface"},
                                     {"tk_component"},
                                     {"tk_home"},
                                     {"tk_event"}};
static_assert(std::size(kinds) == cdr::standard_kinds);

constexpr cdr::TypeMember override_types[] = {{"SET_OVERRIDE"}, {"ADD_OVERRIDE"}};
constexpr cdr::TypeMember modes[] = {{"PARAM_IN"}, {"PARAM_OUT"}, {"PARAM_INOUT"}};

}  // namespace

constinit const cdr::TypeNode _type_TCKind{
    .kind = cdr::TypeKind::tk_enum,
    .id = "IDL:omg.org/CORBA/TCKind:1.0",
    .name = "TCKind",
    .members = kinds,
};

constinit const cdr::TypeNode _type_SetOverrideType{
    .kind = cdr::TypeKind::tk_enum,
    .id = "IDL:omg.org/CORBA/SetOverrideType:1.0",
    .name = "SetOverrideType",
    .members = override_types,
};

constinit const cdr::TypeNode _type_ParameterMode{
    .kind = cdr::TypeKind::tk_enum,
    .id = "IDL:omg.org/CORBA/ParameterMode:1.0",
    .name = "ParameterMode",
    .members = modes,
};

}  // namespace perigee::any
