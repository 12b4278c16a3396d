// The ttcp experiment over omniORB, as a peer in the same run: one program with both roles.
//   ttcp_omniorb receiver [omniORB options]                    prints its IOR
//   ttcp_omniorb transmitter IOR PAYLOAD [omniORB options]     answers commands (transfer.h)
#include "transfer.h"
#include "ttcp.hh"

#include <cstring>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

Ttcp::BinStruct to_mapped(const ttcp::NativeStruct& value) {
  Ttcp::BinStruct mapped;
  mapped.s = value.s;
  mapped.c = value.c;
  mapped.l = value.l;
  mapped.o = value.o;
  mapped.d = value.d;
  return mapped;
}

bool equal(const Ttcp::BinStruct& a, const Ttcp::BinStruct& b) {
  return a.s == b.s && a.c == b.c && a.l == b.l && a.o == b.o && a.d == b.d;
}

// omniORB's threads take requests of one connection in turn, and end() may overtake the last oneway
// call. So the totals have a lock, and the client asks for them until all octets have arrived.
class SinkServant : public POA_Ttcp::Sink {
 public:
  void put_octets(const Ttcp::Octets& data) override {
    const std::lock_guard lock(mutex_);
    check_.piece(data.get_buffer(), data.length());
  }
  void put_octets_borrowed(const Ttcp::Octets& data) override { put_octets(data); }
  void put_string(const char* data) override {
    const std::lock_guard lock(mutex_);
    check_.piece(reinterpret_cast<const std::uint8_t*>(data), size_);
    if (size_ > 0 && data[size_] != '\0') check_.wrong();
  }
  void put_string_borrowed(const char* data) override { put_string(data); }
  void put_structs(const Ttcp::BinStructs& data) override {
    const std::lock_guard lock(mutex_);
    check_.add_octets(data.length() * ttcp::struct_size);
    for (CORBA::ULong index : {CORBA::ULong{0}, data.length() - 1})
      if (!equal(data[index], to_mapped(ttcp::make_struct(index)))) check_.wrong();
  }
  void begin(CORBA::ULong size) override {
    const std::lock_guard lock(mutex_);
    size_ = size;
    check_ = ttcp::Check(size);
  }
  Ttcp::Totals end() override {
    const std::lock_guard lock(mutex_);
    Ttcp::Totals totals;
    totals.octets = check_.totals().octets;
    totals.errors = check_.totals().errors;
    return totals;
  }

 private:
  std::mutex mutex_;
  std::size_t size_ = 0;  // the mapping gives strings without a size: strlen would be measured
  ttcp::Check check_{1};
};

class Payload {
 public:
  Payload(Ttcp::Sink_ptr sink, std::string kind)
      : sink_(Ttcp::Sink::_duplicate(sink)), kind_(std::move(kind)) {
    if (kind_ != "octets" && kind_ != "string" && kind_ != "structs")
      throw std::runtime_error("no such payload: " + kind_);
  }

  ttcp::Totals transmit(const ttcp::Transfer& transfer) {
    prepare(transfer.size);
    sink_->begin(static_cast<CORBA::ULong>(transfer.size));
    for (std::size_t left = transfer.count; left > 0; --left) put();
    return await_totals(transfer.size * transfer.count);
  }

 private:
  ttcp::Totals await_totals(std::uint64_t octets) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    Ttcp::Totals totals = sink_->end();
    while (totals.octets < octets && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
      totals = sink_->end();
    }
    return {totals.octets, totals.errors};
  }

  void put() {
    if (kind_ == "octets")
      sink_->put_octets(octets_);
    else if (kind_ == "string")
      sink_->put_string(string_.c_str());
    else
      sink_->put_structs(structs_);
  }

  void prepare(std::size_t size) {
    if (string_.size() == size) return;
    const std::vector<char> pattern = ttcp::make_pattern<char>(size);
    string_.assign(pattern.begin(), pattern.end());
    octets_.length(static_cast<CORBA::ULong>(size));
    if (size > 0) std::memcpy(octets_.get_buffer(), pattern.data(), size);
    structs_.length(static_cast<CORBA::ULong>(size / ttcp::struct_size));
    for (CORBA::ULong index = 0; index < structs_.length(); ++index)
      structs_[index] = to_mapped(ttcp::make_struct(index));
  }

  Ttcp::Sink_var sink_;
  std::string kind_;
  Ttcp::Octets octets_;
  std::string string_;
  Ttcp::BinStructs structs_;
};

int run_receiver(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  PortableServer::Servant_var<SinkServant> servant = new SinkServant;
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var reference = poa->id_to_reference(id);
  CORBA::String_var ior = orb->object_to_string(reference);
  poa->the_POAManager()->activate();
  std::cout << ior.in() << std::endl;
  orb->run();
  return 0;
}

int run_transmitter(CORBA::ORB_ptr orb, const char* ior, const char* kind) {
  CORBA::Object_var object = orb->string_to_object(ior);
  Ttcp::Sink_var sink = Ttcp::Sink::_narrow(object);
  if (CORBA::is_nil(sink)) throw std::runtime_error(std::string("not a Ttcp::Sink: ") + ior);
  Payload payload(sink, kind);
  return ttcp::serve_transfers(
      [&payload](const ttcp::Transfer& transfer) { return payload.transmit(transfer); });
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc == 2 && std::strcmp(argv[1], "receiver") == 0) return run_receiver(orb);
    if (argc == 4 && std::strcmp(argv[1], "transmitter") == 0)
      return run_transmitter(orb, argv[2], argv[3]);
    std::cerr << "usage: ttcp_omniorb receiver | transmitter IOR PAYLOAD" << std::endl;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "ttcp_omniorb: " << exception._name() << std::endl;
  } catch (const std::exception& exception) {
    std::cerr << "ttcp_omniorb: " << exception.what() << std::endl;
  }
  return 1;
}
