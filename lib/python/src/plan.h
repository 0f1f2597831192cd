/// \file plan.h
/// Plans of any kind and precision behind a common interface with addresses.
#ifndef HYBRIDFFT_PYTHON_PLAN_H
#define HYBRIDFFT_PYTHON_PLAN_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <hybridfft/hybridfft.hpp>

namespace hybridfft::python {

/// An array on this rank: its address and the number of bytes usable by a plan.
struct ArrayView {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

/// The extents of slabs, or the layouts of input and output.
struct Slabs {
  std::vector<std::ptrdiff_t> extents;
};
struct Between {
  Layout in;
  Layout out;
};
using Shape = std::variant<Slabs, Between>;

/// The memory required by a plan on this rank: layouts, and bytes to allocate.
struct Need {
  Layout in;
  Layout out;
  std::size_t bytes_in = 0;
  std::size_t bytes_out = 0;
};

/// A plan with kind and precision chosen at run time.
class AnyPlan {
public:
  AnyPlan() = default;
  AnyPlan(const AnyPlan &) = delete;
  AnyPlan &operator=(const AnyPlan &) = delete;
  virtual ~AnyPlan() = default;

  /// All functions throw Error. Arrays must have the size of the planned arrays.
  virtual void execute(const ArrayView &in, const ArrayView &out) = 0;
  virtual void start(const ArrayView &in, const ArrayView &out) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual bool under_way() const = 0;
  virtual std::string describe() const = 0;
  virtual void set_profiling(bool on) = 0;
  virtual std::vector<hfft_stage_profile> profile() const = 0;
  /// Bytes of the plan's own work space.
  virtual std::size_t work_bytes() const = 0;
};

/// Collective. `single` means float instead of double. Throws Error.
Need need_of(Kind kind, bool single, const Shape &shape, const Options &options);
/// Collective. Throws Error.
std::unique_ptr<AnyPlan> make_plan(Kind kind, bool single, const Shape &shape, const ArrayView &in,
                                   const ArrayView &out, const Options &options);

} // namespace hybridfft::python

#endif
