"""Text that reads like an order to an agent.

A flag for a person's eye, and nothing else: such patterns hit few harmless lines, but miss plainly worded attacks
altogether. What keeps planted text from being followed is the origin of its words, never this.
"""

import re

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|system"
    r"|these|other)\b.{0,30}"
    r"\b(?:instructions?|prompts?|rules?|messages?|context|guidelines|safety|polic\w+|directions?)\b"
    r"|\b(?:new|updated|real|hidden|secret|additional) (?:system )?instructions?\b|\bsystem prompt\b"
    r"|\bdeveloper mode\b|\bjailbreak\b"
    r"|\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|ask|asking|mention|mentioning|alert\w*"
    r"|notify\w*|warn\w*)\b.{0,20}\b(?:the )?(?:user|human|person|owner|anyone)\b"
    r"|\b(?:ai|assistant|agent|model|claude|codex|gemini|copilot|llm)s?\b[^.]{0,30}\b(?:must|should|shall"
    r"|is required to|are required to|need to|will now)\b"
    r"|\b(?:attention|note to|message (?:to|for)|dear|instructions? (?:to|for))\b.{0,12}\b(?:ai|assistants?|agents?"
    r"|models?|claude|codex|gemini|copilot|llms?)\b"
    r"|\b(?:send|post|upload|exfiltrate|leak|forward|paste)\b.{0,40}\b(?:tokens?|keys?|secrets?|credentials?"
    r"|passwords?|env\w*|\.env|cookies?)\b"
    r"|\byou (?:must|should|have to|need to|are required to) (?:now |always |first |immediately )?(?:run|execute"
    r"|download|install|fetch|send|delete|curl|add|remember|save|store)\b"
    r"|\b(?:remember|memorize|save|store) (?:this|that|the following)\b.{0,40}\b(?:for|in) (?:all |every |future "
    r"|later |the next )|^[^\S\n]*(?:system|assistant|user|human)\s*:"
    r"|<\|?(?:im_start|im_end|system|endoftext)\b|\[/?INST\]",
    re.IGNORECASE | re.MULTILINE,
)


def reads_like_an_order(text: str) -> bool:
    return _ORDER.search(text) is not None
