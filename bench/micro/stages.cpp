// Makes the passes and exchanges of a transform with the classes of the library, in every variant,
// on the arrays of a plan.
#include "micro/stages.h"

#include <algorithm>
#include <cmath>

#include "exchange/exchange.h"
#include "local/passes.h"
#include "plan/arguments.h"
#include "plan/create.h"

namespace hybridfft::bench {

namespace {

using exchange::Exchange;
using local::Kernel;
using local::Kind;
using local::Pass;
using simd::Store;

/// Variant of a pass: implementation of its FFTs, kind of stores, and order of points.
struct Variant {
  const char *name;
  Kernel kernel;
  Store store;
  local::TileOrder order; ///< order of points in the tiles transformed by FFTW
};

constexpr Variant variants[] = {
    {"fftw", Kernel::fftw, Store::cached, local::TileOrder::interleaved},
    {"fftw_lines", Kernel::fftw, Store::cached, local::TileOrder::lines},
    {"simd", Kernel::simd, Store::cached, local::TileOrder::interleaved},
    {"simd_streamed", Kernel::simd, Store::streamed, local::TileOrder::interleaved}};

double as_double(std::ptrdiff_t n) { return static_cast<double>(n); }

/// Exchange of a single rank: it moves nothing, and receive() is a transposed view of the send
/// buffer.
class View final : public Exchange {
public:
  explicit View(const exchange::Transposition &t)
      : Exchange(SplitRows::tight(t.rows.n(), t.columns.n(), t.vec),
                 SplitRows::transposed_view(t.columns.n(), t.rows.n(), t.vec)) {}
  bool is_view() const override { return true; }
  void execute(std::byte *, std::byte *) override {}
  std::string describe() const override { return "none (one rank)"; }
};

/// Stages of one precision.
template <class Real> class StagesOf final : public Stages {
public:
  StagesOf(const StageProblem &p, std::shared_ptr<exchange::Communicator> comm)
      : p_(p), comm_(std::move(comm)),
        half_(p.kind == Kind::c2c ? p.extents[2] : p.extents[2] / 2 + 1),
        rows_(p.extents[0], comm_->size()), columns_(p.extents[1], comm_->size()),
        my_rows_(rows_.count(comm_->rank())), my_columns_(columns_.count(comm_->rank())) {
    const auto most = static_cast<std::size_t>(
        std::max(my_rows_ * columns_.n(), my_columns_ * rows_.n()) * half_ * element);
    in_ = Memory(most, p.threads);
    out_ = Memory(most, p.threads);
    make_exchanges();
    add_planes();
    add_exchanges();
    add_columns();
    add_copies();
    add_plan("plan/transposed_out", true);
    add_plan("plan", false);
  }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  struct Arrays {
    std::byte *from, *to;
  };
  struct Named {
    std::string name;
    std::shared_ptr<Exchange> exchange;
  };

  void make_exchanges() {
    const exchange::Transposition t{rows_, columns_, half_, sizeof(Real)};
    if (comm_->size() == 1) {
      exchanges_.push_back({"view", std::make_shared<View>(t)});
      return;
    }
    for (const exchange::Algorithm &a : exchange::algorithms())
      if (auto e = a.make(t, comm_, {})) exchanges_.push_back({a.name, std::move(e)});
  }

  /// Groups the exchanges by the order of values in a buffer (order() returns it) and by their
  /// window. Returns one exchange of each group, with the names of the whole group.
  std::vector<Named> distinct(const SplitRows &(Exchange::*order)() const) const {
    std::vector<Named> list;
    for (const Named &e : exchanges_) {
      const auto same = std::find_if(list.begin(), list.end(), [&](const Named &other) {
        return ((*e.exchange).*order)() == ((*other.exchange).*order)() &&
               e.exchange->window() == other.exchange->window();
      });
      if (same == list.end())
        list.push_back(e);
      else
        same->name += "," + e.name;
    }
    return list;
  }

  local::PassOptions options(const Variant &v) const {
    return {p_.threads, p_.effort, p_.tile_bytes, v.kernel, v.store};
  }

  double real_factor() const { return p_.kind == Kind::c2c ? 1.0 : 0.5; }
  /// Bytes of this rank's input, without the padding of real lines, which no pass reads.
  double input_bytes() const {
    const double points = as_double(my_rows_ * columns_.n());
    return p_.kind == Kind::c2c ? points * as_double(half_ * element)
                                : points * as_double(p_.extents[2]) * sizeof(Real);
  }
  double rows_bytes() const { return as_double(my_rows_ * columns_.n() * half_ * element); }
  double columns_bytes() const { return as_double(my_columns_ * rows_.n() * half_ * element); }

  /// Returns the buffer of the passes before and after an exchange: its window, or `otherwise`.
  std::byte *buffer(const Exchange &e, const Memory &otherwise) const {
    return e.window() != nullptr ? e.window() : otherwise.data();
  }

  void add(const std::string &name, const std::shared_ptr<Pass> &pass, Arrays arrays, double bytes,
           double flops) {
    list_.push_back({name, pass->describe(), bytes, flops, 1,
                     [pass, arrays] { pass->execute(arrays.from, arrays.to); }});
  }

  /// Adds the pass make(variant) for each variant, unless an earlier pass has the same description.
  template <class Make>
  void add_variants(const std::string &name, Arrays arrays, double bytes, double flops,
                    const Make &make) {
    std::vector<std::string> seen;
    for (const Variant &v : variants) {
      const std::shared_ptr<Pass> pass = make(v);
      if (std::find(seen.begin(), seen.end(), pass->describe()) != seen.end()) continue;
      seen.push_back(pass->describe());
      add(name + "/" + v.name, pass, arrays, bytes, flops);
    }
  }

  void add_planes() {
    const local::PlaneTransform t{p_.kind, -1, {columns_.n(), p_.extents[2]}, 1};
    const SplitRows source = SplitRows::tight(my_rows_, columns_.n(), half_);
    const double plane = as_double(columns_.n()) * as_double(p_.extents[2]);
    const double flops = real_factor() * 5 * as_double(my_rows_) * plane * std::log2(plane);
    const double bytes = input_bytes() + rows_bytes();
    const auto variants_to = [&](const std::string &name, const SplitRows &to, Arrays arrays) {
      add_variants(name, arrays, bytes, flops, [&](const Variant &v) {
        return local::make_plane_pass<Real>(t, source, to, arrays.from == arrays.to, options(v));
      });
    };
    variants_to("planes/in_place", source, {in_.data(), in_.data()});
    for (const Named &e : distinct(&Exchange::send))
      variants_to("planes/to:" + e.name, e.exchange->send(),
                  {in_.data(), buffer(*e.exchange, out_)});
  }

  void add_exchanges() {
    for (const Named &e : exchanges_) {
      if (e.exchange->is_view()) continue;
      list_.push_back(
          {"exchange/" + e.name, e.exchange->describe(), rows_bytes() + columns_bytes(), 0, 1,
           [x = e.exchange, in = in_.data(), out = out_.data()] { x->execute(in, out); }});
    }
  }

  SplitRows output() const { return SplitRows::tight(my_columns_, rows_.n(), half_); }

  void add_columns() {
    const double lines = as_double(my_columns_ * half_);
    const double flops = 5 * lines * as_double(rows_.n()) * std::log2(as_double(rows_.n()));
    const auto variants_from = [&](const std::string &name, const SplitRows &from,
                                   const SplitRows &to, Arrays arrays) {
      add_variants(name, arrays, 2 * columns_bytes(), flops, [&](const Variant &v) {
        return local::make_column_pass<Real>(from, to, -1, v.order, options(v));
      });
    };
    for (const Named &e : distinct(&Exchange::receive)) {
      const SplitRows &received = e.exchange->receive();
      std::byte *from = buffer(*e.exchange, in_);
      variants_from("columns/from:" + e.name, received, output(), {from, out_.data()});
      // The pass in place runs only in private buffers, because other ranks may read a window.
      if (e.exchange->window() == nullptr)
        variants_from("columns/in_place:" + e.name, received, received, {from, from});
    }
  }

  void add_copies() {
    for (const Named &e : distinct(&Exchange::receive)) {
      if (e.exchange->receive() == output()) continue;
      add("copy/from:" + e.name,
          local::make_copy_pass(e.exchange->receive(), output(), element, options(variants[0])),
          {buffer(*e.exchange, in_), out_.data()}, 2 * columns_bytes(), 0);
    }
  }

  void add_plan(const std::string &name, bool transposed_out) {
    plan::Problem problem = plan::slab_problem(p_.kind, HFFT_FORWARD, p_.extents, {}, 1,
                                               {false, transposed_out, 0, 0}, comm_->size());
    problem.real_bytes = sizeof(Real);
    problem.input = in_.data();
    problem.output = out_.data();
    problem.effort = p_.effort;
    problem.threads = p_.threads;
    std::shared_ptr<plan::Plan> plan =
        plan::make_plan(problem, comm_, plan::common_machine(*comm_, problem.threads, -1));
    const double points = as_double(my_rows_) * as_double(columns_.n()) * as_double(p_.extents[2]);
    const double all =
        points / as_double(std::max<std::ptrdiff_t>(my_rows_, 1)) * as_double(rows_.n());
    const double output = transposed_out ? columns_bytes() : rows_bytes();
    // A transform reads and writes memory at least twice.
    list_.push_back({name, plan->describe(), 2 * (input_bytes() + output),
                     real_factor() * 5 * points * std::log2(std::max(all, 1.0)), 2,
                     [plan, in = in_.data(), out = out_.data()] { plan->execute(in, out); }});
  }

  StageProblem p_;
  std::shared_ptr<exchange::Communicator> comm_;
  std::ptrdiff_t half_; ///< last extent of the complex array
  BlockDistribution rows_, columns_;
  std::ptrdiff_t my_rows_, my_columns_;
  std::vector<Named> exchanges_;
};

} // namespace

template <class Real>
std::unique_ptr<Stages> make_stages(const StageProblem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm) {
  return std::make_unique<StagesOf<Real>>(problem, comm);
}

template std::unique_ptr<Stages>
make_stages<float>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);
template std::unique_ptr<Stages>
make_stages<double>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);

} // namespace hybridfft::bench
