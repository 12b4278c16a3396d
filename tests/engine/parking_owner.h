// A connection with parked requests, for tests of the hold queue.
#pragma once

#include "engine/connection/hold_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>

namespace perigee::test {

/// Counts its references, and the requests and octets that are parked. Any thread may use it, but
/// only one thread at a time may park requests.
class ParkingOwner final : public engine::HoldOwner {
 public:
  explicit ParkingOwner(std::size_t octets_max = 1'000) : octets_max_(octets_max) {}
  ~ParkingOwner() {
    CHECK(references == 0);
    CHECK(octets == 0);
    CHECK(parked == 0);
  }
  void add_reference() noexcept override { ++references; }
  void drop_reference() noexcept override { --references; }
  bool begin_parked(std::size_t size) noexcept override {
    if (octets + size > octets_max_) return false;
    octets += size;
    ++parked;
    return true;
  }
  void end_parked(std::size_t size) noexcept override {
    octets -= size;
    --parked;
  }

  std::atomic<int> references = 0;
  std::atomic<int> parked = 0;
  std::atomic<std::size_t> octets = 0;

 private:
  const std::size_t octets_max_;
};

}  // namespace perigee::test
