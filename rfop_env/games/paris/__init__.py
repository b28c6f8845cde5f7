"""Paris (2020): keys climb from banks to landmarks."""
