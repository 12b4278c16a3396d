// The concurrency models of a middle tier: how it waits for its sinks, and on which threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

enum class Style { blocking, callbacks, coroutine, best, gateway };

/// A way to run the middle tier, as its command line names it.
struct Model {
  Style style;
  std::vector<std::string> options;  ///< for the ORB
};

/// TPC, TPR-ST, TPR-<n>, AMH-ST, AMH-<n>, coroutine-ST, coroutine-<n>, reactor-per-core, best-ST,
/// best-<n>, gateway-ST or gateway-<n>, where n is a number of threads. Nothing for other names.
std::optional<Model> find_model(std::string_view name);
