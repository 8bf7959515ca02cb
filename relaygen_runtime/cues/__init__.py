"""What to switch on: cue profiles as validated data, and the matcher that finds cues in arriving text."""
