// The floor of large messages through shared memory: each message is copied twice, within one
// process.
#pragma once

#include "raw.h"

#include <string>
#include <vector>

namespace perigee::bench {

/// Prints a line in place of an address, then waits until its input ends. The client needs no
/// server.
int run_raw_copies_server();

/// Copies a request and a reply, as a sender copies them into shared memory, and a receiver out of
/// it.
class RawCopies {
 public:
  RawCopies(const std::string& place, MessageSizes sizes);

  /// Whether the last octet of each message has arrived.
  bool call();

 private:
  bool copy(std::size_t size);

  const MessageSizes sizes_;
  std::vector<char> sent_;
  std::vector<char> shared_;
  std::vector<char> received_;
  char number_ = 0;
};

}  // namespace perigee::bench
