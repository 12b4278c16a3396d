// The environment of decoders of requests that refuses cycles of values.
#pragma once

#include "orb/values/reference_factory.h"

#include <memory>
#include <utility>

namespace perigee::orb {

/// Like the environment of the ORB, but a value may not refer to a value that contains it. Any
/// thread.
class RequestEnvironment final : public ReferenceFactory {
 public:
  /// `orb` must outlive this object, and must be complete.
  explicit RequestEnvironment(ReferenceFactory& orb) noexcept : orb_(orb) {
    sequence_memory_ = orb.sequence_memory();
    decoded_budget_ = orb.decoded_budget();
    checks_utf_8_ = orb.checks_utf_8();
    accepts_value_cycles_ = false;
  }
  [[nodiscard]] counted_ptr<Reference> make_reference(iop::Ior ior) override {
    return orb_.make_reference(std::move(ior));
  }
  [[nodiscard]] const iop::IorLimits& reference_limits() const noexcept override {
    return orb_.reference_limits();
  }
  [[nodiscard]] CORBA::ValueFactory find_value_factory(std::string_view id) override {
    return orb_.find_value_factory(id);
  }
  /// The result is this environment: anys keep it, and also refuse cycles when they are extracted.
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override {
    return std::shared_ptr<ReferenceFactory>(orb_.share(), this);
  }

 private:
  ReferenceFactory& orb_;
};

}  // namespace perigee::orb
