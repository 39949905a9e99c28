"""All charts of a study."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.show.charts.contenders import contenders_picture
from toolkit.show.charts.contour import contour_picture
from toolkit.show.charts.gain import gain_picture
from toolkit.show.charts.importance import importance_picture
from toolkit.show.charts.parallel import parallel_picture
from toolkit.show.charts.parameters import parameters_picture
from toolkit.show.charts.picture import Picture
from toolkit.show.charts.slices import slices_picture
from toolkit.show.charts.study_data import ShownStudy
from toolkit.tuning.models.importance import Importance


def study_pictures(study: ShownStudy, importance: Sequence[Importance]) -> dict[str, Picture]:
    """Every chart that has anything to show, by kind, measurements first."""
    pictures = {"gain": gain_picture(study)}
    if study.contenders:
        pictures["contenders"] = contenders_picture(study)
    pictures["parameters"] = parameters_picture(study)
    if importance:
        pictures["importance"] = importance_picture(study.name, importance)
    if study.slices:
        pictures["slices"] = slices_picture(study)
    if study.contour is not None:
        pictures["contour"] = contour_picture(study, study.contour)
    if study.trials:
        pictures["parallel"] = parallel_picture(study)
    return {kind: picture for kind, picture in pictures.items() if picture.panels}
