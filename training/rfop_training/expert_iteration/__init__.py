"""Expert iteration: a search labels positions with improved policies, and the network that guides it learns them."""
