"""What people and programs may ask of the engine; each act is one transaction through the journal."""
