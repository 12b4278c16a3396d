// The arguments of requests to dynamic servants, and the replies to dynamic calls. An input has a
// list of TypeCodes with directions, the parameters of an operation, and the arguments in CDR. The
// first octet selects the byte order and the position of the first argument. The servant returns
// the arguments as its results, or as an exception. A dynamic call of the same types must accept
// the reply.
#include "dynamic/requests/dynamic_call.h"
#include "dynamic/requests/served_request.h"
#include "require.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/server_request.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace {

using namespace perigee;
using fuzz::require;

constexpr std::uint8_t parameters_max = 8;
constexpr CORBA::Flags directions[] = {CORBA::ARG_IN, CORBA::ARG_OUT, CORBA::ARG_INOUT};

/// A request without a connection. Keeps the body of the reply.
class FuzzedRequest final : public orb::ServerRequest {
 public:
  explicit FuzzedRequest(cdr::Decoder arguments) {
    arguments_ = arguments;
    operation_ = "operation";
  }
  enum class Reply : std::uint8_t { none, results, user_exception };

  [[nodiscard]] Reply reply() const noexcept { return reply_; }
  [[nodiscard]] const Octets& body() const noexcept { return body_; }
  using ServerRequest::reply;

 private:
  [[nodiscard]] ServerRequest* make_deferred() override { return nullptr; }
  void send_reply(orb::ResultEncoder encode) override {
    write(Reply::results, [&](cdr::Encoder& encoder) { encode(encoder); });
  }
  void send_user_exception(const CORBA::UserException& exception) override {
    write(Reply::user_exception, [&](cdr::Encoder& encoder) {
      encoder.write_string(exception._rep_id());
      exception._encode(encoder);
    });
  }
  void send_system_exception(const CORBA::SystemException&) noexcept override {}
  void send_forward(const CORBA::Object&, bool) override {}

  template <typename Write>
  void write(Reply reply, Write write) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    write(encoder);
    if (!encoder.ok()) throw CORBA::MARSHAL(0, CORBA::COMPLETED_YES);
    body_ = buffer.flatten();
    reply_ = reply;
  }

  Reply reply_ = Reply::none;
  Octets body_;
};

CORBA::object_reference<CORBA::TypeCode> read_type(cdr::Decoder& input) {
  cdr::TypeRef type = cdr::decode_type(input);
  return CORBA::object_reference<CORBA::TypeCode>(
      make_counted<CORBA::TypeCode>(type.node, std::move(type.owner)));
}

CORBA::NVList read_parameters(cdr::Decoder& input) {
  CORBA::NVList parameters;
  const std::uint8_t count = input.read<std::uint8_t>() % (parameters_max + 1);
  for (std::uint8_t index = 0; index != count && input.ok(); ++index) {
    const CORBA::Flags flags = directions[input.read<std::uint8_t>() % 3];
    parameters.add_parameter("parameter", read_type(input), flags);
  }
  return parameters;
}

/// Gives the arguments back. An `out` parameter gets no value, so the reply may fail.
void serve(dynamic::ServedRequest& request, const CORBA::NVList& parameters) {
  const CORBA::NVList& arguments = request.arguments(parameters);
  for (const CORBA::NamedValue& argument : arguments)
    if (argument.value().type()->kind() == CORBA::TCKind::tk_except)
      return request.set_exception(argument.value());
  if (arguments.count() != 0 && arguments.item(0).value().has_value())
    request.set_result(arguments.item(0).value());
}

/// The client's side: the same types.
dynamic::DynamicCall call_of(const CORBA::NVList& parameters, bool has_result) {
  dynamic::DynamicCall call;
  call.arguments = parameters;
  call.result.type(CORBA::object_reference<CORBA::TypeCode>(
      make_counted<CORBA::TypeCode>(&cdr::basic_node<cdr::TypeKind::tk_void>, nullptr)));
  if (has_result) call.result.type(parameters.item(0).type());
  for (const CORBA::NamedValue& parameter : parameters)
    if (parameter.type()->kind() == CORBA::TCKind::tk_except) call.exceptions.add(parameter.type());
  return call;
}

// The reply may be larger than the arguments, by aliases of values. So only its form is checked.
void read_reply(const FuzzedRequest& request, const CORBA::NVList& parameters) {
  const bool has_result = parameters.count() != 0 && parameters.item(0).flags() != CORBA::ARG_OUT;
  dynamic::DynamicCall call = call_of(parameters, has_result);
  cdr::Decoder decoder(request.body(), std::endian::native);
  if (request.reply() == FuzzedRequest::Reply::results) {
    call.decode(decoder);
    return require(!decoder.ok() || decoder.remaining() == 0);
  }
  const dynamic::CalledOperation called("operation", dynamic::CalledOperation::Kind::dynamic,
                                        call.exceptions);
  const auto& operation = static_cast<const stub::DynamicOperation&>(called.operation());
  operation.raise(operation, decoder);
}

void try_request(const CORBA::NVList& parameters, const cdr::Decoder& arguments) {
  FuzzedRequest request(arguments);
  dynamic::ServedRequest served(request);
  try {
    serve(served, parameters);
    served.end_upcall();
    if (request.reply() != FuzzedRequest::Reply::none) read_reply(request, parameters);
  } catch (const CORBA::Exception&) {
    return;  // refused; the next input is tried
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::endian order = (data[0] & 1) != 0 ? std::endian::big : std::endian::little;
  cdr::Decoder input(std::as_bytes(std::span(data, size)).subspan(1), order);
  const CORBA::NVList parameters = read_parameters(input);
  if (!input.ok()) return 0;
  try_request(parameters, input);
  return 0;
}
