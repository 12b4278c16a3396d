// The options of a store in etcd, and its numbers.
#pragma once

#include <perigee/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::naming {

struct EtcdStoreOptions {
  /// The members of the cluster: "http://host:port" or "https://host:port". At least one.
  std::vector<std::string> members;
  /// All keys begin with it. Naming services with the same prefix share their names.
  std::string prefix = "/perigee/names/";
  /// Files in PEM form, for https. Empty: the system's authorities, and no certificate.
  std::string authorities;
  std::string certificate;
  std::string key;
  /// The time for a change, with all its attempts. After this time, the change fails.
  std::chrono::milliseconds write_time_max{5'000};
  /// The largest age of names. If they are older, reads fail until a member answers.
  std::chrono::milliseconds staleness_max{60'000};
  /// The time limit of a read that finds nothing. Such a read waits until the copy has all changes
  /// that were made before the read. A watch can move to another member within this time.
  std::chrono::milliseconds catch_up_time_max{2'000};
  /// How long the start waits for an answer of a member. A copy of many names may take longer.
  std::chrono::milliseconds start_time_max{10'000};
  /// The time for a page of a copy. After this time, a smaller page is requested.
  std::chrono::milliseconds page_time_max{5'000};
  std::size_t contexts_max = 1'000'000;  ///< with the root context
  /// Octets of memory for the copy. A change that makes the copy larger fails with `full`. Names
  /// above the limit, which other servers have bound, are served up to twice this size.
  std::size_t size_max = std::size_t{1} << 30;
  /// Changes that wait; a further one fails with `busy`. Also reads that wait for the newest
  /// changes; a further one does not wait.
  std::size_t waiting_max = 16'384;
  /// Outlives the store.
  const Clock* clock = &steady_clock();
};

/// Numbers of a store in etcd, for operators.
struct EtcdStatus {
  std::chrono::milliseconds staleness{0};  ///< the largest age of the names
  std::int64_t revision = 0;               ///< of the newest change that the copy has
  std::uint64_t bindings = 0;
  std::uint64_t size = 0;             ///< memory for the copy, in octets, roughly
  std::uint64_t changes_waiting = 0;  ///< that have no result yet
  std::uint64_t reads_waiting = 0;    ///< that have found nothing, until the copy is up to date
  std::uint64_t failed_requests = 0;  ///< of etcd, since the start
  std::uint64_t watches_started = 0;  ///< since the start: more than one after lost connections
  std::uint64_t copies_made = 0;      ///< since the start: more than one after a compaction
};

}  // namespace perigee::naming
