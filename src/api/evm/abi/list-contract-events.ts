/** An event of a contract as a table: a column for each of its arguments, a condition for each that is indexed. */

import { topicOf } from '../../../codec/evm/abi/abi-encode.ts'
import {
  eventValues,
  readAbi,
  type AbiEntry,
  type AbiParameter,
} from '../../../codec/evm/abi/abi.ts'
import { clip, fromHex, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { ContractEvent } from '../../../shape/evm/log.ts'
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import { type LogRow, topicsOf } from '../../../store/query/evm/logs.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type ListColumn, listShapeOf } from '../../operation/list-columns.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import type { EvmContext } from '../evm-context.ts'
import { abiOfStandard } from './known-abis.ts'
import { logPage } from './list-logs.ts'

/**
 * Events of one kind of a contract. Throws `not-found` where the chain's logs are not kept or no ABI has the event,
 * and `bad-parameter` for a condition on what is not indexed.
 */
export function listContractEvents(context: EvmContext): Operation<'listContractEvents'> {
  return operation(EvmContracts.listContractEvents, async ({ path, query, signal }) => {
    const chain = context.chains.find(path.chainId)
    const address = fromHex(path.address)
    const event = await eventNamed(context, chain, { address, name: path.event, signal })
    const { arguments: wanted = {}, ...page } = query
    const { rows, next, headers } = await logPage(context.tokens, {
      chain,
      query: page,
      filter: { addresses: [address], topics: [[event.hash], ...topicsWanted(event, wanted)] },
      list: {
        route: EvmContracts.listContractEvents.id,
        subject: {
          chainId: chain.facts.key,
          address: to0x(address),
          event: event.signature,
          wanted,
        },
      },
    })
    const names = namesOf(event)
    const events = rows.flatMap((row) => viewOf(row, event, names) ?? [])
    const columns = [
      ...placeColumns,
      ...event.parameters.map((one, at) => columnOf(one, itemAt(names, at))),
    ]
    return { body: { ...next, signature: event.signature, events }, headers, columns }
  })
}

/** The event of a contract with a name or a signature. Throws `not-found`, and `bad-parameter` where several have the name. */
export async function eventNamed(
  { contracts, addressBooks }: EvmContext,
  chain: ServedChain,
  {
    address,
    name,
    signal,
  }: { readonly address: Uint8Array; readonly name: string; readonly signal: AbortSignal },
): Promise<AbiEntry> {
  const abis = await contracts.abisOf(chain, [address], signal)
  const of = { chainId: String(chain.facts.evmChainId), address: to0x(address) }
  const given = abis.eventsOf(of)
  const all = given.length > 0 ? given : await eventsOfToken(addressBooks(chain), of.address)
  const found = new Map(
    all
      .filter((event) => event.name === name || event.signature === name)
      .toReversed()
      .map((event) => [event.signature, event]),
  )
  const [event, another] = found.values()
  if (event === undefined)
    throw new Fault(
      'not-found',
      `no ABI known here has this event of the contract: ${clip(name)} (it has: ${[...new Set(all.map(({ signature }) => signature))].join(', ')})`,
    )
  if (another !== undefined)
    throw new Fault(
      'bad-parameter',
      `several events have this name: ${[...found.keys()].join(', ')}`,
    )
  return event
}

/** Events that a token has by its standard. */
async function eventsOfToken(
  book: ReturnType<EvmContext['addressBooks']>,
  address: string,
): Promise<readonly AbiEntry[]> {
  const { id } = await book.find(address)
  if (id === undefined) return []
  const standard = (await book.load([id]))(id).token?.standard ?? 0
  return readAbi(abiOfStandard(standard)).filter(({ kind }) => kind === 'event')
}

/** Topics behind the first one, by the values that arguments shall have. Throws `bad-parameter`. */
export function topicsWanted(
  event: AbiEntry,
  wanted: Readonly<Record<string, string>>,
): (readonly Uint8Array[] | undefined)[] {
  const names = namesOf(event)
  const indexed = event.parameters.flatMap((parameter, at) =>
    parameter.indexed ? [{ ...parameter, name: itemAt(names, at) }] : [],
  )
  const strange = Object.keys(wanted).find((name) => indexed.every((one) => one.name !== name))
  if (strange !== undefined)
    throw new Fault(
      'bad-parameter',
      `${clip(strange)} is neither a parameter of this operation nor an indexed argument of ${event.signature} (these are: ${indexed.map(({ name }) => name).join(', ') || 'none'})`,
    )
  const values = new Map(Object.entries(wanted))
  return indexed.map((parameter) => {
    const value = values.get(parameter.name)
    return value === undefined ? undefined : [topicOf(parameter, value)]
  })
}

/** Columns of every event: where it is. */
const placeColumns = (listShapeOf(EvmContracts.listContractEvents)?.columns ?? []).filter(
  ({ path }) => path[0] !== 'arguments',
)

/** Names of arguments: of one that has none, or whose name is another's, its place. */
function namesOf({ parameters }: AbiEntry): string[] {
  return parameters.map(({ name }, at) =>
    name === '' || parameters.findIndex((one) => one.name === name) < at ? String(at) : name,
  )
}

/** An argument as a column of a file, by its name where no other column has that. */
function columnOf({ type }: AbiParameter, name: string): ListColumn {
  const isTaken = placeColumns.some((column) => column.name === name)
  return {
    name: isTaken ? `arguments.${name}` : name,
    path: ['arguments', name],
    type: columnType(type),
  }
}

/** Integers that have at most 63 bits are numbers in files; longer ones stay text. */
function columnType(type: string): ListColumn['type'] {
  if (type === 'bool') return 'boolean'
  const [, sign, bits] = /^(u?)int(\d+)$/.exec(type) ?? []
  return bits !== undefined && Number(bits) <= (sign === 'u' ? 56 : 64) ? 'integer' : 'text'
}

/** `undefined` for a log that has the topic of the event and other arguments. */
function viewOf(row: LogRow, event: AbiEntry, names: readonly string[]): ContractEvent | undefined {
  const values = eventValues(event, topicsOf(row).map(fromHex), fromHex(row.data))
  if (values === undefined) return undefined
  return {
    blockNumber: String(heightOf(row.pos)),
    blockTimestamp: row.blockTimestamp,
    txHash: row.txHash,
    logIndex: placeOf(row.pos),
    arguments: Object.fromEntries(names.map((name, at) => [name, itemAt(values, at)])),
  }
}
