"""A compiled optimizer, and a scheduler that sets another learning rate after every step."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
step = torch.compile(optimizer.step, backend="aot_eager")
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)

inputs, targets = torch.rand(16, 4), torch.rand(16, 1)
for epoch in range(12):
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    step()
    schedule.step()
    print(f"{epoch}: {loss.item():.4f}")
