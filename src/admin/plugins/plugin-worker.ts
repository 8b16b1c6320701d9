/** The thread in which all VM plugins run: imports them, and has them read blocks. */

import { parentPort } from 'node:worker_threads'

/** A call: to import the module `file`, and to have it read the block `block` where one is named. */
export type PluginCall = { readonly id: number; readonly file: string; readonly block?: string }

/** The thread's words about a call: a question for the chain's node, or its end. */
export type PluginMessage = { readonly id: number } & (
  | { readonly call: number; readonly body: unknown }
  | { readonly value: unknown }
  | { readonly error: string }
)

/** The node's answer to call `call`; absent where it gave none. */
export type PluginAnswer = { readonly call: number; readonly answer?: unknown }

const waiting = new Map<number, (answer: PluginAnswer) => void>()
let lastCall = 0

parentPort?.on('message', (message: PluginCall | PluginAnswer) => {
  if ('call' in message) {
    waiting.get(message.call)?.(message)
    waiting.delete(message.call)
  } else void run(message)
})

async function run({ id, file, block }: PluginCall): Promise<void> {
  const send = (message: PluginMessage): void => parentPort?.postMessage(message)
  const call = async (body: unknown): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<PluginAnswer>()
    waiting.set(++lastCall, resolve)
    send({ id, call: lastCall, body })
    const reply = await promise
    if (!('answer' in reply)) throw new Error('the node did not answer')
    return reply.answer
  }
  try {
    const { readBlock } = await import(file)
    if (typeof readBlock !== 'function') throw new Error('missing export "readBlock"')
    send({ id, value: block === undefined ? undefined : await readBlock(block, call) })
  } catch (error) {
    send({ id, error: (error instanceof Error ? error.message : String(error)).slice(0, 1_024) })
  }
}
