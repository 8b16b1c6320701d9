/** The thread in which all VM plugins run: imports them, and has them read blocks. */

import { parentPort } from 'node:worker_threads'

/** A call: to import the module `file`, and to have it read the block `block` where one is named. */
export type PluginCall = { readonly id: number; readonly file: string; readonly block?: string }

/** The thread's words about a call: a question for the chain's node, or its end. */
export type PluginMessage = { readonly id: number } & (
  | { readonly ask: number; readonly body: unknown }
  | { readonly value: unknown }
  | { readonly error: string }
)

/** The node's answer to question `ask`; absent where it gave none. */
export type PluginAnswer = { readonly ask: number; readonly answer?: unknown }

const asking = new Map<number, (answer: PluginAnswer) => void>()
let lastAsk = 0

parentPort?.on('message', (message: PluginCall | PluginAnswer) => {
  if ('ask' in message) {
    asking.get(message.ask)?.(message)
    asking.delete(message.ask)
  } else void run(message)
})

async function run({ id, file, block }: PluginCall): Promise<void> {
  const tell = (message: PluginMessage): void => parentPort?.postMessage(message)
  const ask = async (body: unknown): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<PluginAnswer>()
    asking.set(++lastAsk, resolve)
    tell({ id, ask: lastAsk, body })
    const told = await promise
    if (!('answer' in told)) throw new Error('the node did not answer')
    return told.answer
  }
  try {
    const { readBlock } = await import(file)
    if (typeof readBlock !== 'function') throw new Error('missing export "readBlock"')
    tell({ id, value: block === undefined ? undefined : await readBlock(block, ask) })
  } catch (error) {
    tell({ id, error: (error instanceof Error ? error.message : String(error)).slice(0, 1_024) })
  }
}
