// One request whose upcall is over, or may end at any time, and that is answered later.
#pragma once

#include "orb/context/orb_metrics.h"
#include "orb/server/admitted_request.h"
#include "orb/serving/cancellation.h"
#include <perigee/messaging/protocol.h>

#include <array>
#include <cstddef>
#include <memory>

namespace perigee::orb {

class Conversation;
class OrbCore;
class PendingReply;

/// Answers on any thread, one at a time. In the conversation's list like the request in its upcall
/// before; its end is the request's end. Keeps the connection and the ORB: it may outlive both
/// ends' interest in it.
class DeferredReply final : public AdmittedRequest {
 public:
  DeferredReply(const PendingReply& upcall, Conversation& conversation, messaging::Version version);
  ~DeferredReply() override;

  [[nodiscard]] Cancellation* cancellation() noexcept override { return &cancellation_; }

  static void* operator new(std::size_t size);
  static void operator delete(void* memory, std::size_t size) noexcept;

 private:
  [[nodiscard]] ServerRequest* make_deferred() override { return nullptr; }

  const std::shared_ptr<OrbCore> core_;         // outlives the connection
  const std::shared_ptr<Conversation> keeper_;  // shares the connection's life
  const LatencyTimer timer_;
  Cancellation cancellation_;
  std::array<char, 128> name_space_;  // of operation and key, if they fit
  std::unique_ptr<char[]> long_names_;
};

}  // namespace perigee::orb
