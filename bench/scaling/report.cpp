// Formats results as a table, as JSON and as CSV.
#include "scaling/report.h"

#include <cstdio>

#include "support/machine_info.h"

namespace hybridfft::bench {

namespace {

template <class... Values> std::string format(const char *pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

/// Formats six digits, more than the precision of measurements and readable by every parser.
std::string number(double value) { return format("%.6g", value); }

template <class T> std::string number_or(const std::optional<T> &value, const char *otherwise) {
  return value ? number(static_cast<double>(*value)) : otherwise;
}

/// Formats megabytes, with more digits for small values.
std::string megabytes(double bytes) { return format(bytes < 1e7 ? "%.3g" : "%.1f", 1e-6 * bytes); }

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += format("\\u%04x", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string json_summary(const Summary &s) {
  return "{\"min\": " + number(s.min) + ", \"lower\": " + number(s.lower) +
         ", \"median\": " + number(s.median) + ", \"upper\": " + number(s.upper) +
         ", \"max\": " + number(s.max) + "}";
}

template <class Values, class Write>
std::string json_list(const Values &values, const Write &write) {
  std::string text = "[";
  for (const auto &value : values)
    text += (text.size() == 1 ? "" : ", ") + write(value);
  return text + "]";
}

std::string json_traffic(const std::optional<SentTraffic> &traffic) {
  if (!traffic) return "null";
  const SentTraffic &t = *traffic;
  return "{\"messages\": " + std::to_string(t.messages) +
         ", \"bytes\": " + std::to_string(t.bytes) +
         ", \"total_bytes\": " + std::to_string(t.total_bytes) +
         ", \"copied_bytes\": " + std::to_string(t.copied_bytes) +
         ", \"nodes\": " + std::to_string(t.nodes) + ", \"between_nodes\": " +
         json_list(t.between_nodes, [](long long bytes) { return std::to_string(bytes); }) + "}";
}

std::string json_stages(const std::vector<StageSeconds> &stages) {
  return json_list(stages, [](const StageSeconds &s) {
    return "{\"name\": " + quoted(s.name) + ", \"seconds\": " + number(s.seconds) +
           ", \"bytes\": " + number(s.bytes) + "}";
  });
}

std::string json_failures(const std::vector<Failure> &failures) {
  return json_list(failures, [](const Failure &f) {
    return "{\"name\": " + quoted(f.name) + ", \"reason\": " + quoted(f.reason) + "}";
  });
}

/// Formats all digits, for comparisons by other programs.
std::string json_fingerprint(const Fingerprint &f) {
  return "{\"norm\": " + format("%.17g", f.norm) + ", \"sums\": " +
         json_list(f.sums,
                   [](const std::complex<double> &sum) {
                     return format("[%.17g, %.17g]", sum.real(), sum.imag());
                   }) +
         "}";
}

std::string json_peer(const PeerResult &p) {
  return "{\"name\": " + quoted(p.name) + ", \"layout\": " + quoted(p.layout) +
         ", \"seconds\": " + json_summary(p.seconds) + ", \"gflops\": " + number(p.gflops) +
         ", \"over_floor\": " + number(p.over_floor) +
         ", \"ratio\": " + number_or(p.ratio, "null") + ", \"planning\": " + number(p.planning) +
         ", \"work_bytes\": " + number_or(p.work_bytes, "null") +
         ", \"difference\": " + number_or(p.difference, "null") +
         ", \"joules\": " + number_or(p.joules, "null") +
         ", \"traffic\": " + json_traffic(p.traffic) + ", \"stages\": " + json_stages(p.stages) +
         ", \"plan\": " + quoted(p.plan) + "}";
}

std::string json_overlap(const std::optional<Overlap> &o) {
  if (!o) return "null";
  return "{\"full\": " + json_summary(o->full) + ", \"passes\": " + json_summary(o->passes) +
         ", \"exchange\": " + json_summary(o->exchange) + ", \"hidden\": " + number(o->hidden) +
         "}";
}

/// Returns a line per peer with its energy, or with the reason why there is none.
std::string energy_text(const ContestResult &r) {
  std::string text;
  if (!r.no_energy.empty()) text = "  energy: not measured: " + r.no_energy + "\n";
  for (const PeerResult &p : r.peers)
    if (p.joules)
      text += format("  energy: %-16s %9.4g J, %9.4g GFlop/J\n", p.name.c_str(), *p.joules,
                     1e-9 * r.flops / *p.joules);
  return text;
}

} // namespace

std::string as_text(const ContestResult &r) {
  std::string text =
      format("%s%s on %d ranks x %d threads: %.3g GFlop; %s STREAM copies take %.3f ms at best "
             "(%.1f GB/s), median %.3f\n",
             to_string(r.problem).c_str(), r.pairs ? " and back" : "", r.ranks, r.problem.threads,
             1e-9 * r.flops, r.pairs ? "four" : "two", 1e3 * r.floor.min, 1e-9 * r.bandwidth,
             1e3 * r.floor.median);
  text += format("  %-16s %-22s %9s %19s %9s %9s %7s %6s %9s %9s %9s %8s %9s\n", "peer", "layout",
                 "median ms", "quartiles", "min", "GFlop/s", "x floor", "/ours", "plan s",
                 "work MB", "sent MB", "messages", "rel. L2");
  for (const PeerResult &p : r.peers) {
    const std::string quartiles =
        format("%.3f .. %.3f", 1e3 * p.seconds.lower, 1e3 * p.seconds.upper);
    text += format("  %-16s %-22s %9.3f %19s %9.3f %9.2f %7.2f %6s %9.3f %9s %9s %8s %9s\n",
                   p.name.c_str(), p.layout.c_str(), 1e3 * p.seconds.median, quartiles.c_str(),
                   1e3 * p.seconds.min, p.gflops, p.over_floor,
                   p.ratio ? format("%.2f", *p.ratio).c_str() : "1", p.planning,
                   p.work_bytes ? megabytes(static_cast<double>(*p.work_bytes)).c_str() : "?",
                   p.traffic ? megabytes(static_cast<double>(p.traffic->bytes)).c_str() : "?",
                   p.traffic ? std::to_string(p.traffic->messages).c_str() : "?",
                   p.difference ? format("%.1e", *p.difference).c_str() : "-");
  }
  for (const Failure &f : r.failures)
    text += format("  %-16s does not count: ", f.name.c_str()) + f.reason + "\n";
  if (r.overlap) {
    const Overlap &o = *r.overlap;
    text +=
        format("  overlap (pipelined): passes %.3f ms, exchanges %.3f ms, together %.3f ms: %.0f "
               "%% of the "
               "lesser is hidden\n",
               1e3 * o.passes.median, 1e3 * o.exchange.median, 1e3 * o.full.median, 100 * o.hidden);
  }
  return text + energy_text(r);
}

std::string explanation_of_columns() {
  return "x floor: median over the time of the fastest STREAM copies of the array in the run\n"
         "/ours: median over that of hybridfft; above 1 hybridfft is faster\n"
         "sent MB, messages: of the rank that sends the most, in one execution\n"
         "  0: a rank has all that it needs, or ranks of a node read each other's memory\n"
         "  ?: cannot be counted\n"
         "rel. L2: difference from the result of hybridfft\n";
}

std::string plans_of(const ContestResult &r) {
  std::string text;
  for (const PeerResult &p : r.peers)
    text += p.name + ":\n" + p.plan + (p.plan.ends_with('\n') ? "" : "\n");
  return text;
}

std::string as_json(const std::vector<ContestResult> &results) {
  std::string text = "{\"cpu\": " + quoted(tools::cpu_description()) +
                     ", \"version\": " + quoted(hfft_version()) + ", \"results\": [";
  for (const ContestResult &r : results) {
    text += (&r == results.data() ? "\n" : ",\n") + std::string("  {\"problem\": ") +
            quoted(to_string(r.problem)) + ", \"ranks\": " + std::to_string(r.ranks) +
            ", \"threads\": " + std::to_string(r.problem.threads) +
            ", \"flops\": " + number(r.flops) + ", \"floor\": " + json_summary(r.floor) +
            ", \"bandwidth\": " + number(r.bandwidth) +
            ", \"overlap\": " + json_overlap(r.overlap) +
            ", \"pairs\": " + (r.pairs ? "true" : "false") +
            ", \"fingerprint\": " + json_fingerprint(r.fingerprint) +
            ", \"failures\": " + json_failures(r.failures) + ", \"peers\": [";
    for (const PeerResult &p : r.peers)
      text += (&p == r.peers.data() ? "\n    " : ",\n    ") + json_peer(p);
    text += "]}";
  }
  return text + "\n]}\n";
}

std::string as_csv(const std::vector<ContestResult> &results) {
  std::string text = "problem,ranks,threads,peer,layout,median_s,min_s,lower_s,upper_s,gflops,"
                     "floor_s,over_floor,ratio,planning_s,work_bytes,sent_bytes,"
                     "messages,difference,joules\n";
  for (const ContestResult &r : results)
    for (const PeerResult &p : r.peers) {
      // Quoted, because problem strings with blocks contain commas.
      text += quoted(to_string(r.problem)) + "," + std::to_string(r.ranks) + "," +
              std::to_string(r.problem.threads) + "," + p.name + "," + quoted(p.layout);
      for (const double value : {p.seconds.median, p.seconds.min, p.seconds.lower, p.seconds.upper,
                                 p.gflops, r.floor.min, p.over_floor})
        text += "," + number(value);
      text += "," + number_or(p.ratio, "") + "," + number(p.planning) + "," +
              number_or(p.work_bytes, "") + "," +
              (p.traffic ? std::to_string(p.traffic->bytes) : "") + "," +
              (p.traffic ? std::to_string(p.traffic->messages) : "") + "," +
              number_or(p.difference, "") + "," + number_or(p.joules, "") + "\n";
    }
  return text;
}

} // namespace hybridfft::bench
