// Builds the plan of one choice: steps, rewrites of the steps, buffers, passes and exchanges.
#include "plan/lowering.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/mpi.h"
#include "exchange/algorithms.h"
#include "exchange/messages.h"
#include "local/simd_passes.h"
#include "plan/step.h"

namespace hybridfft::plan {

namespace {

/// Maximum number of work buffers of a plan with messages in chunks.
constexpr std::size_t max_work_buffers = 3;

// The functions below insert the copies needed for correctness, and remove copies of a rank's own
// block. They apply to every plan.

/// True if a step may overwrite its input. FFTW's kernels for c2r do this unless they work on a
/// copy.
bool may_spoil(const Step &s, const Problem &p, local::Kernel planes) {
  return s.kind == StepKind::planes && s.transform.kind == Kind::c2r &&
         (planes == local::Kernel::fftw || s.transform.extents.size() > 1 || s.source.vec > 1 ||
          !local::has_simd_lines(p.isa, p.real_bytes, s.transform.extents.front()));
}

auto block_of(std::vector<exchange::RankBytes> &blocks, int rank) {
  return std::find_if(blocks.begin(), blocks.end(),
                      [rank](const exchange::RankBytes &b) { return b.rank == rank; });
}

/// Inserts a copy before the first step if this step would overwrite an input to be preserved. Also
/// inserts one before the only step of an in-place transform, unless this step can work in place.
/// `planes` is the kernel for planes.
void protect_input(Steps &steps, const Problem &p, local::Kernel planes) {
  if (steps.empty()) return;
  const Step &first = steps.front();
  // A single in-place step would overwrite numbers before it reads them.
  const bool overlaps = p.in_place && steps.size() == 1 && !first.may_be_in_place();
  const bool spoils = !p.in_place && !p.may_destroy_input && may_spoil(first, p, planes);
  if (!overlaps && !spoils) return;
  const Step copy = copy_of(first.from);
  steps.insert(steps.begin(), copy);
}

/// Inserts a copy between two successive exchanges. Otherwise a field could arrive in a buffer from
/// which another field is being sent.
void part_exchanges(Steps &steps) {
  const auto exchanges = [&](std::size_t k) {
    return steps[k].is_exchange() && !steps[k].to.empty();
  };
  for (std::size_t k = steps.size(); k-- > 1;)
    if (exchanges(k - 1) && exchanges(k))
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k), copy_of(steps[k].from));
}

/// Makes the step before an exchange of blocks write this rank's own block directly into the
/// receive buffer, and removes the block from the exchange. The receive buffer begins `distance`
/// bytes after the send buffer; a negative distance means before it. The step must not read the
/// receive buffer.
void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes(writer.to, real_bytes));
  const auto sent = block_of(exchange.blocks.sent, rank);
  const auto received = block_of(exchange.blocks.received, rank);
  if (sent == exchange.blocks.sent.end() || received == exchange.blocks.received.end()) return;
  const std::ptrdiff_t there = distance + received->first;
  // Offsets in matrices of planes are in complex numbers, even for the real data of r2c and c2r.
  const auto number = writer.reals_of_result() * static_cast<std::ptrdiff_t>(real_bytes);
  if (there % number != 0 && !writer.destination.pieces.empty()) return;
  for (StoredBox &b : writer.to.boxes)
    if (b.base * element == sent->first) b.base = there / element;
  for (Piece &p : writer.destination.pieces)
    if (p.base * number == sent->first) p.base = there / number;
  exchange.blocks.sent.erase(sent);
  exchange.blocks.received.erase(received);
}

class Builder {
public:
  /// Allocates nothing.
  Builder(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm,
          const Choice &choice, bool forced)
      : problem_(problem), comm_(comm), choice_(choice), forced_(forced),
        between_slabs_(planes_of(choice.path->path) != nullptr) {}

  std::unique_ptr<Plan> run() {
    if (!lower()) return nullptr;
    const bool as_chosen = rewrite_exchanges();
    const bool by_algorithm = has_blocks_of_algorithm();
    mpi::all_or_none(comm_->get(), [&] {
      if (between_slabs_ && !use_slab_exchanges(steps_, problem_, choice_, *slab_exchanges_))
        return;
      fuse_planes(steps_, problem_, choice_);
      protect_input(steps_, problem_, choice_.plane_kernel);
      if (choice_.by_field) part_exchanges(steps_);
      assign();
      if (by_algorithm) return;
      parts_.as_chosen = as_chosen;
      assemble();
    });
    if (!by_algorithm) return std::move(plan_);
    const bool blocks = make_exchanges();
    mpi::all_or_none(comm_->get(), [&] {
      parts_.as_chosen = as_chosen || blocks;
      assemble();
    });
    return std::move(plan_);
  }

private:
  /// Lowers the choice to steps. Returns false, on all ranks, if the choice's exchange cannot serve
  /// the problem.
  bool lower() {
    mpi::all_or_none(comm_->get(),
                     [this] { steps_ = lower_path(problem_, choice_, comm_->rank()); });
    if (!between_slabs_) return true;
    slab_exchanges_ = plan_slab_exchanges(problem_, choice_, comm_, forced_);
    return slab_exchanges_.has_value();
  }

