"""Before and after, in clean processes: fewer traces? the same outputs? faster?"""
