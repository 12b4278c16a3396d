// The ORB of a server and the ORB of a client in one process. Between them are a transport, a
// version of the messaging protocol and a thread strategy. Tests try every registered protocol.
// They add their own protocol and that of examples/protocol_plugin from outside.
#pragma once

#include "conformance/board_plugin.h"
#include "runtime/echo.h"
#include "support/handshake_transport.h"
#include "support/memory_protocol.h"
#include "support/memory_transport.h"
#include "support/numbered_messages.h"
#include "support/temporary_folder.h"
#include "support/test_certificates.h"
#include <perigee/corba.h>
#include <perigee/orb/protocols.h>
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

using OrbRef = CORBA::object_reference<CORBA::ORB>;

/// All thread strategies of a server.
inline constexpr const char* thread_strategies[] = {"auto", "thread-per-connection", "reactive",
                                                    "thread-pool", "reactor-per-core"};

/// Octets that depend on their place and on the size.
[[nodiscard]] inline OctetVector octets_of_size(std::size_t size) {
  OctetVector data(size);
  for (std::size_t index = 0; index < size; ++index)
    data[index] = static_cast<std::uint8_t>(index * 31 + size);
  return data;
}

/// Calls the oneway `note` of a NotingServant.
inline void note(Echo& echo, std::int32_t value) {
  stub::invoke(
      echo, {"note", stub::Operation::Kind::oneway, {}},
      [value](cdr::Encoder& encoder) { encoder << value; }, nullptr);
}

/// The transport, the messages and the thread strategy between a client and a server.
struct OrbPairing {
  std::string scheme;
  std::string version = "1.2";
  std::string strategy = "thread-per-connection";
  std::string lite = "no";    // GIOPlite where both sides know it
  bool own_messages = false;  // the messages of the protocol, not GIOP

  [[nodiscard]] std::string name() const {
    const std::string messages = own_messages    ? "own messages"
                                 : lite == "yes" ? "GIOPlite"
                                                 : "GIOP " + version;
    return messages + " x " + scheme + ", " + strategy;
  }
};

/// The surroundings that all ORBs of one test share.
class Surroundings {
 public:
  /// An ORB that has the protocols of the default assembly, and the memory protocol.
  [[nodiscard]] OrbRef make_orb(std::vector<std::string> options) const {
    static int number = 0;
    const std::vector<std::string> tls{"-ORBTlsCertificate", certificates().path("server.pem"),
                                       "-ORBTlsKey",         certificates().path("server.key"),
                                       "-ORBTlsAuthorities", certificates().path("authority.pem")};
    options.insert(options.end(), tls.begin(), tls.end());
    auto orb = CORBA::ORB_init(options, "conformance" + std::to_string(++number));
    REQUIRE(protocols(*orb).add(make_memory_protocol(hub_)).has_value());
    const MemoryScheme handshake{.name = "handshake", .tag = handshake_profile_tag, .carrier = {}};
    REQUIRE(protocols(*orb).add(make_memory_protocol(handshakes_, handshake)).has_value());
    const MemoryScheme ring{.name = "ring", .tag = ring_profile_tag, .carrier = {}};
    REQUIRE(protocols(*orb).add(make_memory_protocol(rings_, ring)).has_value());
    REQUIRE(protocols(*orb).add(make_board_parts()).has_value());
    REQUIRE(protocols(*orb).add(more_schemes()).has_value());
    return orb;
  }

  /// Where the listeners of the memory protocol are found.
  [[nodiscard]] MemoryHub& hub() noexcept { return *hub_; }

  /// An endpoint at which no server listens yet. Each registered protocol needs an entry here.
  [[nodiscard]] transport::Endpoint fresh_endpoint(const std::string& scheme) {
    const std::string name = "place" + std::to_string(++places_);
    if (scheme == "iiop" || scheme == "ssliop") return {scheme, "127.0.0.1:0"};
    if (scheme.ends_with("-tcp") || scheme.ends_with("-tls")) return {scheme, "127.0.0.1:0"};
    if (scheme == "diop") return {scheme, "127.0.0.1:0?replies=yes"};
    for (const char* in_memory : {"memory", "handshake", "ring"})
      if (scheme.ends_with(in_memory)) return {scheme, name};
    const bool is_file = scheme == "uiop" || scheme == "shmiop" || scheme.starts_with("board") ||
                         scheme.ends_with("-local") || scheme.ends_with("-board");
    if (is_file) return {scheme, folder_.file(name)};
    FAIL("no test can listen with the scheme " << scheme);
    return {};
  }

 private:
  /// Made once: the ORBs of all tests have the same certificate.
  [[nodiscard]] static const TestCertificates& certificates() {
    static const TestCertificates made;
    return made;
  }

  /// Scheme rows that pair messagings with transports: the messages of the board protocol over TCP,
  /// GIOP over the board's transport, and numbered messages over every transport.
  [[nodiscard]] static transport::ProtocolParts more_schemes() {
    transport::ProtocolParts parts;
    parts.messagings.push_back(make_numbered_messages);
    parts.schemes.push_back({"brief-tcp", "brief", "tcp"});
    parts.schemes.push_back({"giop-board", "giop", "board"});
    for (const char* transport : {"tcp", "tls", "local", "memory", "board", "handshake", "ring"})
      parts.schemes.push_back({std::string("numbered-") + transport, "numbered", transport});
    return parts;
  }

  /// Connections in memory with a handshake, such as TLS has.
  [[nodiscard]] static TransportEnds make_handshake_ends() {
    MemoryPair pair = make_memory_pair();
    return {add_handshake(std::move(pair.first), messaging::Role::opener),
            add_handshake(std::move(pair.second), messaging::Role::acceptor)};
  }

