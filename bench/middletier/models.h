// The concurrency models of the middle tier: names, and what each name means.
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

/// How the middle tier serves.
struct Model {
  std::string name;
  ServantKind servants = ServantKind::none;
  std::string thread_strategy;  ///< as -ORBThreadStrategy
  std::string threads;          ///< as -ORBThreads, or loops of the C program; empty: not said
};

/// `raw` (a C program with one loop), `raw-` and a number of loops, `TPC`, or servants and threads.
/// Servants: `TPR` (they wait for the sink), `AMH`, `coroutine`. Threads: `ST` (reactive, one), a
/// number (pool), `cores` or `cores` and a number (a reactor for each). Examples: `AMH-2`,
/// `coroutine-cores4`. Throws std::runtime_error for other names.
Model parse_model(const std::string& name);

/// What is measured if nothing is chosen.
const std::vector<std::string>& default_models();

}  // namespace perigee::bench
