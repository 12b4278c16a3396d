// Logging: one call, one sink. The default sink writes with spdlog, and no caller includes the
// headers of spdlog.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>
#include <string_view>

namespace perigee::log {

enum class Level : std::uint8_t { trace, debug, info, warning, error, off };

/// Messages below `level` are dropped. Default: warning. Any thread.
PERIGEE_API void set_level(Level level) noexcept;
/// Whether a message of `level` would be written. Ask before building a costly text.
PERIGEE_API bool enabled(Level level) noexcept;
/// Writes one line to the sink (standard error unless replaced). Any thread; never throws.
PERIGEE_API void write(Level level, std::string_view component, std::string_view text) noexcept;

/// A function that receives `context` and each line whose level is enabled, one line at a time. It
/// must not throw, log or change the sink.
using Sink = void (*)(void* context, Level level, std::string_view component,
                      std::string_view text);
/// Replaces the sink; nullptr restores the default. When it returns, the old sink is not running
/// and will not be called again. `context` must outlive its use. Any thread.
PERIGEE_API void set_sink(Sink sink, void* context) noexcept;

}  // namespace perigee::log
