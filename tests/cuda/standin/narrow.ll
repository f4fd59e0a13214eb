; A fault of LLVM 22's translation to SPIR-V, for which axes_of_whole_packs is not run on the stand-in:
;   clang -cc1 -triple spirv64v1.4-unknown-unknown -O2 -disable-llvm-passes -S -x ir narrow.ll -o -
; The integer of 6 bits becomes one of 8 bits without a mask: UConvert to 8 bits, ShiftLeftLogical, UConvert to 64 bits. Bits 6 and 7 of the
; result should be 0. The optimizer makes such integers of an index that is masked, (x << 2) & 60. In that kernel the first UConvert is lost, too, and Intel's
; runtime rejects a shift of 32 bits with a result of 8.
target triple = "spirv64v1.4-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p, i32 %x) {
  %t = trunc i32 %x to i6
  %b = shl i6 %t, 2
  %m = zext i6 %b to i64
  store i64 %m, ptr addrspace(1) %p
  ret void
}
