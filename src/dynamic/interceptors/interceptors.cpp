// The exceptions of portable interceptors, and the destructors of their interfaces.
#include "orb/values/local_exception.h"
#include <perigee/dynamic/interceptors.h>
#include <perigee/orb/stub.h>

namespace PortableInterceptor {
inline namespace perigee_v1 {

PERIGEE_DEFINE_LOCAL_EXCEPTION(InvalidSlot, InvalidSlot,
                               "IDL:omg.org/PortableInterceptor/InvalidSlot:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(ORBInitInfo::InvalidName, InvalidName,
                               "IDL:omg.org/PortableInterceptor/ORBInitInfo/InvalidName:1.0")

ForwardRequest::~ForwardRequest() = default;
const char* ForwardRequest::_rep_id() const noexcept {
  return "IDL:omg.org/PortableInterceptor/ForwardRequest:1.0";
}
const char* ForwardRequest::_name() const noexcept { return "ForwardRequest"; }
void ForwardRequest::_raise() const { throw *this; }
void ForwardRequest::_encode(perigee::cdr::Encoder& encoder) const {
  perigee::stub::encode_object(encoder, forward_.get());
}

ORBInitInfo::DuplicateName::~DuplicateName() = default;
const char* ORBInitInfo::DuplicateName::_rep_id() const noexcept {
  return "IDL:omg.org/PortableInterceptor/ORBInitInfo/DuplicateName:1.0";
}
const char* ORBInitInfo::DuplicateName::_name() const noexcept { return "DuplicateName"; }
void ORBInitInfo::DuplicateName::_raise() const { throw *this; }
void ORBInitInfo::DuplicateName::_encode(perigee::cdr::Encoder& encoder) const {
  encoder.write_string(name_);
}

Interceptor::~Interceptor() = default;
RequestInfo::~RequestInfo() = default;
ClientRequestInfo::~ClientRequestInfo() = default;
ClientRequestInterceptor::~ClientRequestInterceptor() = default;
ServerRequestInfo::~ServerRequestInfo() = default;
ServerRequestInterceptor::~ServerRequestInterceptor() = default;
Current::~Current() = default;
PolicyFactory::~PolicyFactory() = default;
IORInfo::~IORInfo() = default;
IORInterceptor::~IORInterceptor() = default;
ORBInitInfo::~ORBInitInfo() = default;
ORBInitializer::~ORBInitializer() = default;

}  // namespace perigee_v1
}  // namespace PortableInterceptor
