/** JSON-RPC of a real node. Imports nothing of the product. */

/** An object of an answer. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A node that answers JSON-RPC. */
export type NodeRpc = {
  readonly url: string
  /** An object answered to named parameters. Throws what the node says is wrong. */
  readonly call: (path: string, method: string, params?: object) => Promise<JsonObject>
  /** Anything answered to a list of parameters. */
  readonly ask: (path: string, method: string, params: readonly unknown[]) => Promise<unknown>
}

/** Error of a node. */
export class NodeRefusal extends Error {}

/** Longest time for one call: nodes of a busy machine answer late. */
const callMs = 20_000

/** The node at `url`. */
export function nodeAt(url: string): NodeRpc {
  const ask: NodeRpc['ask'] = async (path, method, params) => {
    const reply = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(callMs),
    })
    const text = await reply.text()
    let answer: { readonly result?: unknown; readonly error?: { readonly message?: string } }
    try {
      answer = JSON.parse(text)
    } catch (error) {
      throw new NodeRefusal(`${method}: ${reply.status} ${text.slice(0, 200)}`, { cause: error })
    }
    if (answer.error !== undefined && answer.error !== null)
      throw new NodeRefusal(`${method}: ${answer.error.message}`)
    return answer.result
  }
  return {
    url,
    ask,
    call: async (path, method, params = {}) => (await ask(path, method, [params])) as JsonObject,
  }
}

/** The text of a field. */
export function text(of: JsonObject, name: string): string {
  const value = of[name]
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error(`the answer has no ${name}: ${JSON.stringify(of).slice(0, 300)}`)
}

/** The list of a field, none where it is null. */
export function list(of: JsonObject, name: string): readonly JsonObject[] {
  const value = of[name] ?? []
  if (Array.isArray(value)) return value
  throw new Error(`the answer has no list ${name}: ${JSON.stringify(of).slice(0, 300)}`)
}
