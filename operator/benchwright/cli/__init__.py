"""The commands of `benchwright` and `kubectl benchwright`; imported when they are called."""
