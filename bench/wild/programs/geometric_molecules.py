"""Molecules one by one through a GCN of PyTorch Geometric, compiled: each has its own numbers of atoms and bonds."""

import torch
from torch_geometric.nn import GCNConv

torch.manual_seed(0)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(4, 16), GCNConv(16, 2)

    def forward(self, x, edges):
        return self.second(self.first(x, edges).relu(), edges).mean(dim=0)


model = torch.compile(Network(), backend="aot_eager", dynamic=False)
for atoms, bonds in ((5, 8), (7, 12), (6, 10), (9, 16), (4, 6), (8, 14)):
    scores = model(torch.randn(atoms, 4), torch.randint(0, atoms, (2, bonds)))
print(scores.shape)
