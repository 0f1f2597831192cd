// Runs hybridfft-levelset: reads the input, advances the solver, balances the load, and writes
// snapshots, output and checkpoints.
#include "solvers/levelset/files/simulation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/temporary.h"
#include "io/xdmf_text.h"
#include "solvers/levelset/files/balance.h"
#include "solvers/levelset/files/description.h"
#include "solvers/levelset/files/flow.h"
#include "solvers/levelset/files/input_file.h"
#include "solvers/levelset/files/output.h"

namespace hybridfft::levelset {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Largest grid written as an array of all points. Outputs of larger grids have the tiles only.
constexpr Index max_points = Index{512} * 512 * 512;

/// Ratio of the largest to the mean load above which boxes are reassigned. The load of a rank is
/// its number of points in the tube T.
constexpr double accepted_balance = 1.1;

constexpr std::array parts_of_steps{&FrontTimes::advance, &FrontTimes::reinitialise,
                                    &FrontTimes::tubes, &FrontTimes::exchange};

/// A run with phi in the precision Real.
template <class Real> class Run final : public LevelSetSimulation {
public:
  Run(const std::string &input, const std::string &output, const LevelSetSimulationOptions &options,
      const grid::Communicator &comm);

  void prepare() override;
  void run(const std::function<void(const State &)> &progress) override;
  void finish(const std::string &created_by) override;

  const FrontSettings &settings() const override { return input_.settings(); }
  const std::vector<std::string> &warnings() const override { return warnings_; }
  std::string device() const override { return exec_.device ? exec_.device->describe() : ""; }
  std::int64_t first_step() const override { return first_; }
  std::int64_t steps_done() const override { return solver_->steps(); }
  bool complete() const override { return !more() || stuck_; }
  bool diverged() const override { return diverged_; }
  LevelSetTimes times() const override;

private:
  Execution execution() const {
    return {options_.threads, exec_.device, options_.tile, options_.dense, options_.profile};
  }
  std::int64_t fingerprint() const;
  bool has_all_points(const std::string &group) const;
  FrontFrame frame_of(const std::string &group, TileTable table) const;
  void require_other_files() const;
  void check_step() const;
  bool more() const;
  double share_done() const;
  bool must_stop() const;
  std::optional<double> next_step();
  void step(double dt);
  void set_first_front(Solver<Real> &solver);
  double balance() const;
  void take_boxes(const std::vector<Box> &boxes, const Array<Real> &phi);
  void keep_balance(bool always);
  void add_times();
  void snapshot();
  void write_front(const std::string &group, const Array<Real> &phi, const TileTable &table,
                   io::WriteBy writer = io::WriteBy::together);
  State state() const;
  void write_header(const std::string &created_by);
  void write_end();
  void write_checkpoint();
  void describe();

  Clock::time_point begin_ = Clock::now();
  LevelSetSimulationOptions options_;
  grid::Communicator comm_;
  InputFile input_;
  std::string output_;
  Executor exec_;
  std::optional<Media> media_;
  std::unique_ptr<Solver<Real>> solver_;
  Array<Real> copy_; ///< buffer for phi of a device, for output
  std::optional<Flow<Real>> flow_;
  std::optional<LevelSetCheckpoint> checkpoint_;
  std::optional<io::File> out_, next_;
  std::vector<std::string> warnings_;
  std::vector<FrontFrame> frames_; ///< snapshots of this run
  FrontSeries series_;
  FrontTimes before_; ///< times of this solver that are already in parts_ or not counted
  FrontTimes parts_;  ///< sum of the counted times of all solvers
  double max_balance_ = accepted_balance;
  double balancing_ = 0;
  std::int64_t fingerprint_ = 0; ///< fingerprint of input and options
  std::int64_t first_ = 0;
  double start_volume_ = 0, simulating_ = 0, writing_ = 0;
  bool stuck_ = false; ///< true after the motion has stopped
  bool fast_ = false;  ///< true after a warning about long steps
  bool diverged_ = false;
};

template <class Real>
Run<Real>::Run(const std::string &input, const std::string &output,
               const LevelSetSimulationOptions &options, const grid::Communicator &comm)
    : options_(options), comm_(comm), input_(input, options.stl, comm), output_(output) {
  require_other_files();
  if (options.medium) media_ = input_.media();
}

template <class Real> void Run<Real>::require_other_files() const {
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    const auto require = [](const std::string &file, const std::string &other,
                            const std::string &found, const std::string &expected) {
      if (io::same_file(file, other))
        throw Error(HFFT_ERROR_ARGUMENT,
                    file + ": found " + found + ", expected another file as " + expected);
    };
    require(output_, input_.path(), "the input", "output");
    io::require_writable(output_);
    if (!options_.stl.empty()) require(output_, options_.stl, "the file of --stl", "output");
    if (options_.checkpoint.enabled()) {
      require(options_.checkpoint.file, input_.path(), "the input", "checkpoint");
      require(options_.checkpoint.file, output_, "the output", "checkpoint");
      io::require_writable(options_.checkpoint.file);
    }
    for (const std::string &file : files_beside(output_, options_.formats, options_.xdmf)) {
      require(file, input_.path(), "the input", "description of the output");
      if (!options_.stl.empty())
        require(file, options_.stl, "the file of --stl", "description of the output");
      if (options_.checkpoint.enabled())
        require(file, options_.checkpoint.file, "the checkpoint", "description of the output");
      io::require_writable(file);
    }
  });
}

