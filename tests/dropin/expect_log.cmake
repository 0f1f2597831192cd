# cmake -P expect_log.cmake -- command...
# Tests the log of the drop-in on standard error. The program makes four plans of the drop-in and one of FFTW. Each must
# be logged once for all ranks, with its time. An unknown variable must be reported.
include(${CMAKE_CURRENT_LIST_DIR}/../support/command_after_separator.cmake)
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE error)
set(ours "hybridfft-fftw3-mpi: c2c forward 8x8x8, double precision, out of place, 2 ranks")
set(one_dimension "hybridfft-fftw3-mpi: c2c forward 64, double precision, in place, 2 ranks")
set(scrambled "hybridfft-fftw3-mpi: c2c forward 64, double precision, in place, scrambled out, 2 ranks")
set(flat "hybridfft-fftw3-mpi: r2r redft10 redft10 8x1, double precision, in place, 2 ranks")
set(real "hybridfft-fftw3-mpi: r2r redft10 redft10 8x8, double precision, in place, 2 ranks: hybridfft")
set(number "[0-9]+\\.[0-9]+")
foreach(line "hybridfft-fftw3-mpi: warning: the environment variable HFFT_DROPPIN_LOG is unknown"
             "${ours}: hybridfft, planned in ${number} s\n"
             "${ours}: hybridfft: executed 1 times, ${number} s in all, ${number} s each\n"
             "${one_dimension}: hybridfft: executed 2 times, ${number} s in all, ${number} s each\n"
             "${scrambled}: hybridfft: executed 2 times, ${number} s in all, ${number} s each\n"
             "${flat}: FFTW-MPI \\(r2r with an extent of 1\\), planned in ${number} s\n"
             "${flat}: FFTW-MPI \\(r2r with an extent of 1\\): executed 1 times, ${number} s in all, ${number} s each\n"
             "${real}: executed 1 times, ${number} s in all, ${number} s each\n")
  string(REGEX MATCHALL "${line}" found "${error}")
  list(LENGTH found times)
  if(NOT status EQUAL 0 OR NOT times EQUAL 1)
    message(FATAL_ERROR "${command} ended with status ${status}, expected 0, and wrote ${times} "
                        "times, expected once, a line like\n${line}in\n${error}")
  endif()
endforeach()
