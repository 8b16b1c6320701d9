/** Subnets, chains, L1 validations and their fees, assets, transactions. */

import { parsePrimaryAddress } from '../../core/address.ts'
import { to0x, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { isRefusal, listIn, nodePaths } from '../../source/primary/node-api.ts'
import { listBlockchains } from '../../store/query/primary/blockchains.ts'
import {
  accruedFees,
  listL1Validators,
  type StoredL1Validator,
} from '../../store/query/primary/l1-validators.ts'
import { listSubnets } from '../../store/query/primary/subnets.ts'
import { everyAsset, feeState, transactionIds } from '../../store/query/primary/whole-state.ts'
import { progressBody } from '../../store/schema/primary-bodies.ts'
import { heightOfBlock, blockOfPos, posRangeOf } from '../../store/schema/primary-position.ts'
import { objectIn, spread, type Subject } from './subject.ts'

const everything = { order: 'asc', after: undefined, limit: Number.MAX_SAFE_INTEGER } as const

/** Compares all of it. */
export async function checkSubnets(subject: Subject): Promise<void> {
  await checkOwners(subject)
  await checkChains(subject)
  await checkL1Validators(subject)
  await checkFees(subject)
  await checkAssets(subject)
  await checkAtomic(subject)
  await checkStatuses(subject)
}

async function checkOwners({ network, node, report, signal }: Subject): Promise<void> {
  for (const subnet of await listSubnets(network.store, everything)) {
    const id = toCb58(subnet.subnetId)
    const reply = await node.ask(nodePaths.P, 'platform.getSubnet', { subnetID: id }, signal)
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
    if (conversion === undefined) continue
    report.compare('L1 managers', id, toCb58(conversion.managerChainId), reply['managerChainID'])
    const manager = reply['managerAddress']
    report.compare('L1 manager addresses', id, to0x(conversion.managerAddress), manager)
  }
}

async function checkChains({ network, node, report, signal }: Subject): Promise<void> {
  const reply = await node.ask(nodePaths.P, 'platform.getBlockchains', {}, signal)
  const theirs = listIn(reply, 'blockchains').map((item) => {
    const chain = objectIn(item)
    return `${chain['id']} ${chain['subnetID']} ${chain['vmID']} ${chain['name']}`
  })
  const chains = await listBlockchains(network.store, everything)
  const ours = chains.map(
    (chain) =>
      `${toCb58(chain.blockchainId)} ${toCb58(chain.subnetId)} ${toCb58(chain.vmId)} ${chain.name}`,
  )
  report.compareSets('blockchains', 'all', ours, theirs)
}

async function checkL1Validators(subject: Subject): Promise<void> {
  const { network, node, report, signal } = subject
  const fees = await accruedFees(network.store)
  const all = await listL1Validators(network.store, {
    includeInactive: true,
    after: undefined,
    limit: Number.MAX_SAFE_INTEGER,
  })
  for (const ours of all) {
    const id = toCb58(ours.validationId)
    const theirs = await node.ask(
      nodePaths.P,
      'platform.getL1Validator',
      { validationID: id },
      signal,
    )
    const compare = (name: string, our: unknown): void =>
      report.compare(`L1 validators: ${name}`, id, our, theirs[name])
    compare('subnetID', toCb58(ours.subnetId))
    compare('nodeID', toNodeId(ours.nodeId))
    compare('weight', ours.weight)
    compare('startTime', ours.startTime)
    compare('minNonce', ours.minNonce)
    compare('balance', balanceOf(ours, fees))
    compare('publicKey', to0x(ours.publicKey))
  }
}

function balanceOf(of: StoredL1Validator, fees: bigint): bigint {
  return of.active ? of.endAccumulatedFee - fees : 0n
}

async function checkFees({ network, node, report, signal }: Subject): Promise<void> {
  const bytes = await feeState(network.store)
  if (bytes === undefined) return
  const ours = progressBody.fromBytes(bytes)
  const theirs = await node.ask(nodePaths.P, 'platform.getValidatorFeeState', {}, signal)
  report.compare('fee state', 'excess', ours.l1FeeExcess, theirs['excess'])
  const seconds = Date.parse(String(theirs['timestamp'])) / 1_000
  report.compare('fee state', 'chain time', ours.time, seconds)
}

async function checkAssets({ network, node, report, signal }: Subject): Promise<void> {
  for (const asset of await everyAsset(network.store)) {
    const id = toCb58(asset.assetId)
    const theirs = await node.ask(nodePaths.X, 'avm.getAssetDescription', { assetID: id }, signal)
    report.compare('X assets', id, asset.name, theirs['name'])
    report.compare('X assets', id, asset.symbol, theirs['symbol'])
    report.compare('X assets', id, asset.denomination, theirs['denomination'])
  }
}

/** Atomic transactions of the C-Chain stand where the node says. */
async function checkAtomic({ network, node, report, signal, sample }: Subject): Promise<void> {
  const limit = Number.MAX_SAFE_INTEGER
  const all = await transactionIds(network.store, { ...posRangeOf('C'), limit })
  for (const { pos, txId } of spread(all, sample * 4)) {
    const id = toCb58(txId)
    const asked = { txID: id, encoding: 'hexnc' }
    const reply = await node.tryAsk(nodePaths.cAtomic, 'avax.getAtomicTx', asked, signal)
    if (isRefusal(reply)) report.compare('C atomic transactions', id, 'known', 'unknown')
    else {
      const height = heightOfBlock(blockOfPos(pos))
      report.compare('C atomic transactions', id, height, reply['blockHeight'])
    }
  }
}

/** Proposals voted down and all others, as the node files them. */
async function checkStatuses({ network, node, report, signal, sample }: Subject): Promise<void> {
  const limit = Number.MAX_SAFE_INTEGER
  const all = await transactionIds(network.store, { ...posRangeOf('P'), limit })
  const later = all.filter(({ pos }) => heightOfBlock(blockOfPos(pos)) > 0)
  const aborted = later.filter(({ committed }) => !committed)
  const some = new Set([...spread(later, sample * 4), ...spread(aborted, sample)])
  for (const { txId, committed } of some) {
    const id = toCb58(txId)
    const reply = await node.ask(nodePaths.P, 'platform.getTxStatus', { txID: id }, signal)
    report.compare('P transactions', id, committed ? 'Committed' : 'Aborted', reply['status'])
  }
}
