// A test plug-in calls this function before it makes its protocols. The function returns when the
// file named by PERIGEE_TEST_GATE exists, or at once without this variable.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

extern "C" void perigee_test_wait_for_gate() {
  const char* const gate = std::getenv("PERIGEE_TEST_GATE");
  while (gate != nullptr && !std::filesystem::exists(gate))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
