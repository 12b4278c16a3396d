// A ConnectInProgress that has its result from the beginning, for protocols that need not wait for
// their peer.
#pragma once

#include <perigee/ipc/handle.h>
#include <perigee/transport/transport.h>

#include <expected>
#include <memory>
#include <utility>

namespace perigee::transport {

/// Gives its result at the first `advance`, so the other functions are not called.
class EndedConnect final : public ConnectInProgress {
 public:
  using Made = std::expected<std::unique_ptr<Transport>, IoError>;

  explicit EndedConnect(Made made) noexcept : made_(std::move(made)) {}

  Made advance() override { return std::move(made_); }
  [[nodiscard]] int handle() const noexcept override { return ipc::Handle::none; }
  [[nodiscard]] IoError timed_out() const override {
    return {IoErrorKind::timed_out, IoOperation::connect, 0, {}};
  }

 private:
  Made made_;
};

}  // namespace perigee::transport
