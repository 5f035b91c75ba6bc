"""Score reviews of any length with a Flax model, one request at a time."""

import flax.linen as nn
import jax
import jax.numpy as jnp

REVIEWS = [
    "a film of rare beauty",
    "too long",
    "the plot is thin but the cast saves what can be saved",
    "boring",
    "i laughed and i cried and i would see it again",
    "fine for a rainy day",
    "not my kind of humour at all",
]


class Scorer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        embedded = nn.Embed(50, 8)(tokens)
        hidden = nn.tanh(nn.Dense(8)(embedded.mean(axis=0)))
        return nn.Dense(1)(hidden)[0]


words = sorted({word for review in REVIEWS for word in review.split()})
model = Scorer()
params = model.init(jax.random.key(0), jnp.zeros(3, jnp.int32))
score = jax.jit(model.apply)

for review in REVIEWS:
    tokens = jnp.asarray([words.index(word) for word in review.split()])
    print(f"{float(score(params, tokens)):+.4f}  {review}")
