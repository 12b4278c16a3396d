// The threads of a load take calls from one counter. At the end, each thread appends its latencies
// to the report.
#include "call/load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace perigee::tool {

namespace {

using Clock = std::chrono::steady_clock;

/// The latency that `fraction` of the calls do not exceed, in microseconds.
double percentile_us(const std::vector<std::uint64_t>& sorted_ns, double fraction) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted_ns.size())));
  const std::uint64_t value = sorted_ns[std::clamp<std::size_t>(rank, 1, sorted_ns.size()) - 1];
  return std::round(static_cast<double>(value) / 100) / 10;
}

class Load {
 public:
  Load(std::uint64_t calls, const std::function<std::string()>& call)
      : calls_(calls), call_(call) {}

  /// Makes calls, on one of several threads. Ends when all calls are made, or when one has thrown.
  void run() {
    LoadReport own;
    std::exception_ptr error;
    try {
      while (next_.fetch_add(1, std::memory_order_relaxed) < calls_) make_call(own);
    } catch (...) {
      error = std::current_exception();
      stop();
    }
    const std::scoped_lock lock(mutex_);
    if (error) error_ = error;
    report_.latencies_ns.insert(report_.latencies_ns.end(), own.latencies_ns.begin(),
                                own.latencies_ns.end());
    for (const auto& [id, count] : own.failures) report_.failures[id] += count;
  }

  /// The threads make no further call.
  void stop() noexcept { next_.store(calls_); }

  LoadReport take() {
    if (error_) std::rethrow_exception(error_);
    std::ranges::sort(report_.latencies_ns);
    return std::move(report_);
  }

 private:
  void make_call(LoadReport& own) {
    const auto begin = Clock::now();
    const std::string failure = call_();
    const std::chrono::nanoseconds time = Clock::now() - begin;
    if (failure.empty())
      own.latencies_ns.push_back(static_cast<std::uint64_t>(time.count()));
    else
      ++own.failures[failure];
  }

  const std::uint64_t calls_;
  const std::function<std::string()>& call_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;  ///< guards the members below
  LoadReport report_;
  std::exception_ptr error_;
};

}  // namespace

LoadReport run_load(std::uint64_t calls, unsigned threads,
                    const std::function<std::string()>& call) {
  Load load(calls, call);
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> running;
    try {
      for (unsigned index = 1; index < threads; ++index)
        running.emplace_back([&load] { load.run(); });
    } catch (const std::system_error&) {  // the system has no further thread
      load.stop();
      throw;
    }
    load.run();
  }
  const std::chrono::duration<double> time = Clock::now() - begin;
  LoadReport report = load.take();
  report.seconds = time.count();
  return report;
}

nlohmann::ordered_json to_json(const LoadReport& report) {
  std::uint64_t failed = 0;
  for (const auto& [id, count] : report.failures) failed += count;
  const std::uint64_t calls = report.latencies_ns.size() + failed;
  nlohmann::ordered_json result{
      {"calls", calls},
      {"failed", failed},
      {"seconds", std::round(report.seconds * 1e6) / 1e6},
      {"calls_per_second",
       report.seconds > 0 ? std::round(static_cast<double>(calls) / report.seconds) : 0.0}};
  if (!report.latencies_ns.empty()) {
    const auto at = [&report](double fraction) {
      return percentile_us(report.latencies_ns, fraction);
    };
    result["latency_us"] = {{"min", at(0)},    {"p50", at(0.5)},     {"p90", at(0.9)},
                            {"p99", at(0.99)}, {"p99_9", at(0.999)}, {"max", at(1)}};
  }
  if (failed != 0) result["failures"] = report.failures;
  return result;
}

}  // namespace perigee::tool
