/** A node whose answers are kept. */

import { type NodeApi, nodePaths } from '../source/primary/node-api.ts'
import type { RecordedAnswer } from '../source/primary/recorded-source.ts'

/** Keeps every answer of `node` that passes. */
export function recordingNode(node: NodeApi, keep: (answer: RecordedAnswer) => void): NodeApi {
  return {
    ask: async (path, method, parameters, signal) => {
      const reply = await node.ask(path, method, parameters, signal)
      keep({ path, method, parameters, reply })
      return reply
    },
    tryAsk: async (path, method, parameters, signal) => {
      const reply = await node.tryAsk(path, method, parameters, signal)
      keep({ path, method, parameters, reply })
      return reply
    },
    askEvm: async (calls, signal) => {
      const replies = await node.askEvm(calls, signal)
      for (const [at, call] of calls.entries()) {
        const { method, params } = call
        keep({ path: nodePaths.evm, method, parameters: params, reply: replies[at] })
      }
      return replies
    },
  }
}
