// Enters tickets into a ledger from several threads, until its standard input ends. Joins the
// references of its arguments into one reference, which has the profiles of all of them. Prints the
// result of each ticket: "done", or "unknown" if the server may have entered the ticket.
#include "forwardingC.h"
#include <perigee/corba.h>
#include <perigee/iop/ior.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <mutex>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using LedgerRef = IDL::traits<Forwarding::Ledger>::ref_type;

LedgerRef join(const CORBA::object_reference<CORBA::ORB>& orb, std::span<char*> references) {
  perigee::iop::Ior all;
  for (const std::string text : references) {
    const auto one = perigee::iop::parse_ior_string(text);
    if (!one) throw std::runtime_error(text + ": not a reference");
    all.type_id = one->type_id;
    all.profiles.insert(all.profiles.end(), one->profiles.begin(), one->profiles.end());
  }
  return IDL::traits<Forwarding::Ledger>::narrow(
      orb->string_to_object(perigee::iop::to_ior_string(all)));
}

void print(const char* what, std::uint64_t ticket) {
  static std::mutex one_line_at_a_time;
  const std::lock_guard lock(one_line_at_a_time);
  std::cout << what << ' ' << ticket << std::endl;
}

// An exception with COMPLETED_NO arrives here only if no server is left: otherwise the ORB has
// tried the next profile.
void enter_tickets(const std::stop_token& stop, const LedgerRef& ledger, std::uint64_t ticket,
                   std::uint64_t step) {
  for (; !stop.stop_requested(); ticket += step) {
    try {
      ledger->enter(ticket);
      print("done", ticket);
    } catch (const CORBA::SystemException& exception) {
      if (exception.completed() != CORBA::COMPLETED_MAYBE) throw;
      print("unknown", ticket);  // no second try: it may have been entered
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: forwarding_client [-ORB...] <reference>...\n";
    return 2;
  }
  auto ledger = join(orb, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  constexpr std::uint64_t thread_count = 3;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t number = 0; number < thread_count; ++number)
      threads.emplace_back([ledger, number](const std::stop_token& stop) {
        try {
          enter_tickets(stop, ledger, number, thread_count);
        } catch (const std::exception& error) {
          std::cerr << "forwarding_client: " << error.what() << std::endl;
          std::exit(1);
        }
      });
    while (std::cin.get() != std::istream::traits_type::eof()) {
    }
  }
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "forwarding_client: " << error.what() << '\n';
  return 1;
}
