// Fetches an image: calls find the image, and a stream transfers its octets. The calls and the
// stream are repeated until all octets have arrived.
#pragma once

#include "imagingC.h"
#include "progress.h"
#include <perigee/corba.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

struct FetchOptions {
  std::string image;
  std::filesystem::path file;
  int attempts = 10;               ///< gives up after so many attempts in a row without new octets
  double mebioctets_a_second = 0;  ///< at most; 0: no limit
  std::chrono::seconds silence{30};  ///< a connection that is silent this long is given up
  Progress::Show progress = Progress::Show::no;
};

/// Fetches the image, and then prints the name, the size and the checksum of the file. Throws
/// std::runtime_error, with a readable text, or a user exception of CORBA, when another try would
/// not help.
void fetch(const IDL::traits<Imaging::ImageLocator>::ref_type& locator,
           const FetchOptions& options);
