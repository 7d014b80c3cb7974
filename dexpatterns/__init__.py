"""dexpatterns: learn, teach and prove concurrency patterns of durable workflows."""
