// The concurrency models of the middle tier: names, and their meanings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perigee::bench {

enum class ServantKind : std::uint8_t {
  none,  ///< no ORB: the floor
  synchronous,
  response_handlers,
  coroutines,
};

/// The way in which the middle tier serves.
struct Model {
  std::string name;
  ServantKind servants = ServantKind::none;
  std::string thread_strategy;  ///< value of -ORBThreadStrategy
  std::string threads;          ///< value of -ORBThreads, or loops of the C program; empty: default
};

/// `raw` (a C program with one loop), `raw-` and a number of loops, `TPC`, or servants and threads.
/// Servants: `TPR` (they wait for the sink), `AMH`, `coroutine`. Threads: `ST` (one, strategy
/// `reactive`), a number (strategy `thread-pool`), or `cores` with or without a number (strategy
/// `reactor-per-core`; without a number: 2). Examples: `AMH-2`, `coroutine-cores4`. Throws
/// std::runtime_error for other names.
Model parse_model(const std::string& name);

/// The models that are measured by default.
const std::vector<std::string>& default_models();

}  // namespace perigee::bench
