// The versions that the ttcp experiment compares, and the command lines that start their processes.
#include "versions.h"

#include "harness/process.h"
#include "transfer.h"
#include <perigee/ipc/uring.h>

#include <algorithm>
#include <utility>

namespace perigee::bench {
namespace {

std::vector<std::string> role(const std::string& side, const std::string& kind,
                              const std::string& variant) {
  const std::string place = side == "receiver" ? "{ADDRESS}" : "{REF}";
  return {own_executable(), "bench", "ttcp-role", side, kind, variant, "{QUEUE}", place};
}

TtcpVersion own(std::string name, std::string floor, const std::string& kind,
                const std::string& variant) {
  TtcpVersion version{std::move(name), std::move(floor)};
  if (kind.starts_with("orb")) version.program = TtcpVersion::Program::perigee;
  version.receiver = role("receiver", kind, variant);
  version.transmitter = role("transmitter", kind, variant);
  return version;
}

void add_local(std::vector<TtcpVersion>& versions) {
  const auto add = [&versions](TtcpVersion version) {
    version.group = TtcpGroup::local;
    version.keeps_records = version.floor == "C SEQPACKET";
    versions.push_back(std::move(version));
  };
  add(own("C UNIX-domain", "C UNIX-domain", "c", "unix"));
  add(own("lsock", "C UNIX-domain", "wrapper", "lsock"));
  add(own("ORB octets borrowed UNIX", "C UNIX-domain", "orb-unix", "octets-borrowed"));
  add(own("ORB octets UNIX", "C UNIX-domain", "orb-unix", "octets"));
  add(own("ORB octets borrowed SHM", "C UNIX-domain", "orb-shm", "octets-borrowed"));
  add(own("ORB octets SHM", "C UNIX-domain", "orb-shm", "octets"));
  TtcpVersion linked = own("ORB octets linked SHM", "C UNIX-domain", "orb-shm", "octets-linked");
  for (auto* command : {&linked.receiver, &linked.transmitter})
    command->insert(command->end(), {"SharedMemoryTrust", "yes"});
  add(std::move(linked));
  add(own("C SEQPACKET", "C SEQPACKET", "c", "seqpacket"));
  add(own("spipe", "C SEQPACKET", "wrapper", "spipe"));
  add(own("C FIFO", "C FIFO", "c", "fifo"));
  add(own("fifo", "C FIFO", "wrapper", "fifo"));
}

void add_udp(std::vector<TtcpVersion>& versions) {
  for (const auto& [name, kind] : {std::pair{"C UDP", "c"}, std::pair{"dgram", "wrapper"}}) {
    TtcpVersion version = own(name, "C UDP", kind, "udp");
    version.group = TtcpGroup::udp;
    version.loses_buffers = true;
    version.size_max = 65'507;  // of a datagram over IPv4
    versions.push_back(std::move(version));
  }
}

void add_omniorb(std::vector<TtcpVersion>& versions, const std::string& program) {
  for (const std::string payload : {"octets", "string", "structs"}) {
    TtcpVersion version{"omniORB " + payload, "C TCP"};
    version.receiver = {program, "receiver", "-ORBendPoint", "giop:tcp:{HOST}:"};
    version.transmitter = {program, "transmitter", "{REF}", payload};
    // With a second connection, a call could overtake earlier oneways.
    version.transmitter.insert(version.transmitter.end(), {"-ORBmaxGIOPConnectionPerServer", "1"});
    for (auto* command : {&version.receiver, &version.transmitter})
      command->insert(command->end(), {"-ORBsocketSendBuffer", "{QUEUE_OR_NONE}"});
    version.carries_structs = payload == "structs";
    version.program = TtcpVersion::Program::omniorb;
    versions.push_back(version);
  }
}

// Each receiver listens at a path of its own, which the shell makes from its process id. Then the
// receiver replaces the shell.
void add_local_omniorb(std::vector<TtcpVersion>& versions, const std::string& program) {
  const auto found = std::ranges::find(versions, "omniORB octets", &TtcpVersion::name);
  TtcpVersion version = *found;
  version.name = "omniORB octets UNIX";
  version.floor = "C UNIX-domain";
  version.group = TtcpGroup::local;
  version.receiver = {"/bin/sh", "-c",
                      "exec \"$0\" receiver -ORBendPoint giop:unix:/tmp/perigee-ttcp-$$ \"$@\"",
                      program};
  version.receiver.insert(version.receiver.end(), {"-ORBsocketSendBuffer", "{QUEUE_OR_NONE}"});
  versions.push_back(version);
}

void add_iceoryx(std::vector<TtcpVersion>& versions, const std::string& program) {
  TtcpVersion version{"iceoryx octets", "C UNIX-domain"};
  version.group = TtcpGroup::local;
  version.program = TtcpVersion::Program::iceoryx;
  version.size_max = 2u << 20;  // RouDi gets no memory for a queue of larger buffers
  version.receiver = {program, "receiver"};
  version.transmitter = {program, "transmitter", "{REF}"};
  versions.push_back(version);
}

// omniORB's option has the value -1 for the system's default queues.
std::string queue_or_none(std::size_t queue_size) {
  return queue_size == 0 ? "-1" : std::to_string(queue_size);
}

std::string replace(std::string word, const std::string& name, const std::string& value) {
  if (const std::size_t at = word.find(name); at != std::string::npos)
    word.replace(at, name.size(), value);
  return word;
}

std::string with_queue(const std::string& word, std::size_t queue_size) {
  return replace(replace(word, "{QUEUE}", std::to_string(queue_size)), "{QUEUE_OR_NONE}",
                 queue_or_none(queue_size));
}

class LocalReceiver final : public TtcpReceiver {
 public:
  LocalReceiver(const TtcpVersion& version, const TtcpPlace& place)
      : process_({receiver_command(version, place), place.cpu}), reference_(process_.read_line()) {}

