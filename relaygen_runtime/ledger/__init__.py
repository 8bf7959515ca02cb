"""What a generation took: entries, totals, prices, savings. Measures nothing itself; the driver hands it the facts."""

from relaygen_runtime.ledger.entry import LedgerEntry
from relaygen_runtime.ledger.ledger import Ledger
from relaygen_runtime.ledger.prices import GpuHourPrice, Price, Prices, TokenPrice

__all__ = ["GpuHourPrice", "Ledger", "LedgerEntry", "Price", "Prices", "TokenPrice"]
