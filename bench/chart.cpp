// A chart of the rows: one panel per work. A work of one size has a bar per contestant, a work of several sizes a line per contestant. The
// unit is GB/s if there is a limit by memory (the dashed line), and milliseconds otherwise.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "harness.h"

namespace bench {

namespace {

constexpr double panel_width = 560, panel_height = 250, margin = 14, title_height = 24;
constexpr const char* colors[] = {"#0b6e99", "#c46a1b", "#5b8c3a", "#8a5aa8", "#a0413e", "#7a7a7a", "#b8a11f"};

std::string color(size_t k) { return colors[k % std::size(colors)]; }

void text(std::ostream& out, double x, double y, const std::string& words, const char* anchor = "start") {
  out << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "'>" << words << "</text>\n";
}

void line(std::ostream& out, double x1, double y1, double x2, double y2, const char* style) {
  out << "<line x1='" << x1 << "' y1='" << y1 << "' x2='" << x2 << "' y2='" << y2 << "' " << style << "/>\n";
}

std::string figure(double x) {
  char digits[32];
  std::snprintf(digits, sizeof digits, x < 0.1 ? "%.4f" : x < 10 ? "%.2f" : "%.0f", x);
  return digits;
}

constexpr const char* dashed = "stroke='#333' stroke-dasharray='4 3'";
constexpr const char* axis = "stroke='#999'";

struct Panel {
  std::string work;
  std::vector<Row> rows;
  double limit() const {
    double most = 0;
    for (const Row& row : rows) most = std::max(most, row.limit_gbps);
    return most;
  }
  bool limited() const { return limit() > 0; }
  double value(const Row& row) const { return limited() ? row.gbps : row.ms; }
  double highest() const {
    double most = limit();
    for (const Row& row : rows) most = std::max(most, value(row));
    return most;
  }
  std::vector<std::string> peers() const {
    std::vector<std::string> names;
    for (const Row& row : rows)
      if (std::find(names.begin(), names.end(), row.peer) == names.end()) names.push_back(row.peer);
    return names;
  }
  std::set<int64_t> sizes() const {
    std::set<int64_t> all;
    for (const Row& row : rows) all.insert(row.n);
    return all;
  }
};

void draw_bars(std::ostream& out, const Panel& panel) {
  constexpr double label = 190, number = 60;
  const double scale = (panel_width - label - number - 2 * margin) / panel.highest();
  const double step = std::min(30.0, (panel_height - title_height - 2 * margin) / double(panel.rows.size()));
  double y = title_height + margin;
  for (size_t k = 0; k < panel.rows.size(); ++k, y += step) {
    double length = panel.value(panel.rows[k]) * scale;
    text(out, margin + label - 8, y + step * 0.6, panel.rows[k].peer, "end");
    out << "<rect x='" << margin + label << "' y='" << y + step * 0.1 << "' width='" << length << "' height='" << step * 0.7 << "' fill='"
        << color(panel.rows[k].peer == "warpfold" ? 0 : 5) << "'/>\n";
    text(out, margin + label + length + 5, y + step * 0.6, figure(panel.value(panel.rows[k])));
  }
  if (panel.limited()) {
    double x = margin + label + panel.limit() * scale;
    line(out, x, title_height + margin, x, y, dashed);
  }
}

struct Frame {
  double left = margin + 46, right = panel_width - 190, top = title_height + margin, bottom = panel_height - 2 * margin - 8;
  double low, high, most;  // log2 of the sizes; the largest value
  double x(double n) const { return left + (std::log2(n) - low) / std::max(1.0, high - low) * (right - left); }
  double y(double value) const { return bottom - value / most * (bottom - top); }
};

void draw_path(std::ostream& out, const Frame& frame, const std::vector<std::pair<double, double>>& points, const std::string& style) {
  out << "<polyline fill='none' " << style << " points='";
  for (auto [n, value] : points) out << frame.x(n) << ',' << frame.y(value) << ' ';
  out << "'/>\n";
}

void draw_lines(std::ostream& out, const Panel& panel) {
  std::set<int64_t> sizes = panel.sizes();
  Frame frame;
  frame.low = std::log2(double(*sizes.begin()));
  frame.high = std::log2(double(*sizes.rbegin()));
  frame.most = panel.highest();
  line(out, frame.left, frame.bottom, frame.right, frame.bottom, axis);
  line(out, frame.left, frame.top, frame.left, frame.bottom, axis);
  text(out, frame.left - 5, frame.top + 4, figure(frame.most), "end");
  text(out, frame.left - 5, frame.bottom, "0", "end");
  for (int64_t n : sizes)
    text(out, frame.x(double(n)), frame.bottom + 15, std::string("2^").append(figure(std::log2(double(n)))), "middle");

  std::vector<std::string> peers = panel.peers();
  std::map<double, double> limit;
  for (size_t k = 0; k < peers.size(); ++k) {
    std::vector<std::pair<double, double>> points;
    for (const Row& row : panel.rows) {
      if (row.peer == peers[k]) points.emplace_back(double(row.n), panel.value(row));
      if (row.limit_gbps > 0) limit[double(row.n)] = row.limit_gbps;
    }
    draw_path(out, frame, points, "stroke-width='2' stroke='" + color(k) + "'");
    double y = frame.top + 10 + 17 * double(k);
    line(out, frame.right + 10, y - 4, frame.right + 26, y - 4, ("stroke-width='2' stroke='" + color(k) + "'").c_str());
    text(out, frame.right + 31, y, peers[k]);
  }
  draw_path(out, frame, {limit.begin(), limit.end()}, dashed);
}

}  // namespace

void write_svg(const std::vector<Row>& rows, const std::string& path) {
  std::vector<Panel> panels;
  for (const Row& row : rows) {
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.work == row.work; });
    if (panel == panels.end()) panel = panels.insert(panel, {row.work, {}});
    panel->rows.push_back(row);
  }
  size_t lines = (panels.size() + 1) / 2;
  std::ostringstream out;
  out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << 2 * panel_width << "' height='" << double(lines) * panel_height
      << "' font-family='sans-serif' font-size='12'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  for (size_t k = 0; k < panels.size(); ++k) {
    const Panel& panel = panels[k];
    out << "<g transform='translate(" << double(k % 2) * panel_width << ' ' << double(k / 2) * panel_height << ")'>\n";
    text(out, margin, title_height, panel.work + (panel.limited() ? ", GB/s (dashed: limit)" : ", ms"));
    if (panel.sizes().size() > 1) draw_lines(out, panel);
    else draw_bars(out, panel);
    out << "</g>\n";
  }
  out << "</svg>\n";

  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  std::fputs(out.str().c_str(), file);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
