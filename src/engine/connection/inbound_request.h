// One request that a connection has admitted, from its admission to its end.
#pragma once

#include <perigee/messaging/message.h>

#include <atomic>
#include <cstdint>

namespace perigee::engine {

class Connection;
class DeferredRequest;

/// During its upcall, a request is an object on the stack of the upcall's thread. If the reply is
/// deferred, a pooled DeferredRequest takes the place of this object. The table of the connection
/// (InboundRequests) lists the requests, and its lock guards the links.
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
  /// A DeferredRequest has taken the place of this object in the table.
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
  DeferredRequest* deferred_ = nullptr;   // this object, if it is a DeferredRequest
  InboundRequest* next_ = nullptr;
  InboundRequest* previous_ = nullptr;
};

/// A request whose reply is sent after its upcall. The object is pooled. It lives until its last
/// reference is dropped.
class DeferredRequest : public InboundRequest {
 public:
  using InboundRequest::InboundRequest;

  virtual void add_reference() noexcept = 0;
  virtual void drop_reference() noexcept = 0;
  /// Tells the servant that the reply is not needed any more: the client has cancelled the request,
  /// or the connection or the request's time has ended. Also called if the ORB shuts down without
  /// waiting. The table calls this at most once, without locks.
  virtual void stop() noexcept = 0;

 protected:
  virtual ~DeferredRequest() = default;

 private:
  friend class InboundRequests;

  bool told_ = false;                        // `stop` is due or done; under the table's lock
  DeferredRequest* next_to_stop_ = nullptr;  // only for the thread that set told_
};

}  // namespace perigee::engine
