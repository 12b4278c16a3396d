// The ping-pong of the cubit experiment over iceoryx, as a peer in the same run: server and client
// in one program. Each side copies its message into shared memory, and reads the other side's
// message without a copy. RouDi must run.
//   cubit_iceoryx server                                  prints the name of its service
//   cubit_iceoryx client SERVICE WORKLOAD:REQUEST:REPLY…  answers commands (workloads.h)
// REQUEST and REPLY are the octets of the messages.
#include "../cubit/workloads.h"
#include "program.h"
#include "waiting.h"

#include <iceoryx_posh/popo/untyped_client.hpp>
#include <iceoryx_posh/popo/untyped_server.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using iceoryx_peer::alignment;
using iceoryx_peer::fail;
using iceoryx_peer::start;
using iceoryx_peer::Waiting;

/// The front of each message. The rest has no meaning.
struct Front {
  std::uint32_t number;
  std::uint32_t reply_size;
  std::int32_t cpu;
};


iox::capro::ServiceDescription service_of(const std::string& name) {
  return {"perigee", "cubit", iox::capro::IdString_t(iox::cxx::TruncateToCapacity, name)};
}

void write(void* chunk, const std::vector<char>& octets, const Front& front, std::size_t size) {
  std::memcpy(chunk, octets.data(), size);
  std::memcpy(chunk, &front, sizeof front);
}

int run_server() {
  start("cubit", "server");
  const std::string name = std::to_string(getpid());
  iox::popo::UntypedServer server(service_of(name));
  Waiting<iox::popo::UntypedServer, iox::popo::ServerState> requests(
      server, iox::popo::ServerState::HAS_REQUEST);
  std::cout << name << std::endl;
  std::vector<char> octets;
  std::int32_t client_cpu = -1;
  for (;;) {
    const void* const request = requests.take(client_cpu);
    Front front;
    std::memcpy(&front, request, sizeof front);
    client_cpu = front.cpu;
    front.cpu = sched_getcpu();
    if (octets.size() < front.reply_size) octets.resize(front.reply_size);
    server.loan(iox::popo::RequestHeader::fromPayload(request), front.reply_size, alignment)
        .and_then([&](void* reply) {
          write(reply, octets, front, front.reply_size);
          server.send(reply).or_else([](auto&) { fail("a reply cannot be sent"); });
        })
        .or_else([](auto&) { fail("no memory for a reply"); });
    server.releaseRequest(request);
  }
}

class Caller {
 public:
  explicit Caller(const std::string& service)
      : client_(service_of(service)), replies_(client_, iox::popo::ClientState::HAS_RESPONSE) {
    while (client_.getConnectionState() != iox::ConnectionState::CONNECTED)
      std::this_thread::yield();
  }

  bool call(std::uint32_t request_size, std::uint32_t reply_size) {
    if (octets_.size() < request_size) octets_.resize(request_size);
    const Front front{++number_, reply_size, sched_getcpu()};
    client_.loan(request_size, alignment)
        .and_then([&](void* request) {
          write(request, octets_, front, request_size);
          client_.send(request).or_else([](auto&) { fail("a request cannot be sent"); });
        })
        .or_else([](auto&) { fail("no memory for a request"); });
    const void* const reply = replies_.take(server_cpu_);
    Front answer;
    std::memcpy(&answer, reply, sizeof answer);
    server_cpu_ = answer.cpu;
    client_.releaseResponse(reply);
    return answer.number == number_;
  }

 private:
  iox::popo::UntypedClient client_;
  Waiting<iox::popo::UntypedClient, iox::popo::ClientState> replies_;
  std::vector<char> octets_;
  std::uint32_t number_ = 0;
  std::int32_t server_cpu_ = -1;
};

// Parses "void:88:24": the workload, and the octets of the request and of the reply.
cubit::Workload parse_workload(Caller& caller, const std::string& word) {
  const std::size_t first = word.find(':');
  const std::size_t second = word.find(':', first + 1);
  const auto request = static_cast<std::uint32_t>(std::stoul(word.substr(first + 1)));
  const auto reply = static_cast<std::uint32_t>(std::stoul(word.substr(second + 1)));
  return {word.substr(0, first), [&caller, request, reply] { return caller.call(request, reply); }};
}

int run_client(const std::string& service, const std::vector<std::string>& words) {
  start("cubit", "client");
  Caller caller(service);
  std::vector<cubit::Workload> workloads;
  for (const std::string& word : words) workloads.push_back(parse_workload(caller, word));
  return cubit::serve_commands(workloads);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"server"}) return run_server();
    if (words.size() > 2 && words[0] == "client")
      return run_client(words[1], {words.begin() + 2, words.end()});
    std::cerr << "usage: cubit_iceoryx server | client SERVICE WORKLOAD:REQUEST:REPLY..."
              << std::endl;
  } catch (const std::exception& exception) {
    std::cerr << "cubit_iceoryx: " << exception.what() << std::endl;
  }
  return 1;
}
