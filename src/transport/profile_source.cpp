// The parts that profiles of every tag share.
#include <perigee/transport/transport.h>

namespace perigee::transport {

iop::ProfileBody to_body(const ProfileSource& source) {
  iop::ProfileBody body;
  body.major = source.major;
  body.minor = source.minor;
  body.object_key.assign(source.object_key.begin(), source.object_key.end());
  body.components.assign(source.components.begin(), source.components.end());
  return body;
}

}  // namespace perigee::transport
