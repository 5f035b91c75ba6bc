"""From a diagnosis to changes of the source that may stop the tracing; what they are worth is for `prove` to show.

A `case` is a function as it was seen in a run. `proposing` asks every recipe of its framework (`kits`; in `recipes/`
there is one module for each kind of repair) for what could be tried, each a `candidate`, and puts them in order;
where a function is wrapped at `several_wrappings`, a change is written at each.
`suggesting` names the best one in a report; `extending` takes one further, into functions that are called. What recipes
are made of, from the ground up:

- `signatures/`: what the calls looked like, which signature admits them all, how often a changed one would be traced;
- `source/`: one file of the user's: what stands where, what a name means, and changes of it;
- `project/`: the files together: which of them belong together, what changed in them, and writing them;
- `hoisting/`: code that is run again and again, to be run once;
- `closures/`: values that a function reads from outside, to be passed in.

What one framework alone needs is beside the recipes in its home.
"""
