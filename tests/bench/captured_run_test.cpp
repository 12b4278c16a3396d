// Programs that run to their end: their errors, and their time limit.
#include "harness/captured_run.h"

#include <doctest/doctest.h>

#include <chrono>

namespace perigee::bench {
namespace {

using namespace std::chrono_literals;

CapturedRun shell(const std::string& script, std::chrono::seconds time_limit = 60s) {
  return run_captured({"/bin/sh", "-c", script}, time_limit, [] {});
}

TEST_CASE("a program that succeeds has no failure, whatever it writes") {
  const CapturedRun run = shell("echo output; echo note >&2");
  CHECK(run.errors == "note\n");
  CHECK(failure_of(run, 60s).empty());
}

TEST_CASE("the failure of a program is its last line of errors") {
  CHECK(failure_of(shell("echo note >&2; echo 'no such size' >&2; exit 1"), 60s) == "no such size");
  CHECK(failure_of(shell("exit 3"), 60s) == "it ended with status 3");
  CHECK(failure_of(shell("kill -9 $$"), 60s) == "it ended by signal 9");
}

TEST_CASE("only the end of many errors is kept") {
  const CapturedRun run =
      shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; exit 1");
  CHECK(run.errors.size() == errors_size_max);
  CHECK(failure_of(run, 60s) == "end");
}

TEST_CASE("a program that exceeds its time limit is ended") {
  const CapturedRun run = shell("exec tail -f /dev/null", 0s);
  CHECK(run.timed_out);
  CHECK(failure_of(run, 0s) == "it did not end within 0 seconds");
}

TEST_CASE("a program that does not exist ends with status 127") {
  const CapturedRun run = run_captured({"/nowhere/program"}, 60s, [] {});
  CHECK(failure_of(run, 60s) == "it ended with status 127");
}

}  // namespace
}  // namespace perigee::bench
