"""What people may ask for: each act checks its right first, then is one transaction."""
