"""Every learner that proves or counts, against exhaustive search of small tables with all options in pairs."""
