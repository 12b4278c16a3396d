// The gateway for Interop::Peer.
#include "gateway.h"
#include "interopA.h"

namespace {

interop::Signatures signatures_of_peer() {
  using namespace Interop;  // NOLINT(google-build-using-namespace)
  interop::Signatures all;
  all.add("whoami", {{"greeting", CORBA::_tc_string}}, CORBA::_tc_string);
  all.add_attribute("level", CORBA::_tc_long);
  all.add("_get_name", {}, CORBA::_tc_string);
  all.add("nothing");
  all.add_echo("echo_boolean", CORBA::_tc_boolean);
  all.add_echo("echo_char", CORBA::_tc_char);
  all.add_echo("echo_octet", CORBA::_tc_octet);
  all.add_echo("echo_short", CORBA::_tc_short);
  all.add_echo("echo_ushort", CORBA::_tc_ushort);
  all.add_echo("echo_long", CORBA::_tc_long);
  all.add_echo("echo_ulong", CORBA::_tc_ulong);
  all.add_echo("echo_longlong", CORBA::_tc_longlong);
  all.add_echo("echo_ulonglong", CORBA::_tc_ulonglong);
  all.add_echo("echo_float", CORBA::_tc_float);
  all.add_echo("echo_double", CORBA::_tc_double);
  all.add_echo("echo_string", CORBA::_tc_string);
  all.add_echo("echo_colour", _tc_Colour);
  all.add_echo("echo_point", _tc_Point);
  all.add_echo("echo_person", _tc_Person);
  all.add_echo("echo_octets", _tc_Octets);
  all.add_echo("echo_longs", _tc_Longs);
  all.add_echo("echo_doubles", _tc_Doubles);
  all.add_echo("echo_booleans", _tc_Booleans);
  all.add_echo("echo_names", _tc_Names);
  all.add_echo("echo_colours", _tc_Colours);
  all.add_echo("echo_points", _tc_Points);
  all.add_echo("echo_people", _tc_People);
  all.add_echo("echo_matrix", _tc_Matrix);
  all.add_echo("echo_peer", _tc_Peer);
  all.add_echo("echo_object", CORBA::_tc_Object);
  all.add_echo("echo_peers", _tc_Peers);
  all.add_echo("echo_contacts", _tc_Contacts);
  all.add("reach", {{"whom", _tc_Contact}}).raises = {_tc_Empty, _tc_Unreachable};
  all.add("digest",
          {{"data", _tc_Octets},
           {"numbers", _tc_Doubles},
           {"text", CORBA::_tc_string},
           {"sum", CORBA::_tc_double, CORBA::ARG_OUT},
           {"copy", CORBA::_tc_string, CORBA::ARG_OUT}},
          CORBA::_tc_long);
  all.add_attribute("owner", _tc_Person);
  all.add("refuse", {{"code", CORBA::_tc_long}}).raises = {_tc_Refused, _tc_Empty};
  all.add("forbid");
  all.add("stumble");
  all.add("note", {{"number", CORBA::_tc_long}}).is_oneway = true;
  all.add("notes", {{"sum", CORBA::_tc_long, CORBA::ARG_OUT}}, CORBA::_tc_long);
  all.add("preferences", {{"who", CORBA::_tc_string}, {"count", CORBA::_tc_long, CORBA::ARG_OUT}},
          CORBA::_tc_string)
      .contexts = {"user", "lang*"};
  all.add("relay", {{"other", _tc_Peer}, {"greeting", CORBA::_tc_string}}, CORBA::_tc_string);
  all.add("forwarder", {}, _tc_Peer);
  all.add("nil_peer", {}, _tc_Peer);
  all.add("quit").is_oneway = true;
  return all;
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::run_gateway(argc, argv, Interop::Peer::_type_id, signatures_of_peer());
}
