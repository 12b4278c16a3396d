// A server for test_metrics_page.py: page_server CALLS. Its POAs, its operations and its section
// have names that a careless page would run as HTML. A second ORB calls each operation CALLS times.
// The server runs until its standard input ends.
#include "compat/running_orb.h"
#include <perigee/corba.h>
#include <perigee/orb/status_section.h>
#include <perigee/orb/stub.h>
#include <perigee/poa/skeleton.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using perigee::orb::StatusQuery;
using perigee::orb::StatusRow;
using perigee::orb::StatusTable;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

constexpr const char* names[] = {"<script>document.title='attacked'</script>",
                                 "<img src=x onerror=\"document.title='attacked'\">",
                                 "</script><script>document.title='attacked'</script>",
                                 "Z\xc3\xbcrich \xe2\x80\xae txt",
                                 "octets \xff\x01",
                                 "get_quote"};

/// Executes any operation without arguments.
class Anything final : public PortableServer::Servant {
 public:
  [[nodiscard]] std::string_view _primary_interface() const noexcept override {
    return "IDL:Anything:1.0";
  }
  void _dispatch(perigee::orb::ServerRequest& request) override {
    request.end_of_arguments();
    request.reply(nullptr);
  }
};

/// Each level has the names as its rows. Only the level below `get_quote` has 250 numbers instead,
/// which are read in parts.
StatusTable read_names(const StatusQuery& query) {
  StatusTable table{.columns = {"name", "<b>depth</b>"}, .rows = {}, .next = "", .note = ""};
  std::size_t start = 0;
  std::from_chars(query.after.data(), query.after.data() + query.after.size(), start);
  const std::string depth = std::to_string(query.path.size());
  if (query.path.empty() || query.path.back() != "get_quote") {
    for (const char* name : names) table.rows.push_back(StatusRow{name, {name, depth}});
    return table;
  }
  const std::size_t end = std::min<std::size_t>(start + query.rows_max, 250);
  for (std::size_t number = start; number < end; ++number)
    table.rows.push_back(StatusRow{"", {std::to_string(number), depth}});
  if (end < 250) table.next = std::to_string(end);
  table.note = "<i>" + std::to_string(start) + "</i>";
  return table;
}

void call_all(const std::string& reference, int count) {
  std::vector<std::string> options;
  const auto orb = CORBA::ORB_init(options, "client");
  const auto object = orb->string_to_object(reference);
  using perigee::stub::Operation;
  for (const char* name : names)
    for (int call = 0; call < count; ++call)
      perigee::stub::invoke(*object, {name, Operation::Kind::twoway, {}}, nullptr, nullptr);
  orb->destroy();
}

void serve(int count) {
  std::vector<std::string> options{"-ORBMetricsEndpoint", "0",
                                   "-ORBTraceLevel",      "info",
                                   "-ORBListenEndpoints", "iiop://127.0.0.1:0",
                                   "-ORBServerId",        names[0]};
  const auto orb = CORBA::ORB_init(options, "server");
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  PoaRef poa = root;
  for (const char* name : {names[0], names[1], names[5]})
    poa = poa->create_POA(name, root->the_POAManager(), {});
  const auto id = poa->activate_object(CORBA::make_reference<Anything>());
  root->the_POAManager()->activate();
  const perigee::orb::StatusSection section(*orb, "names", names[0], read_names);
  {
    const perigee::test::RunningOrb running(orb);
    call_all(orb->object_to_string(poa->id_to_reference(id)), count);
    std::cout << "ready" << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
    }
  }
  orb->destroy();
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    serve(argc > 1 ? std::stoi(argv[1]) : 1);
    return 0;
  } catch (const std::exception& exception) {
    std::cerr << "page_server: " << exception.what() << '\n';
    return 1;
  }
}
