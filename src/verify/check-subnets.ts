/** Subnets, chains, L1 validations and their fees, assets, transactions. */

import { parsePrimaryAddress } from '../core/address.ts'
import { keyOf, to0x, toHex } from '../core/bytes.ts'
import { toCb58, toNodeId } from '../core/cb58.ts'
import { ownValue } from '../core/json.ts'
import { isRefusal, nodePaths } from '../source/primary/node-api.ts'
import { listIn, replyOf } from '../source/rpc/node-text.ts'
import {
  accruedFees,
  listL1Validators,
  type StoredL1Validator,
} from '../store/query/primary/l1-validators.ts'
import { listBlockchains, listSubnets, type StoredSubnet } from '../store/query/primary/network.ts'
import { everyAsset, feeState, transactionIds } from '../store/query/primary/whole-state.ts'
import { progressBody } from '../store/schema/primary/bodies.ts'
import { heightOfBlock, blockOfPos, posRangeOf } from '../store/schema/primary/position.ts'
import type { Report } from './report.ts'
import { oncePerHeight, type Part, spread, type Subject } from './subject.ts'

const everything = { order: 'asc', after: undefined, limit: Number.MAX_SAFE_INTEGER } as const

/**
 * All of it.
 *
 * @yields A part per question to the node.
 */
export async function* subnetParts(subject: Subject): AsyncGenerator<Part> {
  const { store } = subject.network
  const subnetsAt = oncePerHeight(() => listSubnets(store, everything))
  for (const { subnetId } of await listSubnets(store, everything))
    yield {
      name: 'subnet owners',
      chains: ['P'],
      compare: async (attempt) => {
        const all = await subnetsAt(attempt.heights)
        for (const subnet of all.filter((one) => keyOf(one.subnetId) === keyOf(subnetId)))
          await compareSubnet(subject, subnet, attempt.report)
      },
    }
  yield {
    name: 'blockchains',
    chains: ['P'],
    compare: ({ report }) => compareChains(subject, report),
  }
  yield* l1Parts(subject)
  yield { name: 'fee state', chains: ['P'], compare: ({ report }) => compareFees(subject, report) }
  for (const asset of await everyAsset(store))
    yield {
      name: 'X assets',
      chains: [],
      compare: ({ report }) => compareAsset(subject, asset, report),
    }
  yield* atomicParts(subject)
  yield* statusParts(subject)
}

async function compareSubnet(
  { network, node, signal }: Subject,
  subnet: StoredSubnet,
  report: Report,
): Promise<void> {
  const id = toCb58(subnet.subnetId)
  const reply = await node.call(nodePaths.P, 'platform.getSubnet', { subnetID: id }, signal)
  const keys = listIn(reply, 'controlKeys').map((key) =>
    toHex(parsePrimaryAddress(String(key), network.hrp)),
  )
  report.compareSets('subnet owners', id, subnet.owner.addresses.map(toHex), keys)
  report.compare('subnet thresholds', id, subnet.owner.threshold, reply['threshold'])
  const { conversion } = subnet
  report.compare(
    'subnet conversions',
    id,
    toCb58(conversion?.conversionId ?? new Uint8Array(32)),
    reply['conversionID'],
  )
  if (conversion === undefined) return
  report.compare('L1 managers', id, toCb58(conversion.managerChainId), reply['managerChainID'])
  const manager = reply['managerAddress']
  report.compare('L1 manager addresses', id, to0x(conversion.managerAddress), manager)
}

async function compareChains({ network, node, signal }: Subject, report: Report): Promise<void> {
  const reply = await node.call(nodePaths.P, 'platform.getBlockchains', {}, signal)
  const theirs = listIn(reply, 'blockchains').map((item) => {
    const chain = replyOf(item, 'item')
    return `${chain['id']} ${chain['subnetID']} ${chain['vmID']} ${chain['name']}`
  })
  const chains = await listBlockchains(network.store, everything)
  const ours = chains.map(
    (chain) =>
      `${toCb58(chain.blockchainId)} ${toCb58(chain.subnetId)} ${toCb58(chain.vmId)} ${chain.name}`,
  )
  report.compareSets('blockchains', 'all', ours, theirs)
}

