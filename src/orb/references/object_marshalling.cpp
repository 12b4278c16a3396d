// Object references in CDR.
#include "orb/references/reference.h"
#include "orb/values/reference_factory.h"
#include <perigee/orb/marshalling.h>

#include <cstdint>
#include <utility>

namespace perigee::stub {

namespace {

constexpr std::uint64_t memory_of_profiles = 4;  // for each octet of a reference, at most

}  // namespace

void encode_object(cdr::Encoder& encoder, const CORBA::Object* object) {
  if (object == nullptr) return iop::encode(encoder, iop::Ior{});
  if (!object->_reference()) return encoder.fail(cdr::ErrorKind::local_object);
  object->_reference()->use_ior([&encoder](const iop::Ior& ior) { iop::encode(encoder, ior); });
}

counted_ptr<orb::Reference> decode_reference(cdr::Decoder& decoder) {
  iop::Ior ior;
  decoder.count_object();
  const std::size_t before = decoder.remaining();
  orb::ReferenceFactory* const factory = orb::ReferenceFactory::from(decoder.environment());
  iop::decode(decoder, ior, factory != nullptr ? factory->reference_limits() : iop::IorLimits{});
  if (decoder.ok()) decoder.charge(memory_of_profiles * (before - decoder.remaining()));
  if (!decoder.ok() || ior.is_nil()) return nullptr;
  if (factory != nullptr) return factory->make_reference(std::move(ior));
  decoder.fail(cdr::ErrorKind::bad_value);  // no ORB that could use the reference
  return nullptr;
}

}  // namespace perigee::stub
