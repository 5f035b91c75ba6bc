"""Fine-tune a tiny BERT of Transformers, the optimizer compiled and its rate on a cosine schedule."""

import torch
from transformers import BertConfig, BertForSequenceClassification, get_cosine_schedule_with_warmup

torch.manual_seed(0)
config = BertConfig(
    vocab_size=40,
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=3, num_training_steps=12)
tokens = torch.randint(0, 40, (8, 10))
labels = tokens[:, 0] % 2


@torch.compile(backend="aot_eager")
def take_step():
    optimizer.step()


for step in range(12):
    loss = model(input_ids=tokens, labels=labels).loss
    loss.backward()
    take_step()
    schedule.step()
    optimizer.zero_grad()
    print(f"step {step}: loss {loss:.3f}")
