include Primitives
include (Orders : module type of Orders with type ('a, 'b) t := ('a, 'b) t)
include (Places : module type of Places with type ('a, 'b) t := ('a, 'b) t)
include (Searches : module type of Searches with type ('a, 'b) t := ('a, 'b) t)
include (Totals : module type of Totals with type ('a, 'b) t := ('a, 'b) t)
