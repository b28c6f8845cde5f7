"""Speed of training, of recording and of searches with a budget in time."""
