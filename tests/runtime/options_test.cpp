// The options of ORB_init.
#include "runtime/options.h"

#include "runtime/foreign_options.h"
#include "runtime/option_table.h"
#include "runtime/tao_options.h"
#include "support/log_lines.h"
#include <perigee/orb/exceptions.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace perigee::runtime {

namespace {

Configuration configured(std::vector<std::string> arguments) {
  Configuration configuration;
  take_options(arguments, configuration);
  CHECK(arguments.empty());
  return configuration;
}

// The text of the BAD_PARAM that the arguments raise; empty if they raise none.
std::string complaint(std::vector<std::string> arguments) {
  Configuration configuration;
  try {
    take_options(arguments, configuration);
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("ORB options are taken out with their values, other arguments stay in order") {
  std::vector<std::string> arguments = {"program", "-x", "-ORBid", "name", "file", "--flag"};
  Configuration configuration;
  take_options(arguments, configuration);
  CHECK(configuration.settings.orb_id == "name");
  CHECK(arguments == std::vector<std::string>{"program", "-x", "file", "--flag"});
}

TEST_CASE("the error for an unknown option is one line, with the nearest option if one is near") {
  CHECK(complaint({"-ORBListenEndponits", "x"}) ==
        "unknown option -ORBListenEndponits; did you mean '-ORBListenEndpoints'? "
        "(-ORBHelp lists the options)");
  CHECK(contains(complaint({"-ORBid2", "x"}), "did you mean '-ORBid'?"));
  CHECK(contains(complaint({"-ORBpcap", "x"}), "did you mean '-ORBPcap'?"));
  CHECK(complaint({"-ORBUnlikeAll", "x"}) ==
        "unknown option -ORBUnlikeAll (-ORBHelp lists the options)");
}

TEST_CASE("the error for an option of omniORB or TAO names the counterpart in Perigee") {
  CHECK(complaint({"-ORBendPoint", "giop:tcp::2809"}) ==
        "unknown option -ORBendPoint; omniORB's -ORBendPoint corresponds to Perigee's "
        "-ORBListenEndpoints "
        "(-ORBHelp lists the options)");
  CHECK(contains(complaint({"-ORBEndpoint", "iiop://:1"}),
                 "; TAO's -ORBEndpoint corresponds to Perigee's -ORBListenEndpoints; "
                 "-ORBTaoOptions yes accepts "
                 "options of TAO ("));
  CHECK(complaint({"-ORBCDRTradeoff", "x"}) ==
        "unknown option -ORBCDRTradeoff; -ORBTaoOptions yes accepts options of TAO (-ORBHelp "
        "lists the options)");
  CHECK(contains(complaint({"-ORBtraceLevel", "25"}),
                 "omniORB's -ORBtraceLevel corresponds to Perigee's -ORBTraceLevel"));
  CHECK(contains(complaint({"-ORBDEBUGLEVEL", "10"}),
                 "TAO's -ORBDebugLevel corresponds to Perigee's -ORBTraceLevel"));
  CHECK(contains(complaint({"-ORBtraceFile", "x"}),
                 "has no counterpart in Perigee: the log goes to"));
}

TEST_CASE(
    "hints name options of Perigee, and no row of the omniORB table has the exact name of an "
    "option "
    "of Perigee") {
  std::size_t named = 0;
  const auto check = [&named](std::string_view foreign, std::string_view counterpart) {
    CAPTURE(foreign);
    const std::size_t start = counterpart.find("-ORB");
    if (start == counterpart.npos) return;
    const std::string_view rest = counterpart.substr(start + 4);
    const std::string_view name = rest.substr(0, rest.find_first_of(" ,;"));
    const bool is_known =
        name == "Help" || std::ranges::count(option_table(), name, &Option::name) == 1;
    CHECK_MESSAGE(is_known, name);
    ++named;
  };
  for (const OmniorbOption& option : omniorb_option_table()) {
    CHECK(std::ranges::find(option_table(), option.name, &Option::name) == option_table().end());
    check(option.name, option.counterpart);
  }
  for (const TaoOption& option : tao_option_table()) check(option.name, hint_of(option));
  CHECK(named > 30);
}

TEST_CASE("the error for an option of TAO says what replaces it, or why there is no counterpart") {
  CHECK(contains(
      complaint({"-ORBNameServiceIOR", "x"}),
      "TAO's -ORBNameServiceIOR corresponds to Perigee's -ORBInitRef NameService=<reference>;"));
  CHECK(contains(complaint({"-ORBSndSock", "1"}),
                 "TAO's -ORBSndSock corresponds to Perigee's -ORBTcpSendQueue;"));
  CHECK(contains(complaint({"-ORBNoDelay", "1"}),
                 "has no counterpart in Perigee: TCP connections always have TCP_NODELAY;"));
  CHECK(contains(complaint({"-ORBConcurrency", "reactive"}),
                 "corresponds to Perigee's -ORBThreadStrategy;"));
}

TEST_CASE("with -ORBTaoOptions yes, options of TAO set the options that replace them") {
  const auto endpoints_of = [](const char* option, const char* value) {
    return configured({option, value, "-ORBTaoOptions", "yes"}).settings.listen_endpoints;
  };
  using Endpoints = std::vector<transport::Endpoint>;
  CHECK(endpoints_of("-ORBEndpoint", "iiop://host:1") == Endpoints{{"iiop", "host:1"}});
  CHECK(endpoints_of("-ORBListenEndpoints", "iiop://1.2@host:1") == Endpoints{{"iiop", "host:1"}});
  CHECK(endpoints_of("-ORBlistenendpoints", "iiop://") == Endpoints{{"iiop", ":0"}});
  CHECK(endpoints_of("-ORBEndPoint", "iiop://host;iiop://[::1],b:2") ==
        Endpoints{{"iiop", "host:0"}, {"iiop", "[::1]:0"}, {"iiop", "b:2"}});
  CHECK(endpoints_of("-ORBEndpoint", "iiop://:1/hostname_in_ior=gate") ==
        Endpoints{{"iiop", ":1?publish=gate"}});
  CHECK(endpoints_of("-ORBEndpoint", "uiop://1.1@/tmp/s") == Endpoints{{"uiop", "/tmp/s"}});
  CHECK(endpoints_of("-ORBPort", "99") == Endpoints{{"iiop", ":99"}});

  const auto configuration =
      configured({"-ORBSndSock", "8192", "-orbrcvsock", "16384", "-ORBTaoOptions", "yes",
                  "-ORBMaxMessageSize", "4096", "-ORBNameServiceIOR", "corbaloc::h/N",
                  "-ORBInitRef", "A=corbaloc::h/A", "-ORBId", "name", "-ORBServerId", "bank"});
  CHECK(configuration.tcp_queues.send_size == 8192);
  CHECK(configuration.tcp_queues.receive_size == 16384);
  CHECK(configuration.limits.fragment_size == 4096);
  CHECK(configuration.settings.server_id == "bank");
  CHECK(configuration.settings.orb_id == "name");
  CHECK(configuration.settings.initial_references ==
        std::vector<std::pair<std::string, std::string>>{{"NameService", "corbaloc::h/N"},
                                                         {"A", "corbaloc::h/A"}});
}

TEST_CASE("with -ORBTaoOptions yes, a debug level of TAO becomes a trace level") {
  for (const auto& [number, level] :
       {std::pair{"0", log::Level::warning}, std::pair{"1", log::Level::info},
        std::pair{"5", log::Level::debug}, std::pair{"10", log::Level::trace}})
    CHECK(configured({"-ORBdebuglevel", number, "-ORBTaoOptions", "yes"}).log_level == level);
  CHECK(complaint({"-ORBdebuglevel", "much", "-ORBTaoOptions", "yes"}) ==
        "-ORBdebuglevel cannot be 'much': a whole number from 0 to 2147483647 is needed");
}

TEST_CASE("with -ORBTaoOptions yes, other options of TAO are ignored, with a warning each") {
  test::LogLines lines(log::Level::warning);
  std::vector<std::string> arguments = {"-ORBSvcConf",
                                        "svc.conf",
                                        "-ORBDebug",
                                        "program",
                                        "-ORBNoDelay",
                                        "0",
                                        "-ORBLaneEndpoint",
                                        "1:2",
                                        "iiop://x",
                                        "-ORBEndpoint",
                                        "iiop://:1/portspan=3",
                                        "-ORBTaoOptions",
                                        "yes"};
  Configuration configuration;
  take_options(arguments, configuration);
  CHECK(arguments == std::vector<std::string>{"program"});
  CHECK(configuration.settings.listen_endpoints.size() == 1);
  CHECK(lines.text() ==
        "orb: TAO's -ORBSvcConf is ignored: write the settings into a TOML file for "
        "-ORBConfigFile, or as options\n"
        "orb: TAO's -ORBDebug is ignored: -ORBTraceLevel sets what the log shows\n"
        "orb: TAO's -ORBNoDelay is ignored: TCP connections always have TCP_NODELAY\n"
        "orb: TAO's -ORBLaneEndpoint is ignored: Perigee has no thread-pool lanes (RT-CORBA)\n"
        "orb: TAO's endpoint option portspan=3 is ignored: it has no counterpart\n");
}

TEST_CASE("-ORBTaoOptions accepts no unknown options, and is off by default") {
  CHECK(contains(complaint({"-ORBTaoOptions", "yes", "-ORBUnlikeAll", "x"}), "unknown option"));
  CHECK(contains(complaint({"-ORBTaoOptions", "no", "-ORBNoDelay", "1"}), "unknown option"));
  CHECK(contains(complaint({"-ORBTaoOptions", "maybe"}), "one of yes, no is needed"));
  CHECK(contains(complaint({"-ORBTaoOptions", "yes", "-ORBSvcConf"}), "-ORBSvcConf needs a value"));
  CHECK(contains(complaint({"-ORBTaoOptions", "yes", "-ORBLaneEndpoint", "1:2"}),
                 "-ORBLaneEndpoint needs 2 values"));
  CHECK(contains(complaint({"-ORBNoDelay", "1", "-ORBTaoOptions"}), "unknown option"));
}

TEST_CASE(
    "the replacement of each TAO option is an option of Perigee; of the names in the table, only "
    "ListenEndpoints is also one of Perigee's") {
  for (const TaoOption& tao : tao_option_table()) {
    CAPTURE(tao.name);
    if (!tao.replacement.empty())
      CHECK(std::ranges::count(option_table(), tao.replacement, &Option::name) == 1);
    else
      CHECK(!tao.why.empty());
    CHECK(find_tao_option(tao.name) == &tao);
    const bool is_ours = std::ranges::any_of(option_table(), [&](const Option& option) {
      return equal_in_any_case(option.name, tao.name);
    });
    CHECK(is_ours == (tao.name == "ListenEndpoints"));
  }
}

TEST_CASE("an option without a value, or with an invalid value, raises BAD_PARAM") {
  CHECK(contains(complaint({"-ORBid"}), "-ORBid needs a value"));
  CHECK(contains(complaint({"-ORBGiopVersion", "2.0"}), "1.0, 1.1, 1.2"));
  CHECK(contains(complaint({"-ORBThreadStrategy", "pool"}), "reactive"));
  CHECK(contains(complaint({"-ORBFragmentSize", "12"}), "1024"));
  CHECK(contains(complaint({"-ORBFragmentSize", "4096x"}), "4096x"));
  CHECK(contains(complaint({"-ORBFragmentSize", "99999999999"}), "99999999999"));
  CHECK(contains(complaint({"-ORBListenEndpoints", "host:1"}), "iiop://"));
  CHECK(contains(complaint({"-ORBInitRef", "NameService"}), "<name>=<reference>"));
  CHECK(contains(complaint({"-ORBTraceLevel", "5"}), "debug"));
  CHECK(contains(complaint({"-ORBFaults", "reset=often"}), "invalid: reset=often"));
  CHECK(contains(complaint({"-ORBUiopTrust", "own,no-such-user"}), "'no-such-user' is not a user"));
}

TEST_CASE("a scheme row has three names, and the first row of a scheme applies") {
  const Configuration configuration = configured(
      {"-ORBScheme", "a=brief/tcp", "-ORBScheme", "b=giop/board", "-ORBScheme", "a=giop/tcp"});
  REQUIRE(configuration.schemes.size() == 2);
  CHECK(configuration.schemes[0].scheme == "a");
  CHECK(configuration.schemes[0].messaging == "brief");
  CHECK(configuration.schemes[0].transport == "tcp");
  CHECK(configuration.schemes[1].transport == "board");
  for (const char* bad : {"a", "=b/c", "a=b", "a=/c", "a=b/", "a/b=c"}) {
    CAPTURE(bad);
    CHECK(contains(complaint({"-ORBScheme", bad}), "<scheme>=<messages>/<transport> is needed"));
  }
}

TEST_CASE("-ORBThreadStrategy accepts the name of each strategy") {
  using enum orb::ThreadStrategy;
  for (const auto& [name, strategy] :
       {std::pair{"auto", automatic}, std::pair{"reactive", reactive},
        std::pair{"thread-per-connection", thread_per_connection},
        std::pair{"thread-pool", thread_pool}, std::pair{"reactor-per-core", reactor_per_core}})
    CHECK(configured({"-ORBThreadStrategy", name}).settings.thread_strategy == strategy);
}

TEST_CASE(
    "the loops of a server use epoll, and one thread accepts, unless an option says otherwise") {
  CHECK(configured({}).settings.poller == engine::PollerKind::epoll);
  CHECK(configured({"-ORBPoller", "epoll"}).settings.poller == engine::PollerKind::epoll);
  CHECK(configured({"-ORBPoller", "uring"}).settings.poller == engine::PollerKind::uring);
  CHECK_FALSE(configured({}).settings.accept_shards);
  CHECK(configured({"-ORBAcceptShards", "yes"}).settings.accept_shards);
  CHECK_FALSE(configured({"-ORBAcceptShards", "no"}).settings.accept_shards);
}

// Other ORBs rely on these defaults: docs/interop.md.
TEST_CASE("fragments have at most 128 KiB, and UTF-8 is preferred, unless an option differs") {
  CHECK(configured({}).limits.fragment_size == 131'072);
  CHECK(configured({"-ORBFragmentSize", "4096"}).limits.fragment_size == 4096);
  CHECK(configured({}).settings.code_sets.prefer_utf_8);
  CHECK_FALSE(configured({"-ORBPreferUtf8", "no"}).settings.code_sets.prefer_utf_8);
}

TEST_CASE("the requests of a connection have no order, unless an option says otherwise") {
  CHECK(configured({}).settings.request_order == engine::RequestOrder::none);
  CHECK(configured({"-ORBRequestOrder", "none"}).settings.request_order ==
        engine::RequestOrder::none);
  CHECK(configured({"-ORBRequestOrder", "connection"}).settings.request_order ==
        engine::RequestOrder::connection);
}

TEST_CASE(
    "by default, a server sends the texts written for an exception, but not those of failed calls "
    "of "
    "its servants") {
  CHECK(configured({}).settings.sent_details == orb::SentDetails::own);
  CHECK(configured({"-ORBSendDetails", "no"}).settings.sent_details == orb::SentDetails::none);
  CHECK(configured({"-ORBSendDetails", "own"}).settings.sent_details == orb::SentDetails::own);
  CHECK(configured({"-ORBSendDetails", "all"}).settings.sent_details == orb::SentDetails::all);
  CHECK_THROWS_AS((void)configured({"-ORBSendDetails", "some"}), CORBA::BAD_PARAM);
}

TEST_CASE("connections carry calls in one direction, unless an option says otherwise") {
  CHECK_FALSE(configured({}).settings.offer_bidirectional);
  CHECK_FALSE(configured({}).settings.accept_bidirectional);
  CHECK(configured({"-ORBOfferBidirectional", "yes"}).settings.offer_bidirectional);
  CHECK(configured({"-ORBAcceptBidirectional", "yes"}).settings.accept_bidirectional);
}

TEST_CASE("a handshake has 10 seconds unless an option changes it; it always has a limit") {
  CHECK(configured({}).settings.open_timeout == std::chrono::seconds(10));
  CHECK(configured({"-ORBOpenTimeout", "6"}).settings.open_timeout == std::chrono::milliseconds(6));
  CHECK_THROWS_AS((void)configured({"-ORBOpenTimeout", "0"}), CORBA::BAD_PARAM);
}

TEST_CASE("options set their settings: one option of most kinds") {
  const Configuration configuration = configured({"-ORBListenEndpoints",
                                                  "iiop://a:1;iiop://b:2",
                                                  "-ORBListenEndpoints",
                                                  "iiop://c:3",
                                                  "-ORBThreadStrategy",
                                                  "reactive",
                                                  "-ORBThreads",
                                                  "3",
                                                  "-ORBBusyPoll",
                                                  "50",
                                                  "-ORBTcpSendQueue",
                                                  "8192",
                                                  "-ORBTcpReceiveQueue",
                                                  "16384",
                                                  "-ORBGiopVersion",
                                                  "1.1",
                                                  "-ORBGiopLite",
                                                  "yes",
                                                  "-ORBUiopTrust",
                                                  "all",
                                                  "-ORBFragmentSize",
                                                  "4096",
                                                  "-ORBMessageSizeMax",
                                                  "100000",
                                                  "-ORBInitRef",
                                                  "A=corbaloc::h/x=y",
                                                  "-ORBDefaultInitRef",
                                                  "corbaloc::h",
                                                  "-ORBConnectTimeout",
                                                  "5",
                                                  "-ORBFirstReplyTimeout",
                                                  "0",
                                                  "-ORBSendTimeout",
                                                  "7",
                                                  "-ORBConnectionsPerEndpointMax",
                                                  "2",
                                                  "-ORBTraceLevel",
                                                  "info",
                                                  "-ORBPcap",
                                                  "f.pcap",
                                                  "-ORBFaults",
                                                  "seed=3,reset=0.5"});
  const orb::Settings& settings = configuration.settings;
  CHECK(settings.listen_endpoints ==
        std::vector<transport::Endpoint>{{"iiop", "a:1"}, {"iiop", "b:2"}, {"iiop", "c:3"}});
  CHECK(settings.thread_strategy == orb::ThreadStrategy::reactive);
  CHECK(settings.threads == 3);
  CHECK(settings.busy_poll == std::chrono::microseconds(50));
  CHECK(configuration.tcp_queues.send_size == 8192);
  CHECK(configuration.tcp_queues.receive_size == 16384);
  CHECK(settings.version_max == messaging::Version{1, 1});
  CHECK(settings.giop_lite);
  CHECK(configuration.local_trust.everybody);
  CHECK(configuration.limits.fragment_size == 4096);
  CHECK(configuration.limits.message_size_max == 100'000);
  CHECK(settings.initial_references ==
        std::vector<std::pair<std::string, std::string>>{{"A", "corbaloc::h/x=y"}});
  CHECK(settings.default_initial_reference == "corbaloc::h");
  CHECK(settings.connect_timeout == std::chrono::milliseconds(5));
  CHECK(settings.first_reply_timeout == std::chrono::milliseconds(0));
  CHECK(settings.send_timeout == std::chrono::milliseconds(7));
  CHECK(settings.connections_per_endpoint_max == 2);
  CHECK(configuration.log_level == log::Level::info);
  CHECK(configuration.pcap_file == "f.pcap");
  REQUIRE(configuration.faults.has_value());
  CHECK(configuration.faults->seed == 3);
  CHECK(configuration.faults->reset == 0.5);
}

TEST_CASE("the list of options has every option, with its value, meaning, default and key") {
  const std::string list = describe_options();
  for (const Option& option : option_table()) {
    const std::string head =
        "\n  -ORB" + std::string(option.name) + " " + std::string(option.value) + " ";
    const std::size_t start = list.find(head);
    REQUIRE_MESSAGE(start != list.npos, head);
    const std::string row = list.substr(start + 1, list.find("]\n", start) - start);
    CHECK(contains(row, option.meaning));
    CHECK(contains(row, option.key));
    CHECK(contains(row,
                   default_of(option).empty() ? "[no default" : "[default: " + default_of(option)));
  }
  CHECK(contains(list, "[default: 67108864; limits.message_size_max]\n"));
  CHECK(contains(list, "[default: auto; server.thread_strategy]\n"));
  CHECK(contains(list, "\n  -ORBHelp "));
}

TEST_CASE("docs/using.md has the default of each option that is neither a limit nor a time-out") {
  std::ifstream file(PERIGEE_SOURCE_FOLDER "/docs/using.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const Option& option : option_table()) {
    if (option.key.starts_with("limits.") || option.key.starts_with("timeouts.")) continue;
    const std::size_t start = text.find("\n| `-ORB" + std::string(option.name) + "` |");
    REQUIRE_MESSAGE(start != text.npos, option.name);
    const std::string row = text.substr(start + 1, text.find("\n", start + 1) - start - 1);
    std::string cell = row.substr(row.rfind('|', row.size() - 2) + 1);
    std::erase(cell, '`');
    const std::string expected = " " + default_of(option);
    CHECK_MESSAGE(cell.starts_with(expected), option.name, ": ", cell);
    if (expected == " ") CHECK(cell == " |");
  }
}

TEST_CASE(
    "docs/using.md explains each option that is neither a limit nor a time-out, with its key") {
  std::ifstream file(PERIGEE_SOURCE_FOLDER "/docs/using.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto is_limit = [](const Option& option) {
    return option.key.starts_with("limits.") || option.key.starts_with("timeouts.");
  };
  for (const Option& option : option_table()) {
    if (is_limit(option)) continue;
    const std::string key = option.key.empty() ? "" : "`" + std::string(option.key) + "` ";
    const std::string row = "| `-ORB" + std::string(option.name) + "` | " + key + "|";
    CHECK_MESSAGE(contains(text, row), row);
  }
  const std::string_view table(text.data(), text.find("### Configuration file"));
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = table.find("\n| `-ORB", at)) != table.npos; ++at) ++rows;
  CHECK(rows ==
        static_cast<std::size_t>(std::ranges::count_if(option_table(), std::not_fn(is_limit))) +
            1);  // -ORBHelp has no row in that table
}

}  // namespace perigee::runtime
