// An environment of decoders with the factories of Ledger's valuetypes, without an ORB.
#pragma once

#include "orb/values/reference_factory.h"
#include "orb/values/value_factories.h"
#include "valuesC.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/value_marshalling.h>

#include <doctest/doctest.h>

#include <bit>
#include <memory>
#include <string>
#include <utility>

namespace perigee::test {

class NodeFactory final : public Ledger::Node_init {
 public:
  Ledger::Node::_ref_type make(int32_t id) override {
    Ledger::Node::_ref_type node = CORBA::make_reference<OBV_Ledger::Node>();
    node->id(id);
    return node;
  }
};

/// Calls `add(id, factory)` for each valuetype that the OBV class alone implements.
template <typename Add>
void add_factories(Add add) {
  add(Ledger::Point::_type_id, CORBA::make_reference<Ledger::Point_init>());
  add(Ledger::Named::_type_id, CORBA::make_reference<Ledger::Named_init>());
  add(Ledger::Deep::_type_id, CORBA::make_reference<Ledger::Deep_init>());
  add(Ledger::Plain::_type_id, CORBA::make_reference<Ledger::Plain_init>());
  add(Ledger::Empty::_type_id, CORBA::make_reference<Ledger::Empty_init>());
  add(Ledger::Node::_type_id, CORBA::make_reference<NodeFactory>());
}

/// Has no ORB, so no object references.
class KnownValues final : public orb::ReferenceFactory {
 public:
  KnownValues() {
    add_factories([this](std::string_view id, const CORBA::ValueFactory& factory) {
      factories_.add(std::string(id), factory);
    });
  }
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
  std::shared_ptr<ReferenceFactory> shared_{this, [](KnownValues*) {}};
};

/// The encoded values, `start` octets behind the start of the message, with those octets.
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
cdr::ErrorKind decode_values(KnownValues& known, OctetSpan octets, std::endian order,
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

inline Ledger::Point::_ref_type make_point(int32_t x, double y) {
  return CORBA::make_reference<OBV_Ledger::Point>(x, y);
}
inline Ledger::Named::_ref_type make_named(int32_t x, double y, std::string name) {
  return CORBA::make_reference<OBV_Ledger::Named>(x, y, std::move(name), uint16_t{7});
}
inline Ledger::Node::_ref_type make_node(int32_t id, Ledger::Node::_ref_type next = nullptr) {
  return CORBA::make_reference<OBV_Ledger::Node>(id, std::move(next), Ledger::Nodes());
}

}  // namespace perigee::test
