// Targets and clients that end, and the completion status that clients get.
#include "bridge/bridged.h"

using namespace perigee;
using namespace perigee::test;

namespace {

Octets close_connection() {
  Writer writer(std::endian::native);
  begin_message(writer, 2, std::endian::native, 5);
  return finish(writer, std::endian::native);
}

}  // namespace

TEST_CASE("a request to a target that cannot be reached gets TRANSIENT, COMPLETED_NO") {
  std::optional<RawTarget> gone(std::in_place);
  const transport::Endpoint place = gone->endpoint();
  gone.reset();
  Bridged ends([&](bridge::Options& options) { options.target = place; });
  RawClient client = ends.connect();
  for (int call = 0; call < 3; ++call) {
    const RawReply reply = client.call({.key = key_k});
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
    CHECK(reply.completed() == 1);
  }
}

TEST_CASE("a request whose target dies gets COMM_FAILURE, COMPLETED_MAYBE, and is not sent again") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k, .id = 6}));
  {
    RawClient target = ends.target.accept();
    (void)target.receive();
  }
  const RawReply reply = client.reply();
  CHECK(reply.id() == 6);
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
  CHECK(reply.completed() == 2);
  client.send(make_request({.key = key_k, .id = 8}));
  RawClient again = ends.target.accept();
  again.send(make_reply(RawReply(again.receive()).ulong(12), 1));
  CHECK(client.reply().id() == 8);
}

TEST_CASE("a request that a stale connection did not execute is sent once more") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  RawClient first = ends.target.accept();
  first.send(make_reply(RawReply(first.receive()).ulong(12), 1));
  CHECK(client.reply().result() == 1);
  client.send(make_request({.key = key_k, .id = 2, .argument = 9}));
  (void)first.receive();
  first.send(close_connection());
  RawClient second = ends.target.accept();
  const RawReply request(second.receive());
  CHECK(request.ulong(request.message.size() - 4) == 9);
  second.send(make_reply(request.ulong(12), 2));
  CHECK(client.reply().result() == 2);
}

TEST_CASE("if the target closes each connection, a request gets TRANSIENT after two tries") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  for (int attempt = 0; attempt < 2; ++attempt) {
    RawClient target = ends.target.accept();
    (void)target.receive();
    target.send(close_connection());
  }
  const RawReply reply = client.reply();
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  CHECK(reply.completed() == 1);
}

TEST_CASE("if a client disconnects, the bridge cancels its requests at the target") {
  Bridged ends;
  std::optional<RawClient> client(ends.connect());
  client->send(make_request({.key = key_k, .id = 2}));
  RawClient target = ends.target.accept();
  const RawReply request(target.receive());
  client.reset();
  const RawReply cancel(target.receive());
  CHECK(cancel.type() == 2);
  CHECK(cancel.ulong(12) == request.ulong(12));
  target.send(make_reply(request.ulong(12), 1));  // too late: it is dropped
  RawClient other = ends.connect();
  other.send(make_request({.key = key_k, .id = 3}));
  target.send(make_reply(RawReply(target.receive()).ulong(12), 4));
  CHECK(other.reply().result() == 4);
}

TEST_CASE("garbage from a target or a client ends only the connection from which it comes") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  (void)target.receive();
  target.send(octets('G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1'));
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
  RawClient hostile = ends.connect();
  hostile.send(octets('G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1'));
  CHECK(RawReply(hostile.receive()).type() == 6);
  CHECK(hostile.at_end());
  client.send(make_request({.key = key_k, .id = 3}));
  RawClient again = ends.target.accept();
  again.send(make_reply(RawReply(again.receive()).ulong(12), 1));
  CHECK(client.reply().result() == 1);
}

TEST_CASE("a bridge that is stopping answers slow requests with COMM_FAILURE") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k, .id = 5}));
  RawClient target = ends.target.accept();
  (void)target.receive();
  ends.bridge->stop();
  const RawReply reply = client.reply();
  CHECK(reply.id() == 5);
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
  CHECK(reply.completed() == 2);
  CHECK(RawReply(client.receive()).type() == 5);  // CloseConnection
}

TEST_CASE("a client with many code sets causes a limited number of connections to the target") {
  Bridged ends;
  RawClient client = ends.connect();
  std::vector<RawClient> targets;
  for (std::uint32_t code_set = 1; code_set <= 64; ++code_set) {
    client.send(make_request({.key = key_k,
                              .id = code_set,
                              .context_id = iop::context_code_sets,
                              .context = iop::encode_code_set_context({code_set, 1})}));
    targets.push_back(ends.target.accept());
    (void)targets.back().receive();
  }
  const RawReply refused = client.call({.key = key_k,
                                        .id = 1000,
                                        .context_id = iop::context_code_sets,
                                        .context = iop::encode_code_set_context({1000, 1})});
  CHECK(refused.id() == 1000);
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
}
