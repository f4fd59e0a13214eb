// The types of a sequence's columns. All sequences of one column, which is the common case, share one list per type.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "ops/types.h"

namespace wf {

class ColumnTypes {
 public:
  ColumnTypes() : all_(std::shared_ptr<void>(), &none()) {}
  ColumnTypes(std::initializer_list<Type> types) : ColumnTypes(std::vector<Type>(types)) {}
  ColumnTypes(Type only) : all_(std::shared_ptr<void>(), &one(only)) {}
  ColumnTypes(std::vector<Type> types) {
    if (types.size() == 1) all_ = {std::shared_ptr<void>(), &one(types[0])};
    else all_ = std::make_shared<const std::vector<Type>>(std::move(types));
  }

  const std::vector<Type>& all() const { return *all_; }
  operator const std::vector<Type>&() const { return *all_; }
  size_t size() const { return all_->size(); }
  Type operator[](size_t k) const { return (*all_)[k]; }
  auto begin() const { return all_->begin(); }
  auto end() const { return all_->end(); }

 private:
  static const std::vector<Type>& none();
  static const std::vector<Type>& one(Type type);

  std::shared_ptr<const std::vector<Type>> all_;
};

}  // namespace wf
