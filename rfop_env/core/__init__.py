"""What every game stands on; it knows none of them."""
