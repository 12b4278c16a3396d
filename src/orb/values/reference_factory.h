// The part of an ORB that decoders need: it makes object references.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/cdr/decoder.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/value.h>

#include <memory>
#include <string_view>

namespace perigee::orb {

class Reference;

/// The environment of decoders whose values may hold object references. The ORB's core implements
/// it. Any thread.
class ReferenceFactory : public cdr::Environment {
 public:
  /// The factory behind a decoder's environment; nullptr if the decoder has none.
  [[nodiscard]] static ReferenceFactory* from(cdr::Environment* environment) noexcept {
    return static_cast<ReferenceFactory*>(environment);
  }

  /// nullptr for a nil IOR.
  [[nodiscard]] virtual counted_ptr<Reference> make_reference(iop::Ior ior) = 0;
  /// The limits of IORs that come from outside.
  [[nodiscard]] virtual const iop::IorLimits& reference_limits() const noexcept = 0;
  /// The factory of values with that repository id; nil if there is none.
  [[nodiscard]] virtual CORBA::ValueFactory find_value_factory(std::string_view id) = 0;
  /// Keeps the ORB alive as long as the result.
  [[nodiscard]] virtual std::shared_ptr<ReferenceFactory> share() = 0;

 protected:
  ~ReferenceFactory() = default;
};

}  // namespace perigee::orb
