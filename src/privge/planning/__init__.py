"""Is asking worth it, at which epsilon, and for what? Decided before anybody is asked, from public data."""
