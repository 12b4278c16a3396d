// The lower limit of the time for large messages through shared memory: two copies of each message,
// within one process.
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

  /// Copies the request twice, then the reply twice. True if the last octet of each copy is right.
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
