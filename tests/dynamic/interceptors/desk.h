// A server and a client with interceptors, in one process.
#pragma once

#include "deskAmhS.h"
#include "deskAmiC.h"
#include "deskAsync.h"
#include "deskAsyncS.h"
#include "deskS.h"
#include "dynamic/interceptors/planned.h"
#include <perigee/corba.h>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

using Initialize = std::function<void(const PortableInterceptor::ORBInitializer::Info& info)>;
using ClerkRef = IDL::traits<Desk::Clerk>::ref_type;
using Clients = std::vector<std::map<std::string, ClientAction>>;
using Servers = std::vector<std::map<std::string, ServerAction>>;

/// Makes an ORB whose initializer calls `pre_init` and `post_init`.
CORBA::object_reference<CORBA::ORB> make_orb(const std::string& name,
                                             std::vector<std::string> arguments,
                                             Initialize pre_init, Initialize post_init = nullptr);

/// A clerk that refuses negative numbers, and raises NO_PERMISSION for `forbidden`.
inline constexpr std::int32_t forbidden = 1000;
std::int32_t twice_or_raise(std::int32_t value);

enum class Kind : std::uint8_t { plain, deferred, coroutine };
using ServantRef = CORBA::servant_reference<PortableServer::Servant>;
/// `noted` counts the oneways.
ServantRef make_clerk(Kind kind, std::atomic<int>& noted);

/// The actions of the interceptors, one map for each interceptor. Both ORBs have the client
/// interceptors, since the server makes collocated calls.
struct Plan {
  Clients clients = {{}};
  Servers servers = {{}};
  Initialize client_init = nullptr;
  Initialize server_init = nullptr;
  std::vector<std::string> client_options = {};
};

/// The interceptors have the names "client 1", "client 2", …, "server 1", ….
struct DeskOrbs {
  explicit DeskOrbs(const Plan& plan = {}, Kind kind = Kind::plain,
                    const std::vector<std::string>& server_options = {});
  ~DeskOrbs();
  DeskOrbs(const DeskOrbs&) = delete;
  DeskOrbs& operator=(const DeskOrbs&) = delete;

  /// The client's reference to a servant of the server.
  ClerkRef serve(const ServantRef& servant);
  /// Waits until `count` oneways have arrived.
  void await_notes(int count);

  Log log;
  std::atomic<int> noted{0};
  CORBA::object_reference<CORBA::ORB> server;
  CORBA::object_reference<CORBA::ORB> client;
  CORBA::object_reference<PortableServer::POA> poa;
  ClerkRef clerk;        ///< the client's reference
  ClerkRef local_clerk;  ///< the server's own reference: its calls are collocated
};

/// The lines of one interceptor's points, in order: "client 1 send_request twice".
using Lines = std::vector<std::string>;

}  // namespace perigee::test
