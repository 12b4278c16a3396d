// A failure only goes to the log, because no task awaits the result.
#include "services/events/start_detached.h"

#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::events {

void start_detached(task<void> work, std::stop_token stop) {
  async::start(std::move(work), std::move(stop), nullptr,
               [](void*, async::outcome<void>& result) noexcept {
                 try {
                   result.take();
                 } catch (const std::exception& exception) {
                   log::write(log::Level::debug, "events", exception.what());
                 }
               });
}

}  // namespace perigee::events
