"""Pages for people: what leaves the device of whoever is asked, and the room of the operator."""
