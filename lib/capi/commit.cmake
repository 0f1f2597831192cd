# cmake -DSOURCE=dir -DHEADER=file -P commit.cmake
# Writes the commit that the sources are of, and whether they have been changed since, as the macro
# HFFT_COMMIT; touches the file only when that is new. The sources of an archive made by git contain
# their commit, others without git are "unknown".
cmake_minimum_required(VERSION 3.20)
set(commit "$Format:%h$")
if(commit MATCHES "Format")
  set(commit unknown)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(root STREQUAL source) # and not a repository around an unpacked archive
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=-changed --abbrev=10 --match v*
                    RESULT_VARIABLE status OUTPUT_VARIABLE described
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define HFFT_COMMIT \"@commit@\"\n" @ONLY)
