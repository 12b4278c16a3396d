// Calls to objects of the same ORB: the caller's thread runs the dispatcher.
#include "orb/context/upcall_scope.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <thread>

namespace perigee::test {

namespace {

// A server that publishes one endpoint without listening there.
class QuietServer final : public orb::Server {
 public:
  explicit QuietServer(ScriptedProtocol& protocol) : protocol_(protocol) {}
  std::expected<void, IoError> start() override { return {}; }
  std::expected<void, IoError> begin_accepting() override { return {}; }
  void run() override {}
  void stop(orb::Completion) noexcept override {}
  std::expected<iop::Ior, IoError> make_ior(std::string type_id, OctetSpan object_key,
                                            const orb::ProtocolPreference*) override {
    return iop::Ior{std::move(type_id),
                    {protocol_.make_profile({"test", "here"}, {1, 2, object_key, {}})}};
  }
  std::expected<transport::Endpoint, IoError> listen(const transport::Endpoint& endpoint) override {
    return endpoint;
  }
  bool publishes(const transport::Endpoint& endpoint) const noexcept override {
    return endpoint.address == "here";
  }

 private:
  ScriptedProtocol& protocol_;
};

class Dispatcher final : public orb::RequestDispatcher {
 public:
  std::function<void(orb::ServerRequest&)> serve;
  void dispatch(orb::ServerRequest& request) noexcept override { serve(request); }
  orb::Location locate(OctetSpan) noexcept override { return {}; }
  bool is_local_key(OctetSpan) const noexcept override { return true; }
};

struct CollocatedFixture : Fixture {
  Dispatcher dispatcher;
  ObjectRef object;

  explicit CollocatedFixture(std::function<void(orb::ServerRequest&)> serve) {
    dispatcher.serve = std::move(serve);
    core().set_server(std::make_unique<QuietServer>(protocol()));
    core().set_dispatcher(&dispatcher);
    object = core().make_local_object("IDL:Test:1.0", octets_of(std::string_view("key")));
  }
};

}  // namespace

TEST_CASE("a collocated call runs in the caller's thread, without a connection") {
  std::thread::id thread;
  CollocatedFixture fixture([&](orb::ServerRequest& request) {
    thread = std::this_thread::get_id();
    CHECK(request.operation() == "ping");
    const auto value = request.arguments().read<std::int32_t>();
    request.end_of_arguments();
    request.reply([&](cdr::Encoder& encoder) { encoder.write(value + 1); });
  });
  CHECK(echo(fixture.object, 41) == 42);
  CHECK(thread == std::this_thread::get_id());
  CHECK(fixture.counts("here").connects == 0);
}

TEST_CASE("a collocated system exception arrives with its minor code and completion status") {
  CollocatedFixture fixture([](orb::ServerRequest& request) {
    request.reply_exception(CORBA::NO_PERMISSION(12, CORBA::COMPLETED_NO));
  });
  const auto exception = caught<CORBA::NO_PERMISSION>([&] { ping(fixture.object); });
  CHECK(exception.minor() == 12);
  CHECK(exception.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("a collocated request is forwarded like any other") {
  CollocatedFixture fixture({});
  fixture.peer("elsewhere", reply_with_long(5));
  const auto elsewhere = static_cast<Fixture&>(fixture).object({"elsewhere"});
  fixture.dispatcher.serve = [&](orb::ServerRequest& request) {
    request.reply_forward(*elsewhere);
  };
  CHECK(echo(fixture.object) == 5);
}

TEST_CASE("a collocated oneway returns although its servant replies with an exception") {
  bool served = false;
  CollocatedFixture fixture([&](orb::ServerRequest& request) {
    served = !request.response_expected();
    request.reply_exception(CORBA::NO_PERMISSION());
  });
  stub::invoke(*fixture.object, notify_operation, nullptr, nullptr);
  CHECK(served);
}

TEST_CASE("a second reply to a request raises BAD_INV_ORDER") {
  CollocatedFixture fixture([](orb::ServerRequest& request) {
    request.reply(nullptr);
    CHECK_THROWS_AS(request.reply(nullptr), CORBA::BAD_INV_ORDER);
  });
  ping(fixture.object);
}

TEST_CASE("shutdown that waits, from within an upcall, raises BAD_INV_ORDER, OMG minor 3") {
  CollocatedFixture fixture({});
  fixture.dispatcher.serve = [&](orb::ServerRequest& request) {
    const orb::UpcallScope scope(fixture.core().context());
    const auto exception =
        caught<CORBA::BAD_INV_ORDER>([&] { fixture.core().shutdown(orb::Completion::wait); });
    CHECK(exception.minor() == (CORBA::OMGVMCID | 3));
    request.reply(nullptr);
  };
  ping(fixture.object);
}

}  // namespace perigee::test
