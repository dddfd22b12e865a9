// The page of a sweep: a figure for each metric over each axis, drawn as SVG, and what failed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scenario/schema.h"
#include "sweep/summary.h"

namespace convoy::sweep {

namespace {

// Of a figure, px.
constexpr double kWidth = 560, kHeight = 330, kLeft = 78, kRight = 16, kTop = 14, kBottom = 58;
constexpr std::size_t kMostWhiskers = 60;  // values whose least and most are drawn
constexpr std::size_t kMostLabels = 12;    // of an axis that has no numbers
constexpr std::size_t kLabelLength = 22;   // characters

constexpr const char* kStyle = R"(
:root { --ink: #1d2430; --faint: #6b7686; --line: #d8dee7; --paper: #ffffff; --mark: #1f6fd0; --band: #1f6fd02e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --faint: #98a3b3; --line: #333c49; --paper: #14181f; --mark: #6db1ff; --band: #6db1ff33; --bad: #ff8a80; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 1180px; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .2rem; }
p { margin: .2rem 0; color: var(--faint); } b { color: var(--ink); font-weight: 600; } .bad, .bad b { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; } figure { margin: 0; flex: 0 1 560px; } svg { display: block; width: 100%; height: auto; }
text { font: 12px system-ui, sans-serif; fill: var(--faint); } .name { fill: var(--ink); } .grid { stroke: var(--line); }
.band { fill: var(--band); } .mean { fill: none; stroke: var(--mark); stroke-width: 2; } .at { fill: var(--mark); }
.whisker { stroke: var(--mark); stroke-width: 1; opacity: .6; } .dot { fill: var(--faint); opacity: .35; }
table { border-collapse: collapse; margin: .5rem 0; } td, th { border-bottom: 1px solid var(--line); padding: .25rem .9rem .25rem 0; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; } pre { margin: .3rem 0; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
)";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n') out += ' ';
    else out += c;
  }
  return out;
}

std::string shortened(std::string text) {
  if (text.size() <= kLabelLength) return text;
  std::size_t end = kLabelLength - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "…";
}

// Round numbers from `low` to `high`, some five of them.
struct Scale {
  double low = 0, high = 1, step = 1;
  static Scale over(double least, double most) {
    if (!(most > least)) {
      const double room = least == 0 ? 1 : std::abs(least) * 0.1;
      least -= room, most += room;
    }
    const double raw = (most - least) / 5, power = std::pow(10, std::floor(std::log10(raw)));
    const double by = raw / power;
    const double step = power * (by <= 1 ? 1 : by <= 2 ? 2 : by <= 5 ? 5 : 10);
    return {std::floor(least / step) * step, std::ceil(most / step) * step, step};
  }
  double share(double value) const { return (value - low) / (high - low); }
};

std::string number(double value) {
  if (std::abs(value) < 1e-12) value = 0;
  return fmt::format("{:.6g}", value);
}

class Figure {
 public:
  Figure(const Axis& axis, const std::string& metric, const Curve& curve)
      : axis_(axis), metric_(metric), curve_(curve), numbers_(axis.is_number()) {
    double least = 0, most = 0;
    bool any = false;
    for (const Spread& s : curve.at) {
      if (s.count == 0) continue;
      least = any ? std::min(least, s.least) : s.least, most = any ? std::max(most, s.most) : s.most, any = true;
    }
    y_ = Scale::over(least, most);
    if (numbers_) {
      const auto [low, high] =
          std::minmax_element(axis.values.begin(), axis.values.end(),
                              [](const auto& a, const auto& b) { return value_of(a) < value_of(b); });
      low_ = value_of(*low), high_ = value_of(*high);
      for (std::size_t v = 0; v < axis.values.size(); ++v) order_.push_back(v);
      std::stable_sort(order_.begin(), order_.end(),
                       [&](std::size_t a, std::size_t b) { return x_value(a) < x_value(b); });
    } else {
      for (std::size_t v = 0; v < axis.values.size(); ++v) order_.push_back(v);
    }
  }

