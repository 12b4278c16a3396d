// The struct experiment over Perigee: server and client, each a process of its own.
#include "perigee.h"

#include "structsC.h"
#include "structsS.h"
#include "workloads.h"
#include <perigee/cdr/operators.h>
#include <perigee/corba.h>

#include <iostream>
#include <vector>

namespace perigee::bench {
namespace {

class EchoServant final : public CORBA::servant_traits<Bench::Echo>::base_type {
 public:
  Bench::Bin echo_bin(const Bench::Bin& value) override { return value; }
  Bench::Quote echo_quote(const Bench::Quote& value) override { return value; }
  Bench::Bins echo_bins(const Bench::Bins& values) override { return values; }
  Bench::Manys echo_manys(const Bench::Manys& values) override { return values; }
  Bench::Points echo_points(const Bench::Points& values) override { return values; }
  Bench::Quotes echo_quotes(const Bench::Quotes& values) override { return values; }
};

Bench::Bin bin(std::uint32_t index) {
  return Bench::Bin(static_cast<std::int16_t>(index), 'b', static_cast<std::int32_t>(index), 7,
                    index * 0.5);
}

Bench::Quote quote(std::uint32_t index) {
  return Bench::Quote(structs::symbol(index), static_cast<std::int32_t>(index), index * 0.25,
                      index % 2 == 0);
}

// Marshals in memory, in a buffer that is reused, as the ORB reuses its buffers.
class Marshaller {
 public:
  Marshaller()
      : bins(structs::bin_count),
        manys(structs::many_count),
        points(structs::point_count),
        quotes(structs::quote_count) {
    structs::fill(bins, structs::bin_count, bin);
    structs::fill(manys, structs::many_count, [](std::uint32_t index) {
      return Bench::Many(9, static_cast<std::int32_t>(index), static_cast<std::int16_t>(index));
    });
    structs::fill(points, structs::point_count,
                  [](std::uint32_t index) { return Bench::Point(index * 0.5, index * 2.0); });
    structs::fill(quotes, structs::quote_count, quote);
  }

  template <typename Sequence>
  bool write(const Sequence& values) {
    buffer_.clear();
    cdr::Encoder encoder(buffer_);
    encoder << values;
    return encoder.ok();
  }
  // Writes the octets of a sequence only before its first reading, because many readings of the
  // same sequence follow each other.
  template <typename Sequence>
  bool read(const Sequence& values) {
    if (written_ != &values) {
      write(values);
      octets_ = buffer_.flatten();
      written_ = &values;
    }
    cdr::Decoder decoder(octets_, std::endian::native);
    Sequence result;
    decoder >> result;
    return decoder.ok() && result.size() == values.size() && result.back() == values.back();
  }
  template <typename Sequence>
  std::size_t size(const Sequence& values) {
    write(values);
    return buffer_.size();
  }

  Bench::Bins bins;
  Bench::Manys manys;
  Bench::Points points;
  Bench::Quotes quotes;

 private:
  cdr::Buffer buffer_;
  Octets octets_;
  const void* written_ = nullptr;
};

}  // namespace

int run_structs_server(const std::string& endpoint) {
  std::vector<std::string> arguments{"structs",
                                     "-ORBListenEndpoints",
                                     endpoint,
                                     "-ORBThreadStrategy",
                                     "thread-per-connection",
                                     "-ORBLocalTransports",
                                     "none"};
  auto orb = CORBA::ORB_init(arguments);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<EchoServant>();
  auto echo = servant->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(echo) << std::endl;
  orb->run();
  return 0;
}

int run_structs_client(const std::string& ior) {
  std::vector<std::string> arguments{"structs"};
  auto orb = CORBA::ORB_init(arguments);
  auto echo = IDL::traits<Bench::Echo>::narrow(orb->string_to_object(ior));
  if (!echo) {
    std::cerr << "perigee bench structs: not a Bench::Echo: " << ior << '\n';
    return 1;
  }
  Marshaller m;
  std::vector<cubit::Workload> workloads{
      {"echo-bin", [&] { return echo->echo_bin(m.bins.back()) == m.bins.back(); }},
      {"echo-quote", [&] { return echo->echo_quote(m.quotes.back()) == m.quotes.back(); }},
      {"echo-bins", [&] { return echo->echo_bins(m.bins).back() == m.bins.back(); }},
      {"echo-manys", [&] { return echo->echo_manys(m.manys).back() == m.manys.back(); }},
      {"echo-points", [&] { return echo->echo_points(m.points).back() == m.points.back(); }},
      {"echo-quotes", [&] { return echo->echo_quotes(m.quotes).back() == m.quotes.back(); }},
  };
  structs::add_marshalling(workloads, m);
  return cubit::serve_commands(workloads);
}

std::map<std::string, std::size_t> struct_workload_sizes() {
  Marshaller m;
  std::map<std::string, std::size_t> sizes;
  const auto add = [&sizes](const std::string& kind, std::size_t size) {
    sizes["write-" + kind] = sizes["read-" + kind] = size;
    sizes["echo-" + kind] = 2 * size;
  };
  add("bins", m.size(m.bins));
  add("manys", m.size(m.manys));
  add("points", m.size(m.points));
  add("quotes", m.size(m.quotes));
  sizes["echo-bin"] = 2 * m.size(m.bins.back());
  sizes["echo-quote"] = 2 * m.size(m.quotes.back());
  return sizes;
}

}  // namespace perigee::bench
