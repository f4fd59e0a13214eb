(* Functions that a lambda cannot express: C functions, for the CPU engine, and CUDA C++, for GPUs. Both are mapped over sequences like
   lambdas, and fuse with their neighbours. *)
signature NATIVE =
sig
  type ('a, 'b) t

  (* The C function at an address, whose parameters are the columns of an 'a, and whose result is a scalar; a bool is passed as
     an unsigned char. It may be called from several threads at once. CPU engine only; explain shows `name`.
     The address is Foreign.symbolAsAddress (Foreign.getSymbol library "f") in Poly/ML, _address "f" public : MLton.Pointer.t; in
     MLton. *)
  val c : {name : string, address : CApi.pointer, parameters : 'a Type.t, result : 'b Type.t} -> ('a, 'b) t

  (* The C function void f(void* user, int64_t n, const void* const* in, void* const* out) at an address, which reads n elements of
     each column of an 'a and writes n elements of each column of a 'b. Element i of a result may depend only on element i of the columns
     of 'a. It is called from several threads at once, with `user` as its first argument. CPU engine only. *)
  val block : {name : string, address : CApi.pointer, user : CApi.pointer, parameters : 'a Type.t, result : 'b Type.t} -> ('a, 'b) t

  (* CUDA C++ that defines a function `name`, whose parameters are the columns of an 'a. It returns one result; several results
     are reference parameters after the others: void name(float x, float& first, int32_t& second). The CPU engine calls `host`, a function
     of the same types made by `c` or `block`; without it, that engine raises Warpfold Unsupported. The first computation that uses the
     function compiles the text. *)
  val cuda :
    {name : string, text : string, parameters : 'a Type.t, result : 'b Type.t, host : ('a, 'b) t option} -> ('a, 'b) t

  (* As Seq.map. *)
  val map : ('a, 'b) t -> 'a Seq.seq -> 'b Seq.seq
end
