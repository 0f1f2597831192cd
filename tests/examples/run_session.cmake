# cmake -DREADME=README.md -DPROGRAMS=dir -DSCRATCH=dir -P run_session.cmake
# Runs the README's example session, with the programs of a directory, in an empty folder.
file(READ ${README} readme)
string(FIND "${readme}" "\nA session:\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} has no line 'A session:'")
endif()
string(SUBSTRING "${readme}" ${begin} -1 rest)
string(FIND "${rest}" "\n## " end)
string(SUBSTRING "${rest}" 0 ${end} section)
string(REPLACE "\nA session:\n" "" section "${section}")
if(NOT section MATCHES "hybridfft-kspace")
  message(FATAL_ERROR "${README}: the session does not run hybridfft-kspace:\n${section}")
endif()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(ENV{PATH} "${PROGRAMS}:$ENV{PATH}")
execute_process(COMMAND sh -e -c "${section}" WORKING_DIRECTORY ${SCRATCH}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the session of ${README} ended with status ${status}\n${output}")
endif()
