"""What a transform hands on: places, distances, or places that have the distances."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from .._warn import frames_within, module_of, warn

Kind: TypeAlias = Literal["points", "distances", "embedding"]
Output: TypeAlias = Literal["auto", "points", "distances", "embedding"]

_PIPELINES = ("sklearn.pipeline", "imblearn.pipeline")  # whose steps get what `fit_transform` returned, and no more


class MetricLostWarning(UserWarning):
    """A pipeline hands points on, and the new metric, which is more than their Euclidean distance, stays behind."""


def kind_of(output: str, moves_points: bool, name: str) -> Kind:
    """What was asked for; by default places where points move, distances where only these do."""
    if output not in get_args(Output):
        raise ValueError(f"output must be one of {', '.join(map(repr, get_args(Output)))}, got {output!r}")
    if output == "points" and not moves_points:
        raise ValueError(
            f"{name} changes distances and leaves points where they are: output='distances' hands on the new ones, "
            "output='embedding' points that have them"
        )
    if output == "auto":
        return "points" if moves_points else "distances"
    return output  # type: ignore[return-value]  # one of the others


def warn_of_lost_metric(name: str) -> None:
    """If a pipeline asked for the points, one warning, at the line that called it.

    Who calls `fit_transform` by hand still has the estimator and its metric: no warning.
    """
    if any(module_of(frame) in _PIPELINES for frame in frames_within()):
        warn(
            f"{name} hands on the moved points, and its metric is more than their Euclidean distance: what comes next "
            "in the pipeline does not see it. output='distances' hands it on, for metric='precomputed'; "
            "output='embedding' gives points that have it; output='points' says that points are wanted",
            MetricLostWarning,
        )
