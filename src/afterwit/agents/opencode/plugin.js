// Written by `afterwit connect`; `afterwit disconnect` removes it.
// Asks afterwit's hook at the moments of a session, and hands its answer on. A fault of ours is silence.
import { spawn } from "node:child_process"

const HOOK = __HOOK__
const BEFORE = __BEFORE__
const END_AGAIN_MS = 600_000
const LIMIT_MS = { start: 3000, prompt: 3000, before: 1500, after: 1500, end: 1500 }

function ask(event, payload) {
  return new Promise((resolve) => {
    const words = event === "before" ? BEFORE : [...HOOK, event]
    const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS[event])
    const pieces = []
    child.on("error", () => (clearTimeout(timer), resolve({})))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (piece) => pieces.push(piece))
    child.on("close", () => {
      clearTimeout(timer)
      resolve(read(Buffer.concat(pieces).toString("utf8")))
    })
    child.stdin.end(JSON.stringify(payload))
  }).catch(() => ({}))
}

function read(text) {
  try {
    const answer = JSON.parse(text)
    return answer !== null && typeof answer === "object" ? answer : {}
  } catch {
    return {}
  }
}

export const Afterwit = async ({ directory }) => {
  const met = new Set() // sessions that have had their first message in this process
  const roots = new Map() // session of a subagent → the session that it works for
  const ended = new Map() // session → when its end was told last
  const again = new Map() // session → the start block, to be given again because it was compacted away
  const owed = new Map() // call → what was said when it was rewritten, told with its result

  function told(session, more) {
    const root = roots.get(session)
    return { session: root ?? session, ...(root && { context: session }), cwd: directory, ...more }
  }

  async function compacted(session) {
    const { context } = await ask("start", told(session, { source: "compact" }))
    if (context) again.set(session, context)
  }

  // OpenCode says that a turn is over, not that a session is: a process for each turn would be too many.
  async function rests(session) {
    if (!met.has(session) || Date.now() - (ended.get(session) ?? 0) < END_AGAIN_MS) return
    ended.set(session, Date.now())
    await ask("end", told(session, {}))
  }

  const hooks = {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const parent = event.type === "session.created" && about.info?.parentID
      if (parent) roots.set(about.info.id, roots.get(parent) ?? parent)
      if (event.type === "session.compacted") await compacted(about.sessionID)
      if (event.type === "session.idle") await rests(about.sessionID)
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (roots.has(session)) return
      const prompt = output.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")
      const start = met.has(session) ? {} : await ask("start", told(session, { source: "startup" }))
      met.add(session)
      const said = await ask("prompt", told(session, { prompt }))
      const text = [start.context, said.context].filter(Boolean).join("\n\n")
      if (!text) return
      const id = `prt_${Date.now().toString(16)}afterwit`
      const message = output.message.id
      output.parts.push({ id, sessionID: session, messageID: message, type: "text", text, synthetic: true })
    },

    "experimental.chat.system.transform": async (input, output) => {
      const text = again.get(input.sessionID)
      if (text) output.system.push(text)
    },

    "tool.execute.after": async (input, output) => {
      const exit = output.metadata?.exit
      const done = { call: input.callID, tool: input.tool, input: input.args ?? {}, output: String(output.output ?? "") }
      const failed = { exit_code: exit ?? null, is_error: typeof exit === "number" && exit !== 0 }
      const { context } = await ask("after", told(input.sessionID, { ...done, ...failed }))
      const text = [owed.get(input.callID), context].filter(Boolean).join("\n\n")
      owed.delete(input.callID)
      if (text) output.output = `${output.output}\n\n${text}`
    },
  }

  if (BEFORE.length) {
    hooks["tool.execute.before"] = async (input, output) => {
      const call = { call: input.callID, tool: input.tool, input: output.args ?? {} }
      const answer = await ask("before", told(input.sessionID, call))
      if (answer.deny) throw new Error(answer.deny)
      if (answer.input) Object.assign(output.args, answer.input)
      if (answer.context) owed.set(input.callID, answer.context)
    }
  }
  return hooks
}
