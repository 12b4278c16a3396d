// Runs a server and its client under callgrind.
#include "callgrind_pair.h"

#include "harness/process.h"

#include <stdexcept>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

std::string valgrind_program() {
  try {
    return find_program("valgrind");
  } catch (const std::runtime_error&) {
    throw std::runtime_error("counting needs valgrind: apt-get install valgrind");
  }
}

Words under_callgrind(const Words& command, const Words& options,
                      const std::filesystem::path& output) {
  Words words{valgrind_program(), "-q", "--tool=callgrind",
              "--callgrind-out-file=" + output.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// The line "NAME: ANSWER" tells which system has failed.
void expect(const CallgrindPair& pair, const std::string& line, const std::string& start) {
  if (!line.starts_with(start)) throw std::runtime_error(pair.name + ": " + line);
}

}  // namespace

CallgrindFiles run_under_callgrind(const CallgrindPair& pair, const std::string& command,
                                   const std::filesystem::path& folder) {
  CallgrindFiles files{folder / "server.callgrind", folder / "client.callgrind"};
  Process server({under_callgrind(pair.server, pair.options, files.server), pair.cpu});
  const Words client_words = pair.client(server.read_line());
  Process client({under_callgrind(client_words, pair.options, files.client), pair.cpu});
  if (!pair.greeting.empty()) expect(pair, client.read_line(), pair.greeting);
  client.write_line(command);
  expect(pair, client.read_line(), "ok");
  client.close_input();
  client.wait();
  server.terminate();
  server.wait();
  return files;
}

}  // namespace perigee::bench
