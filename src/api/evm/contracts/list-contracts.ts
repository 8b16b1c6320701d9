/** Contracts: what is known of one, the transaction that created it, those an address deployed, all of a chain. */

import { struct } from '../../../codec/kit.ts'
import { f64, fixed } from '../../../codec/primitives.ts'
import { contractNameOf } from '../../../contracts/standard-input.ts'
import { parseEvmAddress, toChecksumAddress } from '../../../core/address.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { ContractMetadata } from '../../../shape/evm/contract.ts'
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import { newestCounts } from '../../../store/query/evm/balances.ts'
import {
  creationOfContract,
  type DeploymentCursor,
  deployments,
} from '../../../store/query/evm/contracts.ts'
import { transactionAt, type TransactionRow } from '../../../store/query/evm/transactions.ts'
import type { ListedContract } from '../../../store/query/verified-contracts.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import {
  type RequestedPage,
  requestedPage,
  cursorOf,
  nextToken,
  readPage,
} from '../../operation/paging.ts'
import { subjectOf } from '../address-list.ts'
import { tracedHeaders } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import { knownDecimals, type Named, type RichAddressEntry } from '../rich-addresses.ts'
import { money, tokenPricer } from '../tokens/token-views.ts'
import { transactionDetail } from '../transactions/get-transaction.ts'

/**
 * Metadata of a contract. Throws `not-found` for an address that indexing has not seen as a
 * contract.
 */
export function getContract(context: EvmContext): Operation<'getContractMetadata'> {
  return operation(EvmContracts.getContractMetadata, async ({ path }) => {
    const { chain, id } = await subjectOf(context, path)
    const deploymentDetails = id === undefined ? undefined : await deployment(context, chain, id)
    const named = await context.addressBooks(chain).load(id === undefined ? [] : [id])
    const entry = id === undefined ? undefined : named(id)
    if (entry === undefined || (entry.token === undefined && deploymentDetails === undefined))
      throw new Fault('not-found', `contract is not known here: ${path.address}`)
    const view = contractView(entry)
    if (entry.token?.standard === 20) Object.assign(view, await pricesOf(context, chain, entry))
    if (id !== undefined && entry.token !== undefined) {
      const { transfers, holders } = await newestCounts(chain.store, id)
      Object.assign(view, { transferCount: transfers, holderCount: holders })
    }
    if (deploymentDetails !== undefined) view.deploymentDetails = deploymentDetails
    return { body: view, ...(await tracedHeaders(chain)) }
  })
}

const secondsPerDay = 86_400

/** Prices of an ERC-20 token, of now and of the day before, as far as the source has them. */
async function pricesOf(
  { prices, clock }: EvmContext,
  chain: ServedChain,
  { erc20 }: RichAddressEntry,
): Promise<Pick<ContractMetadata, 'price' | 'priceYesterday'>> {
  const { price } = (await tokenPricer(prices, chain, [erc20]))(erc20)
  if (price === undefined) return {}
  const of = [parseEvmAddress(erc20.address)]
  const [before] = await prices.historical({
    chain: chain.facts,
    of,
    currency: 'usd',
    timestamp: Math.floor(clock.now() / 1_000) - secondsPerDay,
  })
  return { price, ...(before === undefined ? {} : { priceYesterday: money(before, 'usd') }) }
}

/** A contract as its token logs show it. */
export function contractView({ address, rich, token, note }: RichAddressEntry): ContractMetadata {
  const view: ContractMetadata = { address, ercType: 'UNKNOWN' }
  if (token !== undefined) {
    view.name = token.name ?? ''
    view.symbol = token.symbol ?? ''
    view.ercType = ercTypeOf(token.standard)
    if (token.standard === 20) Object.assign(view, knownDecimals(token))
    if (token.metadata_at > 0) view.metadataLastUpdatedTimestamp = token.metadata_at
    if (token.inexact_height !== undefined) {
      const { inexact_height: height, inexact_reason: reason = '' } = token
      view.balancesDiffer = { blockNumber: String(height), reason }
    }
  }
  if (rich.label !== undefined) view.label = rich.label
  if (rich.isSpam === true) view.isSpam = true
  if (note?.reputation !== undefined) view.tokenReputation = note.reputation
  if (note?.logoUri !== undefined) view.logoAsset = { imageUri: note.logoUri }
  return view
}

function ercTypeOf(standard: number): ContractMetadata['ercType'] {
  switch (standard) {
    case 20:
      return 'ERC-20'
    case 721:
      return 'ERC-721'
    case 1155:
      return 'ERC-1155'
    default:
      return 'UNKNOWN'
  }
}

async function deployment(
  { addressBooks }: EvmContext,
  chain: ServedChain,
  id: number,
): Promise<ContractMetadata['deploymentDetails']> {
  const creation = await creationOfContract(chain.store, id)
  if (creation === undefined) return undefined
  const transaction = await transactionAt(chain.store, creation.txPos)
  if (transaction === undefined) return undefined
  const { creatorId } = creation
  const named = await addressBooks(chain).load([
    transaction.fromId,
    creatorId ?? transaction.fromId,
  ])
  return deploymentBy(transaction, creatorId, named)
}

/** Who sent the creation, and the contract that created it, if one did. */
function deploymentBy(
  { hash: txHash, fromId }: TransactionRow,
  creatorId: number | undefined,
  named: Named,
): ContractMetadata['deploymentDetails'] {
  const sender = named(fromId)
  const creator = creatorId === undefined ? undefined : named(creatorId)
  return {
    txHash,
    deployerAddress: sender.address,
    deployerLabel: sender.rich.label,
    deployerContractAddress: creator?.address,
    deployerContractLabel: creator?.rich.label,
  }
}

