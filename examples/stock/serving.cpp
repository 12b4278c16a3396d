// Signals are waited for by one thread, which may call anything; signal handlers may not.
#include "serving.h"

#include <pthread.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace {

// Blocked before the ORB starts threads, which inherit that.
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

}  // namespace

void serve_until_signal(const CORBA::ORB::_ref_type& orb,
                        const CORBA::servant_reference<PortableServer::Servant>& servant,
                        const std::string& reference_file) {
  const sigset_t signals = block_ending_signals();
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto reference = poa->servant_to_reference(servant);
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
    pthread_kill(ending.native_handle(), SIGINT);  // or its end would be waited for in vain
    throw;
  }
}
