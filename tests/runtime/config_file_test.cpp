// Configuration files: the values that they set, precedence over other sources, and error reports.
#include "runtime/config_file.h"

#include "runtime/options.h"
#include <perigee/orb/exceptions.h>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace perigee::runtime {

namespace {

/// A file with this text, which the destructor deletes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    const int fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    FILE* const file = fdopen(fd, "w");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_ = "/tmp/perigee_config_XXXXXX";
};

Configuration read(std::string_view text) {
  Configuration configuration;
  read_config_text(text, "test.toml",
                   [&](const Option&) -> Configuration& { return configuration; });
  return configuration;
}

// The text of the BAD_PARAM; empty if there is none.
std::string complaint(std::string_view text) {
  try {
    (void)read(text);
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  }
  return {};
}

Configuration configured(const TemporaryFile& file, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"-ORBConfigFile", file.path()});
  Configuration configuration;
  take_options(arguments, configuration);
  return configuration;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::string_view whole_file = R"(
[orb]
id = "gateway"
default_initial_reference = "corbaloc::host"

[server]
listen = ["iiop://a:1", "iiop://b:2"]
thread_strategy = "reactive"

[protocol]
giop_version = "1.1"
fragment_size = 4096

[limits]
message_size_max = 100_000

[timeouts]
connect_ms = 5

[initial_references]
NameService = "corbaloc::h/x=y"
"a.b c" = "corbaloc::h/z"

[schemes]
giop-tcp = "giop/tcp"

[log]
level = "info"
)";

}  // namespace

