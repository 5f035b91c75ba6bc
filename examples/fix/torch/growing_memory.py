"""What was seen so far is passed along: None at first, then a pair of tensors that grow by one in every call."""

import torch


@torch.compile(backend="eager", dynamic=False)
def attend(x, past=None):
    keys, values = x, x * 2
    if past is not None:
        keys, values = torch.cat([past[0], keys]), torch.cat([past[1], values])
    shares = (keys @ x.T).softmax(0)
    return (shares * values).sum(0, keepdim=True), (keys, values)


x, past = torch.ones(1, 4) / 4, None
for _ in range(12):
    x, past = attend(x, past)
    print(x.tolist())
