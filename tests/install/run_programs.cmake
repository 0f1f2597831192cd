# cmake -DPREFIX=dir -P run_programs.cmake
# Each installed program has to start, so to find the library, from where it lies now.
set(ENV{LD_LIBRARY_PATH} "")
file(GLOB programs ${PREFIX}/bin/hybridfft-* ${PREFIX}/bin/kspaceFirstOrder-OMP)
if(NOT programs)
  message(FATAL_ERROR "no programs in ${PREFIX}/bin")
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${program} --help
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "Usage:")
    message(FATAL_ERROR "${program} --help ended with status ${status}\n${output}")
  endif()
endforeach()
