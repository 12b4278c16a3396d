// Endpoints and protocols that the program or the operator adds while a server runs.
#include "runtime/process.h"
#include "runtime/while_making.h"
#include "support/log_lines.h"
#include "support/serve.h"
#include "support/temporary_folder.h"
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>
#include <perigee/transport/local.h>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

/// A reference to the server's object, made now.
iop::Ior reference_of(const EchoServer& server) {
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
  const auto object = poa->servant_to_reference(server.servant);
  return iop::parse_ior_string(server.orb->object_to_string(object)).value();
}

/// The same reference with the socket file profiles only.
std::string by_socket_file(iop::Ior ior) {
  std::erase_if(ior.profiles, [](const iop::TaggedProfile& profile) {
    return profile.tag != transport::tag_perigee_local;
  });
  return iop::to_ior_string(ior);
}

class Refused final : public CORBA::UserException {
 public:
  std::string reason;
  [[nodiscard]] const char* _rep_id() const noexcept override { return "IDL:Perigee/Refused:1.0"; }
  [[nodiscard]] const char* _name() const noexcept override { return "Refused"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder& encoder) const override { encoder.write_string(reason); }
  friend cdr::Decoder& operator>>(cdr::Decoder& decoder, Refused& refused) {
    decoder.read_string(refused.reason);
    return decoder;
  }
};

/// A server with an administration, and its operator.
class Administered {
 public:
  explicit Administered(std::vector<std::string> options = {}) : server(with_file(options)) {}

  /// Calls an operation of the administration. Returns the answer, or the reason of a failure.
  std::string call(std::string_view operation, const std::string& argument) {
    static constexpr stub::RaisedException raises[] = {
        {"IDL:Perigee/Refused:1.0", stub::raise<Refused>}};
    std::string answer;
    try {
      stub::invoke(
          *administration(), {operation, stub::Operation::Kind::twoway, raises},
          [&](cdr::Encoder& encoder) { encoder.write_string(argument); },
          [&](cdr::Decoder& decoder) {
            if (operation == "perigee_listen") decoder.read_string(answer);
          });
    } catch (const Refused& refused) {
      return refused.reason;
    }
    return answer;
  }
  /// "tcp: iiop, local: uiop (unloaded)"
  [[nodiscard]] std::string list() const {
    std::string text;
    stub::invoke(
        *administration(), {"perigee_protocols", stub::Operation::Kind::twoway, {}},
        [](cdr::Encoder& /*encoder*/) {},
        [&](cdr::Decoder& decoder) {
          const auto read_text = [&decoder] {
            std::string read;
            decoder.read_string(read);
            return read;
          };
          for (auto left = decoder.read<std::uint32_t>(); left != 0; --left) {
            text += (text.empty() ? "" : ", ") + read_text() + ":";
            for (auto schemes = decoder.read<std::uint32_t>(); schemes != 0; --schemes)
              text += " " + read_text();
            if (decoder.read<std::uint8_t>() == 0) text += " (unloaded)";
          }
        });
    return text;
  }
  [[nodiscard]] Echo::Ref administration() const {
    return stub::interface_traits<Echo>::unchecked_narrow(
        client.orb->string_to_object("corbaloc:uiop:1.2@" + file() + "|Administration"));
  }
  [[nodiscard]] std::string file() const { return folder.file("administration"); }

  TemporaryFolder folder;
  EchoServer server;
  EchoClient client;

 private:
  std::vector<std::string> with_file(std::vector<std::string> options) {
    options.insert(options.end(), {"-ORBAdministration", "uiop://" + file()});
    return options;
  }
};

}  // namespace

TEST_CASE("a server of any strategy serves at an endpoint that is added while it runs") {
  for (const char* const strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    const EchoServer server({"-ORBThreadStrategy", strategy});
    const EchoClient client;
    CHECK(client.echo(server.reference)->twice(1) == 2);  // it runs
    const transport::Endpoint endpoint{"uiop", folder.file("s")};
    const auto published = listen(*server.orb, endpoint);
    REQUIRE(published.has_value());
    CHECK(to_string(*published).starts_with(to_string(endpoint)));
    const auto ior = reference_of(server);
    CHECK(ior.profiles.size() == 2);
    CHECK(client.echo(by_socket_file(ior))->twice(4) == 8);
    CHECK(client.echo(server.reference)->twice(5) == 10);
    const auto again = listen(*server.orb, endpoint);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().operation == IoOperation::listen);
    CHECK(reference_of(server).profiles.size() == 2);
  }
}

