"""Sentences of every length, through an encoder of PyTorch's own that is compiled with `dynamic=False`."""

import torch

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
encoder = torch.compile(layer.eval(), backend="eager", dynamic=False)

for length in (4, 7, 5, 9, 6, 8, 11, 10, 3, 12):
    sentence = torch.rand(1, length, 8)
    with torch.no_grad():
        print(length, encoder(sentence).mean().item())
