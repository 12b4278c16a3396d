// The struct experiment over omniORB, as a peer in the same run: server and client in one program.
//   structs_omniorb server [omniORB options]      prints its IOR
//   structs_omniorb client IOR [omniORB options]  answers commands (workloads.h)
#include "structs.hh"
#include "workloads.h"

#include <omniORB4/codeSets.h>

#include <cstring>
#include <iostream>
#include <string>

namespace {

class EchoServant : public POA_Bench::Echo {
 public:
  Bench::Bin echo_bin(const Bench::Bin& value) override { return value; }
  Bench::Quote* echo_quote(const Bench::Quote& value) override { return new Bench::Quote(value); }
  Bench::Bins* echo_bins(const Bench::Bins& values) override { return new Bench::Bins(values); }
  Bench::Manys* echo_manys(const Bench::Manys& values) override { return new Bench::Manys(values); }
  Bench::Points* echo_points(const Bench::Points& values) override {
    return new Bench::Points(values);
  }
  Bench::Quotes* echo_quotes(const Bench::Quotes& values) override {
    return new Bench::Quotes(values);
  }
};

Bench::Bin bin(std::uint32_t index) {
  Bench::Bin value;
  value.s = static_cast<CORBA::Short>(index);
  value.c = 'b';
  value.l = static_cast<CORBA::Long>(index);
  value.o = 7;
  value.d = index * 0.5;
  return value;
}

Bench::Many many(std::uint32_t index) {
  Bench::Many value;
  value.o = 9;
  value.l = static_cast<CORBA::Long>(index);
  value.s = static_cast<CORBA::Short>(index);
  return value;
}

Bench::Point point(std::uint32_t index) {
  Bench::Point value;
  value.x = index * 0.5;
  value.y = index * 2.0;
  return value;
}

Bench::Quote quote(std::uint32_t index) {
  Bench::Quote value;
  value.symbol = structs::symbol(index);
  value.volume = static_cast<CORBA::Long>(index);
  value.price = index * 0.25;
  value.is_open = index % 2 == 0;
  return value;
}

bool equal(const Bench::Bin& a, const Bench::Bin& b) { return a.s == b.s && a.d == b.d; }
bool equal(const Bench::Many& a, const Bench::Many& b) { return a.l == b.l && a.s == b.s; }
bool equal(const Bench::Point& a, const Bench::Point& b) { return a.x == b.x && a.y == b.y; }
bool equal(const Bench::Quote& a, const Bench::Quote& b) {
  return std::strcmp(a.symbol, b.symbol) == 0 && a.price == b.price && a.is_open == b.is_open;
}
template <typename Sequence>
bool last_equal(const Sequence& a, const Sequence& b) {
  return a.length() == b.length() && equal(a[a.length() - 1], b[b.length() - 1]);
}

// Marshals in memory, in a stream that is reused.
class Marshaller {
 public:
  Marshaller() {
    bins.length(structs::bin_count);
    manys.length(structs::many_count);
    points.length(structs::point_count);
    quotes.length(structs::quote_count);
    structs::fill(bins, structs::bin_count, bin);
    structs::fill(manys, structs::many_count, many);
    structs::fill(points, structs::point_count, point);
    structs::fill(quotes, structs::quote_count, quote);
    // As on a GIOP 1.2 connection between two omniORB programs.
    stream_.TCS_C(omni::omniCodeSet::getTCS_C("ISO-8859-1", {1, 2}));
  }

  template <typename Sequence>
  bool write(const Sequence& values) {
    written_ = nullptr;
    stream_.rewindPtrs();
    values >>= stream_;
    return true;
  }
  template <typename Sequence>
  bool read(const Sequence& values) {
    if (written_ != &values) {
      write(values);
      written_ = &values;
    }
    stream_.rewindInputPtr();
    Sequence result;
    result <<= stream_;
    return last_equal(result, values);
  }

  Bench::Bins bins;
  Bench::Manys manys;
  Bench::Points points;
  Bench::Quotes quotes;

 private:
  cdrMemoryStream stream_;
  const void* written_ = nullptr;
};

int run_server(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::Servant_var<EchoServant> servant = new EchoServant;
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var reference = poa->id_to_reference(id);
  CORBA::String_var ior = orb->object_to_string(reference);
  poa->the_POAManager()->activate();
  std::cout << ior.in() << std::endl;
  orb->run();
  return 0;
}

int run_client(CORBA::ORB_ptr orb, const char* ior) {
  CORBA::Object_var object = orb->string_to_object(ior);
  Bench::Echo_var echo = Bench::Echo::_narrow(object);
  if (CORBA::is_nil(echo)) {
    std::cerr << "structs_omniorb: not a Bench::Echo: " << ior << std::endl;
    return 1;
  }
  Marshaller m;
  const Bench::Bin one_bin = bin(structs::bin_count - 1);
  const Bench::Quote one_quote = quote(structs::quote_count - 1);
  std::vector<cubit::Workload> workloads{
      {"echo-bin", [&] { return equal(echo->echo_bin(one_bin), one_bin); }},
      {"echo-quote",
       [&] {
         Bench::Quote_var result = echo->echo_quote(one_quote);
         return equal(result.in(), one_quote);
       }},
      {"echo-bins",
       [&] {
         Bench::Bins_var result = echo->echo_bins(m.bins);
         return last_equal(result.in(), m.bins);
       }},
      {"echo-manys",
       [&] {
         Bench::Manys_var result = echo->echo_manys(m.manys);
         return last_equal(result.in(), m.manys);
       }},
      {"echo-points",
       [&] {
         Bench::Points_var result = echo->echo_points(m.points);
         return last_equal(result.in(), m.points);
       }},
      {"echo-quotes",
       [&] {
         Bench::Quotes_var result = echo->echo_quotes(m.quotes);
         return last_equal(result.in(), m.quotes);
       }},
  };
  structs::add_marshalling(workloads, m);
  return cubit::serve_commands(workloads);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc == 2 && std::strcmp(argv[1], "server") == 0) return run_server(orb);
    if (argc == 3 && std::strcmp(argv[1], "client") == 0) return run_client(orb, argv[2]);
    std::cerr << "usage: structs_omniorb server | client IOR" << std::endl;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "structs_omniorb: " << exception._name() << std::endl;
  }
  return 1;
}
