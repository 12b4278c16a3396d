// An environment of decoders with value factories, without an ORB.
#pragma once

#include "orb/values/reference_factory.h"
#include "orb/values/value_factories.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/value_marshalling.h>

#include <doctest/doctest.h>

#include <bit>
#include <memory>
#include <string_view>

namespace perigee::test {

/// Has no ORB, so no object references.
class ValueEnvironment : public orb::ReferenceFactory {
 public:
  ValueEnvironment() = default;
  virtual ~ValueEnvironment() = default;
  ValueEnvironment(const ValueEnvironment&) = delete;
  ValueEnvironment& operator=(const ValueEnvironment&) = delete;

  counted_ptr<orb::Reference> make_reference(iop::Ior /*ior*/) override { return nullptr; }
  [[nodiscard]] const iop::IorLimits& reference_limits() const noexcept override { return limits_; }
  [[nodiscard]] CORBA::ValueFactory find_value_factory(std::string_view id) override {
    return factories_.find(id);
  }
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override { return shared_; }
  void refuse_cycles() noexcept { accepts_value_cycles_ = false; }
  [[nodiscard]] orb::ValueFactories& factories() noexcept { return factories_; }

 private:
  iop::IorLimits limits_;
  orb::ValueFactories factories_;
  // Shared by nothing that outlives this object.
  std::shared_ptr<ReferenceFactory> shared_{this, [](ValueEnvironment*) {}};
};

/// A message with `start` octets, and the encoded values after them.
template <typename... Values>
Octets encode_values(std::endian order, std::size_t start, const Values&... values) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  for (std::size_t count = 0; count < start; ++count) encoder.write(std::uint8_t{0xee});
  {
    const value::Writing writing(encoder);
    (void)(encoder << ... << values);
  }
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// The result of `decode_values` if octets are left. No decoder has this error.
constexpr cdr::ErrorKind octets_left = cdr::ErrorKind::bound_exceeded;

/// Decodes `values`, and returns the error, or `none`.
template <typename... Values>
cdr::ErrorKind decode_values(ValueEnvironment& known, OctetSpan octets, std::endian order,
                             std::size_t start, Values&... values) {
  cdr::Decoder decoder(octets, order, start);
  decoder.set_environment(&known);
  {
    const value::Reading reading(decoder);
    (void)(decoder >> ... >> values);
  }
  if (decoder.ok() && decoder.remaining() != 0) return octets_left;
  return decoder.error().kind;
}

}  // namespace perigee::test
