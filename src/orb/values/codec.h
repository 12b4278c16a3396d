// The initial reference CodecFactory.
#pragma once

#include <perigee/cdr/errors.h>
#include <perigee/orb/object.h>

#include <memory>

namespace perigee::orb {

class ReferenceFactory;

/// `orb` makes the references in decoded values, `limits` apply to these values.
[[nodiscard]] CORBA::object_reference<CORBA::Object> make_codec_factory(
    std::shared_ptr<ReferenceFactory> orb, const cdr::Limits& limits);

}  // namespace perigee::orb
