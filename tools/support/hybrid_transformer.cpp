// Transforms by this library between slabs.
#include "support/array_transformer.h"

namespace hybridfft::tools {

namespace {

template <class Real, Kind K> class HybridTransformer final : public ArrayTransformer<Real, K> {
  using Base = ArrayTransformer<Real, K>;

public:
  using Base::Base;

  void plan() override {
    Options options;
    options.comm = this->comm();
    options.direction = this->problem().direction;
    options.effort = this->problem().effort;
    options.threads = this->problem().threads;
    const LocalSizes sizes = local_sizes<Real, K>(this->problem().extents, options);
    this->place(sizes.in, sizes.out,
                std::max(sizes.allocate_in * sizeof(typename Base::In),
                         sizes.allocate_out * sizeof(typename Base::Out)));
    plan_ = Plan<Real, K>(this->problem().extents, {this->input(), sizes.allocate_in},
                          {this->output(), sizes.allocate_out}, options);
  }

  void execute() override { plan_.execute(); }
  std::string describe() const override { return plan_.describe(); }

private:
  Plan<Real, K> plan_;
};

} // namespace

std::unique_ptr<Transformer> make_hybrid_transformer(const TransformProblem &p, MPI_Comm comm) {
  return make_typed<HybridTransformer>(p, comm);
}

std::unique_ptr<Transformer> make_transformer(Engine engine, const TransformProblem &problem,
                                              MPI_Comm comm) {
  return engine == Engine::fftw ? make_fftw_transformer(problem, comm)
                                : make_hybrid_transformer(problem, comm);
}

} // namespace hybridfft::tools
