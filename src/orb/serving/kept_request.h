// A request that one thread has received, and another thread dispatches.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/server_request.h>

#include <utility>

namespace perigee::orb {

/// Made by `ServerRequest::keep`. Used by one thread at a time.
class PERIGEE_INTERNAL_TYPE KeptRequest : public ServerRequest {
 public:
  /// The thread that dispatches the request does not wait for a POA manager: it dispatches the
  /// request again later.
  [[nodiscard]] Hold hold() override {
    held_ = true;
    return Hold::taken;
  }
  /// Whether `hold` was called since the last call of this function.
  [[nodiscard]] bool take_held() noexcept { return std::exchange(held_, false); }

 private:
  bool held_ = false;
};

}  // namespace perigee::orb
