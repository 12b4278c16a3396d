// The socket file is the permission: only the server's user and root can open it.
#include "administration.h"

#include "call_limit.h"
#include "reach.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>
#include <perigee/transport/local.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace perigee::tool {

namespace {

/// An error with a text for the user.
class AdministrationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The argument has the form of the server's option, or is a path.
std::string socket_path(const std::string& server) {
  constexpr std::string_view scheme = "uiop://";
  const std::string path = server.starts_with(scheme) ? server.substr(scheme.size()) : server;
  if (path.empty() || path.starts_with('@') || path.find("://") != std::string::npos)
    throw AdministrationFailure(
        "'" + printable(server) +
        "' is not the path of a socket file; write the path of the server's "
        "-ORBAdministration, like /run/bank/operator or uiop:///run/bank/operator");
  return std::filesystem::absolute(path).string();
}

// Connects once before the call, because the connector gives the best error text for the socket
// file.
void check_reached(CORBA::ORB& orb, const transport::Endpoint& endpoint, double timeout_s) {
  const auto reached =
      protocols(orb).connector(endpoint.scheme)->connect(endpoint, to_milliseconds(timeout_s));
  if (!reached) throw AdministrationFailure(printable(explain(reached.error())));
}

// A corbaloc could not contain all characters of a path.
std::string reference_to(const std::string& path) {
  iop::ProfileBody body;
  body.host = transport::local_host_name();
  body.address = path;
  for (const char character : std::string_view("Administration"))
    body.object_key.push_back(static_cast<std::byte>(character));
  return iop::to_ior_string({.type_id = "IDL:Perigee/Administration:1.0",
                             .profiles = {transport::make_local_codec()->encode(body)}});
}

AdministrationRef administration_of(CORBA::ORB& orb, const AdministrationAccess& access) {
  const std::string path = socket_path(access.server);
  check_reached(orb, {"uiop", path}, access.timeout_s);
  return IDL::traits<Perigee::Administration>::unchecked_narrow(
      orb.string_to_object(reference_to(path)));
}

std::string no_answer(double seconds) {
  std::ostringstream text;
  text << "no reply within " << seconds
       << " s; the server may still be working, since loading runs code of the plug-in. `perigee "
          "protocols list` shows the result later; --timeout sets a longer limit";
  return text.str();
}

// An error text names the socket only if another program may listen at it.
void call_server(CORBA::ORB& orb, const AdministrationAccess& access,
                 const AdministrationAct& act) {
  try {
    limit_calls(orb, access.timeout_s);
    act(administration_of(orb, access));
  } catch (const Perigee::Refused& refused) {
    throw AdministrationFailure(printable(refused.reason()));
  } catch (const CORBA::TIMEOUT&) {
    throw AdministrationFailure(no_answer(access.timeout_s));
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    throw AdministrationFailure("the server at " + printable(access.server) +
                                " has its -ORBAdministration at another socket file, or none");
  } catch (const CORBA::BAD_OPERATION&) {
    throw AdministrationFailure(
        "the server has another version of Perigee: use the `perigee` of that version");
  } catch (const CORBA::COMM_FAILURE&) {
    throw AdministrationFailure(
        "the connection ended before the reply: the server has stopped, or " +
        printable(access.server) + " is not the socket of an ORB");
  } catch (const CORBA::TRANSIENT& exception) {
    throw AdministrationFailure("the server cannot be reached: " + exception.detail());
  }
}

}  // namespace

std::string call_administration(const AdministrationAccess& access, const AdministrationAct& act) {
  // The command reads no configuration file. The file may be the server's own, and would make this
  // ORB open the socket of the server, too. The client trusts any user at the path that the
  // operator names, because the server may belong to another user.
  std::vector<std::string> options{"-ORBConfigFile", "/dev/null", "-ORBUiopTrust", "all,/,@"};
  const auto orb = CORBA::ORB_init(options, "perigee administration");
  std::string complaint;
  try {
    call_server(*orb, access, act);
  } catch (const std::exception& failure) {
    complaint = failure.what();
  }
  orb->destroy();
  return complaint;
}

}  // namespace perigee::tool
