// The main function of every unit test program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
/// The sanitizer calls this function for the list of the reports that it must not make. OpenSSL is
/// not compiled with the sanitizer, which therefore misses OpenSSL's atomic operations.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "race:libcrypto.so\nrace:libssl.so\n";
}
#endif
#endif
