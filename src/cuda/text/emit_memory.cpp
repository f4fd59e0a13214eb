#include <algorithm>

#include "cuda/routines/atomics.h"
#include "cuda/routines/full_groups.h"
#include "cuda/text/emitter.h"
#include "expr/indices/walk.h"
#include "expr/terms.h"

namespace wf::cuda {

// ---- data structures ---------------------------------------------------------------------------------------------------------

namespace {

size_t whole_lines(size_t bytes) { return (std::max<size_t>(bytes, 1) + 127) / 128 * 128; }

}  // namespace

std::string Emitter::structures() {
  auto structure = [](const std::string& name, const std::vector<Column>& columns) {
    if (columns.empty()) return std::string();
    size_t align = 4;
    for (const Column& c : columns) align = std::max(align, size_of(c.type));
    std::string text = "  struct alignas(" + str(align) + ") " + name + " {\n";
    for (const Column& c : columns) text += "    " + type_text(c.type) + " " + c.name + ";\n";
    return text + "  };\n";
  };
  if (small_) return structure("Sums", sums_) + structure("Local", local_);
  signature_.sums_bytes = bytes_of(sums_);
  if (rows_) return structure("Sums", sums_);
  const std::string text = (form_.filter ? windows() : rows_and_outs()) + structure("Sums", sums_);
  if (along_) return text + structure("Local", local_);
  if (!chained_) return text;
  signature_.local_bytes = bytes_of(local_);
  signature_.carry_bytes = bytes_of(carry_);
  signature_.local_words = published_words(struct_bytes(types_of(local_)));
  signature_.carry_words = published_words(struct_bytes(types_of(carry_)));
  const std::string folds = text + structure("Local", local_) + structure("Carry", carry_);
  if (!form_.filter) return folds + stage_and_kept();
  emitted_.shared_bytes = uint32_t(2 * form_.tile());  // a place of 16 bits per element
  return folds;
}

// Row is a pack of each stream, Out a pack of each stored output and of the indices and values of each scatter.
std::string Emitter::rows_and_outs() const {
  std::string rows, outs, copy_row, turn_row, turn_out, text;
  for (size_t s = 0; s < form_.streams.size(); s++) {
    rows += "    Pack<" + type_text(stream_type(s)) + ", pack> s" + str(s) + ";\n";
    copy_row += "    copy_pack(from.s" + str(s) + ".at, to.s" + str(s) + ");\n";
    turn_row += "    row.s" + str(s) + ".turn();\n";
  }
  for (const Store& s : kernel_.stores) {
    outs += "    Pack<" + type_text(kernel_.outputs[s.output]) + ", pack> o" + str(s.output) + ";\n";
    turn_out += "    out.o" + str(s.output) + ".turn();\n";
  }
  for (size_t k = 0; k < kernel_.scatters.size(); k++) {
    const Scatter& scatter = kernel_.scatters[k];
    outs += "    Pack<" + type_text(body_[body_.results[scatter.index]].type) + ", pack> i" + str(k) + ";\n";
    outs += "    Pack<" + type_text(kernel_.outputs[scatter.output]) + ", pack> x" + str(k) + ";\n";
    for (const char* name : {"i", "x"}) turn_out += std::string("    out.") + name + str(k) + ".turn();\n";
  }
  if (!rows.empty()) text += "  struct Row {\n" + rows + "  };\n";
  if (!outs.empty() && !form_.window) text += "  struct Out {\n" + outs + "  };\n";
  if (form_.staged) text += function("void copy(const Row& from, Row& to)", copy_row);
  if ((form_.rolled || chained_) && !text.empty())
    text += function("void turn(Row& row)", turn_row) + function("void turn(Out& out)", turn_out);
  return text;
}

// Stage is one tile of each stream. Kept is one tile of each compaction output that cannot reuse a stream's memory.
std::string Emitter::stage_and_kept() {
  const size_t tile = size_t(form_.tile());
  size_t stage = 0, kept = 0;
  std::string streams, outputs;
  for (size_t s = 0; s < form_.streams.size(); s++) {
    streams += "    " + type_text(stream_type(s)) + " s" + str(s) + "[" + str(tile) + "];\n";
    stage += tile * size_of(stream_type(s));
  }
  for (const Compact& c : kernel_.compactions)
    for (uint32_t output : c.outputs) {
      if (stream_with_room(kernel_, form_, output)) continue;
      outputs += "    " + type_text(kernel_.outputs[output]) + " k" + str(output) + "[" + str(tile) + "];\n";
      kept += tile * size_of(kernel_.outputs[output]);
    }
  emitted_.shared_bytes = uint32_t(stages * whole_lines(stage) + whole_lines(kept) + 128);
  auto structure = [](const char* name, const std::string& members) {
    return members.empty() ? std::string() : std::string("  struct alignas(128) ") + name + " {\n" + members + "  };\n";
  };
  return structure("Stage", streams) + structure("Kept", outputs);
}

std::string Emitter::kept_place(uint32_t output) const {
  const std::optional<size_t> stream = stream_with_room(kernel_, form_, output);
  return stream ? "stage.s" + str(*stream) : "kept.k" + str(output);
}

// ---- loads and stores --------------------------------------------------------------------------------------------------------

// Returns the body's index i, i + c or c - i, with `index` for i.
std::string Emitter::stream_index(Id at, const std::string& index) const {
  Id id = body_.args(at)[0];
  if (body_[id].kind == Kind::Check) id = body_.args(id)[0];
  const Term& t = body_[id];
  if (t.kind == Kind::Param) return index;
  auto leaf = [&](Id leaf_id) -> std::string {
    if (body_[leaf_id].kind == Kind::Param) return index;
    const uint32_t argument = literals_.body.literal_of[leaf_id];
    return argument == Site::in_text ? literal_text(Type::I64, body_[leaf_id].bits) : literal(argument);
  };
  return "(" + leaf(body_.args(t)[0]) + (t.op == Op::add_ ? " + " : " - ") + leaf(body_.args(t)[1]) + ")";
}

std::string Emitter::stream_address(size_t s, const std::string& index) const {
  const Id at = form_.streams[s].term;
  return "a.in" + str(body_[at].slot) + " + " + stream_index(at, index);
}

// Returns the number of the segment of an index, by a search of its own.
std::string Emitter::segment_number(Id at, const std::string& index) const {
  const uint32_t slot = body_[at].slot;
  return type_text(body_[at].type) + "(segment_of(a.in" + str(slot) + ", 0, " + number_of_segments(slot) + ", " + index + "))";
}

std::string Emitter::number_of_segments(uint32_t slot) const {
  return "a.length" + str(slot) + (kernel_.inputs[slot].lacks_end ? "" : " - 1");
}

// Writes the check of the offsets of segments, and the numbers of the segments of a warp's part of a tile. Returns the functions of both.
std::string Emitter::segment_functions() const {
  if (!has_segments(kernel_)) return {};
  Statements checks("    "), s("    ");
  for (uint32_t slot = 0; slot < kernel_.inputs.size(); slot++)
    if (kernel_.inputs[slot].of_segments)
      checks.line("check_offsets({a.in" + str(slot) + ", nullptr, a.length" + str(slot) + ", a.n, " + number_of_segments(slot) +
                  ", a.offsets_fault});");
  const std::string check = function("void check_segments(const Args& a)", checks.text());
  if (!finds_segments_by_tile()) return check;
  for (size_t k = 0; k < form_.streams.size(); k++) {
    if (form_.streams[k].load != Load::Segments) continue;
    const uint32_t slot = body_[form_.streams[k].term].slot;
    s.line("number_part<" + type_text(stream_type(k)) + ", threads, pack, rows>(a.in" + str(slot) + ", " + number_of_segments(slot) +
           ", first, [&](int r, const auto& numbers) { row[r].s" + str(k) + " = numbers; });");
  }
  return check + function("void number(const Args& a, int64_t first, Row (&row)[rows])", s.text());
}

// Writes the terms of the index of a load along a walk, and returns the address.
std::string Emitter::walk_address(Statements& statements, size_t s) const {
  const Id at = form_.streams[s].term, index = body_.args(at)[0];
  const std::vector<bool> needed = needed_for(body_, {&index, 1});
  Environment environment{.site = &literals_.body, .params = {"i"}, .index = "i", .loaded = {}, .needed = &needed};
  for (size_t k = 1; k < body_.params.size(); k++) environment.params.emplace_back();
  statements.call(environment);
  return "a.in" + str(body_[at].slot) + " + " + statements.names()[index];
}

// Writes the loads of streams from global memory.
std::string Emitter::fetches() const {
  Statements whole("    "), one("    "), shared("    ");
  for (size_t s = 0; s < form_.streams.size(); s++) {
    const std::string place = ".s" + str(s);
    if (form_.streams[s].load == Load::Segments) {
      const Id at = form_.streams[s].term;
      for (Statements* each : {&whole, &shared}) {
        for (int p = 0; !finds_segments_by_tile() && p < form_.pack; p++)
          each->line("row" + place + ".at[" + str(p) + "] = " + segment_number(at, "i + " + str(p)) + ";");
      }
      one.line("row" + place + ".at[0] = " + segment_number(at, "i") + ";");
      continue;
    }
    if (form_.streams[s].load == Load::Runs || form_.streams[s].load == Load::Repeats) {
      const bool repeats = form_.streams[s].load == Load::Repeats;
      for (Statements* each : {&whole, &shared}) {
        const std::string address = walk_address(*each, s);
        for (int p = 0; repeats && p < form_.pack; p++)
          each->line("row" + place + ".at[" + str(p) + "] = " + (p == 0 ? "load(" + address + ")" : "row" + place + ".at[0]") + ";");
        if (!repeats) each->line((each == &whole ? "load_pack(" : "copy_to_shared(") + address + ", row" + place + ");");
      }
      const std::string address = walk_address(one, s);
      one.line("row" + place + ".at[0] = load(" + address + ");");
      continue;
    }
    if (form_.streams[s].load == Load::Strided) {
      const std::string distance = std::to_string(form_.streams[s].distance);
      for (Statements* each : {&whole, &shared}) {
        const std::string address = walk_address(*each, s);
        for (int p = 0; p < form_.pack; p++)
          each->line("row" + place + ".at[" + str(p) + "] = load(" + address + " + " + std::to_string(p) + " * int64_t(" + distance +
                     "));");
      }
      one.line("row" + place + ".at[0] = load(" + walk_address(one, s) + ");");
      continue;
    }
    if (form_.streams[s].load == Load::Packed) {
      whole.line("load_pack(" + stream_address(s, "i") + ", row" + place + ");");
      shared.line("copy_to_shared(" + stream_address(s, "i") + ", row" + place + ");");
    } else {
      for (int p = 0; p < form_.pack; p++) {
        const std::string element = "row" + place + ".at[" + str(p) + "] = load(" + stream_address(s, "(i + " + str(p) + ")") + ");";
        whole.line(element);
        shared.line(element);
      }
    }
    one.line("row" + place + ".at[0] = load(" + stream_address(s, "i") + ");");
  }
  if (form_.streams.empty()) return {};
  return segment_functions() + function("void fetch(const Args& a, int64_t i, Row& row)", whole.text()) +
         (form_.staged ? function("void fetch_shared(const Args& a, int64_t i, Row& row)", shared.text()) : "") +
         function("void fetch_one(const Args& a, int64_t i, Row& row)", one.text());
}

// Writes the loads of streams through a tile in shared memory.
std::string Emitter::staged_fetches() const {
  Statements fetch("    "), one("    "), bulk("    "), rest("    ");
  std::string bulk_bytes = "0";
  for (size_t s = 0; s < form_.streams.size(); s++) {
    const std::string place = ".s" + str(s), size = str(size_of(stream_type(s)));
    const std::string bytes = "(unsigned(count) * " + size + "u & ~15u)";  // of this stream that are copied in bulk
    bulk_bytes += " + " + bytes;
    fetch.line("copy_pack(stage" + place + " + at, row" + place + ");");
    one.line("stage" + place + "[p] = load(" + stream_address(s, "i") + ");");
    bulk.line("if (" + bytes + " > 0) bulk_copy(stage" + place + ", " + stream_address(s, "i") + ", " + bytes + ", barrier);");
    rest.line("for (int p = int(" + bytes + " / " + size + ") + lane_of_thread(); p < count; p += 32) stage" + place + "[p] = load(" +
              stream_address(s, "(i + p)") + ");");
  }
  if (form_.streams.empty()) return {};
  const std::string text = function("void fetch(const Stage& stage, int at, Row& row)", fetch.text()) +
                           function("void copy_one(const Args& a, int64_t i, Stage& stage, int p)", one.text());
  if (!form_.bulk) return text;
  return text + function("unsigned bulk_bytes(int count)", "    return " + bulk_bytes + ";\n") +
         function("void copy_bulk(const Args& a, int64_t i, int count, Stage& stage, uint64_t* barrier)", bulk.text()) +
         function("void copy_rest(const Args& a, int64_t i, int count, Stage& stage)", rest.text());
}

// Writes the copy of the bits of full groups to shared memory.
std::string Emitter::full_groups() {
  if (!form_.full_groups) return {};
  emitted_.shared_bytes = uint32_t(most_bytes_of_full_groups) + 128;
  return function("void prepare(const Args& a)", "    GroupsOfBlock::copy(a.full, a.length" + str(kernel_.scatters[0].base) + ");\n");
}

std::string Emitter::stores() {
  if (kernel_.stores.empty() && kernel_.scatters.empty()) return {};
  Statements whole("    "), one("    ");
  for (const Store& s : kernel_.stores) {
    const std::string out = "a.out" + str(s.output) + " + i", from = "out.o" + str(s.output);
    whole.line("store_pack(" + out + ", " + from + ");");
    one.line("*(" + out + ") = " + from + ".at[p];");
  }
  for (size_t k = 0; k < kernel_.scatters.size(); k++) {
    const std::string looks = "a.n >= " + str(fewest_per_looked_at) + " * a.length" + str(kernel_.scatters[k].base);
    const std::string index = "out.i" + str(k), value = "out.x" + str(k);
    whole.line(
        scatter_text(k, "scatter_pack", ", " + looks + (form_.full_groups ? ", GroupsOfBlock(a.full)" : ", NoGroups()"), index, value));
    one.line(scatter_text(k, "scatter_one", "", index + ".at[p]", value + ".at[p]"));
  }
  return full_groups() + function("void store(const Args& a, int64_t i, const Out& out)", whole.text()) +
         function("void store_one(const Args& a, int64_t i, const Out& out, int p)", one.text());
}

// Writes a warp's run of kept elements; consecutive lanes write consecutive elements.
std::string Emitter::flush() const {
  if (kernel_.compactions.empty()) return {};
  Statements s("    ");
  for (size_t k = 0; k < kernel_.compactions.size(); k++) {
    const std::string n = ".n" + str(k);
    for (uint32_t output : kernel_.compactions[k].outputs)
      s.line("copy_run(a.out" + str(output) + " + start" + n + ", " + kept_place(output) + " + first, int(count" + n + "));");
  }
  return function("void flush(const Args& a, const Stage& stage, const Kept& kept, int first, const Carry& start, const Local& count)",
                  s.text());
}

}  // namespace wf::cuda
