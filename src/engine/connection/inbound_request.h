// One request that a connection has admitted, from its admission to its end.
#pragma once

#include <perigee/messaging/message.h>

#include <atomic>
#include <cstdint>

namespace perigee::engine {

class Connection;
class DeferredRequest;

/// In its upcall a part of the upcall's stack; later a part of a pooled object (DeferredRequest).
/// Listed in its connection's InboundRequests, whose lock guards the links.
class InboundRequest {
 public:
  InboundRequest(std::uint32_t id, messaging::Version version,
                 messaging::ResponseFlags response) noexcept
      : id_(id), version_(version), response_(response) {}
  InboundRequest(const InboundRequest&) = delete;
  InboundRequest& operator=(const InboundRequest&) = delete;

  [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
  [[nodiscard]] messaging::Version version() const noexcept { return version_; }
  [[nodiscard]] messaging::ResponseFlags response() const noexcept { return response_; }
  /// The client has cancelled the request: its reply is dropped. Any thread.
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }
  /// Another object has taken this one's place in the table.
  [[nodiscard]] bool deferred() const noexcept { return successor_ != nullptr; }

 protected:
  ~InboundRequest() = default;

 private:
  friend class InboundRequests;

  const std::uint32_t id_;
  const messaging::Version version_;
  const messaging::ResponseFlags response_;
  std::atomic<bool> cancelled_{false};
  DeferredRequest* successor_ = nullptr;  // written by the thread of the upcall
  DeferredRequest* deferred_ = nullptr;   // itself, if it is one
  InboundRequest* next_ = nullptr;
  InboundRequest* previous_ = nullptr;
};

/// A request that is answered after its upcall. Pooled and counted.
class DeferredRequest : public InboundRequest {
 public:
  using InboundRequest::InboundRequest;

  virtual void add_reference() noexcept = 0;
  virtual void drop_reference() noexcept = 0;
  /// Nothing waits for the reply any more. Called without locks; at most once by a table.
  virtual void stop() noexcept = 0;

 protected:
  virtual ~DeferredRequest() = default;

 private:
  friend class InboundRequests;

  bool told_ = false;                        // under the table's lock
  DeferredRequest* next_to_stop_ = nullptr;  // of the thread that set told_
};

}  // namespace perigee::engine
