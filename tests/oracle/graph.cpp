#include "oracle/graph.h"

#include <cstdlib>
#include <cstring>

#include "oracle/bytecode_engine.h"
#include "oracle/engine.h"

namespace graph {

using oracle::Value;

namespace {

std::shared_ptr<wf::Context> by_name() {
  const char* variable = std::getenv("WARPFOLD_TEST_CONTEXT");
  const std::string name = variable ? variable : "cpu";
  if (name != "oracle" && name != "bytecode") return wf::make_context(name);
  auto slow = std::make_shared<wf::Context>();
  slow->name = name;
  slow->pool = std::make_shared<wf::Pool>();
  slow->engine = name == "oracle" ? oracle::make_engine() : bytecode_engine::make_engine();
  return slow;
}

std::shared_ptr<wf::Context>& under_test() {
  static std::shared_ptr<wf::Context> chosen;
  return chosen;
}

}  // namespace

const std::shared_ptr<wf::Context>& context() {
  if (!under_test()) under_test() = by_name();
  return under_test();
}

void set_context(std::shared_ptr<wf::Context> context) { under_test() = std::move(context); }

wf::Closure fn(std::string_view text, const Nodes& captures) {
  wf::CaptureTypes types;
  for (const auto& node : captures) types.push_back(node->types());
  try {
    return {wf::parse(text, types), captures};
  } catch (const std::exception& error) { throw std::runtime_error(std::string(text) + ": " + error.what()); }
}

wf::NodeRef source(const Value& value) {
  std::vector<wf::Column> columns;
  for (size_t k = 0; k < value.columns.size(); k++) {
    const size_t size = wf::size_of(value.types[k]);
    auto buffer = wf::Buffer::make(context()->pool, value.length * size);
    for (int64_t i = 0; i < value.length; i++) std::memcpy(buffer->host_for_writing() + i * size, &value.columns[k][i], size);
    columns.push_back({buffer, 0});
  }
  return wf::source(context(), wf::Shape::vector(value.length), value.types, std::move(columns));
}

wf::NodeRef tabulate(std::string_view f, int64_t n, const Nodes& captures) { return wf::tabulate(context(), fn(f, captures), n); }

wf::NodeRef map(std::string_view f, const Nodes& sequences, const Nodes& captures) { return wf::map(fn(f, captures), sequences); }

wf::NodeRef reduce(std::string_view f, std::string_view identity, const wf::NodeRef& s) {
  return wf::reduce(fn(f), wf::parse_literals(identity, s->types()), s);
}

wf::ScanResult scan(std::string_view f, std::string_view identity, const wf::NodeRef& s, bool inclusive) {
  return wf::scan(fn(f), wf::parse_literals(identity, s->types()), s, inclusive);
}

wf::NodeRef filter(std::string_view f, const wf::NodeRef& s, const Nodes& captures) { return wf::filter(fn(f, captures), s); }

Value forced(const wf::NodeRef& node) {
  wf::force({&node, 1});
  return oracle::read(*node);
}

}  // namespace graph
