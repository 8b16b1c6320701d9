/**
 * Interchain messages of two chains as their logs tell them, read by the ABI alone, for a comparison
 * that shares no line with the product.
 *
 * Source: icm-services icm-contracts/avalanche/teleporter/ITeleporterMessenger.sol.
 */

import type { NodeRpc, JsonObject } from './node-rpc.ts'

const topics = {
  send: '0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  executed: '0x34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
  receive: '0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  receipt: '0xd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57',
} as const

/** A message in the words of both sides; addresses and hashes in small letters. */
export type MessageFacts = {
  status: string
  nonce: string
  from: string
  to: string
  data: string
  executed: boolean
  receiptDelivered: boolean
  sentIn: string
  deliveredIn: string
  redeemer: string
  deliverer: string
}

/** Every message that the logs of the chains at `paths` tell of, by its id without 0x. */
export async function messagesOfLogs(
  node: NodeRpc,
  paths: readonly string[],
): Promise<Map<string, MessageFacts>> {
  const found = new Map<string, MessageFacts>()
  for (const path of paths) {
    const range = { fromBlock: '0x0', toBlock: 'latest', topics: [Object.values(topics)] }
    for (const log of (await node.ask(path, 'eth_getLogs', [range])) as JsonObject[])
      take(found, log)
  }
  return found
}

function take(found: Map<string, MessageFacts>, log: JsonObject): void {
  const [kind, id = '', , party = ''] = log['topics'] as string[]
  const key = id.slice(2)
  const facts = found.get(key) ?? unknown()
  found.set(key, facts)
  const data = String(log['data']).slice(2)
  const wordAt = (at: number): string => data.slice(at * 2, at * 2 + 64)
  const addressAt = (at: number): string => `0x${wordAt(at).slice(24)}`
  if (kind === topics.executed) facts.executed = true
  if (kind === topics.receipt) facts.receiptDelivered = true
  if (kind !== topics.send && kind !== topics.receive) return
  // The place of the message is the first word of one log and the second of the other.
  const start = Number(`0x${wordAt(kind === topics.send ? 0 : 32)}`)
  const bytes = start + Number(`0x${wordAt(start + 7 * 32)}`)
  facts.nonce = String(BigInt(`0x${wordAt(start)}`))
  facts.from = addressAt(start + 32)
  facts.to = addressAt(start + 96)
  facts.data = `0x${data.slice((bytes + 32) * 2, (bytes + 32 + Number(`0x${wordAt(bytes)}`)) * 2)}`
  if (kind === topics.send) facts.sentIn = String(log['transactionHash'])
  else {
    facts.deliveredIn = String(log['transactionHash'])
    facts.redeemer = addressAt(0)
    facts.deliverer = `0x${party.slice(26)}`
    facts.status = 'delivered'
  }
}

function unknown(): MessageFacts {
  return {
    status: 'pending',
    nonce: '',
    from: '',
    to: '',
    data: '',
    executed: false,
    receiptDelivered: false,
    sentIn: '',
    deliveredIn: '',
    redeemer: '',
    deliverer: '',
  }
}

/** A message of the API in the same words. */
export function factsOfAnswer(message: JsonObject): MessageFacts {
  const text = (of: unknown, name: string): string => {
    const value = ((of ?? {}) as JsonObject)[name]
    return typeof value === 'string' ? value.toLowerCase() : ''
  }
  const [sent, received] = [message['sourceTransaction'], message['destinationTransaction']]
  return {
    status: text(message, 'status'),
    nonce: text(message, 'messageNonce'),
    from: text(message, 'from'),
    to: text(message, 'to'),
    data: text(message, 'data'),
    executed: message['messageExecuted'] === true,
    receiptDelivered: message['receiptDelivered'] === true,
    sentIn: text(sent, 'txHash'),
    deliveredIn: text(received, 'txHash'),
    redeemer: text(received, 'rewardRedeemer'),
    deliverer: text(received, 'delivererAddress'),
  }
}
