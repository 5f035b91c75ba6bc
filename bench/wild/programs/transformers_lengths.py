"""A Llama of transformers (from a config, no weights), compiled with `dynamic=False`: each length compiles again."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=128, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2, use_cache=False
)
model = LlamaForCausalLM(config)
model = torch.compile(model, backend="aot_eager", dynamic=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for length in (12, 17, 9, 23, 31, 14):
    tokens = torch.randint(0, 128, (2, length))
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("loss", round(float(loss), 2))
