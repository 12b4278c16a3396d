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
  std::string threads;          ///< as -ORBThreads; empty: not said
};

/// `raw` (a C program), `TPC`, or servants and threads. Servants: `TPR` (they wait for the sink),
/// `AMH`, `coroutine`; threads: `ST` (reactive, one), a number (pool), `cores` or `cores` and a
/// number (a reactor for each). So `AMH-2`, `coroutine-cores4`. Throws std::runtime_error if it is
/// none of these.
Model parse_model(const std::string& name);

/// What is measured if nothing is chosen.
const std::vector<std::string>& default_models();

}  // namespace perigee::bench
