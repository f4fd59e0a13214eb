type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

module Parts = Parts
include (Making : module type of Making with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t)
include (Views : module type of Views with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t)
include (Elementwise : module type of Elementwise with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t)
include (Reductions : module type of Reductions with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t)
include (Values : module type of Values with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t)
