// A request in its upcall.
#pragma once

#include "orb/server/replying_request.h"

namespace perigee::orb {

class OrbCore;

/// Lives on the stack of the thread that makes the upcall, and uses the frame of this thread.
class UpcallRequest final : public ReplyingRequest {
 public:
  UpcallRequest(OrbCore& core, engine::IncomingRequest& request) noexcept;

  /// Reads from the request how long its client waits, counted from the arrival of the request.
  void take_time_limit() noexcept;
  [[nodiscard]] Hold hold() override;
  void begin_upcall() override;
  [[nodiscard]] std::span<const iop::ServiceContext> contexts() const noexcept override {
    return request_.parsed.header.contexts;
  }
  [[nodiscard]] bool is_with_server() const noexcept override {
    return request_.response() == messaging::ResponseFlags::with_server;
  }
  [[nodiscard]] KeptRequest* keep() override;
  /// Whether the server keeps the request, to dispatch it again as another UpcallRequest.
  [[nodiscard]] bool parked() const noexcept { return parked_; }
  /// Measures from the construction of this object.
  [[nodiscard]] const LatencyTimer& timer() const noexcept { return timer_; }

 private:
  [[nodiscard]] ServerRequest* make_deferred() override;
  [[nodiscard]] bool cancelled() const noexcept override { return request_.cancelled(); }
  void transmit(const messaging::ReplyHeader& header, ResultEncoder encode) override;
  [[nodiscard]] SentDetails details() const noexcept override;
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share(cdr::Decoder& decoder,
                                                     OctetSpan octets) override;

  OrbCore& core_;
  engine::IncomingRequest& request_;
  const LatencyTimer timer_;
  cdr::DecodedMemory decoded_memory_;  // of the arguments
  bool parked_ = false;
};

}  // namespace perigee::orb
