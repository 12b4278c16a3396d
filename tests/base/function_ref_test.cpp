// References to callables.
#include <perigee/base/function_ref.h>

#include <doctest/doctest.h>

using perigee::function_ref;

TEST_CASE("a function_ref calls the very object that it refers to") {
  int calls = 0;
  auto count = [&calls](int step) { return calls += step; };
  const function_ref<int(int)> ref = count;
  CHECK(ref(2) == 2);
  CHECK(ref(3) == 5);
  CHECK(calls == 5);
}

TEST_CASE("an empty function_ref is false") {
  CHECK_FALSE(static_cast<bool>(function_ref<void()>(nullptr)));
}
