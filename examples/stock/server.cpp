// The sink server: offers one Stock::Quoter with the prices of a file, prints its reference once it
// can be called, and ends in order on SIGINT and SIGTERM.
#include "prices.h"
#include "stockS.h"
#include <perigee/corba.h>

#include <pthread.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

namespace {

class Quoter final : public CORBA::servant_traits<Stock::Quoter>::base_type {
 public:
  explicit Quoter(Prices prices) : prices_(std::move(prices)) {}

  int32_t get_quote(const std::string& stock_name) override {
    const auto price = prices_.find(stock_name);
    if (!price) throw Stock::Invalid_Stock_Symbol();
    return *price;
  }

 private:
  const Prices prices_;
};

// Signals are waited for by one thread, which may call anything; handlers may not. Blocked before
// the ORB starts threads, which inherit that.
sigset_t block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void write_reference(const std::string& reference, const std::string& file) {
  if (file == "-") {
    std::cout << reference << std::endl;
    return;
  }
  std::ofstream output(file);
  output << reference << '\n' << std::flush;
  if (!output) throw std::runtime_error(file + ": cannot be written");
}

void serve(CORBA::ORB::_ref_type orb, const std::string& prices,
           const std::string& reference_file) {
  const sigset_t signals = block_ending_signals();
  auto quoter = CORBA::make_reference<Quoter>(Prices::read_file(prices));
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto reference = quoter->_this();
  poa->the_POAManager()->activate();
  write_reference(orb->object_to_string(reference), reference_file);

  std::jthread ending([orb, signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    orb->shutdown(true);
  });
  try {
    orb->run();
  } catch (...) {
    pthread_kill(ending.native_handle(), SIGTERM);  // or its end would be waited for in vain
    throw;
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: stock_server [-ORB...] <price file> [<file for the reference>]\n";
    return 2;
  }
  serve(orb, argv[1], argc == 3 ? argv[2] : "-");
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "stock_server: " << error.what() << '\n';
  return 1;
}
