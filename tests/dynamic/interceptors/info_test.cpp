// The data of requests that interceptors read and change.
#include "desk.h"
#include "support/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace perigee::test {

namespace {

constexpr IOP::ServiceId id_of_test = 0x54455354;
using Data = std::vector<std::uint8_t>;

template <typename Exception, typename Function>
std::uint32_t minor_of(const Function& function) {
  try {
    function();
  } catch (const Exception& exception) {
    return exception.minor() & 0xfff;
  }
  return 0;
}

}  // namespace

TEST_CASE("service contexts of interceptors travel with requests and replies") {
  for (const Kind kind : {Kind::plain, Kind::deferred, Kind::coroutine}) {
    Data in_request;
    Data in_reply;
    DeskOrbs orbs(
        {.clients = {{{"send_request",
                       [](const ClientInfoRef& info) {
                         info->add_request_service_context({id_of_test, {1, 2, 3}}, false);
                       }},
                      {"receive_reply",
                       [&](const ClientInfoRef& info) {
                         in_reply = info->get_reply_service_context(id_of_test).context_data();
                       }}}},
         .servers = {{{"receive_request_service_contexts",
                       [&](const ServerInfoRef& info) {
                         in_request = info->get_request_service_context(id_of_test).context_data();
                       }},
                      {"send_reply",
                       [](const ServerInfoRef& info) {
                         info->add_reply_service_context({id_of_test, {4, 5}}, false);
                       }}}}},
        kind);
    CHECK(orbs.clerk->twice(1) == 2);
    CHECK(in_request == Data{1, 2, 3});
    CHECK(in_reply == Data{4, 5});
    in_reply.clear();
    CHECK(orbs.clerk->_async().twice(1).get() == 2);
    CHECK(in_reply == Data{4, 5});
  }
}

TEST_CASE("service contexts of interceptors travel with exceptions") {
  for (const Kind kind : {Kind::plain, Kind::deferred, Kind::coroutine}) {
    Data in_reply;
    DeskOrbs orbs({.clients = {{{"receive_exception",
                                 [&](const ClientInfoRef& info) {
                                   in_reply =
                                       info->get_reply_service_context(id_of_test).context_data();
                                 }}}},
                   .servers = {{{"receive_request_service_contexts",
                                 [](const ServerInfoRef& info) {
                                   info->add_reply_service_context({id_of_test, {4, 5}}, false);
                                 }}}}},
                  kind);
    for (const std::int32_t value : {-1, forbidden}) {
      CAPTURE(value);
      CHECK_THROWS_AS((void)orbs.clerk->twice(value), CORBA::Exception);
      CHECK(std::exchange(in_reply, {}) == Data{4, 5});
      CHECK_THROWS_AS((void)orbs.local_clerk->twice(value), CORBA::Exception);
      CHECK(std::exchange(in_reply, {}) == Data{4, 5});
      CHECK_THROWS_AS((void)orbs.clerk->_async().twice(value).get(), CORBA::Exception);
      CHECK(std::exchange(in_reply, {}) == Data{4, 5});
    }
  }
}

// CORBA 3.0, 13.7: a service context is its id, and its data as a sequence of octets.
TEST_CASE("the octets of requests and replies contain the service contexts of interceptors") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/server.pcap";
  {
    DeskOrbs orbs({.clients = {{{"send_request",
                                 [](const ClientInfoRef& info) {
                                   info->add_request_service_context({id_of_test, {1, 2, 3}}, true);
                                 }}}},
                   .servers = {{{"send_reply",
                                 [](const ServerInfoRef& info) {
                                   info->add_reply_service_context({id_of_test, {4, 5}}, true);
                                 }}}}},
                  Kind::plain, {"-ORBPcap", file});
    CHECK(orbs.clerk->twice(1) == 2);
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string octets{std::istreambuf_iterator<char>(stream), {}};
  using std::string_literals::operator""s;
  CHECK(octets.find("TSET\x03\0\0\0\x01\x02\x03"s) != std::string::npos);  // little-endian
  CHECK(octets.find("TSET\x02\0\0\0\x04\x05"s) != std::string::npos);
}

TEST_CASE("a service context is added twice only if it is replaced") {
  std::uint32_t minor = 0;
  Data seen;
  DeskOrbs orbs({.clients = {{{"send_request",
                               [&](const ClientInfoRef& info) {
                                 info->add_request_service_context({id_of_test, {1}}, false);
                                 minor = minor_of<CORBA::BAD_INV_ORDER>([&] {
                                   info->add_request_service_context({id_of_test, {2}}, false);
                                 });
                                 info->add_request_service_context({id_of_test, {3}}, true);
                               }}}},
                 .servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                 seen =
                                     info->get_request_service_context(id_of_test).context_data();
                               }}}}});
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(minor == 15);
  CHECK(seen == Data{3});
}

