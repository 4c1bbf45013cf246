"""The output of a transform in a pipeline: points, distances, or an embedding of the distances."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from .._warn import frames_within, module_of, warn

Kind: TypeAlias = Literal["points", "distances", "embedding"]
Output: TypeAlias = Literal["auto", "points", "distances", "embedding"]

_PIPELINES = ("sklearn.pipeline", "imblearn.pipeline")  # their steps get only the array that `fit_transform` returned


class MetricLostWarning(UserWarning):
    """Warns that a pipeline passes on only the moved points, although the new metric is more than their distance.

    Set `output` of the transform to choose what the next step gets.

    Examples
    --------
    >>> import warnings, wasserstein_transform as wt
    >>> from sklearn.pipeline import make_pipeline
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     pipeline = make_pipeline(wt.GaussianTransform(eps=1.0), wt.SingleLinkage(2)).fit(X)
    >>> caught[0].category.__name__
    'MetricLostWarning'
    >>> gt, clusters = wt.GaussianTransform(eps=1.0, output="distances"), wt.SingleLinkage(2, metric="precomputed")
    >>> make_pipeline(gt, clusters).fit_predict(X)
    array([0, 0, 1, 1])
    """


def kind_of(output: str, moves_points: bool, name: str) -> Kind:
    """The kind of output; "auto" means points if the transform moves points, otherwise distances."""
    if output not in get_args(Output):
        raise ValueError(f"output must be one of {', '.join(map(repr, get_args(Output)))}, got {output!r}")
    if output == "points" and not moves_points:
        raise ValueError(
            f"{name} changes distances and does not move points: use output='distances' for the new distances, or "
            "output='embedding' for points that approximate them"
        )
    if output == "auto":
        return "points" if moves_points else "distances"
    return output  # type: ignore[return-value]  # one of the others


def warn_of_lost_metric(name: str) -> None:
    """Warn if a pipeline called `fit_transform`, at the line that called the pipeline.

    A direct call of `fit_transform` gets no warning: the caller still has the estimator with its metric.
    """
    if any(module_of(frame) in _PIPELINES for frame in frames_within()):
        warn(
            f"{name} returns the moved points, but its metric is more than their Euclidean distance, and the next step "
            "of the pipeline does not get it. Use output='distances' with metric='precomputed' in the next step, "
            "output='embedding' for points that approximate the metric, or output='points' to keep the points",
            MetricLostWarning,
        )
