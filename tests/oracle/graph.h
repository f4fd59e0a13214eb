// Short functions to write graphs in tests.
#pragma once

#include <string_view>

#include "eval/context.h"
#include "eval/eval.h"
#include "lazy/node.h"
#include "memory/buffer.h"
#include "oracle/oracle.h"

namespace graph {

using Nodes = std::vector<wf::NodeRef>;

// The context under test: WARPFOLD_TEST_CONTEXT (a context's name, or `oracle` or `bytecode`: see engine.h and bytecode_engine.h), by
// default the CPU.
const std::shared_ptr<wf::Context>& context();
// Replaces the context, for tests with an engine of their own.
void set_context(std::shared_ptr<wf::Context> context);

wf::Closure fn(std::string_view text, const Nodes& captures = {});

wf::NodeRef source(const oracle::Value& value);
template <class T> wf::NodeRef source(const std::vector<T>& elements) {
  oracle::Value value({wf::type_of<T>}, elements.size());
  for (size_t i = 0; i < elements.size(); i++) value.columns[0][i] = wf::to_bits<T>(elements[i]);
  return source(value);
}

wf::NodeRef tabulate(std::string_view f, int64_t n, const Nodes& captures = {});
wf::NodeRef map(std::string_view f, const Nodes& sequences, const Nodes& captures = {});
// The identity is a literal in the written form.
wf::NodeRef reduce(std::string_view f, std::string_view identity, const wf::NodeRef& s);
wf::ScanResult scan(std::string_view f, std::string_view identity, const wf::NodeRef& s, bool inclusive);
wf::NodeRef filter(std::string_view f, const wf::NodeRef& s, const Nodes& captures = {});

// The value that the engine computes.
oracle::Value forced(const wf::NodeRef& node);

// One column of a value.
template <class T> std::vector<T> column(const oracle::Value& value, size_t k = 0) {
  std::vector<T> elements;
  for (wf::Bits64 bits : value.columns.at(k)) elements.push_back(wf::from_bits<T>(bits));
  return elements;
}
template <class T> std::vector<T> elements(const wf::NodeRef& node, size_t k = 0) { return column<T>(forced(node), k); }

}  // namespace graph
