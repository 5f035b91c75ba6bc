"""A compiled AdamW whose learning rate is set by a schedule of transformers before each step."""

import torch
from transformers import get_cosine_schedule_with_warmup

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=4, num_training_steps=14)


@torch.compile(backend="aot_eager")
def step():
    optimizer.step()


for batch in range(14):
    loss = model(torch.randn(16, 8)).square().mean()
    loss.backward()
    step()
    schedule.step()
    optimizer.zero_grad()
print("loss", round(float(loss), 3))
