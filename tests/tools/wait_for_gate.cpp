// The work of a plug-in before it makes its protocols: it waits until the file named by
// PERIGEE_TEST_GATE exists.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

extern "C" void perigee_test_wait_for_gate() {
  const char* const gate = std::getenv("PERIGEE_TEST_GATE");
  while (gate != nullptr && !std::filesystem::exists(gate))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
