// Empty. CMake compiles headers only for a target that has a source.