  /// Connections that lend their memory for encoding, as shared memory does.
  [[nodiscard]] static TransportEnds make_ring_ends() {
    MemoryPair pair = make_memory_pair({.encodes_in_place = true}, {.encodes_in_place = true});
    return {std::move(pair.first), std::move(pair.second)};
  }

  static constexpr std::uint32_t handshake_profile_tag = memory_profile_tag + 2;
  static constexpr std::uint32_t ring_profile_tag = memory_profile_tag + 3;
  std::shared_ptr<MemoryHub> hub_ = std::make_shared<MemoryHub>();
  std::shared_ptr<MemoryHub> handshakes_ = std::make_shared<MemoryHub>(&make_handshake_ends);
  std::shared_ptr<MemoryHub> rings_ = std::make_shared<MemoryHub>(&make_ring_ends);
  TemporaryFolder folder_;
  int places_ = 0;
};

/// An Echo object whose oneway `note(long)` remembers its arguments in order, and whose
/// `long later(long)` is answered by `answer_up_to`.
class NotingServant : public EchoServant {
 public:
  std::vector<std::int32_t> notes;

  void _dispatch(orb::ServerRequest& request) override {
    const bool keeps = request.operation() == "later";
    if (!keeps && request.operation() != "note") return EchoServant::_dispatch(request);
    std::int32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    if (keeps) {
      const std::lock_guard lock(mutex_);
      kept_.emplace_back(value, skeleton::Answer(request));
      changed_.notify_all();
      return;
    }
    notes.push_back(value);
    request.reply(nullptr);
  }

  /// Waits for the call of `later` with this argument. Answers this call and the earlier calls,
  /// with twice their arguments.
  void answer_up_to(std::int32_t last) {
    std::vector<std::pair<std::int32_t, skeleton::Answer>> kept;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !kept_.empty() && kept_.back().first == last; });
      kept = std::exchange(kept_, {});
    }
    for (auto& [value, answer] : kept)
      answer.reply([result = value * 2](cdr::Encoder& encoder) { encoder << result; });
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::pair<std::int32_t, skeleton::Answer>> kept_;
};

/// A server with one object, whose ORB is in `run`. The destructor ends the server.
class RunningServer {
 public:
  /// no: no thread calls `run`, so the loop of a reactive server runs only in `shutdown`.
  enum class Runs : bool { no, yes };

  explicit RunningServer(OrbRef started, Runs runs = Runs::yes)
      : orb(std::move(started)), servant(CORBA::make_reference<NotingServant>()) {
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    reference = orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    poa->the_POAManager()->activate();
    if (runs == Runs::no) return;
    runner_ = std::jthread([running = orb] {
      try {
        running->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // the ORB was shut down before the thread called run
      }
    });
  }
  ~RunningServer() {
    orb->shutdown(true);
    if (runner_.joinable()) runner_.join();
    orb->destroy();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  OrbRef orb;
  CORBA::servant_reference<NotingServant> servant;
  std::string reference;

 private:
  std::jthread runner_;
};

/// A server at a fresh endpoint of the surroundings.
class PairServer final : public RunningServer {
 public:
  PairServer(Surroundings& surroundings, const OrbPairing& pairing,
             std::vector<std::string> options = {})
      : RunningServer(make_orb(surroundings, pairing, std::move(options))) {}

 private:
  [[nodiscard]] static OrbRef make_orb(Surroundings& surroundings, const OrbPairing& pairing,
                                       std::vector<std::string> options) {
    const auto endpoint = surroundings.fresh_endpoint(pairing.scheme);
    // A client without calls does not read CloseConnection. A server that stops waits for such a
    // client until the drain time-out, so this time-out is short.
    options.insert(options.end(), {"-ORBListenEndpoints", to_string(endpoint), "-ORBGiopVersion",
                                   pairing.version, "-ORBThreadStrategy", pairing.strategy,
                                   "-ORBGiopLite", pairing.lite, "-ORBDrainIdleTimeout", "20"});
    return surroundings.make_orb(std::move(options));
  }
};

/// A client's ORB; destroyed with the object.
class PairClient {
 public:
  PairClient(const Surroundings& surroundings, const OrbPairing& pairing,
             std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-ORBGiopLite", pairing.lite});
    orb = surroundings.make_orb(std::move(options));
  }
  ~PairClient() { orb->destroy(); }
  PairClient(const PairClient&) = delete;
  PairClient& operator=(const PairClient&) = delete;

  [[nodiscard]] Echo::Ref echo(const std::string& reference) const {
    return stub::interface_traits<Echo>::unchecked_narrow(orb->string_to_object(reference));
  }

  OrbRef orb;
};

/// Every registered scheme under every strategy. Schemes with GIOP come in every version, and with
/// GIOPlite. Without `diop`: datagrams are limited, can be lost, and have tests of their own.
[[nodiscard]] inline std::vector<OrbPairing> all_pairings() {
  const Surroundings surroundings;
  const PairClient any(surroundings, {});
  std::vector<OrbPairing> pairings;
  for (const std::string& scheme : protocols(*any.orb).schemes()) {
    if (scheme == "diop") continue;
    const bool own_messages = protocols(*any.orb).messaging(scheme) != nullptr;
    for (const char* strategy : thread_strategies)
      pairings.push_back({scheme, "1.2", strategy, "no", own_messages});
    if (own_messages) continue;
    for (const char* version : {"1.0", "1.1"}) pairings.push_back({scheme, version});
    pairings.push_back({scheme, "1.2", "thread-per-connection", "yes"});
    pairings.push_back({scheme, "1.2", "thread-pool", "yes"});
  }
  return pairings;
}

}  // namespace perigee::test
