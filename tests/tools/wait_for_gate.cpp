// What a plug-in does before it makes its protocols: waits until the file is there that
// PERIGEE_TEST_GATE names.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

extern "C" void perigee_test_wait_for_gate() {
  const char* const gate = std::getenv("PERIGEE_TEST_GATE");
  while (gate != nullptr && !std::filesystem::exists(gate))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
