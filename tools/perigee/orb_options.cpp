// Separates the options of an ORB from the other words. All of them except -ORBHelp have a value.
#include "orb_options.h"

#include <cstddef>
#include <utility>

namespace perigee::tool {

std::vector<std::string> take_orb_options(std::vector<std::string>& words) {
  std::vector<std::string> taken;
  std::vector<std::string> left;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (!words[index].starts_with("-ORB")) {
      left.push_back(words[index]);
      continue;
    }
    taken.push_back(words[index]);
    if (taken.back() != "-ORBHelp" && index + 1 < words.size()) taken.push_back(words[++index]);
  }
  words = std::move(left);
  return taken;
}

}  // namespace perigee::tool
