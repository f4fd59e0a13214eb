"""embed.py OUTPUT FILE...: writes the files as C++ string literals, each with the name by which skeletons include it."""
import pathlib
import sys

output, *files = map(pathlib.Path, sys.argv[1:])
PIECE = 8000  # compilers accept literals of up to 64 KiB; adjacent literals are concatenated


def literal(text):
    pieces = [text[k : k + PIECE] for k in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"wf_text({piece})wf_text"' for piece in pieces)


def name(file):
    parts = file.resolve().parts
    return file.name if "skeletons" in parts else "/".join(parts[len(parts) - parts[::-1].index("src") :])


output.write_text(
    '#include "cuda/embedded.h"\n\nnamespace wf::cuda {\n\n'
    + f"const int skeleton_count = {len(files)};\n"
    + "const char* const skeleton_names[] = {" + ", ".join(f'"{name(f)}"' for f in files) + "};\n"
    + "const char* const skeleton_texts[] = {\n" + ",\n".join(literal(f.read_text()) for f in files) + "};\n\n"
    + "}  // namespace wf::cuda\n"
)
