// The user exceptions of stubs and skeletons, as interceptors see them.
#include "casesA.h"
#include "casesS.h"
#include "deskA.h"
#include "plainS.h"
#include "ways.h"
#include <perigee/orb/known_exception.h>

#include <fstream>
#include <iterator>

namespace perigee::test {

namespace {

constexpr auto refused_id = "IDL:Desk/Refused:1.0";
constexpr std::uint32_t minor_not_known = CORBA::OMGVMCID | 1;
constexpr Way ways[] = {Way::sync, Way::ami,       Way::polling,    Way::deferred,
                        Way::amh,  Way::coroutine, Way::collocated, Way::forward};

/// The exception of one call, as one side sees it.
struct Seen {
  CORBA::Any any;
  std::string id;  // of the any on the server
  PortableInterceptor::ReplyStatus status = PortableInterceptor::UNKNOWN;
};

/// The exception of the last call, as both sides see it.
struct SeenOnSides {
  Seen client;
  Seen server;

  [[nodiscard]] Plan plan() {
    return {.clients = {{{"receive_exception",
                          [this](const ClientInfoRef& info) {
                            client = {info->received_exception(), info->received_exception_id(),
                                      info->reply_status()};
                          }}}},
            .servers = {{{"send_exception", [this](const ServerInfoRef& info) {
                            const CORBA::Any any = info->sending_exception();
                            server = {any, any.type()->id(), info->reply_status()};
                          }}}}};
  }
};

void check_refused(const Seen& seen) {
  Desk::Refused refused;
  REQUIRE((seen.any >>= refused));
  CHECK(refused.reason() == "negative");
  CHECK(seen.any.type()->equal(Desk::_tc_Refused));
  CHECK(seen.id == refused_id);
  CHECK(seen.status == PortableInterceptor::USER_EXCEPTION);
}

class Thrower final : public CORBA::servant_traits<Cases::Thrower>::base_type {
 public:
  std::int32_t level() override { return 0; }
  void level(std::int32_t value) override { throw Cases::Thrower::Inner(value); }
  void rich() override {
    CORBA::Any more;
    more <<= Cases::Names{"in", "any"};
    throw Cases::Rich(_this(), more, {"one", "two"});
  }
  void bare() override { throw Cases::Bare(); }
};

class LockedSafe final : public CORBA::servant_traits<Plain::Safe>::base_type {
 public:
  void open() override { throw Plain::Lost(7); }
};

template <typename Interface>
typename IDL::traits<Interface>::ref_type reference_of(DeskOrbs& orbs, const ServantRef& servant,
                                                       bool is_collocated) {
  const auto object = orbs.poa->id_to_reference(orbs.poa->activate_object(servant));
  if (is_collocated) return IDL::traits<Interface>::narrow(object);
  return IDL::traits<Interface>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
}

}  // namespace

TEST_CASE("interceptors of both sides get the user exception of a stub, in each way of a call") {
  for (const Way way : ways) {
    CAPTURE(way_names[static_cast<std::size_t>(way)]);
    SeenOnSides seen;
    DeskOrbs orbs(seen.plan(), kind_of(way));
    CHECK(WayCall(orbs, way, -1).run() == "Refused");
    check_refused(seen.client);
    check_refused(seen.server);
  }
}

TEST_CASE("docs/interceptors.md has the table of the exceptions that interceptors get") {
  std::ifstream stream(PERIGEE_DOCS "/interceptors.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::string head = "| Function |";
  std::string cells;
  for (const Way way : ways) {
    head.append(" ").append(way_names[static_cast<std::size_t>(way)]).append(" |");
    cells += " exception |";
  }
  CHECK(text.find(head) != std::string::npos);
  CHECK(text.find("| `received_exception` |" + cells) != std::string::npos);
  CHECK(text.find("| `sending_exception` |" + cells) != std::string::npos);
}

TEST_CASE("interceptors get exceptions with references, anys and sequences, and empty exceptions") {
  for (const bool is_collocated : {false, true}) {
    CAPTURE(is_collocated);
    SeenOnSides seen;
    DeskOrbs orbs(seen.plan());
    const auto thrower =
        reference_of<Cases::Thrower>(orbs, CORBA::make_reference<Thrower>(), is_collocated);
    CHECK_THROWS_AS(thrower->rich(), Cases::Rich);
    for (const Seen* side : {&seen.client, &seen.server}) {
      Cases::Rich rich;
      REQUIRE((side->any >>= rich));
      CHECK(rich.where()->_is_a(std::string(Cases::Thrower::_type_id)));
      Cases::Names more;
      CHECK((rich.more() >>= more));
      CHECK(more == Cases::Names{"in", "any"});
      CHECK(rich.names() == Cases::Names{"one", "two"});
    }
    CHECK_THROWS_AS(thrower->bare(), Cases::Bare);
    Cases::Bare bare;
    CHECK((seen.client.any >>= bare));
    CHECK((seen.server.any >>= bare));
    CHECK(seen.client.id == "IDL:Cases/Bare:1.0");
  }
}

TEST_CASE("interceptors get the exception of an attribute, which an interface declares") {
  SeenOnSides seen;
  DeskOrbs orbs(seen.plan());
  const auto thrower =
      reference_of<Cases::Thrower>(orbs, CORBA::make_reference<Thrower>(), /*is_collocated=*/false);
  CHECK_THROWS_AS(thrower->level(5), Cases::Thrower::Inner);
  for (const Seen* side : {&seen.client, &seen.server}) {
    Cases::Thrower::Inner inner;
    REQUIRE((side->any >>= inner));
    CHECK(inner.number() == 5);
    CHECK(side->id == "IDL:Cases/Thrower/Inner:1.0");
  }
}

TEST_CASE("without its TypeCode, a user exception is UNKNOWN in the any, and its id is known") {
  for (const bool is_collocated : {false, true}) {
    CAPTURE(is_collocated);
    SeenOnSides seen;
    DeskOrbs orbs(seen.plan());
    const auto safe =
        reference_of<Plain::Safe>(orbs, CORBA::make_reference<LockedSafe>(), is_collocated);
    CHECK_THROWS_AS(safe->open(), Plain::Lost);
    for (const Seen* side : {&seen.client, &seen.server}) {
      CORBA::UNKNOWN unknown;
      REQUIRE((side->any >>= unknown));
      CHECK(unknown.minor() == minor_not_known);
      CHECK(unknown.completed() == CORBA::COMPLETED_YES);
      CHECK(side->status == PortableInterceptor::USER_EXCEPTION);
    }
    CHECK(seen.client.id == "IDL:Plain/Lost:1.0");
  }
}

TEST_CASE("if an interceptor replaces a user exception, the other interceptors see the new one") {
  SeenOnSides seen;
  Plan plan = seen.plan();
  plan.clients.push_back({{"receive_exception", [](const ClientInfoRef& info) {
                             Desk::Refused refused;
                             if (info->received_exception() >>= refused)
                               throw CORBA::NO_PERMISSION();
                           }}});
  DeskOrbs orbs(plan);
  CHECK_THROWS_AS((void)orbs.clerk->twice(-1), CORBA::NO_PERMISSION);
  CHECK(seen.client.id == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  CHECK(seen.client.status == PortableInterceptor::SYSTEM_EXCEPTION);
  check_refused(seen.server);
}

TEST_CASE("the ORB knows a class of exceptions as long as its entry exists") {
  const auto insert = [](CORBA::Any& any, const CORBA::UserException&) {
    any <<= std::int32_t{1};
    return true;
  };
  const auto refuse = [](CORBA::Any&, const CORBA::UserException&) { return false; };
  CORBA::Any any;
  CHECK_FALSE(any::KnownException::insert(any, Plain::Lost(1)));
  {
    any::KnownException first{Plain::Lost::_type_id, insert};
    CHECK(any::KnownException::insert(any, Plain::Lost(1)));
    {
      any::KnownException second{Plain::Lost::_type_id, refuse};  // a class of the same id
      CHECK(any::KnownException::insert(any, Plain::Lost(1)));
    }
    CHECK(any::KnownException::insert(any, Plain::Lost(1)));
    CHECK_FALSE(any::KnownException::insert(any, CORBA::InvalidName()));
  }
  CHECK_FALSE(any::KnownException::insert(any, Plain::Lost(1)));
}

}  // namespace perigee::test
