/// \file require_cxx20.h
/// Reports the required C++ standard before the compiler reports errors in the headers.
#ifndef HYBRIDFFT_REQUIRE_CXX20_H
#define HYBRIDFFT_REQUIRE_CXX20_H

#if !defined(__cplusplus) || __cplusplus < 202002L
#error                                                                                             \
    "the C++ headers of HybridFFT need C++20: compile with -std=c++20, or include hybridfft/hybridfft.h"
#endif

#endif
