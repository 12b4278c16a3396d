// Starts iox-roudi with a configuration of its own, and waits until it is ready.
#include "roudi.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

namespace perigee::bench {
namespace {

// A message has a header in front of it.
constexpr std::size_t header_room = 256;
// The chunks of a pool: for a queue of 16 messages of up to 2 MiB, and for one larger call.
constexpr std::size_t pool_size = 64u << 20;
constexpr std::size_t count_min = 6;
constexpr std::size_t count_max = 200;

std::string written_configuration(const TemporaryFolder& folder,
                                  const std::vector<std::size_t>& message_sizes) {
  const std::string path = folder.path() / "roudi.toml";
  std::ofstream(path) << roudi_configuration(message_sizes);
  return path;
}

ProcessOptions roudi_command(const TemporaryFolder& folder,
                             const std::vector<std::size_t>& message_sizes) {
  return {{"/bin/sh", "-c", "exec \"$0\" -c \"$1\" 2>&1", find_program("iox-roudi"),
           written_configuration(folder, message_sizes)},
          -1};
}

// RouDi reports a failure first, and then the place in its code. Returns the failure, or no text.
std::string await_readiness(Process& process, std::vector<std::string>& memories) {
  std::string failure;
  try {
    for (;;) {
      const std::string line = process.read_line();
      if (line.find("ready for clients") != std::string::npos) return {};
      if (const std::size_t begin = line.find("in the shared memory ["); begin != line.npos)
        memories.push_back(line.substr(line.find('[', begin) + 1,
                                       line.find(']', begin) - line.find('[', begin) - 1));
      if (failure.empty() &&
          (line.find("Fatal") != std::string::npos || line.find("Error") != std::string::npos))
        failure = plain_roudi_line(line);
    }
  } catch (const std::runtime_error&) {
    return failure.empty() ? "it ended without a message" : failure;
  }
}

}  // namespace

std::string roudi_configuration(const std::vector<std::size_t>& message_sizes) {
  std::set<std::size_t> sizes{1024, 8192};
  for (const std::size_t size : message_sizes) sizes.insert((size + header_room + 7) / 8 * 8);
  std::string text = "[general]\nversion = 1\n[[segment]]\n";
  for (const std::size_t size : sizes)
    text += "[[segment.mempool]]\nsize = " + std::to_string(size) +
            "\ncount = " + std::to_string(std::clamp(pool_size / size, count_min, count_max)) +
            "\n";
  return text;
}

std::string plain_roudi_line(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\033')
      at = std::min(line.find('m', at), line.size());
    else
      text += line[at];
  }
  const std::size_t level = text.find("]: ");
  return level == std::string::npos ? text : text.substr(level + 3);
}

Roudi::Roudi(const std::vector<std::size_t>& message_sizes)
    : process_(roudi_command(folder_, message_sizes)) {
  if (const std::string failure = await_readiness(process_, memories_); !failure.empty())
    throw std::runtime_error("RouDi did not start: " + failure);
}

Roudi::~Roudi() {
  process_.terminate();
  process_.wait();
  for (const std::string& name : memories_) ::shm_unlink(('/' + name).c_str());
}

}  // namespace perigee::bench