template <class Real> void Run<Real>::prepare() {
  exec_.host.threads = options_.threads;
  if (options_.gpu) exec_.device = grid::Device::open(comm_);
  solver_ = std::make_unique<Solver<Real>>(comm_, settings().problem, execution());
  set_first_front(*solver_);
  flow_.emplace(input_, *solver_, exec_);
  fingerprint_ = fingerprint();
  start_volume_ = solver_->volume();
  warnings_ = input_.warnings();
  check_step();
  if (options_.checkpoint.enabled())
    checkpoint_ = LevelSetCheckpoint::find<Real>(options_.checkpoint.file, settings(), comm_);
  out_.emplace(checkpoint_ ? io::File::create_copy(output_, comm_.handle())
                           : io::File::create(output_, comm_.handle()));
  if (options_.writers) out_->use_writers(options_.writers);
  if (checkpoint_) {
    checkpoint_->require_own(*out_, settings());
    checkpoint_->restore(fingerprint_, *solver_, series_);
    first_ = solver_->steps();
  }
  keep_balance(options_.balance == LoadBalance::planes);
}

template <class Real> void Run<Real>::set_first_front(Solver<Real> &solver) {
  input_.set_front(solver);
  if (settings().redistance > 0) solver.reinitialise(settings().redistance);
}

/// Returns the ratio of the largest to the mean load. Collective.
template <class Real> double Run<Real>::balance() const {
  const double most = comm_.max(static_cast<double>(solver_->my_points()));
  return solver_->points() > 0 ? most * comm_.size() / static_cast<double>(solver_->points()) : 1;
}

/// Moves the front, and the ghosts beyond fixed ends, to a new solver with other boxes.
template <class Real>
void Run<Real>::take_boxes(const std::vector<Box> &boxes, const Array<Real> &phi) {
  auto next = std::make_unique<Solver<Real>>(comm_, settings().problem, execution(), boxes);
  const auto &ends = settings().problem.ends;
  if (solver_->steps() == 0) {
    set_first_front(*next);
  } else {
    if (std::ranges::find(ends, End::fixed) != ends.end()) input_.set_front(*next);
    Array<Real> moved = next->make_host_array();
    redistribute(comm_, phi, moved);
    next->restore(moved, solver_->time(), solver_->steps());
  }
  add_times();
  solver_ = std::move(next);
  flow_.emplace(input_, *solver_, exec_);
  before_ = solver_->times();
}