TEST_CASE("a configuration file can set all values that options can set") {
  const Configuration configuration = read(whole_file);
  const orb::Settings& settings = configuration.settings;
  CHECK(settings.orb_id == "gateway");
  CHECK(settings.default_initial_reference == "corbaloc::host");
  CHECK(settings.listen_endpoints ==
        std::vector<transport::Endpoint>{{"iiop", "a:1"}, {"iiop", "b:2"}});
  CHECK(settings.thread_strategy == orb::ThreadStrategy::reactive);
  CHECK(settings.version_max == messaging::Version{1, 1});
  CHECK(configuration.limits.fragment_size == 4096);
  CHECK(configuration.limits.message_size_max == 100'000);
  CHECK(settings.connect_timeout == std::chrono::milliseconds(5));
  CHECK(settings.initial_references ==
        std::vector<std::pair<std::string, std::string>>{{"NameService", "corbaloc::h/x=y"},
                                                         {"a.b c", "corbaloc::h/z"}});
  CHECK(configuration.log_level == log::Level::info);
  REQUIRE(configuration.schemes.size() == 1);
  CHECK(configuration.schemes[0].scheme == "giop-tcp");
  CHECK(configuration.schemes[0].messaging == "giop");
  CHECK(configuration.schemes[0].transport == "tcp");
}

TEST_CASE("the command line takes precedence over the file, in either order") {
  const TemporaryFile file(whole_file);
  const Configuration configuration =
      configured(file, {"-ORBid", "mine", "-ORBListenEndpoints", "iiop://c:3", "-ORBInitRef",
                        "NameService=corbaloc::mine/N"});
  CHECK(configuration.settings.orb_id == "mine");
  CHECK(configuration.settings.listen_endpoints ==
        std::vector<transport::Endpoint>{{"iiop", "c:3"}});
  CHECK(configuration.settings.thread_strategy == orb::ThreadStrategy::reactive);
  // The first entry of a name applies.
  CHECK(configuration.settings.initial_references.front() ==
        std::pair<std::string, std::string>("NameService", "corbaloc::mine/N"));
  CHECK(configuration.settings.initial_references.size() == 3);
}

TEST_CASE("a value of the file must be valid even if the command line overrides it") {
  const TemporaryFile file("[server]\nthread_strategy = \"pool\"\n");
  CHECK_THROWS_AS((void)configured(file, {"-ORBThreadStrategy", "reactive"}), CORBA::BAD_PARAM);
}

TEST_CASE("the example of the documents is valid") {
  Configuration configuration;
  read_config_file(PERIGEE_SOURCE_FOLDER "/examples/stock/server.toml",
                   [&](const Option&) -> Configuration& { return configuration; });
  CHECK(configuration.limits.message_size_max == 1'048'576);
}

TEST_CASE("PERIGEE_CONFIG names a file for programs without a -ORBConfig option") {
  const TemporaryFile file("[orb]\nid = \"of the environment\"\n");
  const TemporaryFile other("[orb]\nid = \"of the option\"\n");
  const char* const variable = getenv("PERIGEE_CONFIG");
  const std::string before = variable != nullptr ? variable : "";
  setenv("PERIGEE_CONFIG", file.path().c_str(), 1);
  std::vector<std::string> none;
  Configuration configuration;
  take_options(none, configuration);
  CHECK(configuration.settings.orb_id == "of the environment");
  CHECK(configured(other).settings.orb_id == "of the option");
  if (variable != nullptr)
    setenv("PERIGEE_CONFIG", before.c_str(), 1);
  else
    unsetenv("PERIGEE_CONFIG");
}

TEST_CASE("the error for an unknown key has its place and the nearest key") {
  CHECK(complaint("[timeouts]\nconnect_ms = 5\nconect_ms = 5\n") ==
        "test.toml:3:1: unknown key 'conect_ms' in the table 'timeouts'; did you mean "
        "'connect_ms'? (-ORBHelp lists the keys)");
  CHECK(complaint("\n  [limit]\n") ==
        "test.toml:2:4: unknown table 'limit'; did you mean 'limits'? (-ORBHelp lists the keys)");
  CHECK(complaint("[timeouts]\nnonsense = 5\n") ==
        "test.toml:2:1: unknown key 'nonsense' in the table 'timeouts' (-ORBHelp lists the keys)");
}

TEST_CASE("the error for a key in a wrong table names the right table") {
  CHECK(complaint("[server]\nmessage_size_max = 5\n") ==
        "test.toml:2:1: the key 'message_size_max' belongs in the table 'limits', not in "
        "'server'");
}

TEST_CASE("an error for a key outside its table names the table") {
  const std::string key = complaint("thread_strategy = \"reactive\"\n[server]\nthreads = 2\n");
  CHECK(contains(key,
                 "test.toml:1:1: the key 'thread_strategy' belongs in a table: write "
                 "server.thread_strategy, or put it below a line [server]"));
  CHECK(contains(complaint("nonsense = 1"), "unknown table 'nonsense' ("));
}

TEST_CASE("yes and no may be booleans, or the words of the command line") {
  CHECK(read("metrics.latencies = true").settings.measure_latencies);
  CHECK_FALSE(read("metrics.latencies = false").settings.measure_latencies);
  CHECK(read("metrics.latencies = \"yes\"").settings.measure_latencies);
  CHECK(contains(complaint("metrics.latencies = 1"), "true or false is needed: yes|no"));
  CHECK(contains(complaint("metrics.latencies = \"perhaps\""), "yes"));
}

TEST_CASE("a value of a wrong type is an error with its place and the right type") {
  const std::string number = complaint("[limits]\nmessage_size_max = \"5\"\n");
  CHECK(contains(number, "test.toml:2:20: limits.message_size_max is a string"));
  CHECK(contains(number, "a whole number is needed: <octets>"));
  CHECK(contains(complaint("[protocol]\ngiop_version = 1.2"), "a string is needed: 1.0|1.1|1.2"));
  CHECK(contains(complaint("[server]\nlisten = [\"iiop://a:1\", 5]"), "test.toml:2:25: "));
  CHECK(contains(complaint("[server]\nlisten = 1979-05-27"), "is a date or time"));
  CHECK(contains(complaint("initial_references = true"), "a table of strings is needed"));
  CHECK(contains(complaint("[initial_references]\nA = 1"), "but a table of strings"));
  CHECK(contains(complaint("timeouts = [1]"), "'timeouts' is an array, but a table is needed"));
  CHECK(contains(complaint("[[timeouts]]\nconnect_ms = 1"), "but a table is needed"));
}

TEST_CASE("a value out of range is an error with its place and the range") {
  const std::string low = complaint("[limits]\nmessage_size_max = 12\n");
  CHECK(contains(low, "test.toml:2:20: limits.message_size_max cannot be '12'"));
  CHECK(contains(low, "from 1024 to 4294967295"));
  CHECK(contains(complaint("[timeouts]\nconnect_ms = -1"), "from 0 to 2147483647"));
  CHECK(contains(complaint("[timeouts]\nconnect_ms = 99999999999"), "from 0 to 2147483647"));
  CHECK(contains(complaint("[server]\nlisten = \"host\""), "iiop://"));
}

TEST_CASE("invalid TOML is an error with its place") {
  CHECK(contains(complaint("[limits\n"), "test.toml:1:"));
  CHECK(contains(complaint("[orb]\nid = \"a\"\nid = \"b\""), "test.toml:3:"));
  CHECK(contains(complaint("[orb]\nid = \"\xff\""), "test.toml:2:"));
}

TEST_CASE("a file that is missing, a folder or too long raises BAD_PARAM with its name") {
  const auto detail = [](const std::string& path) {
    std::vector<std::string> arguments = {"-ORBConfigFile", path};
    Configuration configuration;
    try {
      take_options(arguments, configuration);
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
    return std::string();
  };
  CHECK(contains(detail("/nonexistent/perigee.toml"),
                 "/nonexistent/perigee.toml cannot be opened: No such file or directory"));
  CHECK(contains(detail("/tmp"), "/tmp cannot be"));
  const std::string comment(config_file_size_max - 1, '#');
  CHECK(detail(TemporaryFile(comment + "\n").path()).empty());
  CHECK(contains(detail(TemporaryFile(comment + "\n\n").path()), "longer than 1048576"));
}

}  // namespace perigee::runtime
