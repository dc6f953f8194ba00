"""Figures of results, drawn by matplotlib: ``result.plot`` has those of a result's kind.

Every function takes the ``ax`` to draw on, makes one on a new figure without it, and returns it.
"""

from __future__ import annotations

from passel.plots._many import PairsPlots, RankingPlots, ResponsesPlots, StabilityPlots
from passel.plots._selection import SelectionPlots
from passel.plots._validation import ValidationPlots

__all__ = ["PairsPlots", "RankingPlots", "ResponsesPlots", "SelectionPlots", "StabilityPlots", "ValidationPlots"]
