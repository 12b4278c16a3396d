// What the servers of this example have in common: objects whose references outlive the process,
// and an end in order.
#pragma once

#include <perigee/corba.h>

#include <pthread.h>

#include <csignal>
#include <string>
#include <thread>

/// Signals are waited for by one thread, which may call anything; handlers may not. To be blocked
/// before the ORB starts threads, which inherit that.
inline sigset_t block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// Activates a servant under a reference that stays the same when the server is started again at
/// the same port (-ORBListenEndpoints). Returns the reference as text.
inline std::string activate(const CORBA::ORB::_ref_type& orb, const std::string& id,
                            CORBA::servant_reference<PortableServer::Servant> servant) {
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies{
      root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
      root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)};
  auto poa = root->create_POA("imaging", root->the_POAManager(), policies);
  const auto object_id = PortableServer::string_to_ObjectId(id);
  poa->activate_object_with_id(object_id, servant);
  root->the_POAManager()->activate();
  return orb->object_to_string(poa->id_to_reference(object_id));
}

/// Serves until one of the signals comes.
inline void run_until(const sigset_t& signals, const CORBA::ORB::_ref_type& orb) {
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
