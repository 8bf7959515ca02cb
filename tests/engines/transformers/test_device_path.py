"""What a GPU will run, proved on a CPU: padded widths, late ids, no hidden syncs, full size, whole graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import Qwen3Config, Qwen3ForCausalLM

from relaygen_runtime.demo import pair_paths
from relaygen_runtime.engines.transformers import TransformersEngine
from relaygen_runtime.engines.transformers.choose_half import choose_half
from relaygen_runtime.engines.transformers.half import UNREAD
from relaygen_runtime.engines.transformers.network import Network
from relaygen_runtime.engines.transformers.sampling import Settings, distribution
from relaygen_runtime.engines.transformers.slot_half import WIDTHS, SlotHalf
from relaygen_runtime.errors import EngineError
from relaygen_runtime.speculative import accept_greedy, accept_sampled, draw
from relaygen_runtime.vocabulary import Role, Stop
from tests.engines.transformers.pairs import alike, engine, ids, pieces, qwen, request, run, write

SYNCS = {"aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::is_nonzero", "aten::equal"}


class SyncLint(TorchDispatchMode):  # type: ignore[no-untyped-call]  # untyped in torch
    """Refuses every operation that would make the host wait for the device."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert func.name().split(".")[0] not in SYNCS, f"{func.name()} waits for the device"
        return func(*args, **(kwargs or {}))


def sync_lint() -> Any:
    make: Any = SyncLint
    return make()


def padded_pair(**options: Any) -> Any:
    return engine(padded=True, max_context=options.pop("max_context", 512), **options)


@pytest.mark.parametrize("speculation", [False, True])
@pytest.mark.parametrize("sampling", [{"temperature": 0.0}, {"temperature": 0.9, "top_k": 7, "seed": 4}])
def test_padded_widths_and_late_ids_change_no_token(speculation: bool, sampling: dict[str, Any]) -> None:
    texts = []
    for padded in (False, True):
        large = qwen(1, 384)
        pair = engine(large, alike(large, 2, 0.1), padded=padded, max_context=512)
        session = pair.open(request(speculation=speculation, sampling=sampling))
        written = []
        for turn in range(8):
            got = write(session, list(Role)[turn % 2], 9)
            session.rollback(turn % 5)
            written += ids(got[: 9 - turn % 5])
        texts.append(written)
        for half in pair._halves.values():
            assert UNREAD not in half.ids
    assert texts[0] == texts[1]


@pytest.mark.parametrize("author", list(Role))
def test_a_run_closed_at_any_token_leaves_no_junk(author: Role) -> None:
    reference = engine(speculation=False)
    session = reference.open(request())
    expected = ids(write(session, author, 12))
    for cut in range(1, 8):
        pair = padded_pair(speculation=False)
        session = pair.open(request())
        chunks = session.write(run(author, 30))
        got = [piece for _ in range(cut) for piece in next(chunks).pieces]
        chunks.close()
        assert ids(got) + ids(write(session, author, 12 - cut)) == expected


def test_late_ids_stop_at_eos_and_at_a_full_context() -> None:
    pair = padded_pair(speculation=False, max_context=64)
    session = pair.open(request())
    written, stop = pieces(session.write(run(tokens=500)))
    assert stop is Stop.CONTEXT
    pair._ends = dict.fromkeys(Role, frozenset({ids(written)[5]}))
    session.close()
    again, stop = pieces(pair.open(request()).write(run(tokens=500)))
    assert stop is Stop.EOS
    assert ids(again) == ids(written)[: ids(written).index(ids(written)[5])]


def test_a_model_that_fails_in_a_late_pass_leaves_a_cache_that_is_checked() -> None:
    pair = padded_pair(speculation=False)
    session = pair.open(request())
    expected = ids(write(session, tokens=10))
    session.close()
    session = pair.open(request())
    half = pair._halves[Role.LARGE]
    chunks = session.write(run(tokens=10))
    got = ids(list(next(chunks).pieces))
    name_last = half.name_last

    def fail(_: int) -> None:
        raise RuntimeError("lost the device")

    half.name_last = fail
    with pytest.raises(EngineError, match="lost the device"):
        next(chunks)
    half.name_last = name_last
    assert got + ids(write(session, tokens=9)) == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_the_body_never_waits_for_the_host(width: int) -> None:
    half = choose_half(Network(qwen(1, 97), "q", 97), padded=True, capacity=256)
    assert isinstance(half, SlotHalf)
    half.warm_up()
    with torch.inference_mode(), sync_lint():
        half._graphs.run(width, 256)


