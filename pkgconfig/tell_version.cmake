# cmake -DSCRIPT=file -DVERSION=x.y.z [-DTELLS=program] -DOUTPUT=file -P tell_version.cmake
# Copies a program that is a script, in which "NAME of the sources" becomes its version, and what the program
# TELLS, which has been built with it, prints for --version after its own name.
cmake_minimum_required(VERSION 3.20)
get_filename_component(name ${SCRIPT} NAME)
set(text "${name} ${VERSION}")
if(TELLS)
  execute_process(COMMAND ${TELLS} --version RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE error
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0 OR NOT said MATCHES "^[^ \n]+ ${VERSION}\n")
    message(FATAL_ERROR "${TELLS} --version ended with status ${status}\n${said}${error}")
  endif()
  string(REGEX REPLACE "^[^ ]+" "${name}" text "${said}")
endif()
file(READ ${SCRIPT} program)
string(FIND "${program}" "${name} of the sources" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SCRIPT} has no '${name} of the sources'")
endif()
string(REPLACE "${name} of the sources" "${text}" program "${program}")
file(WRITE ${OUTPUT} "${program}")
file(CHMOD ${OUTPUT} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
     WORLD_EXECUTE)
