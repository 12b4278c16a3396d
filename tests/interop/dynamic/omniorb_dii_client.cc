// Dynamic calls of omniORB, to Interop::Peer.
#include "interop/checks.h"
#include "interop.hh"
#include <omniORB4/CORBA.h>

#include <fstream>
#include <string>

namespace {

void check_echo(CORBA::Object_ptr peer) {
  CORBA::Request_var request = peer->_request("echo_long");
  request->add_in_arg("a") <<= CORBA::Long(7);
  request->add_inout_arg("b") <<= CORBA::Long(8);
  request->add_out_arg("c") <<= CORBA::Long(0);
  request->set_return_type(CORBA::_tc_long);
  request->invoke();
  CHECK(request->env()->exception() == nullptr);
  CORBA::Long result = 0;
  CORBA::Long b = 0;
  CORBA::Long c = 0;
  CHECK(request->return_value() >>= result);
  CHECK(*request->arguments()->item(1)->value() >>= b);
  CHECK(*request->arguments()->item(2)->value() >>= c);
  CHECK(result == 7);
  CHECK(b == 7);
  CHECK(c == 8);
}

void check_exception(CORBA::Object_ptr peer, CORBA::ORB_ptr orb) {
  CORBA::StructMemberSeq members;
  members.length(0);
  CORBA::TypeCode_var empty = orb->create_exception_tc("IDL:Interop/Empty:1.0", "Empty", members);
  CORBA::Request_var request = peer->_request("refuse");
  request->add_in_arg("code") <<= CORBA::Long(0);
  request->exceptions()->add(empty);
  request->set_return_type(CORBA::_tc_void);
  bool is_raised = false;
  try {
    request->invoke();
    is_raised = CORBA::UnknownUserException::_downcast(request->env()->exception()) != nullptr;
  } catch (CORBA::UnknownUserException&) {
    is_raised = true;
  }
  CHECK(is_raised);
}

void check_deferred(CORBA::Object_ptr peer) {
  CORBA::Request_var request = peer->_request("whoami");
  request->add_in_arg("greeting") <<= "deferred";
  request->set_return_type(CORBA::_tc_string);
  request->send_deferred();
  request->get_response();
  const char* result = nullptr;
  CHECK(request->return_value() >>= result);
  CHECK(result != nullptr && std::string(result).find("deferred, I am ") == 0);
}

void quit(CORBA::Object_ptr peer) {
  CORBA::Request_var request = peer->_request("quit");
  request->send_oneway();
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    std::string ior;
    std::ifstream(argv[1]) >> ior;
    CORBA::Object_var peer = orb->string_to_object(ior.c_str());
    check_echo(peer);
    check_exception(peer, orb);
    check_deferred(peer);
    quit(peer);
    orb->destroy();
    return interop::finish("omniORB DII client");
  } catch (CORBA::Exception& exception) {
    std::cerr << "omniorb_dii_client: " << exception._name() << '\n';
    return 1;
  }
}
