//! The control flow graph of the structured list: predecessors, successors, dominators.