def test_sampling_and_acceptance_never_wait_for_the_host() -> None:
    torch.manual_seed(0)
    logits, settings = torch.randn(5, 97), Settings(0.7, 0.9, 20, 0.01)
    draft, noise = torch.tensor([1, 2, 3, 4]), torch.rand(5)
    with torch.inference_mode(), sync_lint():
        accept_greedy(logits, draft)
        target = distribution(logits, settings)
        draw(target, noise)
        accept_sampled(target, target[:4], draft, noise[:4], noise)


def test_a_late_step_never_waits_for_the_host() -> None:
    half = choose_half(Network(qwen(1, 97), "q", 97), padded=True, capacity=256)
    token = half.read([1, 2, 3]).argmax(-1)
    with sync_lint():
        for _ in range(5):
            token = half.step(token).argmax(-1)
    assert half.ids == [1, 2, 3, *[UNREAD] * 5]


# Every layer is the same: 16 of the large model's 64 show all that 64 would.
SIZES: dict[str, dict[str, Any]] = {
    "Qwen3-32B": {
        "hidden_size": 5120,
        "intermediate_size": 25600,
        "num_hidden_layers": 16,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
    },
    "Qwen3-1.7B": {
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
    },
}


@pytest.mark.parametrize("name", list(SIZES))
def test_full_size_models_run_on_the_meta_device(name: str) -> None:
    """Shapes, devices and hidden host reads at full size: a meta tensor has no value to read."""
    config = Qwen3Config(**SIZES[name], head_dim=128, vocab_size=151936, max_position_embeddings=40960)
    with torch.device("meta"):
        build: Any = Qwen3ForCausalLM
        model = build(config).to(torch.bfloat16)
    network = Network(model, name, 151669)
    network.direct = True
    kv = (8, 128, 128, torch.device("meta"))
    half = SlotHalf(network, [kv] * config.num_hidden_layers, padded=True, capacity=32768)
    sequence = list(range(700))
    assert half.read(sequence).shape == (1, 151669)
    for rows in (1, 25):
        sequence += list(range(rows))
        assert half.read(sequence, rows).shape == (rows, 151669)
        assert half.read(sequence, rows).dtype is torch.bfloat16
    half.keep(10)
    assert len(half.ids) == 10


@pytest.mark.parametrize(("padded", "widths"), [(True, WIDTHS[:-1]), (False, (1, 3))])
def test_every_width_compiles_into_one_graph(padded: bool, widths: tuple[int, ...]) -> None:
    """``fullgraph=True`` raises where the graph would break; the numbers stay."""
    torch._dynamo.reset()
    model = qwen(1, 97, layers=1)
    plain = choose_half(Network(model, "q", 97), padded=padded, capacity=256)
    compiled = choose_half(Network(model, "q", 97), padded=padded, capacity=256, backend="eager")
    assert isinstance(compiled, SlotHalf), "a graph break would have sent it to another cache"
    sequence: list[int] = []
    for width in widths:
        sequence += [(7 * n) % 97 for n in range(width)]
        torch.testing.assert_close(compiled.read(sequence, width), plain.read(sequence, width))


def test_a_compiled_pair_writes_the_same() -> None:
    torch._dynamo.reset()
    large, small = qwen(1, 384, layers=1), qwen(2, 384, layers=1)
    texts = []
    for backend in (False, "eager"):
        session = engine(large, small, compile=backend).open(request())
        texts.append(ids([*write(session, tokens=8), *write(session, Role.SMALL, 3)]))
    assert texts[0] == texts[1]


def test_both_models_compile_for_every_width_of_a_padded_pair() -> None:
    # Torch counts the shapes of both models together, and allows eight by default.
    torch._dynamo.reset()
    paths = pair_paths()
    pair = TransformersEngine.from_pretrained(str(paths.large), str(paths.small), compile="eager", padded=True)
    pair.warmup()

    assert all(isinstance(half, SlotHalf) for half in pair._halves.values())
