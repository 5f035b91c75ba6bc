"""Energies of molecules of many sizes with PyTorch Geometric, compiled as a whole."""

import torch
from torch_geometric.nn import GCNConv, global_add_pool

torch.manual_seed(0)


class Energy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(4, 8)
        self.second = GCNConv(8, 8)
        self.out = torch.nn.Linear(8, 1)

    def forward(self, atoms, bonds, molecule):
        atoms = self.first(atoms, bonds).relu()
        atoms = self.second(atoms, bonds).relu()
        return self.out(global_add_pool(atoms, molecule))


def chain(atoms):
    ahead = torch.arange(atoms - 1)
    return torch.stack([torch.cat([ahead, ahead + 1]), torch.cat([ahead + 1, ahead])])


model = torch.compile(Energy(), backend="aot_eager", dynamic=False)
with torch.no_grad():
    for atoms in range(3, 14):
        energy = model(torch.ones(atoms, 4), chain(atoms), torch.zeros(atoms, dtype=torch.long))
        print(f"{atoms} atoms: {energy.item():.4f}")