/// Assigns other boxes to the ranks if balance() exceeds max_balance_, or if `always` is true.
template <class Real> void Run<Real>::keep_balance(bool always) {
  if (options_.balance == LoadBalance::none || comm_.size() == 1) return;
  if (!always && !(balance() > max_balance_)) return;
  const auto begin = Clock::now();
  const Array<Real> phi = solver_->phi();
  take_boxes(options_.balance == LoadBalance::planes ? plane_boxes(*solver_, phi)
                                                     : balanced_boxes(*solver_, phi),
             phi);
  // If the new boxes also exceed the accepted ratio, max_balance_ rises, because otherwise each
  // step would assign boxes again.
  const double reached = balance();
  max_balance_ = reached > accepted_balance ? accepted_balance * reached : accepted_balance;
  balancing_ += seconds_since(begin);
}

/// Adds this solver's times since the previous call to parts_.
template <class Real> void Run<Real>::add_times() {
  const FrontTimes &all = solver_->times();
  for (const auto part : parts_of_steps)
    parts_.*part += all.*part - before_.*part;
  before_ = all;
}

/// Throws if the given dt would move the front by more than h, or if no dt is given and nothing
/// moves.
template <class Real> void Run<Real>::check_step() const {
  const FrontSettings &s = settings();
  if (s.steps && *s.steps == 0) return;
  const Motion<Real> motion = flow_->at(0);
  if (s.dt) {
    const double speed = solver_->speeds(motion).displacing, h = s.problem.h;
    if (*s.dt * speed > h)
      input_.refuse("dataset dt", number_text(*s.dt),
                    "at most h / " + number_text(speed) + " m/s = " + number_text(h / speed) +
                        ": a front moves by no more than h in a step");
  } else if (!std::isfinite(s.t_end) && !flow_->moves()) {
    throw Error(HFFT_ERROR_ARGUMENT,
                input_.path() + ": dataset dt is missing, expected one where nothing moves the "
                                "front: no flow, ux, uy, uz, speed or bending");
  }
}

template <class Real> bool Run<Real>::more() const {
  const FrontSettings &s = settings();
  return (!s.steps || solver_->steps() < *s.steps) && solver_->time() < s.t_end * (1 - 1e-12);
}

/// Returns the completed share of the steps or of the time, whichever is larger.
template <class Real> double Run<Real>::share_done() const {
  const FrontSettings &s = settings();
  const double of_steps =
      s.steps ? static_cast<double>(solver_->steps()) / static_cast<double>(*s.steps) : 0;
  return std::max(of_steps, solver_->time() / s.t_end);
}

template <class Real> bool Run<Real>::must_stop() const {
  return options_.checkpoint.must_stop(solver_->steps() - first_, begin_, comm_.handle());
}

/// Returns the length of the next step, or nothing if the run has no end time and nothing moves.
template <class Real> std::optional<double> Run<Real>::next_step() {
  const FrontSettings &s = settings();
  const Motion<Real> motion = flow_->at(solver_->time());
  const double dt = s.dt ? *s.dt : solver_->time_step(motion, s.cfl);
  if (s.dt && !fast_ && solver_->speeds(motion).displacing * dt > s.problem.h) {
    fast_ = true;
    warnings_.push_back(input_.path() + ": dataset dt: found " + number_text(dt) + " at step " +
                        std::to_string(solver_->steps()) +
                        ", expected less: the front moves by more than h in a step");
  }
  const double next = std::min(dt, s.t_end - solver_->time());
  if (std::isfinite(next)) return next;
  return std::nullopt;
}

template <class Real> void Run<Real>::step(double dt) {
  solver_->move(
      dt, [this](double time) { return flow_->at(time); }, settings().reinitialise);
  const Measures m = solver_->measure();
  series_.time.push_back(solver_->time());
  series_.dt.push_back(dt);
  series_.points.push_back(solver_->points());
  series_.volume.push_back(m.volume);
  series_.area.push_back(m.area);
  keep_balance(false);
}