  /// Rewrites the exchanges for the choice's messages and algorithm. Returns false if the algorithm
  /// or the division into chunks had no effect.
  bool rewrite_exchanges() {
    if (between_slabs_ || choice_.by_field) return true;
    if (choice_.messages == MessageForm::shared) return share_messages(steps_, comm_, problem_);
    int transposed = 0;
    if (choice_.algorithm != nullptr)
      transposed = transpose_in_groups(steps_, problem_, *choice_.path, *choice_.algorithm, comm_);
    if (choice_.messages == MessageForm::chunks) {
      parts_.chunked = chunk_messages(steps_, *comm_);
      // Large messages between nodes slow each other down.
      if (exchange::nodes_of(*comm_)->count() > 1) largest_message_ = exchange::eager_message;
    }
    return (choice_.algorithm == nullptr || transposed > 0) &&
           (choice_.messages != MessageForm::chunks || parts_.chunked > 0);
  }

  /// True, on all ranks alike, if the choice's algorithm executes exchanges of blocks. Exchanges
  /// between slabs are excluded, because they are planned earlier.
  bool has_blocks_of_algorithm() const {
    return !between_slabs_ && !choice_.by_field && choice_.messages == MessageForm::whole &&
           choice_.algorithm != nullptr && choice_.algorithm->make_blocks != nullptr &&
           std::any_of(steps_.begin(), steps_.end(),
                       [](const Step &s) { return s.is_exchange() && !s.exchange; });
  }

