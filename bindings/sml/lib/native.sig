(* Functions that no lambda can say: C functions, for the CPU engine, and CUDA C++, for GPUs. Both are mapped over sequences like
   lambdas, and fuse with what is around them. *)
signature NATIVE =
sig
  type ('a, 'b) t
  type 'a seq

  (* The C function at an address, whose parameters are the columns of an 'a, and whose result is a scalar; a bool is passed as
     an unsigned char. It may be called from several threads at once. CPU engine only; `name` is what explain shows.
     The address is Foreign.symbolAsAddress (Foreign.getSymbol library "f") in Poly/ML, _address "f" public : MLton.Pointer.t; in
     MLton. *)
  val c : {name : string, address : Door.pointer, parameters : 'a Type.t, result : 'b Type.t} -> ('a, 'b) t

  (* The C function void f(void* user, int64_t n, const void* const* in, void* const* out) at an address, which reads n elements of
     each column of an 'a and writes n of each column of a 'b, each element alone. It is called from several threads at once.
     `user` is the address that it is given. CPU engine only. *)
  val block : {name : string, address : Door.pointer, user : Door.pointer, parameters : 'a Type.t, result : 'b Type.t} -> ('a, 'b) t

  (* CUDA C++ that defines a function `name`, whose parameters are the columns of an 'a. One result is returned; several come
     back through references after the parameters: void name(float x, float& first, int32_t& second). `host`, of the same types
     and made by `c` or `block`, is what the CPU engine calls; without it that engine raises Warpfold Unsupported. The text is compiled
     when something is first computed with it. *)
  val cuda :
    {name : string, text : string, parameters : 'a Type.t, result : 'b Type.t, host : ('a, 'b) t option} -> ('a, 'b) t

  (* As Seq.map. *)
  val map : ('a, 'b) t -> 'a seq -> 'b seq
end
