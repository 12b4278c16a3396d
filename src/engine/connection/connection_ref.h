// A counted reference to a connection.
#pragma once

#include "engine/connection/connection.h"

#include <utility>

namespace perigee::engine {

class ConnectionRef final {
 public:
  ConnectionRef() noexcept = default;
  /// Takes over a reference that was counted for the caller; null is allowed.
  [[nodiscard]] static ConnectionRef adopt(Connection* connection) noexcept {
    ConnectionRef made;
    made.connection_ = connection;
    return made;
  }
  ConnectionRef(const ConnectionRef& other) noexcept : connection_(other.connection_) {
    if (connection_ != nullptr) connection_->add_reference();
  }
  ConnectionRef(ConnectionRef&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  ConnectionRef& operator=(ConnectionRef other) noexcept {
    std::swap(connection_, other.connection_);
    return *this;
  }
  ~ConnectionRef() {
    if (connection_ != nullptr) connection_->drop_reference();
  }

  explicit operator bool() const noexcept { return connection_ != nullptr; }
  Connection* operator->() const noexcept { return connection_; }
  Connection& operator*() const noexcept { return *connection_; }
  [[nodiscard]] Connection* get() const noexcept { return connection_; }

 private:
  Connection* connection_ = nullptr;
};

}  // namespace perigee::engine
