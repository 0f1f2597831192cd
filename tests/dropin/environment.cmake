# cmake -DSCRATCH=folder -P environment.cmake -- program...
# Sets all environment variables to wrong values. Rank 0 must report each variable once, with its name, value and
# expected values. The drop-in must still make its plans as if no variable were set.
include(${CMAKE_CURRENT_LIST_DIR}/../support/command_after_separator.cmake)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
file(WRITE ${SCRATCH}/machine "cores = 4\nspeed = 1\n")
set(variables
  "HFFT_EXCHANGE=foo" "alltoallv, shared"
  "HFFT_SIMD=abacus" "scalar"
  "HFFT_THREADS=some" "all, fewer"
  "HFFT_WISDOM=${SCRATCH}/none/wisdom" "no folder"
  "HFFT_MACHINE=${SCRATCH}/machine" "line 2: found 'speed = 1', expected 'name = value'"
  "HFFT_TRACE=${SCRATCH}/none/trace" "a file that can be written"
  "HFFT_RANKS_PER_NODE=-1" "a positive number"
  "HFFT_DROPIN_PREFER=theirs" "ours, faster"
  "HFFT_DROPIN_LOG=2" "0, 1")
set(left ${variables})
while(left)
  list(POP_FRONT left setting expected)
  string(REGEX MATCH "^([^=]+)=(.*)$" found ${setting})
  set(ENV{${CMAKE_MATCH_1}} ${CMAKE_MATCH_2})
endwhile()
execute_process(COMMAND ${command} RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${command} ended with status ${status}, expected 0:\n${error}")
endif()
string(REPLACE ";" "," error "${error}")  # CMake treats ";" as the separator of lists
set(left ${variables})
while(left)
  list(POP_FRONT left setting expected)
  string(REGEX MATCH "^([^=]+)=(.*)$" found ${setting})
  set(begin "hybridfft-fftw3-mpi: warning: the environment variable ${CMAKE_MATCH_1} is '${CMAKE_MATCH_2}'")
  string(REGEX MATCHALL "${begin}[^\n]*" lines "${error}")
  list(LENGTH lines times)
  if(NOT times EQUAL 1 OR NOT lines MATCHES "${expected}")
    message(FATAL_ERROR "found ${times} lines, expected one: ${begin} ... ${expected}, in\n${error}")
  endif()
endwhile()
