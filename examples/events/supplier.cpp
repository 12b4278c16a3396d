// Pushes its arguments as events: events_supplier <channel> <text>...
#include <perigee/async.h>
#include <perigee/corba.h>
#include <perigee/services/events/client.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

perigee::task<void> supply(CORBA::object_reference<CORBA::Object> reference,
                           std::vector<std::string> texts) {
  perigee::events::ChannelSupplier channel(reference);
  for (const std::string& text : texts) {
    CORBA::Any event;
    event <<= text;
    if (!co_await channel.push(event)) throw std::runtime_error("the channel has ended");
  }
  co_await channel.disconnect();
}

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 3) throw std::invalid_argument("give the reference of a channel, and texts");
  const std::vector<std::string> texts(argv + 2, argv + argc);
  perigee::run(orb, supply(orb->string_to_object(argv[1]), texts));
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "supplier: " << error.what() << '\n';
  return 1;
}
