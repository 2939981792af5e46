"""The processes of an emulated run: how they start, as whom, what watches them and what they leave behind."""
