"""What becomes of finished experiments: parts, records, reports, and the command line."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from pathlib import Path
from types import SimpleNamespace

import matplotlib.figure
import pytest
from click.testing import CliRunner

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app
from wasserstein_transform.engine import Engine, current
from wasserstein_transform.engine.progress import Bar
from wt_paper.command import Teller, reproduce as program
from wt_paper.experiments import EXPERIMENTS, Choice, Claim, Experiment, Picture, Table, Verdict
from wt_paper.experiments.parameters import FULL, QUICK
from wt_paper.reporting import Report, reproduce, runner
from wt_paper.reporting.page import page
from wt_paper.reporting.part import key_of, load, save
from wt_paper.reporting.record import Entry, changes, read_record

pytestmark = pytest.mark.slow


def claim(*holds: bool, name: str = "toy: works", timed: bool = False) -> Claim:
    choices = tuple(Choice(f"reading <{k}> | x", held, f"{k} & more") for k, held in enumerate(holds))
    return Claim(name, "Section 1", "It works.", "whether it does", choices, "A <note>.", timed)


class Toy:
    """An experiment that counts its runs."""

    def __init__(self, name: str = "toy", *, breaks: type[BaseException] | None = None) -> None:
        self.runs, self.breaks = 0, breaks
        self.experiment = Experiment(
            name, f"A {name}", "About it.", self.run, lambda _: [claim(True, False, name=f"{name}: works")],
            lambda _: [Picture(f"{name}-picture", "A <caption>", matplotlib.figure.Figure)],
            lambda _: [Table("Numbers", ("a", "b"), (("1", "2|3"),), "A note.")],
        )  # fmt: skip

    def run(self, parameters: object, engine: Engine) -> None:
        self.runs += 1
        if self.breaks is not None:
            raise self.breaks


def run_toys(toys: list[Toy], folder: Path, **options: object) -> Report:
    experiments = {toy.experiment.name: toy.experiment for toy in toys}
    return reproduce(experiments, folder, experiments=experiments, **options)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("toy", "other"):
        monkeypatch.setitem(FULL, name, 1)
        monkeypatch.setitem(QUICK, name, 0)


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [((True,), "reproduced"), ((True, True), "reproduced"), ((True, False), "partly"), ((False,), "not reproduced")],
)
def test_a_claim_is_reproduced_if_it_holds_under_all_readings(holds: tuple[bool, ...], verdict: str) -> None:
    assert claim(*holds).verdict == Verdict(verdict)


def test_finished_experiments_are_used_again_unless_parameters_change_or_fresh_ones_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy, told = Toy(), []
    for _ in range(2):
        run_toys([toy], tmp_path, tell=lambda name, what: told.append((name, what)))
    assert toy.runs == 1
    assert told == [("toy", "runs"), ("toy", "is drawn"), ("toy", "is done"), ("toy", "was done before")]
    run_toys([toy], tmp_path, fresh=True)
    assert toy.runs == 2
    monkeypatch.setitem(FULL, "toy", 2)
    run_toys([toy], tmp_path)
    assert toy.runs == 3


def test_a_quick_run_does_not_replace_a_full_one(tmp_path: Path) -> None:
    toy = Toy()
    for quick in (False, True, False, True):
        run_toys([toy], tmp_path, quick=quick)
    assert toy.runs == 2
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {"toy-picture.png", "toy-picture-quick.png"}
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "report-quick.html").is_file()


def test_a_report_has_what_the_folder_has_of_other_experiments(tmp_path: Path) -> None:
    first, second = Toy(), Toy("other")
    run_toys([first, second], tmp_path)
    experiments = {"toy": first.experiment, "other": second.experiment}
    report = reproduce(["other"], tmp_path, fresh=True, experiments=experiments)
    assert [part.name for part in report.parts] == ["toy", "other"]
    assert (first.runs, second.runs) == (1, 2)


def test_a_part_without_its_figure_or_half_written_is_made_again(tmp_path: Path) -> None:
    toy = Toy()
    run_toys([toy], tmp_path)
    (tmp_path / "figures" / "toy-picture.png").unlink()
    run_toys([toy], tmp_path)
    (tmp_path / "figures" / "toy-picture.png").write_bytes(b"")
    run_toys([toy], tmp_path)
    file = tmp_path / "parts" / "toy.json"
    good = file.read_text()
    for bad in (good[:50], "null", '"x"', "[]", good.replace("true", '"banana"')):
        file.write_text(bad)
        run_toys([toy], tmp_path)
    assert toy.runs == 8


def _changed(file: Path, **changes: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"figures": [{"file": "../secret.png", "caption": ""}]},
        {"figures": [{"file": "figures/link.png", "caption": ""}]},
        {"figures": [{"file": 7, "caption": ""}]},
        {"seconds": "long"},
        {"about": ["a"]},
        {"name": "other"},
        {"claims": [{"name": "toy: x", "where": "", "statement": "", "quantity": "", "choices": []}]},
        {"tables": [{"title": "t", "header": [1], "rows": []}]},
    ],
    ids=["outside", "linked outside", "no name", "no seconds", "no text", "another", "no cases", "no table"],
)
def test_a_part_that_holds_something_else_is_made_again(changes: dict[str, object], tmp_path: Path) -> None:
    toy, folder = Toy(), tmp_path / "report"
    (tmp_path / "secret.png").write_bytes(b"secret")
    run_toys([toy], folder)
    (folder / "figures" / "link.png").symlink_to(tmp_path / "secret.png")
    _changed(folder / "parts" / "toy.json", **changes)
    report = run_toys([toy], folder)
    assert toy.runs == 2
    assert "c2VjcmV0" not in report.page.read_text()


def test_names_of_parts_are_text_in_a_page(tmp_path: Path) -> None:
    report = run_toys([Toy()], tmp_path)
    odd = dataclasses.replace(report.parts[0], name='"><script>alert(1)</script>')
    assert "<script>" not in page(dataclasses.replace(report, parts=(odd,)), tmp_path)


def test_what_was_finished_before_an_interruption_is_kept(tmp_path: Path) -> None:
    first, second = Toy(), Toy("other", breaks=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        run_toys([first, second], tmp_path)
    second.breaks = None
    run_toys([first, second], tmp_path)
    assert (first.runs, second.runs) == (1, 2)


def test_parts_survive_being_written(tmp_path: Path) -> None:
    report = run_toys([Toy()], tmp_path)
    part = report.parts[0]
    assert load(tmp_path / "parts" / "toy.json", part.key) == part
    assert load(tmp_path / "parts" / "toy.json", "another") is None
    save(dataclasses.replace(part, seconds=3.5), tmp_path / "again.json")
    assert not list(tmp_path.glob("*.half"))


def test_keys_tell_parameters_apart_and_are_the_same_twice() -> None:
    assert key_of(FULL["chaining"]) == key_of(FULL["chaining"]) != key_of(QUICK["chaining"])


def test_reports_have_every_claim_reading_table_and_figure(tmp_path: Path) -> None:
    run_toys([Toy()], tmp_path)
    text, page = (tmp_path / "report.md").read_text("utf-8"), (tmp_path / "report.html").read_text("utf-8")
    for shown in (text, page):
        for words in ("toy: works", "partly", "It works.", "Section 1", "whether it does", "0 &", "Numbers", "1 of 2"):
            assert words in shown
    assert "![toy-picture](figures/toy-picture.png)\n\n*A <caption>*" in text
    assert "2\\|3" in text
    assert "reading &lt;0&gt; | x" in page
    assert "A &lt;note&gt;." in page
    assert 'src="data:image/png;base64,iVBOR' in page
    assert "http" not in page
    assert "<script" not in page


def test_the_command_shows_iteration_and_stage_of_the_experiment_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar()
    tell = Teller(bar)
    tell("toy", "runs")
    bar._updated = wt.engine.Update("means", 1, 2, 3, 10, 75.0), time.monotonic()
    assert bar.line().endswith("  toy: iteration 3 of 10, means")
    tell("toy", "is drawn")
    assert bar.line().endswith("  toy is drawn")
    assert capsys.readouterr().out == ""
    tell("toy", "is done")
    assert re.fullmatch(r"toy is done, \d\.\d s\n", capsys.readouterr().out)


def test_experiments_run_on_the_engine_of_the_command(tmp_path: Path) -> None:
    found: list[Engine] = []

    class Asking(Toy):
        def run(self, parameters: object, engine: Engine) -> None:
            found.extend([engine, current()])

    run_toys([Asking()], tmp_path, engine=Engine(n_jobs=3))
    assert [engine.n_jobs for engine in found] == [3, 3]


def test_only_lost_cases_fail_and_never_by_the_clock() -> None:
    names = [choice.name for choice in claim(True, True).choices]

    def failures(on_record: tuple[bool, bool], *holds: bool, timed: bool = False) -> list[bool]:
        part = SimpleNamespace(name="toy", claims=(claim(*holds, timed=timed),))
        held = [name for name, held in zip(names, on_record, strict=True) if held]
        entry = Entry("It works.", Verdict.PARTLY, tuple(held), tuple(set(names) - set(held)), "")
        return [change.is_failure for change in changes([part], {"toy: works": entry})]

    assert failures((True, True), True, True) == []
    assert failures((True, True), True, False) == [True]
    assert failures((True, True), False, False) == [True, True]
    assert failures((True, False), False, True) == [True, False]  # still partly, and yet something is lost
    assert failures((True, False), True, True) == [False]
    assert failures((True, True), False, False, timed=True) == [False, False]


def test_claims_that_are_new_are_told_and_those_that_are_gone_fail() -> None:
    new = changes([SimpleNamespace(name="toy", claims=(claim(True),))], {})
    assert [(str(change), change.is_failure) for change in new] == [("toy: works: reproduced, not on record", False)]
    entry = Entry("It works.", Verdict.PARTLY, (), (), "")
    gone = changes([SimpleNamespace(name="toy", claims=())], {"toy: works": entry, "other: works": entry})
    assert [(change.name, change.is_failure) for change in gone] == [("toy: works", True)]


def offer(monkeypatch: pytest.MonkeyPatch, *experiments: Experiment, only: bool = False) -> None:
    """The command knows these experiments too, or these only; the library's own table is left as it is."""
    known = {} if only else dict(EXPERIMENTS)
    known |= {experiment.name: experiment for experiment in experiments}
    monkeypatch.setattr("wt_paper.command.EXPERIMENTS", known)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    offer(monkeypatch, Toy().experiment)
    return CliRunner()


