"""A small network whose noise decays with its calls. It recompiles until PyTorch gives up: see the tutorial."""

import torch

torch.manual_seed(7)


class Denoiser(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 32))
        self.calls = 0

    def forward(self, signal):
        self.calls += 1
        return self.layers(signal) / (1 + 0.1 * self.calls)


denoiser = Denoiser()
model = torch.compile(denoiser, backend="aot_eager")  # needs no C++ compiler; the default backend recompiles as often
optimizer = torch.optim.SGD(denoiser.parameters(), lr=0.1)

for _ in range(20):
    signal = torch.randn(16, 32)
    loss = torch.nn.functional.mse_loss(model(signal), signal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
