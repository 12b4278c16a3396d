// The operations and objects that the access rules of the bridge allow.
#include "bridge/bridged.h"

using namespace perigee;
using namespace perigee::test;
using bridge::AccessRules;

TEST_CASE("without rules everything passes") {
  const AccessRules rules;
  CHECK(rules.allows_operation("get"));
  CHECK(rules.allows_object(key_k));
  CHECK(rules.allows_object({}));
}

TEST_CASE("a name with an asterisk at its end allows all operations that begin with the name") {
  AccessRules rules;
  rules.operations_allowed = {"get*", "_is_a"};
  CHECK(rules.allows_operation("get"));
  CHECK(rules.allows_operation("get_quote"));
  CHECK(rules.allows_operation("_is_a"));
  CHECK_FALSE(rules.allows_operation("_is_b"));
  CHECK_FALSE(rules.allows_operation("set"));
}

TEST_CASE("a denial is stronger than an allowance") {
  AccessRules rules;
  rules.operations_allowed = {"*"};
  rules.operations_denied = {"shutdown"};
  CHECK(rules.allows_operation("get"));
  CHECK_FALSE(rules.allows_operation("shutdown"));
  rules.objects_allowed = {octets('k')};
  rules.objects_denied = {octets('k', 'e', 'y', '2')};
  CHECK(rules.allows_object(key_k));
  CHECK_FALSE(rules.allows_object(octets('k', 'e', 'y', '2', '3')));
  CHECK_FALSE(rules.allows_object(octets('j')));
}

TEST_CASE("refused requests get NO_PERMISSION, and nothing reaches the target") {
  Bridged ends([](bridge::Options& options) {
    options.rules.operations_denied = {"act"};
    options.rules.objects_denied = {octets('s', 'e', 'c')};
  });
  RawClient client = ends.connect();
  const RawReply refused = client.call({.key = key_k});
  CHECK(refused.status() == 2);
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  CHECK(refused.completed() == 1);
  const Octets secret = octets('s', 'e', 'c', 'r', 'e', 't');
  CHECK(client.call({.key = secret, .operation = "get"}).repository_id() ==
        "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  client.send(make_request({.key = key_k, .response_flags = 0}));  // a oneway is dropped
  client.send(make_locate_request(secret, 5, 2));
  CHECK(client.reply().ulong(16) == 0);  // UNKNOWN_OBJECT
  client.send(make_request({.key = key_k, .id = 9, .operation = "get"}));
  RawClient target = ends.target.accept();
  CHECK(contains(target.receive(), "get"));
}
