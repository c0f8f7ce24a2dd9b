"""What is said of a machine, from what a system that is made up tells."""

import pytest
from mpi4py import MPI
from whorl.machine import information

ZEN3 = [
    {"level": "1", "type": "Data", "size": "32K", "ways_of_associativity": "8"},
    {"level": "1", "type": "Instruction", "size": "32K", "ways_of_associativity": "8"},
    {"level": "2", "type": "Unified", "size": "512K", "ways_of_associativity": "8"},
    {"level": "3", "type": "Unified", "size": "32768K", "ways_of_associativity": "16"},
]


@pytest.fixture
def system(tmp_path):
    """The folder of the caches that are told."""

    def tell(caches):
        for number, facts in enumerate(caches):
            folder = tmp_path / f"index{number}"
            folder.mkdir()
            for name, value in facts.items():
                (folder / name).write_text(f"{value}\n")
        return tmp_path

    return tell


def without(name):
    return [{key: value for key, value in facts.items() if key != name} for facts in ZEN3]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (ZEN3, "L1d 32 KiB 8-way, L2 512 KiB 8-way, L3 32 MiB 16-way"),
        (ZEN3[::-1], "L1d 32 KiB 8-way, L2 512 KiB 8-way, L3 32 MiB 16-way"),
        (without("ways_of_associativity"), "L1d 32 KiB, L2 512 KiB, L3 32 MiB"),
        ([ZEN3[2] | {"ways_of_associativity": "0", "size": "1280K"}], "L2 1.25 MiB"),
        ([ZEN3[0] | {"type": "Unified"}], "L1 32 KiB 8-way"),
        (without("size"), ""),
        (without("level"), ""),
        ([], ""),
    ],
)
def test_caches(system, told, said):
    assert information.caches(system(told)) == said


def test_every_bench_and_whorl_info_have_the_caches(system, monkeypatch):
    folder = system(ZEN3)
    monkeypatch.setattr(information.caches, "__defaults__", (folder,))
    said = "L1d 32 KiB 8-way, L2 512 KiB 8-way, L3 32 MiB 16-way"
    assert information.machine(MPI.COMM_SELF)["caches"] == said
    assert information.information(MPI.COMM_SELF)["caches"] == said
    monkeypatch.setattr(information.caches, "__defaults__", (folder / "nothing",))
    assert "caches" not in information.machine(MPI.COMM_SELF)
