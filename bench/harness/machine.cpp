// Describes the machine and the run of a measurement.
#include "machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace perigee::bench {
namespace {

std::string cpu_model() {
  std::ifstream input("/proc/cpuinfo");
  std::string line;
  while (std::getline(input, line))
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

// proc(5): each word ends with a zero octet.
std::vector<std::string> own_words() {
  std::ifstream input("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(input, word, '\0');) words.push_back(word);
  return words;
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%=-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char character : word) text += character == '\'' ? "'\\''" : std::string(1, character);
  return text + "'";
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += text.empty() ? quoted_for_shell(std::filesystem::path(word).filename().string())
                         : ' ' + quoted_for_shell(word);
  return text;
}

Measurement this_run() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {PERIGEE_VERSION, fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now)),
          command_line(own_words())};
}

std::string run_description() {
  const Measurement run = this_run();
  return fmt::format("Perigee {}, {}: {}", run.version, run.date, run.command);
}

std::string machine_description() {
  utsname system{};
  uname(&system);
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
#if defined(NDEBUG) || defined(__OPTIMIZE__)
  const std::string kind = "optimised";
#else
  const std::string kind = "NOT OPTIMISED";
#endif
  return cpu_model() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " CPUs, Linux " +
         system.release + ", " + compiler + ", " + kind;
}

}  // namespace perigee::bench
