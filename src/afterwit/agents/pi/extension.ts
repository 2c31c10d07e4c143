// Written by `afterwit connect`; `afterwit disconnect` removes it.
// Asks afterwit's hook at the moments of a session, and hands its answer on. A fault of ours is silence.
import { spawn } from "node:child_process";

const HOOK: string[] = __HOOK__;
const BEFORE: string[] = __BEFORE__;
const LIMIT_MS: Record<string, number> = { start: 3000, prompt: 3000, before: 1500, after: 1500, end: 1500 };

function ask(event: string, payload: object): Promise<any> {
  return new Promise<any>((resolve) => {
    const words = event === "before" ? BEFORE : [...HOOK, event];
    const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS[event]);
    const pieces: Buffer[] = [];
    child.on("error", () => (clearTimeout(timer), resolve({})));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("close", () => {
      clearTimeout(timer);
      resolve(read(Buffer.concat(pieces).toString("utf8")));
    });
    child.stdin.end(JSON.stringify(payload));
  }).catch(() => ({}));
}

function read(text: string): any {
  try {
    const answer = JSON.parse(text);
    return answer !== null && typeof answer === "object" ? answer : {};
  } catch {
    return {};
  }
}

// The compaction that took our notes out of the context; empty if they are there. It may be an earlier process's.
function lostIn(ctx: any): string {
  try {
    const branch: any[] = ctx.sessionManager.getBranch();
    const at = branch.map((entry) => entry.type).lastIndexOf("compaction");
    if (at < 0) return "";
    const kept = branch.findIndex((entry) => entry.id === branch[at].firstKeptEntryId);
    const left = branch.slice(kept < 0 ? at : kept);
    return left.some((entry) => entry.type === "custom_message" && entry.customType === "afterwit") ? "" : branch[at].id;
  } catch {
    return "";
  }
}

export default function (pi: any) {
  let source = "startup"; // why the next prompt is the first one of something; empty if it is not
  let seen = ""; // the compaction that was answered
  const owed = new Map<string, string>(); // call → what was said when it was rewritten, told with its result
  const told = (ctx: any, more: object) => ({ session: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...more });

  pi.on("session_start", async (event: any) => {
    source = event.reason === "resume" || event.reason === "reload" ? "resume" : "startup";
  });

  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const compaction = lostIn(ctx);
    const why = compaction && compaction !== seen ? "compact" : source;
    seen = compaction;
    source = "";
    const start = why ? await ask("start", told(ctx, { source: why })) : {};
    const said = await ask("prompt", told(ctx, { prompt: event.prompt }));
    const content = [start.context, said.context].filter(Boolean).join("\n\n");
    if (content) return { message: { customType: "afterwit", content, display: false } };
  });

  pi.on("tool_result", async (event: any, ctx: any) => {
    const output = event.content.map((part: any) => (part.type === "text" ? part.text : "")).join("\n");
    const done = { call: event.toolCallId, tool: event.toolName, input: event.input, output, is_error: event.isError };
    const { context } = await ask("after", told(ctx, { ...done, exit_code: null }));
    const text = [owed.get(event.toolCallId), context].filter(Boolean).join("\n\n");
    owed.delete(event.toolCallId);
    if (text) return { content: [...event.content, { type: "text", text }] };
  });

  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    await ask("end", told(ctx, {}));
  });

  if (BEFORE.length) {
    pi.on("tool_call", async (event: any, ctx: any) => {
      const call = { call: event.toolCallId, tool: event.toolName, input: event.input };
      const answer = await ask("before", told(ctx, call));
      if (answer.deny) return { block: true, reason: answer.deny };
      if (answer.input) Object.assign(event.input, answer.input);
      if (answer.context) owed.set(event.toolCallId, answer.context);
    });
  }
}