/** The transaction that created a contract. Throws `not-found` where none is known. */
export function getContractDeployment(context: EvmContext): Operation<'getDeploymentTransaction'> {
  return operation(EvmContracts.getDeploymentTransaction, async ({ path, query, signal }) => {
    const { chain, id } = await subjectOf(context, path)
    const creation = id === undefined ? undefined : await creationOfContract(chain.store, id)
    const row =
      creation === undefined ? undefined : await transactionAt(chain.store, creation.txPos)
    if (row === undefined)
      throw new Fault('not-found', `no creation of a contract is known here: ${path.address}`)
    const body = await transactionDetail(context, chain, row, { ...query, signal })
    return { body, ...(await tracedHeaders(chain)) }
  })
}

/** Contracts of an address, newest first; those created inside where traces are read. */
export function listContractDeployments(context: EvmContext): Operation<'listContractDeployments'> {
  return operation(EvmContracts.listContractDeployments, async ({ path, query }) => {
    const { chain, id, binding: subject } = await subjectOf(context, path)
    const route = EvmContracts.listContractDeployments.id
    const page = requestedPage(context.tokens, { route, subject, query, ...cursor })
    return {
      body:
        id === undefined
          ? { contracts: [] }
          : await deploymentPage(context, chain, { ...page, addressId: id }),
    }
  })
}

/** A page of the contracts that were created by an address, or by all. */
async function deploymentPage(
  context: EvmContext,
  chain: ServedChain,
  wanted: RequestedPage<DeploymentCursor> & { readonly addressId: number | undefined },
): Promise<{ contracts: ContractMetadata[]; nextPageToken?: string }> {
  const { addressId, after: from, limit, next } = wanted
  const page = await deployments(chain.store, { addressId, from, limit: limit + 1 })
  const rows = page.rows.slice(0, limit)
  const last = rows.at(-1)
  const end = page.rows.length > limit && last !== undefined ? last : page.goOnAt
  const transactions = new Map(
    await Promise.all(
      rows.map(async ({ txPos }) => [txPos, await transactionAt(chain.store, txPos)] as const),
    ),
  )
  const ids = rows.flatMap(({ contractId, creatorId, txPos }) => [
    contractId,
    creatorId ?? contractId,
    transactions.get(txPos)?.fromId ?? contractId,
  ])
  const named = await context.addressBooks(chain).load(ids)
  return {
    ...next(end),
    contracts: rows.map(({ contractId, creatorId, txPos }) => {
      const view = contractView(named(contractId))
      const transaction = transactions.get(txPos)
      if (transaction === undefined) return view
      return { ...view, deploymentDetails: deploymentBy(transaction, creatorId, named) }
    }),
  }
}

const cursor = cursorOf<DeploymentCursor>(struct({ txPos: f64, place: f64 }))

const place = cursorOf(struct({ verifiedAt: f64, address: fixed(20) }))

/** Contracts that are verified, or all that were created, also inside where traces are read. */
export function listContracts(context: EvmContext): Operation<'listContracts'> {
  const { chains, contracts, addressBooks, tokens } = context
  return operation(EvmContracts.listContracts, async ({ path, query }) => {
    const chain = chains.find(path.chainId)
    const list = {
      route: EvmContracts.listContracts.id,
      subject: { chain: chain.facts.key },
      query,
    }
    if (query.verified !== true) {
      const wanted = requestedPage(tokens, { ...list, ...cursor })
      const page = await deploymentPage(context, chain, { ...wanted, addressId: undefined })
      const addresses = page.contracts.map(({ address }) => fromHex(address))
      const found = await contracts.listed(chain, addresses)
      const names = await contracts.projectNames(chain, addresses)
      const views = page.contracts.map((one, at) => withSource(one, found[at], names[at]))
      return { body: { ...page, contracts: views } }
    }
    const page = await readPage(tokens, {
      ...list,
      ...place,
      rows: (after, limit) => contracts.newest(chain, after, limit),
      cursorOf: ({ verifiedAt, address }) => ({ verifiedAt, address }),
    })
    const found = await Promise.all(
      page.rows.map(async ({ address }) => addressBooks(chain).find(to0x(address))),
    )
    const named = await addressBooks(chain).load(found.flatMap(({ id }) => id ?? []))
    const made = await Promise.all(
      found.map(async ({ id }) => (id === undefined ? undefined : deployment(context, chain, id))),
    )
    const views = page.rows.map((row, at) => {
      const id = found[at]?.id
      const { address, name } = row
      const view: ContractMetadata =
        id === undefined
          ? {
              address: toChecksumAddress(address),
              ercType: 'UNKNOWN',
              label: contractNameOf(name).name,
            }
          : { ...contractView(named(id)), deploymentDetails: made[at] }
      return withSource(view, row)
    })
    return { body: { ...nextToken(page), contracts: views } }
  })
}

function withSource(
  view: ContractMetadata,
  row: ListedContract | undefined,
  name?: string,
): ContractMetadata & {
  source?: { name: string; match: 'full' | 'partial'; verifiedAt: number }
  project?: { name: string }
} {
  if (row === undefined) return name === undefined ? view : { ...view, project: { name } }
  const { runtimeMatch, verifiedAt } = row
  const match = runtimeMatch === 'full' ? 'full' : 'partial'
  return { ...view, source: { name: contractNameOf(row.name).name, match, verifiedAt } }
}
