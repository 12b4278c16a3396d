// Prints events that are texts: events_consumer <channel> <count>
#include <perigee/async.h>
#include <perigee/corba.h>
#include <perigee/services/events/client.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

perigee::task<void> consume(CORBA::object_reference<CORBA::Object> reference, int count) {
  perigee::events::ChannelConsumer channel(reference);
  co_await channel.connect();
  std::cout << "connected" << std::endl;
  for (int index = 0; index < count; ++index) {
    const auto event = co_await channel.next();
    if (!event) throw std::runtime_error("the channel has ended");
    std::string text;
    if (*event >>= text) std::cout << text << std::endl;
  }
  co_await channel.disconnect();
}

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 3) throw std::invalid_argument("give the reference of a channel, and a count");
  perigee::run(orb, consume(orb->string_to_object(argv[1]), std::stoi(argv[2])));
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "consumer: " << error.what() << '\n';
  return 1;
}
