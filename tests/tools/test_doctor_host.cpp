// The checks of `perigee doctor` with made-up files of the kernel.
#include "doctor/host.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace perigee::tool {

namespace {

/// A folder with files of the kernel, which ends with the object.
class MadeUpFiles {
 public:
  MadeUpFiles() {
    root_ = std::filesystem::temp_directory_path() / ("perigee_doctor_" + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~MadeUpFiles() { std::filesystem::remove_all(root_); }
  MadeUpFiles(const MadeUpFiles&) = delete;
  MadeUpFiles& operator=(const MadeUpFiles&) = delete;

  MadeUpFiles& add(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
    return *this;
  }
  [[nodiscard]] KernelFiles files() const { return KernelFiles(root_); }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("a low limit of open files is a problem, and its remedy depends on the hard limit") {
  CHECK(check_open_files({}).verdict == Verdict::ok);
  CHECK(
      check_open_files({.open_files = 65'536, .open_files_hard = 65'536, .threads = {}}).verdict ==
      Verdict::ok);
  const Finding advised =
      check_open_files({.open_files = 1024, .open_files_hard = {}, .threads = {}});
  CHECK(advised.verdict == Verdict::advice);
  CHECK(advised.remedy.find("ulimit -n 65536") != std::string::npos);
  const Finding low = check_open_files({.open_files = 64, .open_files_hard = 1024, .threads = {}});
  CHECK(low.verdict == Verdict::problem);
  CHECK(low.remedy.find("hard limit") != std::string::npos);
}

TEST_CASE("the lowest limit of threads counts") {
  MadeUpFiles made;
  CHECK(check_threads({}, made.files()).text == "no limit");
  made.add("proc/sys/kernel/threads-max", "100000");
  CHECK(check_threads({}, made.files()).verdict == Verdict::ok);
  made.add("proc/self/cgroup", "0::/service/unit")
      .add("sys/fs/cgroup/service/unit/pids.max", "max");
  CHECK(check_threads({}, made.files()).verdict == Verdict::ok);
  made.add("sys/fs/cgroup/service/pids.max", "500");
  const Finding advised =
      check_threads({.open_files = {}, .open_files_hard = {}, .threads = 5000}, made.files());
  CHECK(advised.verdict == Verdict::advice);
  CHECK(advised.text.find("at most 500 ") == 0);
  CHECK(check_threads({.open_files = {}, .open_files_hard = {}, .threads = 10}, made.files())
            .verdict == Verdict::problem);
}

TEST_CASE("limits of a control group are those of the group or of a group around it") {
  MadeUpFiles made;
  CHECK_FALSE(made.files().group_limit("memory.max"));
  made.add("proc/self/cgroup", "12:cpu:/old");
  CHECK_FALSE(made.files().group_limit("memory.max"));
  made.add("proc/self/cgroup", "0::/a/b").add("sys/fs/cgroup/a/b/memory.max", "900");
  CHECK(made.files().group_limit("memory.max") == 900);
  made.add("sys/fs/cgroup/a/memory.max", "700").add("sys/fs/cgroup/memory.max", "800");
  CHECK(made.files().group_limit("memory.max") == 700);
  made.add("proc/self/cgroup", "0::/").add("sys/fs/cgroup/memory.max", "1073741824");
  CHECK(check_memory(made.files()).verdict == Verdict::ok);
  made.add("sys/fs/cgroup/memory.max", "268435456");
  CHECK(check_memory(made.files()).text == "a container or systemd unit limits it to 256 MiB");
  CHECK(check_memory(made.files()).verdict == Verdict::advice);
}

TEST_CASE("a quota below the number of CPUs is reported") {
  MadeUpFiles made;
  CHECK(check_cpus(2, made.files()).verdict == Verdict::ok);
  made.add("proc/self/cgroup", "0::/").add("sys/fs/cgroup/cpu.max", "max 100000");
  CHECK(check_cpus(2, made.files()).verdict == Verdict::ok);
  made.add("sys/fs/cgroup/cpu.max", "150000 100000");
  CHECK(check_cpus(2, made.files()).text ==
        "2; a container or systemd unit allows the time of 1.5 CPUs");
  CHECK(check_cpus(1, made.files()).verdict == Verdict::ok);
  made.add("sys/fs/cgroup/cpu.max", "150000 50000");
  CHECK(check_cpus(2, made.files()).verdict == Verdict::ok);
}

TEST_CASE("settings of the network and the clock are judged") {
  MadeUpFiles made;
  CHECK(check_clock(made.files()).verdict == Verdict::ok);
  CHECK(check_backlog(made.files()).verdict == Verdict::ok);
  CHECK(check_client_ports(made.files()).verdict == Verdict::ok);
  made.add("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet")
      .add("proc/sys/net/core/somaxconn", "128")
      .add("proc/sys/net/ipv4/ip_local_port_range", "60000\t60999");
  CHECK(check_clock(made.files()).verdict == Verdict::advice);
  CHECK(check_backlog(made.files()).verdict == Verdict::advice);
  CHECK(check_client_ports(made.files()).text == "1000 for connections to one address");
  CHECK(check_client_ports(made.files()).verdict == Verdict::advice);
  made.add("proc/sys/net/ipv4/ip_local_port_range", "nothing");
  CHECK(check_client_ports(made.files()).verdict == Verdict::ok);
}

TEST_CASE("only a finding with the verdict problem is a problem") {
  CHECK_FALSE(
      has_problem({{.subject = "a", .verdict = Verdict::advice, .text = "b", .remedy = "c"}}));
  const Findings findings{
      {.subject = "a", .verdict = Verdict::ok, .text = "b", .remedy = ""},
      {.subject = "c", .verdict = Verdict::problem, .text = "d", .remedy = "e"}};
  CHECK(has_problem(findings));
  CHECK(to_text(findings) == "ok       a: b\nproblem  c: d\n         e\n");
  CHECK(to_json(findings)[1]["remedy"] == "e");
  CHECK_FALSE(to_json(findings)[0].contains("remedy"));
}

}  // namespace perigee::tool
