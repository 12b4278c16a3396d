// Events as octets, for a store.
#pragma once

#include <perigee/orb/any.h>
#include <perigee/orb/codec.h>
#include <perigee/orb/orb.h>

#include <optional>
#include <string>
#include <string_view>

namespace perigee::events {

/// Any thread.
class EventCodec {
 public:
  explicit EventCodec(const CORBA::object_reference<CORBA::ORB>& orb);

  /// The type and the value, as an encapsulation. Raises BAD_PARAM for a value that has no such
  /// form: a valuetype or a local object.
  [[nodiscard]] std::string encode(const CORBA::Any& data) const;
  /// The opposite of `encode`. std::nullopt if the octets are damaged, or beyond the limits of the
  /// ORB.
  [[nodiscard]] std::optional<CORBA::Any> decode(std::string_view octets) const;

 private:
  const CORBA::object_reference<IOP::Codec> codec_;
};

}  // namespace perigee::events
