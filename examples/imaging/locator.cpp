// image_locator: finds the server of an image by asking several image servers. Servers may end and
// start again: their references stay valid.
#include "imagingC.h"
#include "imagingS.h"
#include "programs.h"
#include <perigee/corba.h>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using Server = IDL::traits<Imaging::ImageServer>::ref_type;

class ImageLocator final : public CORBA::servant_traits<Imaging::ImageLocator>::base_type {
 public:
  explicit ImageLocator(std::vector<Server> servers) : servers_(std::move(servers)) {}

  // Lists the images of the servers that can be asked now. If several servers have an image of the
  // same name, the first of them counts.
  Imaging::Images list(uint32_t& missing) override {
    std::map<std::string, Imaging::Image> images;
    missing = 0;
    for (const Server& server : servers_) {
      try {
        for (Imaging::Image& image : server->list()) images.try_emplace(image.name(), image);
      } catch (const CORBA::SystemException& gone) {
        log(gone);
        ++missing;
      }
    }
    Imaging::Images all;
    for (auto& [name, image] : images) all.push_back(std::move(image));
    return all;
  }

  // UnknownImage is certain only if all servers were asked.
  Server locate(const std::string& name) override {
    bool all_asked = true;
    for (const Server& server : servers_) {
      try {
        (void)server->describe(name);
        return server;
      } catch (const Imaging::UnknownImage&) {     // the next server is asked
      } catch (const Imaging::UnreadableImage&) {  // the next server is asked
      } catch (const CORBA::SystemException& gone) {
        log(gone);
        all_asked = false;
      }
    }
    if (!all_asked) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
    throw Imaging::UnknownImage(name);
  }

 private:
  static void log(const CORBA::SystemException& gone) {
    std::clog << std::string("image_locator: a server cannot be asked: ") + gone.what() + "\n"
              << std::flush;
  }

  const std::vector<Server> servers_;
};

// Makes no call: the servers need not run yet.
std::vector<Server> servers_of(const CORBA::ORB::_ref_type& orb,
                               const std::vector<std::string>& references) {
  std::vector<Server> servers;
  for (const std::string& reference : references)
    servers.push_back(
        IDL::traits<Imaging::ImageServer>::unchecked_narrow(orb->string_to_object(reference)));
  return servers;
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  std::vector<std::string> references;
  CLI::App app(
      "Knows which of several image servers has an image; writes its own reference to standard "
      "output.\n-ORBListenEndpoints iiop://:<port> keeps the reference valid after a restart.");
  app.add_option("servers", references, "references of image servers, or file:<path of one>")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  auto locator = CORBA::make_reference<ImageLocator>(servers_of(orb, references));
  const std::string reference = activate(orb, "locator", locator);
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "image_locator: " << error.what() << '\n';
  return 1;
}
