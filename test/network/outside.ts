/**
 * Holds a running Firn against the nodes of its network, without a line of the product.
 *
 *     node outside.ts <URL of the API> <URL of a node> <path of the L1's RPC>
 *
 * Every block and transaction of all chains, and the present state. State is compared while no
 * block comes. Prints every difference, then one line of JSON with the counts by kind; exit code 1
 * when there is any difference.
 */

import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { drawsOf } from '../support/processes/draws.ts'
import { list, nodeAt, type JsonObject } from './node-rpc.ts'
import { cb58, sha256 } from './outside-ids.ts'
import { factsOfAnswer, messagesOfLogs } from './outside-messages.ts'
import { stakingFacts } from './outside-staking.ts'

const [api = '', nodeUrl = '', l1Path = ''] = process.argv.slice(2)
const node = nodeAt(nodeUrl)
const entry = fileURLToPath(new URL('../../bin/firn.js', import.meta.url))
const zeroId = '11111111111111111111111111111111LpoYY'
const cPath = '/ext/bc/C/rpc'
const network = '/v1/networks/fuji'

type Counts = Map<string, { compared: number; differences: number }>

let counts: Counts = new Map()
let differences: string[] = []

function compare(kind: string, subject: string, ours: unknown, theirs: unknown): void {
  const count = counts.get(kind) ?? { compared: 0, differences: 0 }
  counts.set(kind, count)
  count.compared++
  const [left, right] = [JSON.stringify(ours), JSON.stringify(theirs)]
  if (left === right) return
  count.differences++
  differences.push(`${kind}, ${subject}: API ${left}, node ${right}`)
}

function compareSets(kind: string, ours: Iterable<string>, theirs: Iterable<string>): void {
  const [left, right] = [new Set(ours), new Set(theirs)]
  for (const one of new Set([...left, ...right])) compare(kind, one, left.has(one), right.has(one))
}

