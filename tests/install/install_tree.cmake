# cmake -DBUILD=dir -DCONFIG=config -DPREFIX=dir -DOBJDUMP=objdump -DSOVERSION=x.y -P install_tree.cmake
# Installs a build and moves the result to PREFIX, as users of a package may do. Fails if a file for CMake or pkg-config
# contains the path of the build or of the first installation, or if a shared library lacks its version.
set(first ${PREFIX}.before-move)
file(REMOVE_RECURSE ${PREFIX} ${first})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${first}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install ended with status ${status}\n${output}")
endif()
file(RENAME ${first} ${PREFIX})

file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.pc ${PREFIX}/*.h ${PREFIX}/*.hpp)
list(LENGTH texts count)
if(count LESS 10)
  message(FATAL_ERROR "${PREFIX} holds ${texts}, expected 5 headers, 4 package files and 2 .pc files")
endif()
foreach(text IN LISTS texts)
  file(READ ${text} content)
  string(FIND "${content}" "${BUILD}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${text} names the build tree ${BUILD}")
  endif()
endforeach()

# A linked program loads the library by its SONAME, which contains the version.
file(GLOB_RECURSE libraries ${PREFIX}/lib*.so)
list(FILTER libraries EXCLUDE REGEX "/python[^/]*/")
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  execute_process(COMMAND ${OBJDUMP} -p ${library} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "SONAME +([^\n]+)" found "${output}")
  if(NOT CMAKE_MATCH_1 STREQUAL "${name}.${SOVERSION}")
    message(FATAL_ERROR "${library} has the SONAME '${CMAKE_MATCH_1}', expected ${name}.${SOVERSION}")
  endif()
  if(NOT EXISTS ${library}.${SOVERSION})
    message(FATAL_ERROR "there is no ${library}.${SOVERSION}, which programs that were linked ask for")
  endif()
endforeach()