  [[nodiscard]] std::string reference() const override { return reference_; }
  [[nodiscard]] std::chrono::nanoseconds cpu_time() override { return process_.cpu_time(); }
  [[nodiscard]] std::uint64_t page_faults() override { return process_.page_faults(); }

 private:
  Process process_;
  std::string reference_;
};

}  // namespace

bool TtcpVersion::can_carry(std::size_t size, std::size_t queue_size) const {
  if (size > size_max || (carries_structs && size < ttcp::struct_size)) return false;
  return !keeps_records || queue_size == 0 || size <= queue_size;
}

std::size_t TtcpVersion::payload_size(std::size_t size) const {
  return carries_structs ? size / ttcp::struct_size * ttcp::struct_size : size;
}

std::vector<TtcpVersion> ttcp_versions(const std::string& omniorb_program,
                                       const std::string& iceoryx_program) {
  std::vector<TtcpVersion> versions{
      own("C TCP", "C TCP", "c", "tcp"),
      own("null", "C TCP", "c", "tcp"),
      own("sock", "C TCP", "wrapper", "sock"),
      own("ORB octets borrowed", "C TCP", "orb", "octets-borrowed"),
      own("ORB octets", "C TCP", "orb", "octets"),
      own("ORB octets buffered", "C TCP", "orb", "octets-buffered"),
      own("ORB string borrowed", "C TCP", "orb", "string-borrowed"),
      own("ORB string", "C TCP", "orb", "string"),
      own("ORB structs", "C TCP", "orb", "structs"),
  };
  versions.back().carries_structs = true;
  if (ipc::uring::available()) versions.push_back(own("uring", "C TCP", "wrapper", "uring"));
  if (!omniorb_program.empty()) add_omniorb(versions, omniorb_program);
  add_udp(versions);
  add_local(versions);
  if (!omniorb_program.empty()) add_local_omniorb(versions, omniorb_program);
  if (!iceoryx_program.empty()) add_iceoryx(versions, iceoryx_program);
  return versions;
}

// Sets the thread strategy, and raises the size limits of the ORBs: a message has other octets in
// front of the buffer, and fragments in progress need room, too.
void add_orb_options(TtcpVersion& version, const TtcpOrbOptions& options) {
  constexpr std::size_t default_max = 64u << 20;  // Perigee's; omniORB's is 2 MiB
  const std::size_t message_max = options.buffer_size_max + (1u << 20);
  const auto add = [](std::vector<std::string>& command, const std::string& name,
                      const std::string& value) { command.insert(command.end(), {name, value}); };
  if (version.program == TtcpVersion::Program::omniorb) {
    for (auto* command : {&version.receiver, &version.transmitter})
      add(*command, "-ORBgiopMaxMsgSize", std::to_string(std::max(message_max, default_max)));
  } else if (version.program == TtcpVersion::Program::perigee) {
    if (!options.strategy.empty()) add(version.receiver, "ThreadStrategy", options.strategy);
    if (message_max <= default_max) return;
    for (auto* command : {&version.receiver, &version.transmitter}) {
      add(*command, "MessageSizeMax", std::to_string(message_max));
      add(*command, "PartialSizeMax", std::to_string(2 * message_max));
    }
  }
}

const std::vector<Comparison>& ttcp_comparisons() {
  static const std::vector<Comparison> comparisons{
      {"ORB octets buffered", "ORB octets"},
      {"ORB octets borrowed", "omniORB octets"},
      {"ORB octets", "omniORB octets"},
      {"ORB octets borrowed UNIX", "omniORB octets UNIX"},
      {"ORB octets UNIX", "omniORB octets UNIX"},
      {"ORB octets borrowed SHM", "C TCP"},
      {"ORB octets SHM", "C TCP"},
      {"ORB octets linked SHM", "C TCP"},
      {"ORB octets borrowed SHM", "iceoryx octets"},
  };
  return comparisons;
}

std::vector<std::string> receiver_command(const TtcpVersion& version, const TtcpPlace& place) {
  const bool is_v6 = place.address.find(':') != std::string::npos;
  const std::string host = is_v6 ? '[' + place.address + ']' : place.address;
  std::vector<std::string> command = version.receiver;
  for (std::string& word : command)
    word = with_queue(replace(replace(word, "{ADDRESS}", place.address), "{HOST}", host),
                      place.queue_size);
  return command;
}

std::vector<std::string> transmitter_command(const TtcpVersion& version,
                                             const std::string& reference, std::size_t queue_size) {
  std::vector<std::string> command = version.transmitter;
  for (std::string& word : command)
    word = with_queue(replace(word, "{REF}", reference), queue_size);
  return command;
}

std::unique_ptr<TtcpReceiver> start_receiver(const TtcpVersion& version, const TtcpPlace& place) {
  return std::make_unique<LocalReceiver>(version, place);
}

}  // namespace perigee::bench
