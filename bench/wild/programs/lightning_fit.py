"""A LightningModule whose network is compiled: sentences of any length, and a last batch that is smaller."""

import logging
import warnings

import lightning
import torch

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.manual_seed(0)


class Tagger(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        network = torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
        self.network = torch.compile(network, backend="aot_eager", dynamic=False)

    def training_step(self, batch, index):
        scores = self.network(batch)
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), batch.flatten() % 4)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


sizes = [(16, 12), (16, 20), (16, 9), (16, 20), (16, 15), (16, 31), (7, 12)]
batches = [torch.randint(0, 50, size) for size in sizes]
trainer = lightning.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Tagger(), torch.utils.data.DataLoader(batches, batch_size=None))
print("steps", trainer.global_step)
