// The exceptions and destructors of the module DynamicAny.
#include "orb/values/local_exception.h"
#include <perigee/dynamic/dynamic_any.h>

namespace DynamicAny {
inline namespace perigee_v1 {

DynAny::~DynAny() = default;
DynFixed::~DynFixed() = default;
DynEnum::~DynEnum() = default;
DynMembers::~DynMembers() = default;
DynStruct::~DynStruct() = default;
DynUnion::~DynUnion() = default;
DynElements::~DynElements() = default;
DynSequence::~DynSequence() = default;
DynArray::~DynArray() = default;
DynValueCommon::~DynValueCommon() = default;
DynValue::~DynValue() = default;
DynValueBox::~DynValueBox() = default;
DynAnyFactory::~DynAnyFactory() = default;

#define PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION(CLASS, NAME, ID) \
  PERIGEE_DEFINE_LOCAL_EXCEPTION(CLASS, NAME, ID)             \
  void CLASS::_describe(std::string& text) const {            \
    text += (ID);                                             \
    if (!text_.empty()) text += ": " + text_;                 \
  }
PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION(DynAny::InvalidValue, InvalidValue,
                                     "IDL:omg.org/DynamicAny/DynAny/InvalidValue:1.0")
PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION(DynAny::TypeMismatch, TypeMismatch,
                                     "IDL:omg.org/DynamicAny/DynAny/TypeMismatch:1.0")
PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION(
    DynAnyFactory::InconsistentTypeCode, InconsistentTypeCode,
    "IDL:omg.org/DynamicAny/DynAnyFactory/InconsistentTypeCode:1.0")
PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION(MustTruncate, MustTruncate,
                                     "IDL:omg.org/DynamicAny/MustTruncate:1.0")
#undef PERIGEE_DEFINE_DYNAMIC_ANY_EXCEPTION

}  // namespace perigee_v1
}  // namespace DynamicAny
