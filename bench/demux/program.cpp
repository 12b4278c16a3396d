// Dispatches requests to servants through generated skeletons, without a network. The program is
// built once for each way of perigee-idl --demux. It reads lines "WAY COUNT ORDER CALLS", and
// answers each with "ok NANOSECONDS", the mean time of a dispatch. The way is "skeleton", or
// "direct": a call through a table, for which no name is searched.
#include "orders.h"
#include "servants.h"
#include <perigee/orb/server_request.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A request without arguments that counts its replies.
class Request final : public orb::ServerRequest {
 public:
  void begin(std::string_view operation) noexcept {
    operation_ = operation;
    answered_ = false;
  }
  std::size_t replies = 0;

 private:
  ServerRequest* make_deferred() override { return nullptr; }
  void send_reply(orb::ResultEncoder /*encode*/) override { ++replies; }
  void send_user_exception(const CORBA::UserException& /*exception*/) override {}
  void send_system_exception(const CORBA::SystemException& /*exception*/) noexcept override {}
  void send_forward(const CORBA::Object& /*target*/, bool /*permanent*/) override {}
};

std::string name_of(std::size_t index) {
  char name[] = "operation_0000";
  std::snprintf(name, sizeof name, "operation_%04zu", index % 10'000);
  return name;
}

template <std::size_t Count>
class Dispatching {
 public:
  Dispatching() {
    for (std::size_t index = 0; index < Count; ++index) names_.push_back(name_of(index));
  }

  /// Throws std::runtime_error if an operation does not reach its function, or if the name of no
  /// operation reaches a function.
  void check() {
    for (std::size_t index = 0; index < Count; ++index) {
      servant_.called = Count;
      through_skeleton(index);
      if (servant_.called != index)
        throw std::runtime_error("another function was called for " + names_[index]);
    }
    try {
      const std::string unknown = name_of(Count);
      request_.begin(unknown);
      servant_._dispatch(request_);
    } catch (const CORBA::BAD_OPERATION&) {
      return;
    }
    throw std::runtime_error("a function was called for the name of no operation");
  }

  double measure(std::string_view way, Order order, std::size_t calls) {
    const std::vector<std::size_t> indexes = make_indexes(order, Count);
    const std::size_t before = request_.replies;
    const double ns =
        way == "direct"
            ? timed(indexes, calls, [this](std::size_t index) { direct(index); })
            : timed(indexes, calls, [this](std::size_t index) { through_skeleton(index); });
    if (request_.replies - before != calls)
      throw std::runtime_error("the servant has replied to another number of requests");
    return ns;
  }

 private:
  void through_skeleton(std::size_t index) {
    request_.begin(names_[index]);
    servant_._dispatch(request_);
  }

  // The work of a skeleton, without the search.
  void direct(std::size_t index) {
    request_.begin(names_[index]);
    request_.end_of_arguments();
    (servant_.*Servant<Count>::functions[index])();
    request_.reply(nullptr);
  }

  template <typename Call>
  static double timed(const std::vector<std::size_t>& indexes, std::size_t calls,
                      const Call& call) {
    const auto begin = Clock::now();
    for (std::size_t made = 0, next = 0; made < calls; ++made) {
      call(indexes[next]);
      next = next + 1 == indexes.size() ? 0 : next + 1;
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
           static_cast<double>(calls);
  }

  Servant<Count> servant_;
  Request request_;
  std::vector<std::string> names_;
};

template <std::size_t Count>
double measure(std::string_view way, Order order, std::size_t calls) {
  static Dispatching<Count> dispatching;
  dispatching.check();
  return dispatching.measure(way, order, calls);
}

double measure(std::size_t count, std::string_view way, Order order, std::size_t calls) {
  switch (count) {
    case 1:
      return measure<1>(way, order, calls);
    case 10:
      return measure<10>(way, order, calls);
    case 30:
      return measure<30>(way, order, calls);
    case 100:
      return measure<100>(way, order, calls);
    case 300:
      return measure<300>(way, order, calls);
    case 1000:
      return measure<1000>(way, order, calls);
    default:
      throw std::runtime_error("no interface has " + std::to_string(count) + " operations");
  }
}

void answer_lines() {
  std::string way;
  std::string order;
  std::size_t count = 0;
  std::size_t calls = 0;
  while (std::cin >> way >> count >> order >> calls)
    std::cout << "ok " << measure(count, way, parse_order(order), calls) << std::endl;
}

}  // namespace
}  // namespace perigee::bench

int main() {
  try {
    perigee::bench::answer_lines();
  } catch (const std::exception& failure) {
    std::cerr << "demux: " << failure.what() << '\n';
    return 1;
  }
  return 0;
}