TEST_CASE("an endpoint that is added before the server runs is served when the server runs") {
  for (const char* const strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    const auto orb =
        make_orb({"-ORBThreadStrategy", strategy, "-ORBListenEndpoints", "iiop://127.0.0.1:0"});
    REQUIRE(listen(*orb, {"uiop", folder.file("s")}).has_value());
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto servant = CORBA::make_reference<EchoServant>();
    const auto object = poa->id_to_reference(poa->activate_object(servant));
    poa->the_POAManager()->activate();
    std::jthread runner([orb] { serve(*orb); });
    {
      const EchoClient client;
      const auto ior = iop::parse_ior_string(orb->object_to_string(object)).value();
      CHECK(client.echo(by_socket_file(ior))->twice(4) == 8);
    }
    orb->shutdown(false);
    runner.join();
    orb->destroy();
  }
}

TEST_CASE("an endpoint with an unknown scheme is an error that lists the known schemes") {
  const EchoServer server;
  const auto published = listen(*server.orb, {"none", "x"});
  REQUIRE_FALSE(published.has_value());
  CHECK(published.error().kind == IoErrorKind::unsupported);
  CHECK(to_string(published.error()) ==
        "listen none://x (there are: iiop:// uiop:// shmiop:// diop://): not supported");
}

TEST_CASE("an ORB that was shut down cannot listen") {
  const TemporaryFolder folder;
  const auto orb = make_orb({"-ORBListenEndpoints", "iiop://127.0.0.1:0"});
  orb->shutdown(true);
  CHECK_FALSE(listen(*orb, {"uiop", folder.file("s")}).has_value());
  orb->destroy();
}

