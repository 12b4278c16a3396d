// A request without network and adapter, for tests of skeletons.
#pragma once

#include <perigee/cdr/buffer.h>
#include <perigee/orb/server_request.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <string>

/// A request that stores its reply.
class FakeRequest final : public perigee::orb::ServerRequest {
 public:
  template <typename... Arguments>
  explicit FakeRequest(const std::string& operation, const Arguments&... values)
      : name_(operation) {
    perigee::cdr::Buffer buffer;
    perigee::cdr::Encoder encoder(buffer);
    static_cast<void>((encoder << ... << values));
    octets_ = buffer.flatten();
    operation_ = name_;
    arguments_ = perigee::cdr::Decoder(octets_, std::endian::native);
  }

  /// Decodes the next value of the reply.
  template <typename T>
  T result() {
    T value{};
    results_ >> value;
    CHECK(results_.ok());
    return value;
  }
  [[nodiscard]] perigee::OctetSpan octets() const { return octets_; }
  /// Whether to store the reply: storing it allocates.
  void keep_reply(bool keep) { keeps_reply_ = keep; }
  [[nodiscard]] bool is_read() const { return results_.remaining() == 0; }
  [[nodiscard]] ServerRequest* make_deferred() override { return nullptr; }

 private:
  void send_reply(perigee::orb::ResultEncoder encode) override {
    if (!keeps_reply_) return;
    perigee::cdr::Buffer buffer;
    perigee::cdr::Encoder encoder(buffer);
    if (encode) encode(encoder);
    reply_ = buffer.flatten();
    results_ = perigee::cdr::Decoder(reply_, std::endian::native);
  }
  void send_user_exception(const CORBA::UserException&) override {}
  void send_system_exception(const CORBA::SystemException&) noexcept override {}
  void send_forward(const CORBA::Object&, bool) override {}

  std::string name_;
  perigee::Octets octets_;
  perigee::Octets reply_;
  perigee::cdr::Decoder results_;
  bool keeps_reply_ = true;
};