TEST_CASE("functions that are invalid at a point raise BAD_INV_ORDER with OMG minor 14") {
  ClientInfoRef kept;
  DeskOrbs orbs(
      {.clients = {{{"send_request",
                     [&](const ClientInfoRef& info) {
                       kept = info;
                       const auto minor = [](const auto& call) {
                         return minor_of<CORBA::BAD_INV_ORDER>(call);
                       };
                       CHECK(minor([&] { (void)info->reply_status(); }) == 14);
                       CHECK(minor([&] { (void)info->result(); }) == 14);
                       CHECK(minor([&] { (void)info->forward_reference(); }) == 14);
                       CHECK(minor([&] { (void)info->received_exception(); }) == 14);
                       CHECK(minor([&] { (void)info->get_reply_service_context(1); }) == 14);
                       CHECK(minor_of<CORBA::NO_RESOURCES>([&] { (void)info->arguments(); }) == 1);
                     }}}},
       .servers = {{{"receive_request_service_contexts", [](const ServerInfoRef& info) {
                       const auto minor = [](const auto& call) {
                         return minor_of<CORBA::BAD_INV_ORDER>(call);
                       };
                       CHECK(minor([&] { (void)info->object_id(); }) == 14);
                       CHECK(minor([&] { (void)info->adapter_name(); }) == 14);
                       CHECK(minor([&] { (void)info->target_is_a(""); }) == 14);
                       CHECK(minor([&] { (void)info->sending_exception(); }) == 14);
                     }}}}});
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)kept->operation(); }) == 14);
}

TEST_CASE("a client interceptor sees the target, its profile and the exception") {
  std::string target;
  std::string effective;
  std::string id;
  CORBA::Any exception;
  PortableInterceptor::ReplyStatus status = PortableInterceptor::UNKNOWN;
  DeskOrbs orbs({.clients = {{{"receive_exception",
                               [&](const ClientInfoRef& info) {
                                 const auto orb = info->target()->_get_orb();
                                 target = orb->object_to_string(info->target());
                                 effective = orb->object_to_string(info->effective_target());
                                 CHECK(info->effective_profile().tag() == IOP::TAG_INTERNET_IOP);
                                 CHECK_FALSE(info->get_effective_components(1).empty());
                                 CHECK(info->response_expected());
                                 CHECK(info->sync_scope() == Messaging::SYNC_WITH_TARGET);
                                 id = info->received_exception_id();
                                 status = info->reply_status();
                                 exception = info->received_exception();
                               }}}}},
                Kind::plain, {"-ORBLocalTransports", "none"});
  CHECK_THROWS_AS((void)orbs.clerk->twice(forbidden), CORBA::NO_PERMISSION);
  CHECK(target == orbs.client->object_to_string(orbs.clerk));
  CHECK(effective == target);
  CHECK(id == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  CHECK(status == PortableInterceptor::SYSTEM_EXCEPTION);
  CHECK(exception.type()->id() == id);
}

TEST_CASE("a server interceptor sees the object, its adapter and its interface") {
  PortableInterceptor::AdapterName name;
  std::string interface_id;
  PortableInterceptor::ObjectId object;
  DeskOrbs orbs({.servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                 name = info->adapter_name();
                                 interface_id = info->target_most_derived_interface();
                                 object = info->object_id();
                                 CHECK(info->target_is_a("IDL:Desk/Clerk:1.0"));
                                 CHECK_FALSE(info->target_is_a("IDL:Other:1.0"));
                                 CHECK(info->orb_id().starts_with("desk-"));
                                 CHECK(info->server_id().empty());
                               }}}}});
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(name == PortableInterceptor::AdapterName{"RootPOA"});
  CHECK(interface_id == "IDL:Desk/Clerk:1.0");
  CHECK_FALSE(object.empty());
}

TEST_CASE("an unknown service context raises BAD_PARAM with OMG minor 26") {
  std::uint32_t minor = 0;
  DeskOrbs orbs({.servers = {{{"receive_request", [&](const ServerInfoRef& info) {
                                 minor = minor_of<CORBA::BAD_PARAM>(
                                     [&] { (void)info->get_request_service_context(id_of_test); });
                               }}}}});
  CHECK(orbs.clerk->twice(1) == 2);
  CHECK(minor == 26);
}

}  // namespace perigee::test
