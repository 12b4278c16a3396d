// A program that has the compiled headers, and does nothing: CMake compiles headers for targets.
int main() {}