async function* l1Parts(subject: Subject): AsyncGenerator<Part> {
  const { store } = subject.network
  const read = (): Promise<StoredL1Validator[]> =>
    listL1Validators(store, {
      includeInactive: true,
      after: undefined,
      limit: Number.MAX_SAFE_INTEGER,
    })
  const allAt = oncePerHeight(read)
  for (const { id } of await read())
    yield {
      name: 'L1 validators',
      chains: ['P'],
      compare: async ({ heights, report }) => {
        const ours = (await allAt(heights)).find((one) => one.id === id)
        // One that was removed meanwhile is in no state.
        if (ours !== undefined) await compareL1Validator(subject, ours, report)
      },
    }
}

async function compareL1Validator(
  { network, node, signal }: Subject,
  ours: StoredL1Validator,
  report: Report,
): Promise<void> {
  const id = toCb58(ours.validationId)
  const fees = await accruedFees(network.store)
  const parameters = { validationID: id }
  const theirs = await node.call(nodePaths.P, 'platform.getL1Validator', parameters, signal)
  const compare = (name: string, our: unknown): void =>
    report.compare(`L1 validators: ${name}`, id, our, ownValue(theirs, name))
  compare('subnetID', toCb58(ours.subnetId))
  compare('nodeID', toNodeId(ours.nodeId))
  compare('weight', ours.weight)
  compare('startTime', ours.startTime)
  compare('minNonce', ours.minNonce)
  compare('balance', ours.active ? ours.endAccumulatedFee - fees : 0n)
  compare('publicKey', to0x(ours.publicKey))
}

async function compareFees({ network, node, signal }: Subject, report: Report): Promise<void> {
  const bytes = await feeState(network.store)
  if (bytes === undefined) return
  const ours = progressBody.fromBytes(bytes)
  const theirs = await node.call(nodePaths.P, 'platform.getValidatorFeeState', {}, signal)
  report.compare('fee state', 'excess', ours.l1FeeExcess, theirs['excess'])
  const seconds = Date.parse(String(theirs['timestamp'])) / 1_000
  report.compare('fee state', 'chain time', ours.time, seconds)
}

async function compareAsset(
  { node, signal }: Subject,
  asset: Awaited<ReturnType<typeof everyAsset>>[number],
  report: Report,
): Promise<void> {
  const id = toCb58(asset.assetId)
  const theirs = await node.call(nodePaths.X, 'avm.getAssetDescription', { assetID: id }, signal)
  report.compare('X assets', id, asset.name, theirs['name'])
  report.compare('X assets', id, asset.symbol, theirs['symbol'])
  report.compare('X assets', id, asset.denomination, theirs['denomination'])
}

/**
 * Atomic transactions of the C-Chain stand where the node says.
 *
 * @yields A part per transaction.
 */
async function* atomicParts({ network, node, signal, sample }: Subject): AsyncGenerator<Part> {
  const limit = Number.MAX_SAFE_INTEGER
  const all = await transactionIds(network.store, { ...posRangeOf('C'), limit })
  for (const { pos, txId } of spread(all, sample * 4)) {
    const id = toCb58(txId)
    const name = 'C atomic transactions'
    const compare: Part['compare'] = async ({ report }) => {
      const parameters = { txID: id, encoding: 'hexnc' }
      const reply = await node.tryCall(nodePaths.cAtomic, 'avax.getAtomicTx', parameters, signal)
      if (isRefusal(reply)) report.compare(name, id, 'known', 'unknown')
      else report.compare(name, id, heightOfBlock(blockOfPos(pos)), reply['blockHeight'])
    }
    yield { name, chains: [], compare }
  }
}

/**
 * Proposals voted down and all others, as the node files them.
 *
 * @yields A part per transaction.
 */
async function* statusParts({ network, node, signal, sample }: Subject): AsyncGenerator<Part> {
  const limit = Number.MAX_SAFE_INTEGER
  const all = await transactionIds(network.store, { ...posRangeOf('P'), limit })
  const later = all.filter(({ pos }) => heightOfBlock(blockOfPos(pos)) > 0)
  const aborted = later.filter(({ committed }) => !committed)
  const some = new Set([...spread(later, sample * 4), ...spread(aborted, sample)])
  for (const { txId, committed } of some) {
    const id = toCb58(txId)
    const name = 'P transactions'
    const compare: Part['compare'] = async ({ report }) => {
      const reply = await node.call(nodePaths.P, 'platform.getTxStatus', { txID: id }, signal)
      report.compare(name, id, committed ? 'Committed' : 'Aborted', reply['status'])
    }
    yield { name, chains: [], compare }
  }
}
