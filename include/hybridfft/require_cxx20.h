/// \file require_cxx20.h
/// An error that names the C++ standard which the headers need, before the compiler's errors in
/// them.
#ifndef HYBRIDFFT_REQUIRE_CXX20_H
#define HYBRIDFFT_REQUIRE_CXX20_H

#if !defined(__cplusplus) || __cplusplus < 202002L
#error                                                                                             \
    "the C++ headers of HybridFFT need C++20: compile with -std=c++20, or include hybridfft/hybridfft.h"
#endif

#endif