TEST_CASE("a server that has served cannot listen after its shutdown, under any strategy") {
  for (const char* const strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    EchoServer server({"-ORBThreadStrategy", strategy});
    {
      const EchoClient client;
      CHECK(client.echo(server.reference)->twice(4) == 8);
    }
    server.orb->shutdown(true);
    const auto refused = listen(*server.orb, {"uiop", folder.file("s")});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().kind == IoErrorKind::interrupted);
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("a plug-in that cannot be loaded makes ORB_init fail, and the error gives the reason") {
  std::string text;
  try {
    const auto orb = make_orb({"-ORBProtocolLibrary", "/nowhere/libnone.so"});
  } catch (const CORBA::INITIALIZE& exception) {
    text = exception.what();
  }
  CHECK(text.find("/nowhere/libnone.so") != std::string::npos);
  CHECK(text.find("No such file or directory") != std::string::npos);
}

TEST_CASE("an error in the use of a value of a configuration file names the place of the value") {
  const TemporaryFolder folder;
  const std::string file = folder.file("orb.toml");
  const auto text_of = [&](const std::string& content) -> std::string {
    std::ofstream(file) << content;
    std::string text = "no error";
    OrbRef orb;
    try {
      orb = make_orb({"-ORBConfigFile", file});
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
          ->servant_to_reference(CORBA::make_reference<EchoServant>());
    } catch (const CORBA::INITIALIZE& exception) {
      text = exception.detail();
    }
    if (orb) orb->destroy();
    return text;
  };
  CHECK(
      text_of("[protocols]\nload = [\"/nowhere/libnone.so\"]\n").ends_with(" (" + file + ":2:9)"));
  CHECK(text_of("[server]\n\nlisten = \"iiop://127.0.0.1:0;tin://can\"\n")
            .find("tin://can (there are: iiop:// uiop:// shmiop:// diop://) (" + file + ":3:10)") !=
        std::string::npos);
  CHECK(
      text_of("[server]\nlisten = [\"uiop:///perigee-nowhere/s\"]\n").find("(" + file + ":2:11)") !=
      std::string::npos);
  CHECK(text_of("[server]\nadministration = \"uiop:///perigee-nowhere/s\"\n")
            .find("(" + file + ":2:18)") != std::string::npos);
  CHECK(text_of("[schemes]\nboard = \"giop/board\"\n").ends_with(" (" + file + ":2:9)"));
}

TEST_CASE("an invalid initial reference of a configuration file is named with its place") {
  const TemporaryFolder folder;
  const std::string file = folder.file("orb.toml");
  std::ofstream(file) << "[orb]\ndefault_initial_reference = \"tin:can\"\n\n"
                         "[initial_references]\nBank = \"corbaloc:tin:can/k\"\n";
  const EchoClient client({"-ORBConfigFile", file});
  const auto text_of = [&](const char* name) -> std::string {
    try {
      (void)client.orb->resolve_initial_references(name);
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
    return "no error";
  };
  CHECK(text_of("Bank").ends_with(" (" + file + ":5:8)"));
  CHECK(text_of("Other").ends_with(" (" + file + ":2:29)"));
}

TEST_CASE("the administration is a socket file that only the server's user can open") {
  const Administered administered;
  struct stat status{};
  REQUIRE(::stat(administered.file().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(administered.administration()->_is_a("IDL:Perigee/Administration:1.0"));
}

TEST_CASE("servants are activated in the server's own Root POA, not in the administration") {
  const TemporaryFolder folder;
  const auto orb = make_orb({"-ORBAdministration", "uiop://" + folder.file("a"),
                             "-ORBListenEndpoints", "iiop://127.0.0.1:0"});
  const auto root = orb->resolve_initial_references("RootPOA");
  const auto servant = CORBA::make_reference<EchoServant>();
  CHECK(servant->_default_POA()->_is_equivalent(root));
  orb->destroy();
}

TEST_CASE("the operator makes a running server listen at one more endpoint") {
  Administered administered;
  const std::string endpoint = "uiop://" + administered.folder.file("s");
  CHECK(administered.call("perigee_listen", endpoint).starts_with(endpoint));
  CHECK(administered.client.echo(by_socket_file(reference_of(administered.server)))->twice(4) == 8);
}

TEST_CASE("a failed command of the operator returns an error text and changes nothing") {
  Administered administered;
  CHECK(administered.call("perigee_load", "/nowhere/libnone.so")
            .starts_with("load /nowhere/libnone.so ("));
  CHECK(administered.call("perigee_load", "") ==
        "load '' (a path is needed): the plug-in cannot be used");
  CHECK(administered.call("perigee_unload", "none") == "there is no protocol none");
  CHECK(administered.call("perigee_listen", "no endpoint") ==
        "no endpoint (<scheme>://<address> is needed): bad address");
  CHECK(administered.call("perigee_listen", "none://x") ==
        "listen none://x (there are: iiop:// uiop:// shmiop:// diop://): not supported");
  CHECK(administered.client.echo(administered.server.reference)->twice(4) == 8);
}

TEST_CASE("an unloaded protocol is not found any more, but its connections continue") {
  Administered administered;
  const auto echo = administered.client.echo(administered.server.reference);
  CHECK(echo->twice(1) == 2);
  CHECK(administered.call("perigee_unload", "tcp").empty());
  CHECK(administered.call("perigee_listen", "iiop://127.0.0.1:0") ==
        "listen iiop://127.0.0.1:0 (there are: uiop:// shmiop:// diop://): not supported");
  CHECK(echo->twice(4) == 8);
}

TEST_CASE("an unloaded built-in protocol comes back by its name or its scheme") {
  Administered administered;
  CHECK(administered.list() == "tcp: iiop, local: uiop, shared_memory: shmiop, udp: diop");
  CHECK(administered.call("perigee_unload", "iiop").empty());
  CHECK(administered.list() ==
        "local: uiop, shared_memory: shmiop, udp: diop, tcp: iiop (unloaded)");
  CHECK(administered.call("perigee_load", "iiop").empty());
  CHECK(administered.list() == "local: uiop, shared_memory: shmiop, udp: diop, tcp: iiop");
  CHECK(administered.call("perigee_load", "tcp") ==
        "protocol tcp is registered already: the plug-in cannot be used");
  CHECK(administered.call("perigee_unload", "tcp").empty());
  CHECK(administered.call("perigee_load", "tcp").empty());
  // Listens at the same port as before.
  const auto old = iop::parse_ior_string(administered.server.reference).value();
  const auto port = iop::decode_iiop_profile(old.profiles.front()).value().port;
  const std::string endpoint = "iiop://127.0.0.1:" + std::to_string(port);
  CHECK(administered.call("perigee_listen", endpoint) == endpoint);
  CHECK(administered.client.echo(administered.server.reference)->twice(4) == 8);
}

TEST_CASE("while a plug-in loads slowly the server serves clients and its operator") {
  Administered administered;
  std::promise<void> begun;
  std::promise<void> go_on;
  while_making = [&begun, go = go_on.get_future().share()] {
    begun.set_value();
    go.wait();
  };
  std::string outcome = "none";
  std::jthread loading([&] { outcome = administered.call("perigee_load", PERIGEE_PLUGIN); });
  begun.get_future().wait();
  CHECK(administered.list() == "tcp: iiop, local: uiop, shared_memory: shmiop, udp: diop");
  CHECK(administered.call("perigee_listen", "uiop://" + administered.folder.file("s"))
            .starts_with("uiop://"));
  CHECK(administered.call("perigee_unload", "none") == "there is no protocol none");
  const EchoClient other;
  CHECK(other.echo(administered.server.reference)->twice(4) == 8);
  go_on.set_value();
  loading.join();
  while_making = nullptr;
  CHECK(outcome.empty());
  CHECK(administered.list() ==
        "tcp: iiop, local: uiop, shared_memory: shmiop, udp: diop, plugged: plugged, plugged2: "
        "plugged2");
}

TEST_CASE("the log names the user of each change of protocols, at the default level") {
  Administered administered;
  LogLines log(log::Level::warning);
  CHECK(administered.call("perigee_unload", "tcp").empty());
  const std::string who = "administration: user " + std::to_string(::geteuid()) + ", process " +
                          std::to_string(::getpid()) + ": ";
  CHECK(log.have(who + "unload tcp: done\n"));
  CHECK_FALSE(administered.call("perigee_load", "/nowhere/a\nb.so").empty());
  CHECK(log.have(who + "load /nowhere/a\\x0ab.so begins\n"));
  CHECK(log.have(who + "load /nowhere/a\\x0ab.so: refused: load /nowhere/a"));
  CHECK_FALSE(administered.call("perigee_listen", "iiop://127.0.0.1:0").empty());
  CHECK(log.have(who + "listen at iiop://127.0.0.1:0: refused: "));
}

TEST_CASE("unloading a protocol removes its socket files, under any strategy") {
  for (const char* const strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    const EchoServer server({"-ORBThreadStrategy", strategy},
                            "iiop://127.0.0.1:0;uiop://" + folder.file("s"));
    CHECK(std::filesystem::exists(folder.file("s")));
    REQUIRE(unload(*server.orb, "uiop"));
    // The loop that accepts closes the endpoint a little later.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!std::filesystem::is_empty(folder.path()))
      REQUIRE(std::chrono::steady_clock::now() < end);
  }
}

TEST_CASE("a server of any strategy closes the endpoints of an unloaded protocol") {
  for (const char* const strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    const EchoServer server({"-ORBThreadStrategy", strategy},
                            "iiop://127.0.0.1:0;uiop://" + folder.file("s"));
    const EchoClient client;
    const auto echo = client.echo(server.reference);
    CHECK(echo->twice(1) == 2);
    const std::string by_file = by_socket_file(reference_of(server));
    REQUIRE(unload(*server.orb, "local"));
    CHECK_FALSE(unload(*server.orb, "local"));
    const auto ior = reference_of(server);
    REQUIRE(ior.profiles.size() == 1);
    CHECK(ior.profiles[0].tag == iop::tag_internet_iop);
    CHECK(echo->twice(2) == 4);  // over any connection
    const EchoClient later;
    CHECK(later.echo(iop::to_ior_string(ior))->twice(3) == 6);
    // The loop that accepts closes the endpoint a little later.
    const auto refused = [&] {
      try {
        const EchoClient another;
        (void)another.echo(by_file)->twice(4);
        return false;
      } catch (const CORBA::TRANSIENT&) {
        return true;
      }
    };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!refused()) REQUIRE(std::chrono::steady_clock::now() < end);
  }
}

TEST_CASE("a protocol that was removed is not published, and can be added again") {
  const TemporaryFolder folder;
  EchoServer server({}, "iiop://127.0.0.1:0;uiop://" + folder.file("s"));
  CHECK(reference_of(server).profiles.size() == 2);
  REQUIRE(protocols(*server.orb).remove("local"));
  CHECK(reference_of(server).profiles.size() == 1);
  REQUIRE(protocols(*server.orb).add(transport::make_local_protocol()).has_value());
  REQUIRE(listen(*server.orb, {"uiop", folder.file("s")}).has_value());
  const auto again = reference_of(server);
  CHECK(again.profiles.size() == 2);
  const EchoClient client;
  CHECK(client.echo(by_socket_file(again))->twice(4) == 8);
}

TEST_CASE("the administration cannot be reached through the server's own endpoints") {
  const Administered administered;
  const auto profile = iop::parse_ior_string(administered.server.reference).value();
  const auto iiop = iop::decode_iiop_profile(profile.profiles.front()).value();
  const auto object = administered.client.orb->string_to_object(
      "corbaloc::127.0.0.1:" + std::to_string(iiop.port) + "/Administration");
  CHECK_THROWS_AS(stub::interface_traits<Echo>::unchecked_narrow(object)->ping(),
                  CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("an administration endpoint that other users could reach is refused") {
  for (const char* const endpoint :
       {"iiop://127.0.0.1:0", "uiop://@name", "uiop:///tmp/x?mode=0666", "/tmp/x"}) {
    CAPTURE(endpoint);
    CHECK_THROWS_AS(make_orb({"-ORBAdministration", endpoint}), CORBA::BAD_PARAM);
  }
}

}  // namespace perigee::test
