/**
 * The demo, held against the real nodes it was recorded from, and its signatures against the keys
 * of its validators by another implementation of BLS.
 */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { AvalancheCore } from '@avalanche-sdk/chainkit/core.js'
import { avaxSupplyGet } from '@avalanche-sdk/chainkit/funcs/avaxSupplyGet.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'

import { openNetwork } from '../../src/api/primary/network/networks.ts'
import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { openStore } from '../../src/store/open.ts'
import { oldestLogs } from '../../src/store/query/evm/logs.ts'
import { logStoreTables } from '../../src/store/schema/logs.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import { verifyPrimary } from '../../src/verify/verify-primary.ts'
import { liveWorld } from '../support/chains/live-world.ts'
import { comparedChain, everything } from '../support/nodes/compared-chain.ts'
import { answersIn, recordedMoment, recordedNode } from '../support/nodes/recorded-node.ts'
import { answeringTransport } from '../support/nodes/recorded-rpc.ts'
import {
  demoFolder,
  entry,
  freshFolder,
  run,
  type RunningFirn,
  startDemo,
  until,
  untilDemoServed,
} from '../support/processes/firn-process.ts'
import { readAll } from '../support/services/read-all.ts'
import { freezeLogsAt, segmentFiles } from '../support/stores/freeze-store.ts'

const folder = new URL('../../demo/', import.meta.url)
const cast = JSON.parse(readFileSync(new URL('cast.json', folder), 'utf8')) as Readonly<
  Record<string, string>
>

void test('demo: the recordings that are bundled are six megabytes at most', () => {
  // The package leaves out what tests alone read.
  const names = readdirSync(folder).filter((name) => !/^(chain-|primary-local)/.test(name))
  const total = names.reduce((sum, name) => sum + statSync(new URL(name, folder)).size, 0)
  assert.ok(total > 100_000 && total < 6_000_000, `${total} bytes`)
})

/** What a comparison counted, and where it found a difference. */
type Compared = { readonly counts: ReadonlyMap<string, number>; readonly differ: readonly string[] }

const { signal } = new AbortController()

/** The store of a chain against what another node than that of its blocks answered, for traces too. */
async function chainCompared(dataDir: string, name: string): Promise<Compared> {
  const transport = answeringTransport(readFileSync(new URL(`${name}.firnrec`, folder)))
  // No node is called there: answers come from the recording.
  const node = { url: 'http://recording.invalid', transport }
  const report = await comparedChain(dataDir, `fuji-${name}`, node)
  return { counts: report.counts(), differ: report.differences().map(({ check }) => check) }
}

async function networkCompared(dataDir: string): Promise<Compared> {
  const answers = answersIn(readFileSync(new URL('primary.firnrec', folder)))
  const location = { store: 'embedded', dataDir }
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
  const network = await openNetwork('fuji', store)
  assert.ok(network !== undefined)
  const { report, interrupted } = await verifyPrimary({
    network,
    node: recordedNode(answers),
    // Locks are judged by the moment of the recording.
    clock: { ...liveWorld(1).clock, now: () => recordedMoment(answers) * 1_000 },
    signal,
    sample: everything,
  })
  assert.deepEqual([interrupted, [...report.skipped()]], [[], []])
  await store.close()
  return { counts: report.counts(), differ: report.differences().map(({ check }) => check) }
}

void test('the demo is what its nodes answered, and a change is found', async (t) => {
  const dataDir = await demoFolder(t)
  const compared = async (): Promise<Compared[]> => [
    await chainCompared(dataDir, 'summit'),
    await chainCompared(dataDir, 'harbor'),
    await chainCompared(dataDir, 'c-chain'),
    await networkCompared(dataDir),
  ]
  const same = await compared()
  for (const { differ } of same) assert.deepEqual(differ, [])
  for (const [kind, least] of [
    ['headers', 191],
    ['transactions', 362],
    ['transfers', 293],
    ['logs', 63],
    ['transfer logs by eth_getLogs', 191],
    ['internal transactions', 14],
    ['balances', 24],
    ['names of tokens', 18],
    ['P UTXOs', 1],
    ['X UTXOs', 1],
    ['current validators', 1],
    ['P transactions', 1],
  ] as const) {
    const count = same.reduce((sum, { counts }) => sum + (counts.get(kind) ?? 0), 0)
    assert.ok(count >= least, `${kind}: ${count}`)
  }
  for (const [store, sql] of [
    ['fuji-harbor', 'update evm_transaction set gas_used = gas_used + 1'],
    ['fuji-summit', "update balance set value = x'01'"],
    ['primary-fuji', 'delete from blockchain'],
  ] as const) {
    const file = new DatabaseSync(join(dataDir, `${store}.sqlite`))
    file.exec(sql)
    file.close()
  }
  const [summit, harbor, cChain, network] = await compared()
  assert.ok(summit?.differ.every((check) => check === 'balances') && summit.differ.length > 0)
  assert.ok(harbor?.differ.every((check) => check === 'transactions') && harbor.differ.length > 0)
  assert.deepEqual(cChain?.differ, [])
  assert.ok(network !== undefined && network.differ.length > 0)
})

