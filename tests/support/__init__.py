"""What tests share: an independent reference, and a harness that runs a test's body on several MPI ranks."""
