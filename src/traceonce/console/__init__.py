"""What the commands share: how they are given a program, a text or options, and how they say things."""