void test('logs of the demo: a damaged store is named, emptied, and filled again', async (t) => {
  const dataDir = await demoFolder(t)
  const file = new DatabaseSync(join(dataDir, 'fuji-summit-logs.sqlite'))
  const count = (): unknown => file.prepare('select count(*) from log_entry').get()
  const before = count()
  file.exec('delete from log_entry where pos % 3 = 0')
  file.close()
  const verify = (...flags: string[]): ReturnType<typeof run> =>
    run(process.execPath, [entry, 'verify', '--store', ...flags, '--data-dir', dataDir])
  const damaged = await verify()
  assert.equal(damaged.code, 1)
  assert.match(damaged.stdout, /^DAMAGED fuji-summit-logs: log_entry, heights 0 to 255: rows /m)
  const mended = await verify('--repair')
  assert.equal(mended.code, 0, mended.stdout + mended.stderr)
  assert.match(
    mended.stdout,
    /^fuji-summit-logs: emptied; its logs are read again when Firn runs$/m,
  )
  const firn = await startDemo(t, dataDir)
  await untilDemoServed(firn)
  assert.equal(await firn.end(), 0)
  const after = new DatabaseSync(join(dataDir, 'fuji-summit-logs.sqlite'))
  assert.deepEqual(after.prepare('select count(*) from log_entry').get(), before)
  after.close()
})

void test('logs of the demo: their files are copied, verified, and come back from a copy', async (t) => {
  const dataDir = await demoFolder(t)
  const name = 'fuji-summit-logs'
  const place = { store: 'embedded', dataDir, freeze: {} }
  const logs = await openStore(place, name, logStoreTables, 'write')
  await freezeLogsAt(logs, [40, 60])
  const [damaged] = await segmentFiles(logs)
  let count = 0
  const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
  for await (const rows of oldestLogs(logs, { topics: [] }, range)) count += rows.length
  await logs.close()
  assert.ok(damaged !== undefined)
  const command = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(process.execPath, [entry, ...words])
    return `${code} ${stdout}${stderr}`
  }
  const copy = await freshFolder(t)
  assert.match(await command('snapshot', 'create', copy, '--data-dir', dataDir), /^0 /)
  const restored = join(await freshFolder(t), 'restored')
  assert.match(await command('snapshot', 'restore', copy, '--data-dir', restored), /^0 /)
  assert.match(await command('verify', '--store', '--data-dir', restored), /^0 /)

  const path = join(dataDir, 'segments', name, damaged)
  const kept = readFileSync(path)
  writeFileSync(
    path,
    kept.map((byte, at) => (at === kept.length - 9 ? byte ^ 1 : byte)),
  )
  const verify = ['verify', '--store', '--data-dir', dataDir]
  assert.match(
    await command(...verify),
    new RegExp(`^1 [^]*${name}: segment ${damaged.slice(0, 32)}`),
  )
  const copies = ['--repair', '--copies', join(restored, 'segments')]
  assert.match(await command(...verify, ...copies), /^0 [^]*: copied from /)
  assert.deepEqual(readFileSync(path), kept)
  // Without a copy logs are read again.
  rmSync(path)
  assert.match(
    await command(...verify, '--repair'),
    new RegExp(`^0 [^]*${name}: emptied; its logs are read again when Firn runs`),
  )
  // Of the restored one nothing is left, once logs are off.
  const off = join(restored, 'firn.yaml')
  writeFileSync(off, `chains: [{ name: Summit, rpcUrls: ['http://127.0.0.1:1'] }]\n`)
  const deletion = ['logs', 'delete', 'fuji-summit']
  assert.match(
    await command(...deletion, '--data-dir', restored),
    /^[^0] .*logs of fuji-summit are on/,
  )
  const deleted = await command(...deletion, '--config', off, '--data-dir', restored)
  assert.match(deleted, new RegExp(`^0 ${name}: deleted`))
  const left = readdirSync(restored, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    left.filter((each) => each.includes(name)),
    [],
  )

  const firn = await startDemo(t, dataDir)
  await untilDemoServed(firn)
  await until('logs are there again', async () => {
    const { logs } = await firn.get('/v1/chains/51001/logs?pageSize=100')
    return Array.isArray(logs) && logs.length === Math.min(count, 100)
  })
})

type Validation = {
  readonly weight: number
  readonly remainingBalance: number
  readonly blsCredentials: { readonly publicKey: string }
}

