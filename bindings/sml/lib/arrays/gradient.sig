(* Gradients, made of the same sequences as all else: they are lazy, fuse with the values that they are the gradients of, and have gradients in turn.
   docs/gradients.md states the derivative of each operation, at its corners too.

     fun loss w = Scalar.reduce Exp.+ 0.0 (Seq.zipWith (fn (x, t) => let open Exp in softplus x - t * x end) (scores w, labels))
     val slope = Gradient.grad Jit.seq loss w

   A parameter is described as for Jit: a sequence, an array, a scalar, a number, tuples and lists of these, and by Jit.convert records:

     val model = let open Jit
       in convert (fn {weights, bias} => (weights, bias), fn (weights, bias) => {weights = weights, bias = bias}) (pair (tensor, scalar)) end
     val {weights, bias} = Gradient.grad model loss {weights = w, bias = b}

   All numbers of a parameter are reals or singles. Whatever else the function reads is a constant. Functions of Jit are called, not run, while they
   are differentiated, and all functions of this structure may be called in a function of Jit. Gradients have no values in such a function, as
   all else; elsewhere they are computed when they are read. The same program gives the same bits each time.

   All raise Warpfold Argument for a value that was computed, and not from a variable; Warpfold Unsupported, with its name, for an operation that has no
   derivative; Warpfold Type for parameters and values that are not floats. The gradient by a parameter that a value does not depend on is 0. *)
signature GRADIENT =
sig

  (* The gradient of f's value by its argument, as what the function sees. *)
  val grad : ('a, 'b) Jit.value -> ('a -> 'c Scalar.t) -> 'b -> 'a
  (* The same after the value itself. Both share passes over memory. *)
  val valueAndGrad : ('a, 'b) Jit.value -> ('a -> 'c Scalar.t) -> 'b -> 'c Scalar.t * 'a
  (* y = f x, and the function from a cotangent, which is like y, to the gradient by x of the sum of the products of y with it. It may be called again
     and again. Size for a cotangent of another shape. *)
  val vjp : ('a, 'b) Jit.value * ('c, 'd) Jit.value -> ('a -> 'c) -> 'b -> 'c * ('c -> 'a)
  (* jvp (argument, result) f (x, dx) is f x, and its derivative if x changes in the direction dx. *)
  val jvp : ('a, 'b) Jit.value * ('c, 'd) Jit.value -> ('a -> 'c) -> 'b * 'b -> 'c * 'c
  (* hessianVector argument f (x, v) is the product of the Hessian of f at x with v. *)
  val hessianVector : ('a, 'b) Jit.value -> ('a -> 'c Scalar.t) -> 'b * 'b -> 'a

  (* Define by run: the same values, of which gradients can be taken. What is made from a variable keeps how it was made as long as it lives,
     whether it is computed meanwhile or not. *)
  val variable : ('a, 'b) Jit.value -> 'b -> 'a
  (* gradients argument value x: the gradient of the value by x, which `variable` returned. *)
  val gradients : ('a, 'b) Jit.value -> 'c Scalar.t -> 'a -> 'a
  (* The same values as constants: no gradient passes. *)
  val stopGradient : ('a, 'b) Jit.value -> 'a -> 'a
end
