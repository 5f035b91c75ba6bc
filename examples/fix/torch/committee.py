"""A committee with one member more in every round: the function stacks a list of votes."""

import torch


@torch.compile(backend="eager")
def decide(votes, weight):
    shares = torch.stack(votes, dim=0).softmax(-1)
    return (shares * weight).mean(0)


members = []
for number in range(12):
    members.append(torch.arange(3.0) - number / 4)
    print(decide(members, torch.tensor(0.5)).tolist())