  std::string svg() {
    out_ = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} over {}\">\n", kWidth, kHeight,
                       html(metric_), html(axis_.name));
    grid();
    x_labels();
    for (const Curve::Dot& dot : curve_.dots)
      out_ += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>", x(dot.value), y(dot.y));
    spread();
    return std::move(out_) + "</svg></figure>\n";
  }

 private:
  static double value_of(const std::vector<std::string>& value) { return scenario::parse_number(value[0]).value_or(0); }
  double x_value(std::size_t v) const { return value_of(axis_.values[v]); }
  double x_share(std::size_t v) const {
    if (numbers_ && high_ > low_) return 0.03 + 0.94 * (x_value(v) - low_) / (high_ - low_);
    return (static_cast<double>(v) + 0.5) / static_cast<double>(axis_.values.size());
  }
  double x(std::size_t v) const { return kLeft + x_share(v) * (kWidth - kLeft - kRight); }
  double y(double value) const { return kHeight - kBottom - y_.share(value) * (kHeight - kTop - kBottom); }

  void grid() {
    for (double at = y_.low; at <= y_.high + y_.step / 2; at += y_.step) {
      out_ += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
                          kWidth - kRight, y(at), y(at));
      out_ +=
          fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y(at) + 4, number(at));
    }
    out_ += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                        (kLeft + kWidth - kRight) / 2, kHeight - 10, html(axis_.name));
  }

  void x_labels() {
    const double below = kHeight - kBottom + 18;
    if (numbers_ && axis_.values.size() > kMostLabels) {
      const Scale scale = Scale::over(low_, high_);
      for (double at = scale.low; at <= scale.high + scale.step / 2; at += scale.step) {
        if (at < low_ - scale.step * 1e-9 || at > high_ + scale.step * 1e-9) continue;
        const double share = 0.03 + 0.94 * (at - low_) / (high_ - low_);
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                            kLeft + share * (kWidth - kLeft - kRight), below, number(at));
      }
      return;
    }
    const std::size_t every = (axis_.values.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t i = 0; i < order_.size(); i += every)
      out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(order_[i]), below,
                          html(shortened(axis_.label(order_[i]))));
  }

  // The mean with one standard deviation to each side, and the least and the most.
  void spread() {
    std::string above, under, line, marks;
    for (const std::size_t v : order_) {
      const Spread& s = curve_.at[v];
      if (s.count == 0) continue;
      const double up = std::min(s.mean + s.deviation(), y_.high), down = std::max(s.mean - s.deviation(), y_.low);
      above += fmt::format("{:.1f},{:.1f} ", x(v), y(up));
      under.insert(0, fmt::format("{:.1f},{:.1f} ", x(v), y(down)));
      line += fmt::format("{:.1f},{:.1f} ", x(v), y(s.mean));
      if (s.count > 1 && order_.size() <= kMostWhiskers)
        marks += fmt::format("<line class=\"whisker\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                             x(v), y(s.least), y(s.most));
      marks += fmt::format(
          "<circle class=\"at\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{} {}: mean {:.6g}, deviation {:.3g}, "
          "{:.6g} to {:.6g}, {} runs</title></circle>\n",
          x(v), y(s.mean), order_.size() > kMostWhiskers ? 2 : 3.5, html(axis_.name), html(axis_.label(v)), s.mean,
          s.deviation(), s.least, s.most, s.count);
    }
    if (numbers_)
      out_ += fmt::format("<polygon class=\"band\" points=\"{}{}\"/><polyline class=\"mean\" points=\"{}\"/>", above,
                          under, line);
    out_ += marks;
  }

  const Axis& axis_;
  const std::string& metric_;
  const Curve& curve_;
  bool numbers_;
  double low_ = 0, high_ = 0;
  std::vector<std::size_t> order_;  // of values, along x
  Scale y_;
  std::string out_;
};

std::string metric_part(const Plan& plan, const MetricSummary& metric) {
  std::string out = fmt::format("<h2>{}</h2>\n", html(metric.name));
  if (metric.all.count == 0) return out + "<p class=\"bad\">No run has a value.</p>\n";
  out += fmt::format(
      "<p>mean <b>{:.6g}</b>, standard deviation <b>{:.4g}</b>, from <b>{:.6g}</b> to <b>{:.6g}</b>, {} runs</p>\n<div "
      "class=\"figures\">\n",
      metric.all.mean, metric.all.deviation(), metric.all.least, metric.all.most, metric.all.count);
  for (std::size_t i = 0; i < plan.axes.size(); ++i)
    if (plan.axes[i].values.size() > 1) out += Figure(plan.axes[i], metric.name, metric.over[i]).svg();
  return out + "</div>\n";
}

std::string axes_part(const Plan& plan) {
  std::string out = "<table><tr><th>axis</th><th class=\"number\">values</th><th></th></tr>\n";
  for (const Axis& axis : plan.axes) {
    const std::size_t n = axis.values.size();
    std::string some;
    for (std::size_t v = 0; v < n; ++v) {
      if (n > 8 && v == 3) some += ", …", v = n - 1;
      some += (v > 0 ? ", " : "") + (axis.fields.size() > 1 ? "(" + axis.label(v) + ")" : axis.label(v));
    }
    out += fmt::format("<tr><td><b>{}</b>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n", html(axis.name),
                       axis.fields.size() > 1 ? html(fmt::format(": {}", fmt::join(axis.fields, ", "))) : "", n,
                       html(some));
  }
  return out + "</table>\n";
}

}  // namespace

std::string page_of(const Plan& plan, const Summary& s) {
  const std::string title = html("Sweep of " + plan.scenario);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title>\n<style>{}</style></head><body>\n",
      title, kStyle);
  out += fmt::format(
      "<h1>{}</h1>\n<p><b>{}</b> runs: <b>{}</b> done, <span{}><b>{}</b> failed</span>, <b>{}</b> missing{}</p>\n",
      title, s.planned, s.done, s.failed > 0 ? " class=\"bad\"" : "", s.failed, s.missing(),
      plan.repeats > 1 ? fmt::format("; each point {} times", plan.repeats) : "");
  if (!plan.settings.empty())
    out += fmt::format("<p>all with {}</p>\n", html(fmt::format("{}", fmt::join(plan.settings, ", "))));
  out += axes_part(plan);
  out +=
      "<p>Lines are means, bands one standard deviation, thin lines from the least to the most, grey dots single "
      "runs.</p>\n";
  for (const MetricSummary& metric : s.metrics) out += metric_part(plan, metric);
  if (!s.failed_runs.empty()) {
    out += "<h2 class=\"bad\">Failed</h2>\n<table><tr><th class=\"number\">run</th><th>of</th><th>why</th></tr>\n";
    for (const FailedRun& f : s.failed_runs)
      out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td>{}<pre>{}</pre></td></tr>\n", f.run,
                         html(f.settings), html(f.error), html(f.log));
    out += "</table>\n";
    if (s.failed > s.failed_runs.size()) out += fmt::format("<p>and {} more</p>\n", s.failed - s.failed_runs.size());
  }
  return out + "</body></html>\n";
}

}  // namespace convoy::sweep