void test('signatures of the demo: two thirds of the L1’s validators signed the message', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const reply = await fetch(`${firn.apiUrl}/v1/signatureAggregator/fuji/aggregateSignatures`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: cast['waitingMessageLog'] }),
  })
  const answer = objectOf(await reply.json(), 'answer')
  assert.equal(reply.status, 200, JSON.stringify(answer))
  const signed = Buffer.from(String(answer['signedMessage']), 'hex')
  // codec version 2, network id 4, chain id 32, length of the payload 4, payload.
  const unsigned = signed.subarray(0, 42 + signed.readUInt32BE(38))
  // Type of signature 4, length of the bit set 4, bit set, signature 96.
  const bits = BigInt(`0x${signed.subarray(unsigned.length + 8, -96).toString('hex')}`)
  assert.ok(String(cast['waitingMessageLog']).includes(unsigned.toString('hex')))

  const path = `/v1/networks/fuji/l1Validators?subnetId=${cast['Summit.subnet']}&pageSize=100`
  const { validators } = (await firn.get(path)) as { validators: Validation[] }
  const { Point } = bls12_381.G1
  const keys = validators
    .filter(({ remainingBalance, weight }) => remainingBalance > 0 && weight > 0)
    .map(({ weight, blsCredentials }) => {
      const point = Point.fromHex(blsCredentials.publicKey.replace(/^0x/, ''))
      return { weight, point, order: Buffer.from(point.toBytes(false)) }
    })
    .toSorted((a, b) => a.order.compare(b.order))
  const signers = keys.filter((_, at) => ((bits >> BigInt(at)) & 1n) === 1n)
  const weight = (of: typeof keys): number => of.reduce((sum, one) => sum + one.weight, 0)
  const total = validators.reduce((sum, one) => sum + one.weight, 0)
  assert.ok(weight(signers) * 100 >= total * 67, `${weight(signers)} of ${total}`)
  const { longSignatures } = bls12_381
  const suite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'
  const key = signers.reduce((sum, { point }) => sum.add(point), Point.ZERO)
  const genuine = (message: Uint8Array): boolean =>
    longSignatures.verify(signed.subarray(-96), longSignatures.hash(message, suite), key)
  assert.ok(genuine(unsigned))
  assert.ok(!genuine(Buffer.concat([unsigned, Buffer.of(0)])))

  const unknown = await fetch(`${firn.apiUrl}/v1/signatureAggregator/fuji/aggregateSignatures`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: forged(unsigned) }),
  })
  assert.equal(unknown.status, 400, await unknown.text())
  await t.test('logs are exported as they are listed', () => exportLogs(firn))
  await t.test('the supply of AVAX adds up, as the official client reads it', () =>
    readSupply(firn),
  )
})

async function exportLogs(firn: RunningFirn): Promise<void> {
  const path = '/v1/chains/51001/logs?pageSize=100'
  const page = objectOf(await firn.get(path), 'page')
  const listed = listOf(page['logs'], 'logs').map((log) => objectOf(log, 'log'))
  const logs = (chain: number): Promise<Awaited<ReturnType<typeof run>>> => {
    const list = `/v1/chains/${chain}/logs`
    const words = [entry, 'export', list, '--format', 'ndjson', '--url', firn.apiUrl]
    return run(process.execPath, words)
  }
  const { code, stdout, stderr } = await logs(51_001)
  assert.equal(code, 0, stderr)
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.ok(rows.length > listed.length && listed.length === 100)
  assert.deepEqual(rows.slice(0, 100), listed)
  assert.match((await logs(51_002)).stderr, /logs of this chain are not kept/)
}

/** An amount of AVAX with decimals, in units of 10^-18. */
function attos(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.padEnd(18, '0'))
}

async function readSupply(firn: RunningFirn): Promise<void> {
  const client = new AvalancheCore({ enableTelemetry: false })
  const answer = await avaxSupplyGet(client, { serverURL: firn.apiUrl })
  assert.ok(answer.ok, String(answer.error))
  const { lastUpdated, ...amounts } = answer.value
  assert.ok(lastUpdated.getTime() > 0)
  const of = (name: keyof typeof amounts): bigint => attos(amounts[name])
  const burned = of('totalPBurned') + of('totalXBurned') + of('totalCBurned')
  assert.equal(of('totalSupply'), of('genesisUnlock') + of('totalRewards') - burned)
  assert.equal(amounts.circulatingSupply, amounts.totalSupply)
  // Fees of its blocks, block by block; the rest are those of imports and exports.
  const chains = listOf(objectOf(await firn.get('/v1/chains'), 'answer')['chains'], 'chains')
  const cChain = chains.map((chain) => objectOf(chain, 'chain')).find(isCChain)
  const fees = await feesOfBlocks(firn, String(cChain?.['chainId']))
  const atomic = of('totalCBurned') - fees
  assert.ok(fees > 0n && atomic >= 0n && atomic % 1_000_000_000n === 0n, `${fees} ${atomic}`)
}

function isCChain({ chainName }: Readonly<Record<string, unknown>>): boolean {
  return chainName === 'C-Chain'
}

async function feesOfBlocks(firn: RunningFirn, chainId: string): Promise<bigint> {
  const blocks = await readAll(firn.get, `/v1/chains/${chainId}/blocks?pageSize=100`, 'blocks')
  return blocks.reduce((sum: bigint, { feesSpent }) => sum + BigInt(feesSpent), 0n)
}

/** The message with its last byte changed: nobody signed it. */
function forged(unsigned: Buffer): string {
  const copy = Buffer.from(unsigned)
  copy.writeUInt8((copy.at(-1) ?? 0) ^ 1, copy.length - 1)
  return copy.toString('hex')
}
