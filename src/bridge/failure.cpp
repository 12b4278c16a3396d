// Encodes system exceptions. Source: CORBA 3.0, 15.4.3.2.
#include "bridge/failure.h"

#include "bridge/raw_body.h"
#include <perigee/cdr/encoder.h>
#include <perigee/iop/exception_detail.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace perigee::bridge {

namespace {

constexpr std::array<std::byte, 1> one_bridge{std::byte{1}};

}  // namespace

void write_failure(cdr::Buffer& buffer, const Answered& request, const Failure& failure) {
  const Octets text = iop::encode_exception_detail(failure.text);
  const std::array<iop::ServiceContext, 2> contexts{
      {{iop::context_exception_detail, text}, {context_bridge, one_bridge}}};
  const std::span<const iop::ServiceContext> all(contexts);
  buffer.clear();
  cdr::Encoder encoder(buffer);
  request.session.begin_reply(encoder, request.version,
                              {.request_id = request.request_id,
                               .status = messaging::ReplyStatus::system_exception,
                               .contexts = all.first(request.from_bridge ? 2 : 1)},
                              messaging::Body::present);
  encoder.write_string("IDL:omg.org/CORBA/" + std::string(failure.name) + ":1.0");
  encoder.write(std::uint32_t{0});  // the minor code
  encoder.write(static_cast<std::uint32_t>(failure.completed));
  request.session.finish(encoder);
}

}  // namespace perigee::bridge