template <class Real> State Run<Real>::state() const {
  State s;
  s.time = solver_->time();
  s.step = solver_->steps();
  s.points = solver_->points();
  s.tiles = solver_->tiles();
  s.balance = balance();
  const Measures m = solver_->measure();
  s.volume = m.volume;
  s.loss = start_volume_ > 0 ? m.volume / start_volume_ - 1 : 0;
  s.area = m.area;
  const Index3 &n = settings().problem.points;
  const std::int64_t inside = solver_->inside();
  s.vanished = inside == 0 || inside == n[0] * n[1] * n[2];
  return s;
}

/// True if a group of the output has an array of all points, false if it has the tiles only.
template <class Real> bool Run<Real>::has_all_points(const std::string &group) const {
  const Index3 &n = settings().problem.points;
  if (!group.empty() && options_.snapshot_tiles) return false;
  return options_.dense || n[0] * n[1] * n[2] <= max_points;
}

/// Returns the current front as a frame in a group of the output.
template <class Real>
FrontFrame Run<Real>::frame_of(const std::string &group, TileTable table) const {
  FrontFrame frame{group, solver_->steps(), solver_->time()};
  if (has_all_points(group)) return frame;
  frame.tile = options_.tile;
  frame.tiles = std::move(table.active);
  return frame;
}

template <class Real>
void Run<Real>::write_front(const std::string &group, const Array<Real> &phi,
                            const TileTable &table, io::WriteBy writer) {
  if (has_all_points(group)) write_points(*out_, group + "phi", *solver_, phi, writer);
  write_tiles(*out_, group, *solver_, phi, table, writer);
}

template <class Real> void Run<Real>::snapshot() {
  const auto begin = Clock::now();
  char name[32];
  std::snprintf(name, sizeof name, "snapshot/%06lld/", static_cast<long long>(solver_->steps()));
  const Array<Real> &phi = solver_->phi(copy_);
  TileTable table = tile_table(*solver_);
  if (!out_->exists(std::string(name) + "time")) {
    if (options_.writers) options_.writers->begin_batch();
    write_front(name, phi, table, options_.writers ? io::WriteBy::thread : io::WriteBy::together);
    out_->write_all<double>(std::string(name) + "time", {1}, {solver_->time()});
  }
  frames_.push_back(frame_of(name, std::move(table)));
  write_formats(output_, options_.formats, frames_, *solver_, phi);
  writing_ += seconds_since(begin);
}

template <class Real> void Run<Real>::run(const std::function<void(const State &)> &progress) {
  const auto begin = Clock::now();
  const std::int64_t interval = options_.snapshot_interval;
  if (interval > 0)
    for (std::int64_t s = interval; s <= first_; s += interval) {
      char name[32];
      std::snprintf(name, sizeof name, "snapshot/%06lld/", static_cast<long long>(s));
      frames_.push_back({name, s, series_.time[static_cast<std::size_t>(s - 1)]});
      if (has_all_points(name)) continue;
      frames_.back().tile = options_.tile;
      const auto places = out_->read_all<std::int32_t>(std::string(name) + "tile/position");
      for (std::size_t t = 0; t + 2 < places.size(); t += 3)
        frames_.back().tiles.push_back({{places[t + 2], places[t + 1], places[t]}});
    }
  progress(state());
  before_ = solver_->times();
  balancing_ = 0;
  double reported = share_done();
  const std::string failure = io::failure_of([&] {
    while (more() && !must_stop()) {
      const std::optional<double> dt = next_step();
      stuck_ = !dt;
      if (stuck_) break;
      step(*dt);
      const bool frame = interval > 0 && solver_->steps() % interval == 0;
      if (frame) snapshot();
      const bool due = share_done() >= reported + options_.report * (1 - 1e-9);
      if (due) reported = share_done();
      if (frame || due || !more()) progress(state());
    }
  });
  if (stuck_)
    warnings_.push_back(input_.path() + ": after step " + std::to_string(solver_->steps()) +
                        " nothing moves any more: found no speed in the band, expected dt or "
                        "t_end for more steps");
  if (!failure.empty()) io::keep_output(*out_, failure);
  simulating_ = comm_.max(seconds_since(begin));
  add_times();
}

