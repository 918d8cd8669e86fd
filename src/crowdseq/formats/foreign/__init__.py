"""What other people's code parses, in a process of its own that may crash, with limits on memory and time."""
