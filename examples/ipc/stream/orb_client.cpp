// Sends its standard input to a CORBA object.
#include "streamC.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  constexpr auto usage = "usage: orb_stream_client [-ORB...] <reference>\n";
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) return std::fputs(usage, stderr), 2;
  auto stream = IDL::traits<Streams::DataStream>::narrow(orb->string_to_object(argv[1]));
  if (!stream) throw std::runtime_error("the reference does not refer to a Streams::DataStream");
  std::vector<uint8_t> space(65536);
  while (std::cin) {
    std::cin.read(reinterpret_cast<char*>(space.data()),
                  static_cast<std::streamsize>(space.size()));
    stream->send(std::span(space).first(static_cast<std::size_t>(std::cin.gcount())));
  }
  stream->finish();
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "orb_stream_client: " << error.what() << '\n';
  return 1;
}
