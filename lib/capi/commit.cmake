# cmake -DSOURCE=dir -DHEADER=file -P commit.cmake
# Writes the macro HFFT_COMMIT: the commit of the sources, and whether they have been changed since. The file is touched
# only if the macro changes. Archives made by git contain their commit. Without git and without such an archive the
# commit is "unknown".
cmake_minimum_required(VERSION 3.20)
set(commit "$Format:%h$")
if(commit MATCHES "Format")
  set(commit unknown)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(root STREQUAL source) # a repository around an unpacked archive does not count
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=-changed --abbrev=10 --match v*
                    RESULT_VARIABLE status OUTPUT_VARIABLE described
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define HFFT_COMMIT \"@commit@\"\n" @ONLY)
