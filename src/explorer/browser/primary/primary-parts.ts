/** Rows and links that several pages of the primary network share. */

import { h, type JSX } from 'preact'

import type { Asset, L1ValidatorManagerDetails } from '../../../shape/primary/asset.ts'
import type { Blockchain } from '../../../shape/primary/subnet.ts'
import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import type { L1Validator } from '../../../shape/primary/validator.ts'
import { amount, assetName, count, ends, short, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import {
  age,
  coins,
  copied,
  idLink,
  pill,
  type RowColumn,
  rowTable,
  table,
  type View,
} from '../kit/parts.ts'
import { now, chainOf, chainsOfSubnet, type World } from '../kit/world.ts'
import { feeBurned, whatHappened } from '../what-happened.ts'

/** The three chains, by the names paths take. */
export const chains = ['p-chain', 'x-chain', 'c-chain'] as const

/** One of {@link chains}. */
export type ChainName = (typeof chains)[number]

/**
 * Id of the subnet that all validators of the primary network are in: 32 zero bytes.
 *
 * Source: avalanchego utils/constants/network_ids.go, PrimaryNetworkID.
 */
export const primarySubnetId = '11111111111111111111111111111111LpoYY'

/** nAVAX in few characters, exact in its title. */
export function shortAvax(units: bigint | string): JSX.Element {
  return h('span', { title: `${amount(String(units), 9)} AVAX` }, [
    `${short(Number(units) / 1e9)} `,
    h('small', null, 'AVAX'),
  ])
}

/** Returns whether a text names one of the three chains. */
export function isChain(name: string): name is ChainName {
  return chains.some((chain) => chain === name)
}

/** `p-chain` as people write it: `P-Chain`. */
export function chainLabel(chain: string): string {
  return isChain(chain) ? `${chain.slice(0, 1).toUpperCase()}-Chain` : chain
}

/** An amount of an asset as answers have it. */
export type Sum = {
  readonly amount: string
  readonly denomination: number
  readonly symbol: string
  readonly assetId?: string
}

/** An amount of an asset. */
export function assetSum(sum: Sum): JSX.Element {
  return coins(sum.amount, sum.denomination, assetName(sum))
}

/** An amount that is staked or paid for a stake; nothing where the stake is only a weight. */
export function stakeSum(asset: Asset | undefined, amount: string | undefined): View {
  return asset === undefined || amount === undefined ? '' : assetSum({ ...asset, amount })
}

/** Amounts one after the other; a dash for none. */
export function assetSums(sums: readonly Sum[]): View {
  return sums.length === 0 ? '–' : sums.map((sum) => h('div', null, assetSum(sum)))
}

/** `AddValidatorTx` as `AddValidator`. */
export function shortType(txType: string): string {
  return txType.replace(/Tx$/, '')
}

/** `BanffStandardBlock` as `Standard`. */
export function shortBlockType(blockType: string): string {
  return blockType.replace(/^(Apricot|Banff)|Block$/g, '')
}

/** Link to a subnet, by the name of its chains where they have one. */
export function subnetLink(network: string, subnetId: string, name = ''): JSX.Element {
  const href = to('primary', network, 'subnet', subnetId)
  return name === '' ? idLink(href, subnetId) : h('a', { href, title: subnetId }, name)
}

/**
 * Link to a chain by its name: its own page where it is served, else the transaction that made it,
 * whose id it has.
 */
export function namedChain(world: World, network: string, chain: Blockchain): JSX.Element {
  const { blockchainName, blockchainId, evmChainId, subnetId } = chain
  const name = blockchainName.toLowerCase()
  const served = evmChainId === undefined ? undefined : chainOf(world, String(evmChainId))
  const href =
    served !== undefined
      ? to('chain', served.chainId)
      : subnetId === primarySubnetId && isChain(name)
        ? to('primary', network, 'blocks', name)
        : to('primary', network, 'tx', 'p-chain', blockchainId)
  return h('a', { href, title: blockchainId }, visible(blockchainName))
}

/** Link to a node. */
export function nodeLink(network: string, nodeId: string): JSX.Element {
  return idLink(to('primary', network, 'node', nodeId), nodeId, ends(nodeId, 14, 6))
}

/** Link to a transaction of the P-Chain. */
export function pTxLink(network: string, txHash: string): JSX.Element {
  return idLink(to('primary', network, 'tx', 'p-chain', txHash), txHash)
}

/** State of a term or a delegation. */
export function termPill(status: string): JSX.Element {
  return pill(status, status === 'active' ? 'good' : '')
}

/** Both ends of an address with the letter of its chain: `P-avax1abc…123456`. */
export function shortAddress(chain: string, address: string): string {
  return `${chain.charAt(0).toUpperCase()}-${ends(address, 10, 6)}`
}

/** Owners one below the other, and how many must sign where it is more than one. */
export function owners(
  network: string,
  addresses: readonly string[],
  threshold = 1,
  chain = 'p-chain',
): View {
  const links = addresses.map((address) =>
    h(
      'div',
      { class: 'lines' },
      idLink(to('primary', network, 'address', address), address, shortAddress(chain, address)),
    ),
  )
  return threshold > 1
    ? [...links, h('small', { class: 'quiet' }, `${threshold} of ${addresses.length} must sign`)]
    : links
}

/** Transactions, one a row. */
export function txRows(
  network: string,
  chain: string,
  transactions: readonly PrimaryNetworkTransaction[],
): JSX.Element {
  return rowTable(transactions, [
    [
      'Transaction',
      '',
      ({ txHash }) => idLink(to('primary', network, 'tx', chain, txHash), txHash),
    ],
    ['Block', 'num wide', (tx) => blockOf(network, chain, tx)],
    ['Time', 'wide', (tx) => age(tx.blockTimestamp ?? tx.timestamp ?? 0)],
    ['What happened', 'told', (tx) => h('span', { title: shortType(tx.txType) }, whatHappened(tx))],
    ['Fee burned', 'num wide', (tx) => assetSums(feeBurned(tx))],
  ])
}

/** Link to a block. */
export function blockLink(network: string, chain: string, height: string): JSX.Element {
  return h('a', { href: to('primary', network, 'block', chain, height) }, count(height))
}

/** Link to the block of a transaction; empty where it is in none. */
export function blockOf(network: string, chain: string, tx: PrimaryNetworkTransaction): View {
  const height = tx.blockNumber ?? String(tx.blockHeight ?? '')
  return height === '' ? '' : blockLink(network, chain, height)
}

/** UTXOs, one a row. */
export function utxoRows(network: string, chain: string, utxos: readonly Utxo[]): JSX.Element {
  return table(
    [['Output'], ['Owners'], ['Type', 'wide'], ['State', 'wide'], ['Amount', 'num']],
    utxos.map((utxo) => [
      h('span', null, [
        idLink(
          to('primary', network, 'tx', chain, utxo.txHash ?? utxo.creationTxHash ?? ''),
          utxo.txHash ?? utxo.creationTxHash ?? '',
        ),
        h('span', { class: 'quiet' }, ` : ${utxo.outputIndex}`),
      ]),
      owners(network, utxo.addresses, utxo.threshold, chain),
      utxo.utxoType.toLowerCase(),
      stateOf(network, chain, utxo),
      assetSum(utxo.asset),
    ]),
  )
}

function stateOf(network: string, chain: string, utxo: Utxo): View {
  if (utxo.consumingTxHash !== undefined) {
    return idLink(
      to('primary', network, 'tx', chain, utxo.consumingTxHash),
      utxo.consumingTxHash,
      'spent',
    )
  }
  if (utxo.staked === true) return pill('staked', 'busy')
  const until = Math.max(
    utxo.platformLocktime ?? 0,
    utxo.stakeableLocktime ?? 0,
    utxo.locktime ?? 0,
  )
  return until * 1_000 > now()
    ? h('span', null, 'locked, unlocks ', age(until))
    : pill('unspent', 'good')
}

/** The contract that decides on an L1's validators, and its chain. */
export function managerFacts(
  world: World,
  manager: L1ValidatorManagerDetails | undefined,
): [string, View][] {
  if (manager === undefined) return []
  const { blockchainId, contractAddress } = manager
  const served = chainOf(world, blockchainId)
  return [
    [
      'Validator manager',
      copied(contractAddress, served && to('chain', served.chainId, 'address', contractAddress)),
    ],
    [
      'Manager chain',
      served === undefined
        ? copied(blockchainId)
        : h('a', { href: to('chain', served.chainId) }, visible(served.chainName)),
    ],
  ]
}

type L1ValidatorRow = Pick<
  L1Validator,
  'validationId' | 'nodeId' | 'subnetId' | 'weight' | 'remainingBalance'
>

/** Validators of L1s, one a row, without the column that a page says already. */
export function l1ValidatorRows(
  { world, network }: { readonly world: World; readonly network: string },
  validators: readonly L1ValidatorRow[],
  omitted: 'Node' | 'L1' | '' = '',
): JSX.Element {
  const columns: RowColumn<L1ValidatorRow>[] = [
    ['L1', '', (one) => subnetLink(network, one.subnetId, chainsOfSubnet(world, one.subnetId))],
    ['Node', '', ({ nodeId }) => nodeLink(network, nodeId)],
    [
      'Validation',
      'wide',
      ({ validationId: id }) => idLink(to('primary', network, 'validation', id), id),
    ],
    ['Weight', 'num', (one) => count(one.weight)],
    ['Balance', 'num', (one) => coins(String(one.remainingBalance), 9, 'AVAX')],
  ]
  return rowTable(
    validators,
    columns.filter(([title]) => title !== omitted),
  )
}