/** Text or a number as text. */
function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function get(path: string): Promise<JsonObject> {
  const reply = await fetch(`${api}${path}`)
  const body = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${body}`)
  return JSON.parse(body) as JsonObject
}

/** All pages of a list. */
async function all(path: string, key: string, body?: object): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  for (let token = ''; ;) {
    const sign = path.includes('?') ? '&' : '?'
    const url = `${api}${path}${sign}pageSize=100${token === '' ? '' : `&pageToken=${encodeURIComponent(token)}`}`
    const reply = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    })
    const answer = (await reply.json()) as JsonObject
    if (reply.status !== 200) throw new Error(`${url}: ${JSON.stringify(answer)}`)
    items.push(...list(answer, key))
    if (typeof answer['nextPageToken'] !== 'string' || answer['nextPageToken'] === '') return items
    token = answer['nextPageToken']
  }
}

type Place = {
  readonly txId: string
  readonly index: number
  readonly utxoId: string
  readonly amount: string
}

/** A UTXO in the node's hex: version, transaction, index, asset, then the output with its type. */
function utxoOf(hex: string): Place {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  const [txId, index, type] = [
    bytes.subarray(2, 34),
    bytes.readUInt32BE(34),
    bytes.readUInt32BE(70),
  ]
  const place = Buffer.concat([Buffer.alloc(4), bytes.subarray(34, 38), txId])
  // Rights to mint and properties have no amount, NFTs neither; what only staking opens has a lock first.
  const amount =
    type === 7 ? bytes.readBigUInt64BE(74) : type === 22 ? bytes.readBigUInt64BE(86) : 0n
  return { txId: cb58(txId), index, utxoId: cb58(sha256(place)), amount: String(amount) }
}

async function nodeUtxos(chain: 'P' | 'X', addresses: readonly string[]): Promise<Place[]> {
  const method = chain === 'P' ? 'platform.getUTXOs' : 'avm.getUTXOs'
  const reply = await node.call(`/ext/bc/${chain}`, method, {
    addresses: addresses.map((address) => `${chain}-${address}`),
    limit: 1_024,
    encoding: 'hexnc',
  })
  const found = (reply['utxos'] as string[]).map(utxoOf)
  if (found.length >= 1_024) throw new Error('more UTXOs than one question tells')
  return found
}

async function heights(): Promise<JsonObject> {
  const [p, x, c, l1] = [
    await node.call('/ext/bc/P', 'platform.getHeight'),
    await node.call('/ext/bc/X', 'avm.getHeight'),
    await node.ask(cPath, 'eth_blockNumber', []),
    await node.ask(l1Path, 'eth_blockNumber', []),
  ]
  return { p: Number(p['height']), x: Number(x['height']), c: Number(c), l1: Number(l1) }
}

/** The transactions of a block in the node's JSON. */
function transactionsIn(block: JsonObject): JsonObject[] {
  const { txs, transactions, tx } = block
  const lists = [txs, transactions].flatMap((one) =>
    Array.isArray(one) ? (one as JsonObject[]) : [],
  )
  return [...lists, ...(tx === undefined ? [] : [tx as JsonObject])]
}

type History = {
  readonly addresses: ReadonlySet<string>
  readonly stakes: readonly string[]
  /** As the node tells them, in their order. */
  readonly transactions: readonly JsonObject[]
}

/** Blocks and transactions of P or X, one by one. */
async function compareLedger(chain: 'P' | 'X', height: number): Promise<History> {
  const addresses = new Set<string>()
  const stakes: string[] = []
  const transactions: JsonObject[] = []
  const [path, service] = [`/ext/bc/${chain}`, chain === 'P' ? 'platform' : 'avm']
  const ours = `${network}/blockchains/${chain.toLowerCase()}-chain`
  let parentHash = ''
  for (let at = 1; at <= height; at++) {
    const params = { height: at, encoding: 'json' }
    const reply = await node.call(path, `${service}.getBlockByHeight`, params)
    const theirs = reply['block'] as JsonObject
    for (const [, address = ''] of JSON.stringify(theirs).matchAll(/"[PX]-([a-z]+1[a-z0-9]+)"/g))
      addresses.add(address)
    const block = await get(`${ours}/blocks/${at}`)
    transactions.push(...transactionsIn(theirs))
    const ids = transactionsIn(theirs).map(({ id }) => String(id))
    compare(`${chain} blocks: parent`, String(at), block['parentHash'], theirs['parentID'])
    compare(`${chain} blocks: transactions`, String(at), block['transactions'], ids)
    if (at > 1) compare(`${chain} blocks: hash`, String(at - 1), parentHash, theirs['parentID'])
    parentHash = String(block['blockHash'])
    for (const id of ids) {
      const transaction = await get(`${ours}/transactions/${id}`)
      const status = (await node.call(path, `${service}.getTxStatus`, { txID: id }))['status']
      const said = transaction['status'] ?? (chain === 'P' ? 'Committed' : 'Accepted')
      compare(`${chain} transactions: status`, id, said, status)
      const number = transaction['blockNumber'] ?? String(transaction['blockHeight'])
      compare(`${chain} transactions: block`, id, number, String(at))
      if (/Permissionless|AutoRenewedValidatorTx/.test(String(transaction['txType'])))
        stakes.push(id)
    }
  }
  return { addresses, stakes, transactions }
}

async function compareUtxos(chain: 'P' | 'X', addresses: readonly string[]): Promise<void> {
  const path = `${network}/blockchains/${chain.toLowerCase()}-chain/utxos`
  const listed = await all(path, 'utxos', { addresses: addresses.join(',') })
  const ours = listed.filter(
    (utxo) =>
      utxo['consumingTxHash'] === undefined &&
      utxo['staked'] !== true &&
      utxo['createdOnChainId'] === utxo['consumedOnChainId'],
  )
  const theirs = await nodeUtxos(chain, addresses)
  const textOf = (txId: unknown, index: unknown, amount: unknown): string =>
    `${String(txId)} ${String(index)} ${String(amount)}`
  compareSets(
    `${chain} UTXOs`,
    ours.map((utxo) => {
      const { amount } = (utxo['asset'] ?? {}) as JsonObject
      return textOf(utxo['txHash'] ?? utxo['creationTxHash'], utxo['outputIndex'], amount)
    }),
    theirs.map(({ txId, index, amount }) => textOf(txId, index, amount)),
  )
}

function sumOf(balances: JsonObject, ...categories: readonly string[]): string {
  const amounts = categories.flatMap((name) => list(balances, name).map(({ amount }) => amount))
  return String(amounts.reduce<bigint>((sum, amount) => sum + BigInt(String(amount)), 0n))
}

async function compareBalances(addresses: readonly string[]): Promise<void> {
  const joined = addresses.map((address) => `P-${address}`)
  const path = `${network}/blockchains/p-chain/balances?addresses=${joined.join(',')}`
  const ours = (await get(path))['balances'] as JsonObject
  const theirs = await node.call('/ext/bc/P', 'platform.getBalance', { addresses: joined })
  const stake = await node.call('/ext/bc/P', 'platform.getStake', { addresses: joined })
  const [assetId = ''] = Object.keys((theirs['unlockeds'] ?? {}) as JsonObject)
  const amountOf = (of: JsonObject, name: string): string =>
    word(((of[name] ?? {}) as JsonObject)[assetId] ?? '0')
  compare(
    'P balances: unlocked',
    'all',
    sumOf(ours, 'unlockedUnstaked'),
    amountOf(theirs, 'unlockeds'),
  )
  const stakeable = amountOf(theirs, 'lockedStakeables')
  compare('P balances: stakeable', 'all', sumOf(ours, 'lockedStakeable'), stakeable)
  const locked = amountOf(theirs, 'lockedNotStakeables')
  compare('P balances: locked', 'all', sumOf(ours, 'lockedPlatform'), locked)
  const staked = sumOf(ours, 'unlockedStaked', 'lockedStaked', 'pendingStaked')
  compare('P balances: staked', 'all', staked, amountOf(stake, 'stakeds'))
}

async function compareValidators(): Promise<void> {
  const path = `${network}/validators?validationStatus=active&subnetId=${zeroId}`
  const ours = new Map((await all(path, 'validators')).map((one) => [String(one['txHash']), one]))
  const reply = await node.call('/ext/bc/P', 'platform.getCurrentValidators')
  const theirs = list(reply, 'validators')
  compareSets(
    'validators',
    ours.keys(),
    theirs.map(({ txID }) => String(txID)),
  )
  for (const validator of theirs) {
    const id = String(validator['txID'])
    const said = ours.get(id) ?? {}
    const check = (field: string, theirField: string): void =>
      compare(`validators: ${field}`, id, word(said[field] ?? 0), word(validator[theirField]))
    check('nodeId', 'nodeID')
    check('amountStaked', 'weight')
    check('startTimestamp', 'startTime')
    check('endTimestamp', 'endTime')
    check('delegatorCount', 'delegatorCount')
    check('amountDelegated', 'delegatorWeight')
  }
}

async function compareSubnets(): Promise<void> {
  const ours = await all(`${network}/subnets`, 'subnets')
  const reply = await node.call('/ext/bc/P', 'platform.getSubnets')
  const ids = list(reply, 'subnets').map(({ id }) => String(id))
  compareSets(
    'subnets',
    ours.map(({ subnetId }) => String(subnetId)),
    ids.filter((id) => id !== zeroId),
  )
  for (const subnet of ours) {
    const id = String(subnet['subnetId'])
    const theirs = await node.call('/ext/bc/P', 'platform.getSubnet', { subnetID: id })
    compare('subnets: L1', id, subnet['isL1'], theirs['conversionID'] !== zeroId)
    compare('subnets: threshold', id, String(subnet['threshold']), theirs['threshold'])
    const owners = (theirs['controlKeys'] as string[]).map((key) => key.slice(2)).toSorted()
    compare(
      'subnets: owners',
      id,
      (subnet['ownerAddresses'] as string[]).map(bare).toSorted(),
      owners,
    )
    await compareL1(id)
  }
  const chains = await all(`${network}/blockchains`, 'blockchains')
  const theirs = list(await node.call('/ext/bc/P', 'platform.getBlockchains'), 'blockchains')
  compareSets(
    'blockchains',
    chains.map(
      (one) => `${one['blockchainId']} ${one['blockchainName']} ${one['subnetId']} ${one['vmId']}`,
    ),
    theirs.map((one) => `${one['id']} ${one['name']} ${one['subnetID']} ${one['vmID']}`),
  )
}

function bare(address: string): string {
  return address.replace(/^[PX]-/, '')
}

async function compareL1(subnetId: string): Promise<void> {
  const path = `${network}/l1Validators?includeInactiveL1Validators=true&subnetId=${subnetId}`
  const ours = await all(path, 'validators')
  const params = { subnetID: subnetId }
  const reply = await node.call('/ext/bc/P', 'platform.getCurrentValidators', params)
  const theirs = list(reply, 'validators').filter(({ validationID }) => validationID !== undefined)
  compareSets(
    'L1 validators',
    ours
      .filter(({ weight }) => weight !== 0)
      .map(
        (one) =>
          `${one['validationId']} ${one['nodeId']} ${one['weight']} ${one['remainingBalance']}`,
      ),
    theirs.map(
      (one) => `${one['validationID']} ${one['nodeID']} ${one['weight']} ${one['balance']}`,
    ),
  )
}

async function compareRewards(
  addresses: readonly string[],
  stakes: readonly string[],
): Promise<void> {
  const path = `${network}/rewards?addresses=${addresses.map((one) => `P-${one}`).join(',')}`
  const ours = await all(path, 'historicalRewards')
  const theirs: Place[] = []
  for (const txID of stakes) {
    const params = { txID, encoding: 'hexnc' }
    const reply = await node.call('/ext/bc/P', 'platform.getRewardUTXOs', params)
    theirs.push(...((reply['utxos'] ?? []) as string[]).map(utxoOf))
  }
  compareSets(
    'rewards',
    ours.map((one) => `${one['utxoId']} ${((one['reward'] ?? {}) as JsonObject)['amount']}`),
    theirs.map(({ utxoId, amount }) => `${utxoId} ${amount}`),
  )
  const exported = await exportedRewards(addresses)
  compareSets(
    'exported rewards',
    exported.map((one) => `${one['utxoId']} ${((one['reward'] ?? {}) as JsonObject)['amount']}`),
    theirs.map(({ utxoId, amount }) => `${utxoId} ${amount}`),
  )
}

/** Rows of `firn export` of rewards, as an accountant gets them. */
async function exportedRewards(addresses: readonly string[]): Promise<JsonObject[]> {
  const path = `/v1/networks/fuji/rewards?addresses=${addresses.map((one) => `P-${one}`).join(',')}`
  const words = ['export', path, '--url', api, '--format', 'ndjson']
  const { stdout } = await promisify(execFile)(process.execPath, [entry, ...words])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** An EVM chain: every block, transaction and receipt, then transfers and balances. */
async function compareEvm(name: string, path: string, height: number): Promise<void> {
  const chainId = Number(await node.ask(path, 'eth_chainId', []))
  const ours = `/v1/chains/${chainId}`
  const parties = new Set<string>()
  for (let at = 0; at <= height; at++) {
    const number = `0x${at.toString(16)}`
    const nodeBlock = (await node.ask(path, 'eth_getBlockByNumber', [number, true])) as JsonObject
    const block = await get(`${ours}/blocks/${at}`)
    compare(`${name} blocks: hash`, number, block['blockHash'], nodeBlock['hash'])
    compare(`${name} blocks: parent`, number, block['parentHash'], nodeBlock['parentHash'])
    compare(`${name} blocks: gas`, number, block['gasUsed'], String(Number(nodeBlock['gasUsed'])))
    const theirs = list(nodeBlock, 'transactions')
    const listed = list(await get(`${ours}/blocks/${at}/transactions`), 'transactions')
    const hashes = theirs.map(({ hash }) => hash)
    compare(
      `${name} blocks: transactions`,
      number,
      listed.map(({ txHash }) => txHash),
      hashes,
    )
    for (const transaction of theirs)
      await compareTransaction({ name, path, ours }, transaction, parties)
  }
  const range = { fromBlock: '0x0', toBlock: `0x${height.toString(16)}`, topics: [transferTopic] }
  const logs = (await node.ask(path, 'eth_getLogs', [range])) as JsonObject[]
  for (const address of new Set(logs.map((log) => String(log['address'])))) {
    const transfers = await all(`${ours}/tokens/${address}/transfers`, 'transfers')
    compareSets(
      `${name} token transfers`,
      transfers.map((one) => `${one['txHash']} ${one['logIndex']} ${one['value']}`),
      logs
        .filter((log) => log['address'] === address)
        .map(
          (log) =>
            `${log['transactionHash']} ${Number(log['logIndex'])} ${BigInt(String(log['data']))}`,
        ),
    )
  }
  await compareLogs(name, path, { ours, height })
  for (const address of parties) {
    const balance = await node.ask(path, 'eth_getBalance', [address, 'latest'])
    const said = await get(`${ours}/addresses/${address}/balances:getNative`)
    const { balance: shown } = said['nativeTokenBalance'] as JsonObject
    compare(`${name} native balances`, address, shown, String(BigInt(String(balance))))
  }
}

/** `eth_getLogs` of random filters and of odd ones, whole answers and their errors. */
async function compareLogs(
  name: string,
  path: string,
  { ours, height }: { readonly ours: string; readonly height: number },
): Promise<void> {
  const range = { fromBlock: '0x0', toBlock: `0x${height.toString(16)}` }
  const logs = (await node.ask(path, 'eth_getLogs', [range])) as JsonObject[]
  const draw = drawsOf(11).below
  const one = (): JsonObject => logs[draw(logs.length)] ?? {}
  const filters: unknown[] =
    logs.length === 0
      ? []
      : Array.from({ length: 300 }, () => {
          const blocks = [draw(height + 1), draw(height + 1)].toSorted((a, b) => a - b)
          const [fromBlock, toBlock] = blocks.map((at) => `0x${at.toString(16)}`)
          const contracts = Array.from({ length: draw(4) }, () => one()['address'])
          const topics = Array.from({ length: draw(4) }, (_, place) => {
            const some = Array.from({ length: 1 + draw(3) }, () => topicOf(one(), place))
            return [null, some[0], some][draw(3)]
          })
          return {
            fromBlock,
            ...(draw(3) > 0 && { toBlock: draw(4) === 0 ? 'latest' : toBlock }),
            ...(contracts.length > 0 && { address: draw(2) === 0 ? contracts[0] : contracts }),
            ...(topics.length > 0 && { topics }),
          }
        })
  const zero = `0x${'00'.repeat(32)}`
  filters.push(
    range,
    {},
    null,
    { fromBlock: '0x1', toBlock: '0x0' },
    { fromBlock: '0x0', toBlock: '0xffffff' },
    { fromBlock: '0xffffff' },
    { fromBlock: '0x01' },
    { fromBlock: 1 },
    { fromBlock: 'earliest', toBlock: 'safe' },
    { ...range, topics: [[zero, null]] },
    { ...range, topics: [[]] },
    { ...range, topics: [null, null, null, null, null] },
    { ...range, topics: zero },
    { ...range, address: '0x12' },
    { ...range, address: [] },
    { blockHash: zero },
  )
  for (const filter of filters) {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
    const [shown, theirs] = await Promise.all(
      [`${api}${ours}/rpc`, `${nodeUrl}${path}`].map(async (url) => {
        const headers = { 'content-type': 'application/json' }
        const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) })
        return (await reply.text()).trim()
      }),
    )
    compare(`${name} eth_getLogs`, JSON.stringify(filter), shown, theirs)
  }
}

function topicOf(log: JsonObject, place: number): string {
  return (log['topics'] as string[])[place] ?? `0x${'ab'.repeat(32)}`
}

async function compareTransaction(
  { name, path, ours }: { readonly name: string; readonly path: string; readonly ours: string },
  transaction: JsonObject,
  parties: Set<string>,
): Promise<void> {
  const hash = String(transaction['hash'])
  const receipt = (await node.ask(path, 'eth_getTransactionReceipt', [hash])) as JsonObject
  const answer = (await get(`${ours}/transactions/${hash}`))['nativeTransaction'] as JsonObject
  const [from, to] = [answer['from'], answer['to']].map(
    (party) => ((party ?? {}) as JsonObject)['address'],
  )
  const check = (field: string, shown: unknown, theirs: unknown): void =>
    compare(`${name} transactions: ${field}`, hash, String(shown).toLowerCase(), String(theirs))
  check('from', from, transaction['from'])
  // A contract is made by a transaction to nobody.
  check('to', to, transaction['to'] ?? `0x${'0'.repeat(40)}`)
  check('value', answer['value'], BigInt(String(transaction['value'])))
  check('nonce', answer['nonce'], Number(transaction['nonce']))
  check('gas', answer['gasUsed'], Number(receipt['gasUsed']))
  check('status', answer['txStatus'], Number(receipt['status']))
  for (const party of [transaction['from'], transaction['to']])
    if (typeof party === 'string') parties.add(party)
}

/** Heights of the C-Chain with atomic transactions, and what the node says of each of these. */
async function compareAtomic(height: number): Promise<void> {
  const listed = await all(`${network}/blockchains/c-chain/transactions`, 'transactions')
  const withData: string[] = []
  for (let at = 0; at <= height; at++) {
    const number = `0x${at.toString(16)}`
    const block = (await node.ask(cPath, 'eth_getBlockByNumber', [number, false])) as JsonObject
    if (word(block['blockExtraData'] ?? '0x') !== '0x') withData.push(String(at))
  }
  const heightOf = (one: JsonObject): string => String(one['blockNumber'] ?? one['blockHeight'])
  compareSets('C atomic transactions: heights', listed.map(heightOf), withData)
  for (const one of listed) {
    const txID = String(one['txHash'])
    const theirs = await node.call('/ext/bc/C/avax', 'avax.getAtomicTx', { txID, encoding: 'hex' })
    compare('C atomic transactions', txID, heightOf(one), String(theirs['blockHeight']))
  }
}

/** Interchain messages of both EVM chains, field by field. */
async function compareMessages(): Promise<void> {
  const theirs = await messagesOfLogs(node, [cPath, l1Path])
  const listed = await all('/v1/icm/messages', 'messages')
  const ours = new Map(listed.map((one) => [String(one['messageId']), factsOfAnswer(one)]))
  compareSets('messages', ours.keys(), theirs.keys())
  for (const [id, facts] of theirs)
    for (const [name, value] of Object.entries(facts))
      compare(`messages: ${name}`, id, ours.get(id)?.[name as keyof typeof facts], value)
}

/** Everything once; whether no block came meanwhile. */
async function attempt(): Promise<boolean> {
  counts = new Map()
  differences = []
  const before = await heights()
  const p = await compareLedger('P', Number(before['p']))
  const x = await compareLedger('X', Number(before['x']))
  const addresses = [...new Set([...p.addresses, ...x.addresses])]
  await compareUtxos('P', addresses)
  await compareUtxos('X', addresses)
  await compareBalances(addresses)
  await compareValidators()
  await compareSubnets()
  await compareRewards(addresses, p.stakes)
  const utxos = await nodeUtxos('P', addresses)
  const facts = await stakingFacts({ get, all, node, transactions: p.transactions, utxos })
  for (const { kind, subject, ours, theirs } of facts) compare(kind, subject, ours, theirs)
  await compareAtomic(Number(before['c']))
  await compareEvm('C-Chain', cPath, Number(before['c']))
  await compareEvm('L1', l1Path, Number(before['l1']))
  await compareMessages()
  return JSON.stringify(before) === JSON.stringify(await heights())
}

/** Blocks may come, and Firn is a moment behind: then what differed is compared again. */
const tries = 4
for (let at = 1; at <= tries; at++) {
  const stoodStill = await attempt().catch((error: unknown) => {
    if (at === tries) throw error
    return false
  })
  if (stoodStill && differences.length === 0) break
  if (at < tries) await pause(1_000)
}
for (const difference of differences) console.log(`DIFFERENCE ${difference}`)
console.log(JSON.stringify(Object.fromEntries(counts)))
if (differences.length > 0) process.exitCode = 1
