// The codec of the ORB, for GIOP 1.2.
#include "services/events/event_codec.h"

#include <perigee/orb/exceptions.h>

#include <cstdint>
#include <vector>

namespace perigee::events {

namespace {

CORBA::object_reference<IOP::Codec> codec_of(const CORBA::object_reference<CORBA::ORB>& orb) {
  return IDL::traits<IOP::CodecFactory>::narrow(orb->resolve_initial_references("CodecFactory"))
      ->create_codec(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 2));
}

}  // namespace

EventCodec::EventCodec(const CORBA::object_reference<CORBA::ORB>& orb) : codec_(codec_of(orb)) {}

std::string EventCodec::encode(const CORBA::Any& data) const {
  try {
    const std::vector<std::uint8_t> octets = codec_->encode(data);
    return {octets.begin(), octets.end()};
  } catch (const IOP::Codec::InvalidTypeForEncoding&) {
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "a durable channel cannot keep this event: it has a valuetype or a "
                           "local object");
  }
}

std::optional<CORBA::Any> EventCodec::decode(std::string_view octets) const {
  try {
    return codec_->decode(std::vector<std::uint8_t>(octets.begin(), octets.end()));
  } catch (const IOP::Codec::FormatMismatch&) {
    return std::nullopt;
  } catch (const CORBA::SystemException&) {  // beyond a limit
    return std::nullopt;
  }
}

}  // namespace perigee::events
