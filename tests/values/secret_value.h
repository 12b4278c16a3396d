// A custom valuetype: its state on the wire is what this class writes.
#pragma once

#include "valuesC.h"
#include <perigee/orb/make_reference.h>

#include <algorithm>
#include <functional>
#include <string>

namespace perigee::test {

/// Writes its text backwards, as octets. `more` writes or reads something else after it.
class SecretValue final : public virtual OBV_Ledger::Secret {
 public:
  void marshal(CORBA::DataOutputStream::_ref_type os) override {
    std::string reversed(text().rbegin(), text().rend());
    os->write_ulong(static_cast<std::uint32_t>(reversed.size()));
    os->write_octet_array(CORBA::OctetSeq(reversed.begin(), reversed.end()), 0,
                          static_cast<std::uint32_t>(reversed.size()));
    os->write_Value(where());
    if (more_output) more_output(*os);
    kept_output = os;
  }
  void unmarshal(CORBA::DataInputStream::_ref_type is) override {
    CORBA::OctetSeq octets;
    is->read_octet_array(octets, 0, is->read_ulong());
    text(std::string(octets.rbegin(), octets.rend()));
    where(IDL::traits<Ledger::Node>::narrow(is->read_Value()));
    if (more_input) more_input(*is);
  }

  std::function<void(CORBA::DataOutputStream&)> more_output;
  CORBA::DataOutputStream::_ref_type kept_output;
  static inline std::function<void(CORBA::DataInputStream&)> more_input;
};

class SecretFactory final : public Ledger::Secret_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<SecretValue>();
  }
};

}  // namespace perigee::test
