// The gateway for AnyInterop::Peer.
#include "any_interopA.h"
#include "gateway.h"

namespace {

interop::Signatures signatures_of_peer() {
  using namespace AnyInterop;  // NOLINT(google-build-using-namespace)
  interop::Signatures all;
  all.add_echo("echo_any", CORBA::_tc_any);
  all.add_echo("echo_anys", _tc_Anys);
  all.add_echo("echo_parcel", _tc_Parcel);
  all.add_echo("echo_type", CORBA::_tc_TypeCode);
  all.add_echo("echo_types", _tc_TypeCodes);
  all.add("repack", {{"value", CORBA::_tc_any}}, CORBA::_tc_any);
  all.add("type_of", {{"value", CORBA::_tc_any}}, CORBA::_tc_TypeCode);
  all.add("fail", {{"culprit", CORBA::_tc_any}}).raises = {_tc_Failure};
  all.add("quit").is_oneway = true;
  return all;
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::run_gateway(argc, argv, AnyInterop::Peer::_type_id, signatures_of_peer());
}
