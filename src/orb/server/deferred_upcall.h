// A request that is answered after its upcall, by any thread.
#pragma once

#include "engine/connection/inbound_request.h"
#include "engine/loops/reactor.h"
#include "orb/context/orb_metrics.h"
#include "orb/server/replying_request.h"
#include "orb/serving/cancellation.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace perigee::orb {

class OrbCore;

/// Pooled and counted. `delete` ends the request for the server. The memory stays until the timer,
/// and threads that stop the request, have dropped their references. Keeps the connection and the
/// ORB alive.
class DeferredUpcall final : public ReplyingRequest, public engine::DeferredRequest {
 public:
  /// `timer`: of the upcall. Throws bad_alloc.
  [[nodiscard]] static ServerRequest* make(OrbCore& core, const ServerRequest& upcall,
                                           engine::IncomingRequest& request,
                                           const LatencyTimer& timer,
                                           cdr::DecodedMemory&& decoded_memory);

  [[nodiscard]] Cancellation* cancellation() noexcept override { return &cancellation_; }
  /// Keeps the charge of arguments that another request has decoded. Called before another thread
  /// may reply.
  void take_memory(cdr::DecodedMemory&& memory) noexcept {
    later_memory_.emplace(std::move(memory));
  }

  void add_reference() noexcept override { references_.fetch_add(1, std::memory_order_relaxed); }
  /// WITH_SERVER: sends the reply. Used by a kept request, whose upcall comes after `defer`.
  void begin_upcall() override;
  void drop_reference() noexcept override;
  void stop() noexcept override;

  static void operator delete(DeferredUpcall* self, std::destroying_delete_t);

 private:
  class Expiry final : public engine::Timer {
   public:
    explicit Expiry(DeferredUpcall& request) noexcept : Timer(&fire), request_(request) {}

   private:
    static void fire(Timer& timer) noexcept;
    DeferredUpcall& request_;
  };

  DeferredUpcall(OrbCore& core, const ServerRequest& upcall, engine::IncomingRequest& request,
                 const LatencyTimer& timer, cdr::DecodedMemory&& decoded_memory);
  ~DeferredUpcall() override;

  [[nodiscard]] ServerRequest* make_deferred() override { return nullptr; }
  [[nodiscard]] bool cancelled() const noexcept override { return DeferredRequest::cancelled(); }
  void transmit(const messaging::ReplyHeader& header, ResultEncoder encode) override;
  [[nodiscard]] SentDetails details() const noexcept override;
  void watch_expiry() noexcept;
  void end() noexcept;

  const std::shared_ptr<OrbCore> core_;
  const LatencyTimer timer_;
  const cdr::DecodedMemory decoded_memory_;  // of the arguments, which the servant may have kept
  std::optional<cdr::DecodedMemory> later_memory_;  // the same, of a KeptUpcall
  Cancellation cancellation_;
  Expiry expiry_{*this};
  std::atomic<std::uint32_t> references_{1};  // the owner's
  std::array<char, 128> name_space_;          // for operation and key, if they fit
  std::unique_ptr<char[]> long_names_;
};

}  // namespace perigee::orb
