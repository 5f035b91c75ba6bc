"""The accuracy over a stream of predictions, kept by TorchMetrics inside of a compiled evaluation step."""

import torch
import torchmetrics

torch.manual_seed(0)
model = torch.nn.Linear(5, 3)
accuracy = torchmetrics.classification.MulticlassAccuracy(num_classes=3, average="micro", validate_args=False)


@torch.compile(backend="aot_eager")
def evaluate(x, labels):
    logits = model(x)
    accuracy.update(logits.argmax(dim=1), labels)
    return torch.nn.functional.cross_entropy(logits, labels)


with torch.no_grad():
    for number in range(12):
        loss = evaluate(torch.randn(16, 5), torch.randint(0, 3, (16,)))
        print(f"batch {number}: loss {loss:.3f}, accuracy {accuracy.compute():.3f}")