def test_the_command_writes_the_report_and_says_what_came_out(command: CliRunner, tmp_path: Path) -> None:
    done = command.invoke(program, ["toy", "--quick", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "toy is done" in done.output
    assert "0 reproduced, 1 partly, 0 not reproduced" in done.output
    assert (tmp_path / "out" / "report-quick.html").is_file()
    facts = json.loads(command.invoke(program, ["toy", "--quick", "-o", str(tmp_path / "out"), "--json"]).stdout)
    assert set(facts) == {"claims", "changes", "failed", "report"}
    assert [set(claim) for claim in facts["claims"]] == [{"claim", "verdict", "cases"}] * len(facts["claims"])
    assert command.invoke(program, ["toy", "--quick", "-o", str(tmp_path / "out"), "-q"]).output == ""
    again = command.invoke(program, ["toy", "--quick", "-o", str(tmp_path / "out")])
    assert "toy was done before" in again.output


def test_the_command_fails_if_a_claim_that_held_is_lost(
    command: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tuple(choice.name for choice in claim(True, True).choices)
    record = {"toy: works": Entry("It works.", Verdict.REPRODUCED, names, (), "")}
    monkeypatch.setattr(runner, "read_record", lambda quick: record)
    done = command.invoke(program, ["toy", "-o", str(tmp_path)])
    assert done.exit_code == 1
    assert "(the claim is partly, was reproduced)" in " ".join(done.output.split())


def test_verdicts_are_recorded_where_it_is_said_and_nowhere_else(command: CliRunner, tmp_path: Path) -> None:
    before, file = read_record(quick=True), tmp_path / "record.json"
    arguments = ["toy", "--quick", "-o", str(tmp_path / "out"), "--record"]
    done = command.invoke(program, [*arguments, str(file)])
    assert done.exit_code == 0, done.output
    assert f"record: {file}" in done.output
    assert read_record(quick=True) == before
    written = json.loads(file.read_text("utf-8"))["quick"]
    assert written.keys() == {*before, "toy: works"}
    (tmp_path / "other.json").write_text("[]")
    for place, message in (("other.json", "is not a record of verdicts"), ("no/where.json", "is no folder")):
        done = command.invoke(program, [*arguments, str(tmp_path / place)])
        assert (done.exit_code, done.output.count("\n")) == (2, 1)
        assert message in done.output


def test_the_command_keeps_what_is_finished_when_interrupted(
    command: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, Toy().experiment, Toy("other", breaks=KeyboardInterrupt).experiment)
    done = command.invoke(program, ["toy", "other", "-o", str(tmp_path)])
    assert done.exit_code == 130
    assert "are kept in" in done.output
    assert (tmp_path / "parts" / "toy.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no experiment is called nonsense; there are t-junction"),
        (["toy", "-o", "FILE"], "is a file; give a folder"),
        (["toy", "-j", "0"], "--jobs must be a positive number of threads"),
        (["toy", "-o", "BROKEN"], "cannot be written"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(
    command: CliRunner, tmp_path: Path, arguments: list[str], message: str
) -> None:
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "parts").touch()
    paths = {"FILE": str(file), "BROKEN": str(tmp_path / "broken")}
    arguments = [paths.get(word, word) for word in arguments]
    where = [] if "-o" in arguments else ["-o", str(tmp_path / "out")]
    done = command.invoke(program, [*arguments, *where], terminal_width=300)
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())


def test_experiments_that_lack_something_are_refused_by_name_and_left_out_of_all(
    command: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = dataclasses.replace(Toy("other").experiment, needs=("no_such_module", "image"))
    offer(monkeypatch, Toy().experiment, lacking)
    done = command.invoke(program, ["toy", "other", "-o", str(tmp_path)], terminal_width=300)
    assert done.exit_code == 2
    words = " ".join(done.output.replace("│", " ").split())
    assert "other needs no_such_module, which is not installed; run: pip install" in words
    offer(monkeypatch, Toy().experiment, lacking, only=True)
    done = command.invoke(program, ["-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "left out: other needs no_such_module" in done.output
    assert "toy is done" in done.output


def test_the_command_says_its_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.strip() == wt.__version__
