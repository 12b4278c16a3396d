// The setting by which the requests of a connection are executed one after the other, or not.
#pragma once

#include <cstdint>

namespace perigee::engine {

enum class RequestOrder : std::uint8_t {
  none,        ///< later requests may overtake a request in progress
  connection,  ///< the next request of a connection is executed when the one before it has ended
};

}  // namespace perigee::engine
