// The sanitizer that this build runs under, as constants.
#pragma once

// clang defines __has_feature; g++ defines macros.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERIGEE_THREAD_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#define PERIGEE_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(PERIGEE_THREAD_SANITIZER)
#define PERIGEE_THREAD_SANITIZER 1
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(PERIGEE_ADDRESS_SANITIZER)
#define PERIGEE_ADDRESS_SANITIZER 1
#endif
#if defined(PERIGEE_THREAD_SANITIZER) || defined(PERIGEE_ADDRESS_SANITIZER)
#define PERIGEE_SANITIZER 1
#endif

namespace perigee {

#ifdef PERIGEE_THREAD_SANITIZER
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif

#ifdef PERIGEE_ADDRESS_SANITIZER
inline constexpr bool under_address_sanitizer = true;
#else
inline constexpr bool under_address_sanitizer = false;
#endif

inline constexpr bool under_sanitizer = under_thread_sanitizer || under_address_sanitizer;

}  // namespace perigee
