// Calls a Register from several threads while its server ends and starts again, until the standard
// input ends. Then prints how many calls were answered, were not made, or have an unknown outcome.
// Fails at once if a call ends in a way that is wrong when servers shut down normally.
#include "restartC.h"
#include <perigee/corba.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 8;

struct Counts {
  std::atomic<std::int64_t> answered{0};
  std::atomic<std::int64_t> not_made{0};  ///< no server, or a server that starts or ends
  /// The server ended before it accepted the connection, and the system had taken the request.
  std::atomic<std::int64_t> unknown{0};
};

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "restart_client: " << what << std::endl;
  std::_Exit(1);
}

void count_failure(const CORBA::SystemException& exception, Counts& counts) {
  ++(exception.completed() == CORBA::COMPLETED_NO ? counts.not_made : counts.unknown);
}

void call_until(const std::atomic<bool>& ended, const IDL::traits<Restart::Register>::ref_type& reg,
                Counts& counts) {
  for (std::int64_t amount = 0; !ended; ++amount) {
    try {
      if (reg->take(amount) != amount) fail("another call's answer");
      ++counts.answered;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      ++counts.not_made;
    } catch (const CORBA::TRANSIENT& nobody) {
      count_failure(nobody, counts);
    } catch (const CORBA::COMM_FAILURE& nobody) {
      count_failure(nobody, counts);
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const auto reg = IDL::traits<Restart::Register>::unchecked_narrow(orb->string_to_object(argv[1]));
  Counts counts;
  std::atomic<bool> ended{false};
  {
    std::vector<std::jthread> callers;
    for (int number = 0; number < threads; ++number)
      callers.emplace_back([&] { call_until(ended, reg, counts); });
    for (std::string line; std::getline(std::cin, line);)  // prints the progress
      std::cout << counts.answered << std::endl;
    ended = true;
  }
  std::cout << counts.answered << ' ' << counts.not_made << ' ' << counts.unknown << std::endl;
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "restart_client: " << error.what() << '\n';
  return 1;
}
