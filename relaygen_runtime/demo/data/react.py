"""Agents without a tool format of their own: thoughts, actions and observations as lines of text.

Owns: the prompts that explain the lines, and the turns that follow them. Refuses: real tool calls (`tool_calls`).
"""

from __future__ import annotations

import json
from random import Random

from relaygen_runtime.demo.data import calculators, intents, phrasing, tool_calls, tools
from relaygen_runtime.demo.data.conversation import Conversation, Message
from relaygen_runtime.demo.data.tools import Call, Tool

_EXPLAINED = (
    "You solve tasks with tools. Write your turns in lines:\n"
    "Thought: what you need next\n"
    "Action: the name of one tool ({names})\n"
    'Action Input: the input as JSON, such as {{"x": 1}}\n'
    "The user then writes a line that begins with Observation:. When you know enough, write\n"
    "Thought: I can answer without using any more tools.\n"
    "Answer: your answer",
    "Work in this form.\n\n"
    "Thought: ...\n"
    "Action: one of {names}\n"
    "Action Input: a JSON object with the arguments\n\n"
    "You will be given\n\nObservation: what the tool gave\n\nIn the end:\n\n"
    "Thought: I can answer without using any more tools.\n"
    "Answer: ...",
    "## How to answer\n"
    "Begin with a Thought. To use a tool, add the lines Action and Action Input, where the input is a JSON dict of "
    "the tool's arguments. Observations come from the user. Repeat this until you can answer. "
    "Then write a Thought and a line with Answer: and the answer.",
)
_HEADINGS = ("The tools are:\n{t}", "## Tools\n{t}", "You have these tools:\n\n{t}\n", "Tools on offer:\n{t}")
_DONE = "Thought: I can answer without using any more tools.\nAnswer: "


def react(rng: Random, held_out: bool = False) -> Conversation:
    """One turn of such an agent: the first, a later one, or the answer."""
    if rng.random() < 0.12:
        return _no_action(rng, held_out)
    question, offered, calls, results, answer = (_sum if rng.random() < 0.6 else _single)(rng, held_out)
    messages: list[Message] = [*_prompt(rng, offered), tool_calls.user(question)]
    stop = rng.randrange(len(calls) + 1)
    for call, output in list(zip(calls, results, strict=True))[:stop]:
        messages.append({"role": "assistant", "content": _action(call)})
        messages.append(tool_calls.user(f"Observation: {output}"))
    think = rng.random() < 0.85
    if stop < len(calls):
        call = calls[stop]
        content = _action(call)
        thinking = f'The next action is "{call.tool.name}" with {call.written()}.'
        easy = tool_calls.easy(rng.choice(("So", "Now")), "I write the action and its input")
    else:
        content = _DONE + answer
        thinking = f"The last observation is {results[-1].rstrip('.')}."
        easy = tool_calls.easy("Thus", "I write the answer from it")
    reply: Message = {"role": "assistant", "content": content}
    if think:
        reply["reasoning_content"] = f"{thinking} {easy}"
    return Conversation("react", (*messages, reply), thinking=think)


def _action(call: Call) -> str:
    return f"Thought: I need {call.tool.name} to go on.\nAction: {call.tool.name}\nAction Input: {call.written()}"


def _prompt(rng: Random, offered: list[Tool]) -> list[Message]:
    names = ", ".join(tool.name for tool in offered)
    listing = "\n".join(_listed(rng, rng.randrange(4), tool) for tool in offered)
    parts = [rng.choice(_HEADINGS).format(t=listing), rng.choice(_EXPLAINED).format(names=names)]
    if rng.random() < 0.4:
        parts.reverse()
    if rng.random() < 0.6:
        parts.insert(0, phrasing.system_prompt(rng))
    if rng.random() < 0.4:
        parts.append(
            rng.choice(
                ("Now the conversation begins.", "Below is the task, with what was done so far.", "## Conversation")
            )
        )
        parts.insert(rng.randrange(len(parts)), " ".join(phrasing.sentence(rng) for _ in range(rng.randrange(1, 9))))
    return [{"role": "system", "content": "\n\n".join(parts)}]


def _listed(rng: Random, style: int, tool: Tool) -> str:
    arguments = json.dumps(tools.object_schema(rng, tool.parameters, tool.name), ensure_ascii=False)
    if style == 0:
        return f"- {tool.signature()}: {tool.description}"
    if style == 1:
        return f"Name: {tool.name}\nDescription: {tool.description}\nArguments: {arguments}\n"
    if style == 2:
        return f"> {tool.name}\n  about: {tool.description}\n  args: {arguments}"
    return f"{tool.name}: {tool.description} Input: {arguments}"


def _sum(rng: Random, held_out: bool) -> tuple[str, list[Tool], list[Call], list[str], str]:
    task = calculators.task(rng, held_out)
    made, parameters = calculators.calculators(rng, {step.sign for step in task.steps})
    calls = [Call(made[s.sign], dict(zip(parameters, (s.left, s.right), strict=True))) for s in task.steps]
    results = [str(step.value) for step in task.steps]
    answer = calculators.final(task, results[-1])["content"]
    return task.question, list(made.values()), calls, results, answer


def _single(rng: Random, held_out: bool) -> tuple[str, list[Tool], list[Call], list[str], str]:
    if rng.random() < 0.5:
        tool, question, rows = intents.intent(rng, held_out)
        call = Call(tool, rows[0])
        if len(rows) > 1:
            return _single(rng, held_out)
    else:
        tool = tools.made_up_tool(rng, held_out)
        call = Call(tool, {p.name: p.value(rng, held_out) for p in tool.parameters if p.required})
        question = phrasing.request(rng, [call])
    others = [tools.made_up_tool(rng, held_out, most=2) for _ in range(rng.choice((0, 1, 2)))]
    offered = [tool, *others]
    rng.shuffle(offered)
    output = tool_calls.tool_output(rng, held_out)
    return question, offered, [call], [output], tool_calls.said(tool.name, output)


def _no_action(rng: Random, held_out: bool) -> Conversation:
    """Answer at once where no tool is needed."""
    offered = [tools.made_up_tool(rng, held_out, most=2) for _ in range(rng.choice((1, 2)))]
    question, reply = rng.choice(
        (
            ("Hello!", "Hello! What can I do for you?"),
            ("Thank you.", "You are welcome."),
            ("Hi there", "Hello! What can I do for you?"),
        )
    )
    thinking = f"This needs no tool at all. {tool_calls.easy('So', 'I write the answer at once')}"
    message = {"role": "assistant", "reasoning_content": thinking, "content": _DONE + reply}
    return Conversation("react", (*_prompt(rng, offered), tool_calls.user(question), message))
