"""PyTorch programs that are in order: whatever is said of them is a false alarm.

python bench/wild/silent/with_torch.py PROGRAM
"""

import sys

import torch
import torchmetrics
from torch_geometric.nn import GCNConv
from torchdiffeq import odeint
from transformers import LlamaConfig, LlamaForCausalLM

compiled = torch.compile(backend="aot_eager")
torch.manual_seed(0)


def training():
    model = torch.compile(torch.nn.Linear(4, 1), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        model(torch.randn(16, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def llama_same_length():
    config = LlamaConfig(
        vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, use_cache=False
    )
    model = torch.compile(LlamaForCausalLM(config), backend="aot_eager")
    for _ in range(5):
        model(input_ids=torch.randint(0, 64, (2, 16))).logits.sum().backward()


def lengths_become_dynamic():
    """Automatic dynamic shapes: the second length compiles again, no other."""

    @compiled
    def total(x):
        return (x * 2.0).sum()

    for length in (5, 9, 7, 12, 30, 8):
        total(torch.ones(length))


def train_and_eval():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
    run = torch.compile(model, backend="aot_eager")
    for epoch in range(6):
        model.train(epoch % 2 == 0)
        for _ in range(5):
            run(torch.randn(8, 4))


def last_batch_smaller():
    model = torch.compile(torch.nn.Linear(4, 1), backend="aot_eager")
    for _ in range(4):
        for x in torch.randn(70, 4).split(16):
            model(x)


def without_gradients():
    """With gradients and without: two graphs."""
    model = torch.compile(torch.nn.Linear(4, 1), backend="aot_eager")
    for _ in range(10):
        model(torch.randn(8, 4))
        with torch.no_grad():
            model(torch.randn(8, 4))


def metric_outside():
    """The compiled function returns scores; the metric counts them outside of it."""
    accuracy = torchmetrics.classification.BinaryAccuracy()
    score = compiled(torch.sigmoid)
    for _ in range(10):
        accuracy.update(score(torch.randn(32)), torch.randint(0, 2, (32,)))
    accuracy.compute()


def rate_in_a_tensor():
    """The learning rate is a tensor, as PyTorch's documentation has it for a compiled optimizer."""
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(0.1))
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    step = compiled(optimizer.step)
    for _ in range(10):
        model(torch.randn(8, 4)).square().mean().backward()
        step()
        schedule.step()
        optimizer.zero_grad()


def equation():
    field = compiled(lambda t, y: -y)
    for _ in range(4):
        odeint(field, torch.ones(3), torch.linspace(0.0, 1.0, 5), method="rk4")


def graph_network():
    """Graphs of any size with `dynamic=True`: one compilation."""
    network = torch.compile(GCNConv(4, 2), backend="aot_eager", dynamic=True)
    for atoms, bonds in ((5, 8), (7, 12), (6, 10), (9, 16)):
        network(torch.randn(atoms, 4), torch.randint(0, atoms, (2, bonds)))


def two_models():
    networks = [torch.compile(torch.nn.Linear(4, size), backend="aot_eager") for size in (2, 3)]
    for _ in range(20):
        for network in networks:
            network(torch.randn(8, 4))


def printed_in_between():
    """A graph break on purpose: the function is cut in two, and each part is compiled once."""

    @compiled
    def step(x):
        y = x * 2.0
        torch._dynamo.graph_break()
        return y.sum()

    for _ in range(10):
        step(torch.ones(4))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
