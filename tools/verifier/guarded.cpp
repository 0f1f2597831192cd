// Maps arrays between protected pages with mmap and mprotect, and reports faults by a signal
// handler.
#include "verifier/guarded.h"

#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace hybridfft::verifier {

namespace {

constexpr std::byte pattern{0xa7};
/// With all bits set, a number is NaN in single and in double precision.
constexpr int nan_byte = 0xff;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool has_pattern(const std::byte *first, const std::byte *last) {
  return std::all_of(first, last, [](std::byte b) { return b == pattern; });
}

std::array<char, 512> fault_message{};
struct sigaction former_action {};

/// Signal handler: prints the text and restores the previous handler. The faulting instruction runs
/// again and calls the previous handler.
void report_fault(int) {
  if (write(STDERR_FILENO, fault_message.data(), std::strlen(fault_message.data())) < 0) _exit(1);
  sigaction(SIGSEGV, &former_action, nullptr);
}

} // namespace

Guarded::Guarded(std::size_t bytes, Edge edge, std::size_t misalignment) : bytes_(bytes) {
  const std::size_t page = page_size();
  const std::size_t inside =
      (bytes + (edge == Edge::front ? misalignment : 0) + page - 1) / page * page;
  mapped_ = inside + 2 * page;
  void *all = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte *>(all);
  if (mprotect(memory_ + page, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory_, mapped_);
    throw std::bad_alloc();
  }
  data_ = edge == Edge::front ? memory_ + page + misalignment : memory_ + page + inside - bytes;
  std::fill(memory_ + page, memory_ + page + inside, pattern);
}

Guarded::~Guarded() {
  if (memory_ != nullptr) munmap(memory_, mapped_);
}

Guarded::Guarded(Guarded &&from) noexcept
    : memory_(std::exchange(from.memory_, nullptr)), mapped_(std::exchange(from.mapped_, 0)),
      data_(std::exchange(from.data_, nullptr)), bytes_(std::exchange(from.bytes_, 0)) {}

Guarded &Guarded::operator=(Guarded &&from) noexcept {
  std::swap(memory_, from.memory_);
  std::swap(mapped_, from.mapped_);
  std::swap(data_, from.data_);
  std::swap(bytes_, from.bytes_);
  return *this;
}

void Guarded::reset() const {
  if (bytes_ > 0) std::memset(data_, nan_byte, bytes_);
}

bool Guarded::intact() const {
  if (memory_ == nullptr) return true;
  return has_pattern(memory_ + page_size(), data_) &&
         has_pattern(data_ + bytes_, memory_ + mapped_ - page_size());
}

void Guarded::set_read_only(bool on) const {
  if (memory_ != nullptr)
    mprotect(memory_ + page_size(), mapped_ - 2 * page_size(),
             on ? PROT_READ : PROT_READ | PROT_WRITE);
}

void name_faults(const std::string &what) {
  const std::string text = "memory outside the arrays, or an input, was touched by " + what + "\n";
  text.copy(fault_message.data(), fault_message.size() - 1);
  fault_message[std::min(text.size(), fault_message.size() - 1)] = '\0';
  struct sigaction action {};
  action.sa_handler = report_fault;
  struct sigaction former {};
  sigaction(SIGSEGV, &action, &former);
  if (former.sa_handler != report_fault) former_action = former;
}

} // namespace hybridfft::verifier
