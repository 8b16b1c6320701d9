/** Decodes the logs of common events. */

import { argumentsOf } from './call-data.ts'

/** A decoded parameter of a call or an event. */
export type DecodedValue = { readonly name: string; readonly type: string; readonly value: string }

/** A log as the API tells it. */
export type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: number
  readonly decoded?: Event
}

/** The event of a log and its arguments, those of its topics first. */
export type Event = { readonly signature: string; readonly parameters: readonly DecodedValue[] }

/** Signatures by the first four bytes of their topic. In all of them what is indexed comes first. */
const signatures: Readonly<Record<string, string>> = {
  ddf252ad: 'Transfer(address,address,uint256)',
  '8c5be1e5': 'Approval(address,address,uint256)',
  '17307eab': 'ApprovalForAll(address,address,bool)',
  c3d58168: 'TransferSingle(address,address,address,uint256,uint256)',
  '4a39dc06': 'TransferBatch(address,address,address,uint256[],uint256[])',
  e1fffcc4: 'Deposit(address,uint256)',
  '7fcf532c': 'Withdrawal(address,uint256)',
  '8be0079c': 'OwnershipTransferred(address,address)',
  '56600c56': 'SendWarpMessage(address,bytes32,bytes)',
  '34795cc6': 'MessageExecuted(bytes32,bytes32)',
}

/** The event; `undefined` where it is not known or the log does not fit it. */
export function eventOf({ topics, data }: Log): Event | undefined {
  const [first = '', ...indexed] = topics
  const signature = signatures[first.slice(2, 10)]
  if (signature === undefined) return undefined
  const [, list = ''] = /\((.*)\)$/.exec(signature) ?? []
  const types = list.split(',')
  // A call is the four bytes of its method and then its arguments.
  const inTopics = argumentsOf(
    `topics(${types.slice(0, indexed.length).join()})`,
    `0x00000000${indexed.map((topic) => topic.slice(2)).join('')}`,
  )
  const inData = argumentsOf(
    `data(${types.slice(indexed.length).join()})`,
    `0x00000000${data.slice(2)}`,
  )
  return inTopics === undefined || inData === undefined
    ? undefined
    : { signature, parameters: [...inTopics, ...inData].map((each) => ({ name: '', ...each })) }
}
