"""Who writes what: the thinking and the answer as they come, the large model in cyan, the small one in yellow."""

from typing import Any

from relaygen_integrations.langchain import ChatRelayGen, RelayCallbackHandler

COLOURS = {"large": "\033[36m", "small": "\033[33m"}
RESET = "\033[0m"


class Colour(RelayCallbackHandler):
    """Remembers the colour of the model that writes now."""

    now = RESET

    def on_relay_segment_start(self, segment: dict[str, Any], **_: Any) -> None:
        """A segment began."""
        self.now = COLOURS.get(segment["role"], RESET)


llm, colour = ChatRelayGen.demo(temperature=0), Colour()
segments: list[dict[str, Any]] = []
for chunk in llm.stream("What is 37 * 24 + 118?", {"callbacks": [colour]}):
    if text := chunk.additional_kwargs.get("reasoning_content") or chunk.text:
        print(f"{colour.now}{text}{RESET}", end="", flush=True)
    # A segment is told as soon as it is finished: who, why it ended, how many tokens, how long.
    segments += chunk.additional_kwargs.get("relay_segments", [])

print("\n")
for segment in segments:
    print(f"{segment['role'] or '-':5}  {segment['phase']:8}  {segment['tokens']:3} tokens  {segment['reason']}")
