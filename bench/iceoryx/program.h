// The start and the failure of the iceoryx programs.
#pragma once

#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace iceoryx_peer {

constexpr std::uint32_t alignment = 8;  // of messages

/// Registers this process with RouDi. `experiment`: "cubit" or "ttcp".
inline void start(const std::string& experiment, const std::string& role) {
  iox::log::LogManager::GetLogManager().SetDefaultLogLevel(iox::log::LogLevel::kError,
                                                           iox::log::LogLevelOutput::kHideLogLevel);
  iox::runtime::PoshRuntime::initRuntime(
      iox::RuntimeName_t(iox::cxx::TruncateToCapacity,
                         "perigee-" + experiment + "-" + role + "-" + std::to_string(getpid())));
}

/// Ends the program. The functions of iceoryx call it, and may not throw.
[[noreturn]] inline void fail(const char* what) {
  std::cerr << program_invocation_short_name << ": " << what << std::endl;
  std::_Exit(1);
}

}  // namespace iceoryx_peer
