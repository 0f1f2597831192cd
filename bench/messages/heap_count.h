/// Counts bytes allocated by operator new in all libraries of a process.
#pragma once

namespace hybridfft {

struct HeapCount {
  long long allocations = 0;
  long long kept = 0; ///< increase of the bytes in use
  long long peak = 0; ///< maximum of this increase
};

/// Starts counting from zero; stop_counting_heap() returns the counts. A program must link
/// heap_count.cpp, which replaces operator new and delete. Page-aligned arrays are not counted.
void start_counting_heap();
HeapCount stop_counting_heap();

} // namespace hybridfft