template <class Real> std::int64_t Run<Real>::fingerprint() const {
  io::ContentChecksum checksum;
  std::vector<std::int64_t> options{options_.snapshot_interval, options_.tile};
  if (options_.snapshot_tiles) options.push_back(1);
  checksum.add_list("options", 0, std::span<const std::int64_t>(options));
  return io::ContentChecksum::in_file(static_cast<std::uint64_t>(input_.fingerprint()) +
                                      checksum.sum());
}

template <class Real> void Run<Real>::write_header(const std::string &created_by) {
  out_->set_attribute("/", "created_by", created_by);
  out_->set_attribute("/", "file_type", "output");
  if (options_.checkpoint.enabled()) LevelSetCheckpoint::mark(*out_, settings(), fingerprint_);
}

template <class Real> void Run<Real>::write_end() {
  const Array<Real> &phi = solver_->phi(copy_);
  TileTable table = tile_table(*solver_);
  write_front("", phi, table);
  out_->write_all<double>("time", {1}, {solver_->time()});
  out_->write_all<std::int64_t>("step", {1}, {solver_->steps()});
  const Problem &p = settings().problem;
  out_->write_all<double>("h", {1}, {p.h});
  out_->write_all<double>("origin", {3}, {p.origin[0], p.origin[1], p.origin[2]});
  write_series(*out_, series_);
  if (media_) write_medium(*out_, *media_, *solver_, phi);
  frames_.push_back(frame_of("", std::move(table)));
  write_formats(output_, options_.formats, frames_, *solver_, phi);
  const grid::View<const Real> v = phi.view();
  const bool finite = grid::reduce(
      exec_.host, solver_->box(), true,
      [=](Index i, Index j, Index k) { return static_cast<bool>(std::isfinite(v(i, j, k))); },
      [](bool a, bool b) { return a && b; });
  diverged_ = comm_.max(std::int64_t{finite ? 0 : 1}) == 1;
  if (diverged_)
    warnings_.push_back(input_.path() + ": phi is not finite after step " +
                        std::to_string(solver_->steps()) + ": the run has diverged");
}

template <class Real> void Run<Real>::write_checkpoint() {
  next_.emplace(io::File::create(options_.checkpoint.file, comm_.handle()));
  LevelSetCheckpoint::write(*next_, fingerprint_, settings(), *solver_, series_);
}

template <class Real> void Run<Real>::finish(const std::string &created_by) {
  const std::string failure = io::failure_of([&] {
    write_header(created_by);
    if (complete())
      write_end();
    else
      write_checkpoint();
  });
  if (!failure.empty()) {
    next_.reset();
    io::keep_output(*out_, failure);
  }
  out_->commit();
  if (next_) next_->commit();
  if (options_.xdmf && complete())
    comm_.agree([&] {
      if (comm_.rank() == 0)
        io::write_xdmf(
            description(output_, settings().problem, frames_, sizeof(Real), media_.has_value()),
            output_);
    });
  std::error_code none;
  if (complete() && checkpoint_ && comm_.rank() == 0)
    std::filesystem::remove(options_.checkpoint.file, none);
}

template <class Real> LevelSetSimulation::LevelSetTimes Run<Real>::times() const {
  LevelSetTimes t{simulating_ - writing_, comm_.max(writing_), comm_.max(balancing_), {}};
  for (const auto part : parts_of_steps)
    t.parts.*part = comm_.max(parts_.*part);
  return t;
}

} // namespace

std::unique_ptr<LevelSetSimulation>
LevelSetSimulation::open(const std::string &input, const std::string &output,
                         const LevelSetSimulationOptions &options, const grid::Communicator &comm) {
  if (options.precision == io::Precision::double_)
    return std::make_unique<Run<double>>(input, output, options, comm);
  return std::make_unique<Run<float>>(input, output, options, comm);
}

} // namespace hybridfft::levelset
