// NumPy's .npz format: a ZIP archive of .npy files.
#include <algorithm>

#include "files/formats.h"
#include "files/npy.h"
#include "files/zip.h"
#include "lazy/node.h"
#include "ops/printable.h"

namespace wf {

static constexpr std::string_view npy_ending = ".npy";

// A name with bytes that are not printable has them escaped, here and in the list.
static std::string array_name(const ZipMember& member) {
  const std::string_view name = member.name;
  return printable(name.substr(0, name.size() - (name.ends_with(npy_ending) ? npy_ending.size() : 0)));
}

static std::string listed(const std::vector<ZipMember>& members) {
  std::string text;
  for (const ZipMember& member : members) text.append(text.empty() ? "" : ", ").append(array_name(member));
  return text.empty() ? "no arrays" : text;
}

FileArray read_npz(const ReadRequest& request) {
  const Bytes archive = map_file(request.path);
  const std::string path = quoted(request.path);
  const std::vector<ZipMember> members = zip_members(archive, path);
  if (!request.name && members.size() != 1)
    throw ArgumentError("no name is given and " + path + " has " + std::to_string(members.size()) + " arrays; expected one of " +
                        listed(members));
  // The last one of that name, as in NumPy: a later member replaces an earlier one.
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [&](const ZipMember& m) { return !request.name || array_name(m) == printable(request.name); });
  if (found == members.rend())
    throw ArgumentError("name is \"" + printable(request.name, 40) + "\", but " + path + " has " + listed(members));
  const std::string where = path + ", array \"" + array_name(*found) + "\"";
  const auto check = [&](std::string_view first, uint64_t size) { check_npy(first, size, AfterElements::Nothing, where); };
  return parse_npy(read_zip_member(archive, *found, where, request.pool, check), AfterElements::Nothing, where, request.pool);
}

std::vector<std::string> npz_names(const std::string& path) {
  const Bytes archive = map_file(path);
  std::vector<std::string> names;
  for (const ZipMember& member : zip_members(archive, quoted(path))) names.push_back(array_name(member));
  return names;
}

void write_npz(const std::string& path, std::span<const ArrayToWrite> arrays) {
  std::vector<std::string> headers(arrays.size());
  std::vector<ZipPart> parts(arrays.size());
  for (size_t k = 0; k < arrays.size(); k++) {
    headers[k] = npy_header(arrays[k]);
    const Bytes header{reinterpret_cast<const std::byte*>(headers[k].data()), headers[k].size(), nullptr};
    parts[k] = {arrays[k].name + std::string(npy_ending), {header, arrays[k].elements}};
  }
  write_zip(path, parts);
}

}  // namespace wf
