// Empty: CMake compiles headers for the sources of a target.