  /// Makes the exchanges of blocks with the choice's algorithm. Returns true if there are any.
  /// Collective.
  bool make_exchanges() {
    bool any = false;
    int number = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      Step &s = steps_[k];
      if (!s.is_exchange() || s.exchange) continue;
      std::optional<exchange::BlockMessagesOptions> options;
      // Ranks agree on memory, because making an exchange and freeing it wait for all ranks.
      mpi::all_or_none(comm_->get(), [&] { options = message_options(k, number++); });
      auto made = choice_.algorithm->make_blocks(s.blocks, comm_, *options);
      any = any || made != nullptr;
      mpi::all_or_none(comm_->get(), [&] { s.exchange = std::move(made); });
    }
    return any;
  }

  /// Sets the stages, the slots of all steps and the memory of the work buffers, and elides copies
  /// of this rank's own blocks.
  void assign() {
    parts_.problem = problem_;
    parts_.comm = comm_;
    parts_.path = choice_.path;
    parts_.stages = stages_of(steps_, problem_.real_bytes, problem_.pruned());
    if (choice_.by_field) {
      routes_ = assign_field_buffers(steps_);
      for (profile::Stage &s : parts_.stages) {
        s.bytes *= static_cast<double>(problem_.howmany());
        s.flops *= static_cast<double>(problem_.howmany());
      }
    } else {
      routes_[0] = assign_buffers(steps_, problem_.real_bytes, limits());
      routes_[1] = routes_[0];
    }
    WorkBuffers work = place_work(steps_, routes_, problem_.real_bytes);
    parts_.offsets = std::move(work.offsets);
    if (work.bytes > 0) parts_.work = Memory(work.bytes, problem_.threads, problem_.pages);
    for (std::size_t k = 1; k < steps_.size() && !choice_.by_field; ++k)
      if (may_elide_self_copy(steps_, routes_[0], k))
        elide_self_copy(steps_[k - 1], steps_[k], comm_->rank(),
                        offset(routes_[0].destinations[k]) - offset(routes_[0].source(k)),
                        problem_.real_bytes);
  }

  /// Limits of the buffer assignment. The user's output may be too small for the data of earlier
  /// steps. It may also have gaps, which must stay unchanged.
  BufferLimits limits() const {
    BufferLimits limits{problem_.in_place};
    if (between_slabs_ && !problem_.axes.empty()) {
      if (!problem_.in_place && !problem_.spectrum_in() && problem_.pruned()) limits.out_bytes = 0;
      if (problem_.exact_output)
        limits.out_bytes = buffer_bytes(stored(problem_.out, comm_->rank(), problem_.real_out()),
                                        problem_.real_bytes);
      return limits;
    }
    const Storage out = stored(problem_.out, comm_->rank(), problem_.real_out());
    limits.out_bytes =
        out.elements == out.box.points() ? buffer_bytes(out, problem_.real_bytes) : std::size_t{0};
    limits.spend = !between_slabs_;
    if (choice_.messages == MessageForm::chunks) limits.work_buffers = max_work_buffers;
    return limits;
  }

  std::ptrdiff_t offset(Slot slot) const {
    return static_cast<std::ptrdiff_t>(parts_.offsets[*work_number(slot)]);
  }

  void assemble() {
    std::vector<Operation> operations;
    int tag = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step &s = steps_[k];
      Operation o;
      for (std::size_t parity = 0; parity < 2; ++parity) {
        o.source[parity] = routes_[parity].source(k);
        o.destination[parity] = routes_[parity].destinations[k];
      }
      o.receives_early = s.in_chunks() && may_receive_early(steps_, routes_[0], k);
      o.sends_late = s.in_chunks() && may_send_late(steps_, routes_[0], k);
      if (s.is_exchange()) {
        o.exchanges = {s.exchange ? s.exchange : messages(k, tag++)};
        if (choice_.by_field) o.exchanges.push_back(messages(k, tag++));
      } else {
        o.pass = make_pass(s, problem_.real_bytes, o.source[0] == o.destination[0], choice_.order,
                           options(s));
      }
      operations.push_back(std::move(o));
    }
    if (!steps_.empty()) {
      parts_.first_source = steps_.front().source;
      parts_.last_destination = steps_.back().destination;
    }
    SeparateFields fields;
    if (choice_.by_field)
      fields = {problem_.howmany(), distance(problem_.in, problem_.real_in()),
                distance(problem_.out, problem_.real_out())};
    parts_.program = Program(std::move(operations), fields, problem_.threads);
    plan_ = std::make_unique<Plan>(std::move(parts_));
  }

  std::shared_ptr<exchange::Exchange> messages(std::size_t k, int tag) const {
    return exchange::make_block_messages(comm_, steps_[k].blocks, message_options(k, tag));
  }

  exchange::BlockMessagesOptions message_options(std::size_t k, int tag) const {
    exchange::BlockMessagesOptions options;
    options.tag = tag;
    options.threads = problem_.threads;
    options.largest_message = largest_message_;
    options.chunks = steps_[k].chunks;
    options.send_ends = send_ends(steps_, k);
    options.receive_ends = receive_ends(steps_, k);
    options.wire = problem_.wire;
    return options;
  }

  local::PassOptions options(const Step &s) const {
    local::PassOptions options{problem_.threads, problem_.effort, choice_.tile_bytes};
    options.kernel = s.kind == StepKind::columns ? choice_.column_kernel : choice_.plane_kernel;
    options.store =
        s.makes_result && problem_.result_in_cache ? simd::Store::cached : choice_.store;
    options.isa = problem_.isa;
    options.deterministic = problem_.deterministic;
    if (s.makes_result) options.scale = problem_.scale;
    return options;
  }

  /// Returns the distance between successive fields in bytes.
  std::ptrdiff_t distance(const Layout &l, bool real) const {
    return l.field_stride(comm_->rank()) *
           static_cast<std::ptrdiff_t>(real ? problem_.real_bytes : 2 * problem_.real_bytes);
  }

  const Problem &problem_;
  const std::shared_ptr<exchange::Communicator> &comm_;
  const Choice &choice_;
  bool forced_;
  bool between_slabs_;
  std::ptrdiff_t largest_message_ =
      0; ///< size limit in bytes for messages of blocks, see BlockMessagesOptions
  std::optional<SlabExchanges> slab_exchanges_; ///< planned exchanges between slabs
  Steps steps_;
  std::array<Route, 2> routes_; ///< routes of even and odd fields; equal unless fields are separate
  PlanParts parts_;
  std::unique_ptr<Plan> plan_;
};

} // namespace

std::unique_ptr<Plan> build(const Problem &problem,
                            const std::shared_ptr<exchange::Communicator> &comm,
                            const Choice &choice, bool forced_exchange) {
  return Builder(problem, comm, choice, forced_exchange).run();
}

} // namespace hybridfft::plan
