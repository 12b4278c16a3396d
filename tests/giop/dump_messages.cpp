// Writes one message of each kind, version and byte order as hex dumps for text2pcap. Writes the
// expected output of tshark to a second file. This is a separate program: see
// support/decode_with_tshark.sh.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <cstdio>
#include <string>
#include <vector>

namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::Version;

const auto protocol = open_giop({.fragment_size = 64});
const Octets key = octets_from("object");
const Octets exception_data = octets_from("x");

/// One frame that Perigee has encoded, and its fields as tshark prints them.
struct Dumped {
  Octets octets;
  unsigned type;
  std::string request_id;  // empty: no request id
  const char* detail;      // operation or status
};

std::vector<Dumped> messages_of(Version version, std::endian order) {
  const std::vector<iop::ServiceContext> contexts = {{0x5045, exception_data}};
  std::vector<Dumped> dumped;
  dumped.push_back({encoded(order,
                            [&](cdr::Encoder& encoder) {
                              protocol->begin_request(encoder, version,
                                                      {.request_id = 70,
                                                       .object_key = key,
                                                       .operation = "ping",
                                                       .contexts = contexts},
                                                      Body::present);
                              encoder.write(1.5);
                              protocol->finish(encoder);
                            }),
                    0, "70", "ping"});
  dumped.push_back({encoded(order,
                            [&](cdr::Encoder& encoder) {
                              protocol->begin_reply(encoder, version,
                                                    {70, ReplyStatus::system_exception, contexts},
                                                    Body::present);
                              encoder.write_string("IDL:omg.org/CORBA/UNKNOWN:1.0");
                              encoder.write(std::uint32_t{0});
                              encoder.write(std::uint32_t{1});
                              protocol->finish(encoder);
                            }),
                    1, "70", "2"});
  dumped.push_back({encoded(order,
                            [&](cdr::Encoder& encoder) {
                              protocol->encode_cancel_request(encoder, version, 70);
                            }),
                    2, "70", ""});
  dumped.push_back({encoded(order,
                            [&](cdr::Encoder& encoder) {
                              protocol->encode_locate_request(
                                  encoder, version, {.request_id = 71, .object_key = key});
                            }),
                    3, "71", ""});
  dumped.push_back({encoded(order,
                            [&](cdr::Encoder& encoder) {
                              protocol->begin_locate_reply(encoder, version,
                                                           {71, LocateStatus::object_here});
                              protocol->finish(encoder);
                            }),
                    4, "71", "1"});
  for (const bool error : {false, true})
    dumped.push_back({encoded(order,
                              [&](cdr::Encoder& encoder) {
                                if (error) return protocol->encode_message_error(encoder, version);
                                protocol->encode_close_connection(encoder, version);
                              }),
                      error ? 6u : 5u, "", ""});
  return dumped;
}

/// A reply of 1.2 that is sent in three pieces.
std::vector<Dumped> fragments_of(std::endian order) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  protocol->begin_reply(encoder, {1, 2}, {72, ReplyStatus::no_exception}, Body::present);
  encoder.write_octets(pattern(100));
  protocol->finish(encoder);
  std::vector<OctetSpan> segments;
  Octets headers;
  protocol->gather(buffer, segments, headers);
  std::vector<Dumped> dumped;
  for (const OctetSpan segment : segments) {
    const bool begins =
        text_from(segment.first(std::min<std::size_t>(4, segment.size()))) == "GIOP";
    if (begins) dumped.push_back({{}, dumped.empty() ? 1u : 7u, "72", dumped.empty() ? "0" : ""});
    Octets& octets = dumped.back().octets;
    octets.insert(octets.end(), segment.begin(), segment.end());
  }
  dumped.back().detail = "0";  // tshark shows the reassembled message here
  return dumped;
}

void write(std::FILE* dump, std::FILE* expected, const Dumped& message) {
  std::fprintf(dump, "000000 %s\n\n", hex(message.octets).c_str());
  std::fprintf(expected, "%u.%u|%u|%s|%s\n", std::to_integer<unsigned>(message.octets[4]),
               std::to_integer<unsigned>(message.octets[5]), message.type,
               message.request_id.c_str(), message.detail);
}

}  // namespace
}  // namespace perigee::giop::test

int main(int argc, char** argv) {
  using namespace perigee::giop::test;
  if (argc != 3) return 2;
  std::FILE* dump = std::fopen(argv[1], "w");
  std::FILE* expected = std::fopen(argv[2], "w");
  if (dump == nullptr || expected == nullptr) return 1;
  for (const auto version : all_versions)
    for (const std::endian order : both_orders)
      for (const auto& message : messages_of(version, order)) write(dump, expected, message);
  for (const std::endian order : both_orders)
    for (const auto& message : fragments_of(order)) write(dump, expected, message);
  return std::fclose(dump) + std::fclose(expected);
}
