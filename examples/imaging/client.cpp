// image_client: lists and fetches images. Exit status: 0 for success, 1 for a failure, 2 for wrong
// usage.
#include "checksum.h"
#include "fetch.h"
#include "imagingC.h"
#include <perigee/corba.h>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

using Locator = IDL::traits<Imaging::ImageLocator>::ref_type;

struct Options {
  std::string locator;
  FetchOptions fetch;
  bool progress = false;
  std::uint64_t offset = 0;
};

// If the list is incomplete, prints it and then throws.
void list(const Locator& locator) {
  uint32_t missing = 0;
  for (const Imaging::Image& image : locator->list(missing))
    std::cout << to_hex(image.checksum()) << ' ' << image.size() << ' ' << image.name() << '\n';
  if (missing == 0) return;
  std::cout << std::flush;
  throw std::runtime_error("the list is not complete: " + std::to_string(missing) +
                           (missing == 1 ? " server" : " servers") + " could not be asked");
}

// For programs that transfer the octets themselves.
void print_ticket(const Locator& locator, const Options& options) {
  const auto server = locator->locate(options.fetch.image);
  const Imaging::Ticket ticket =
      server->open_transfer(server->describe(options.fetch.image), options.offset);
  std::cout << ticket.host() << ' ' << ticket.port() << ' ' << to_hex(ticket.secret()) << ' '
            << ticket.seconds() << '\n';
}

void run_fetch(const Locator& locator, Options options) {
  if (options.fetch.file.empty()) options.fetch.file = options.fetch.image;
  if (options.progress || ::isatty(STDERR_FILENO) == 1)
    options.fetch.progress = Progress::Show::yes;
  fetch(locator, options.fetch);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* text, Options& options) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("image", options.fetch.image, "name of the image")->required();
  return command;
}

void add_fetch(CLI::App& app, Options& options) {
  CLI::App* command = add_command(
      app, "fetch", "fetch an image; goes on where an earlier fetch was interrupted", options);
  FetchOptions& fetch = options.fetch;
  command->add_option("--to", fetch.file,
                      "file to write; default: the image's name, in this folder");
  command
      ->add_option("--attempts", fetch.attempts,
                   "give up after so many attempts in a row without new octets")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--rate", fetch.mebioctets_a_second,
                   "highest speed in MiB per second; 0: no limit")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command
      ->add_option_function<int>(
          "--silence", [&fetch](int count) { fetch.silence = std::chrono::seconds(count); },
          "seconds after which a silent connection is given up [30]")
      ->check(CLI::Range(1, 86400));
  command->add_flag("--progress", options.progress, "show the progress, even without a terminal");
}

void add_commands(CLI::App& app, Options& options) {
  app.add_option("locator", options.locator, "reference of an ImageLocator, or file:<path of one>")
      ->required();
  app.add_subcommand("list", "print the checksum (SHA-256), size and name of each image");
  add_fetch(app, options);
  CLI::App* ticket =
      add_command(app, "ticket", "get a ticket and print it: host, port, secret, seconds", options);
  ticket->add_option("--offset", options.offset, "first octet to transfer")->capture_default_str();
  app.require_subcommand(1);
}

void run(const CORBA::ORB::_ref_type& orb, const CLI::App& app, const Options& options) {
  // An unchecked narrow makes no call, so `fetch` can try again if the locator is down.
  const auto locator =
      IDL::traits<Imaging::ImageLocator>::unchecked_narrow(orb->string_to_object(options.locator));
  if (!locator) throw std::runtime_error("the reference is nil");
  if (app.got_subcommand("list")) list(locator);
  if (app.got_subcommand("fetch")) run_fetch(locator, options);
  if (app.got_subcommand("ticket")) print_ticket(locator, options);
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  Options options;
  CLI::App app("Lists and fetches images.");
  add_commands(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  run(orb, app, options);
  orb->destroy();
} catch (const Imaging::UnknownImage& unknown) {
  std::cerr << "image_client: no server has an image '" << unknown.name() << "'\n";
  return 1;
} catch (const Imaging::UnreadableImage& unreadable) {
  std::cerr << "image_client: the server cannot read the image: " << unreadable.why() << '\n';
  return 1;
} catch (const Imaging::TooManyTransfers&) {
  std::cerr << "image_client: the server has too many transfers: try again later\n";
  return 1;
} catch (const Imaging::OffsetBeyondEnd& beyond) {
  std::cerr << "image_client: the image has only " << beyond.size() << " octets\n";
  return 1;
} catch (const std::exception& error) {
  std::cerr << "image_client: " << error.what() << '\n';
  return 1;
}
