/**
 * Tokens that do what their logs do not tell, on a chain that goes on while it is indexed. What is served
 * is what the chain says, or the answer says that it is from logs.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { type Argument, callOf } from '../../scripts/demo/abi.ts'
import { compiledContracts } from '../../scripts/demo/compile.ts'
import { fromBigint, fromHex, to0x, toHex } from '../../src/core/bytes.ts'
import { type LiveChain, liveChain } from '../support/chains/live-chain.ts'
import {
  freshFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  until,
} from '../support/processes/firn-process.ts'
import { readAll } from '../support/services/read-all.ts'

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

const codes = compiledContracts(readFileSync(join(import.meta.dirname, 'tokens.sol'), 'utf8'))
const chainId = 31_337
/** A round of the soak takes from another of the holders. */
const nth = (61n + 37n * BigInt(process.env['TEST_SOAK_ROUND'] ?? 0)) % 101n
const [alice, bob] = [fromBigint(0xa11ce00000001n, 20), fromBigint(0xb0b00000001n, 20)]

type Live = {
  readonly chain: LiveChain
  readonly firn: RunningFirn
  readonly config: string
  readonly deploy: (name: string, ...given: Argument[]) => Promise<Uint8Array>
  readonly call: (to: Uint8Array, ...call: Parameters<typeof callOf>) => Promise<unknown>
}

/** Firn beside a new chain; `before` makes its first blocks. */
async function live(
  t: TestContext,
  settings: (made: readonly Uint8Array[]) => string = () => '',
  before: (chain: LiveChain) => Promise<readonly Uint8Array[]> = async () => [],
): Promise<Live & { readonly made: readonly Uint8Array[] }> {
  // The newest rules under which a contract may be destroyed and made again.
  const chain = await liveChain(t, ['--hardfork', 'shanghai', '--gas-limit', '100000000'])
  const made = await before(chain)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}']${settings(made)} }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  const one = {
    chain,
    firn,
    config,
    made,
    deploy: (name: string, ...given: Argument[]) => chain.deploy(codeOf(name), ...given),
    call: (to: Uint8Array, ...call: Parameters<typeof callOf>) => chain.send(to, callOf(...call)),
  }
  await atHead(one)
  return one
}

function codeOf(name: string): Uint8Array {
  const code = codes.get(name)
  assert.ok(code, name)
  return code
}

/** Waits until the newest block of the chain is indexed. */
async function atHead({ chain, firn }: Pick<Live, 'chain' | 'firn'>): Promise<void> {
  const head = Number(await chain.ask('eth_blockNumber'))
  await until(`block ${head}`, async () => {
    const [first] = (await firn.get('/status'))['chains'] as Json[]
    return first?.indexedHeight === head
  })
}

type Served = { readonly balance: bigint; readonly said: string; readonly name: string | undefined }

/** What is served of one token of a holder. */
async function served(
  { firn }: Pick<Live, 'firn'>,
  token: Uint8Array,
  holder: Uint8Array,
  query = '',
): Promise<Served> {
  const path = `/v1/chains/${chainId}/addresses/${to0x(holder)}/balances:listErc20`
  const reply = await fetch(`${firn.apiUrl}${path}?filterSpamTokens=false&pageSize=100${query}`)
  const body: Json = await reply.json()
  assert.equal(reply.status, 200, JSON.stringify(body))
  const own = body.erc20TokenBalances.find((one: Json) => one.address.toLowerCase() === to0x(token))
  const said = reply.headers.get('x-balances') ?? ''
  return { balance: BigInt(own?.balance ?? 0), said, name: own?.name }
}

/** Every answer until the chain's word is served: right, or said to be from logs or of a block before. */
async function untilTrue(one: Live, token: Uint8Array, holder: Uint8Array): Promise<void> {
  await atHead(one)
  const truth = await one.chain.balanceOf(token, holder)
  await until(`balance ${truth}`, async () => {
    const { balance, said } = await served(one, token, holder)
    if (balance === truth) return true
    assert.match(said, /^(from logs until block|compared at block) \d+$/)
    return false
  })
  const insisted = await served(one, token, holder, '&compared=true')
  assert.equal(insisted.balance, truth)
  assert.match(insisted.said, /^compared at block \d+$/)
}

async function detailsOf({ firn }: Live, token: Uint8Array): Promise<Json> {
  return firn.get(`/v1/chains/${chainId}/addresses/${to0x(token)}`)
}

async function untilInexact(one: Live, token: Uint8Array): Promise<Json> {
  let details: Json
  await until('a difference is found', async () => {
    details = await detailsOf(one, token)
    return details.balancesDiffer !== undefined
  })
  return details.balancesDiffer
}

async function untilNamed(one: Live, token: Uint8Array, name: string): Promise<void> {
  await atHead(one)
  await until(`named ${name}`, async () => (await detailsOf(one, token)).name === name)
}

void test('tokens: rebased, with a fee, and taken from one of many: known at once for all holders', async (t) => {
  const one = await live(t)
  const [rebased, fee, taken] = [
    await one.deploy('Token', 'Rebased'),
    await one.deploy('Token', 'Fee'),
    await one.deploy('Token', 'Taken'),
  ]
  for (const token of [rebased, fee]) {
    await one.call(token, 'mint(address,uint256)', alice, 30n)
    await one.call(token, 'mint(address,uint256)', one.chain.sender, 100n)
  }
  const first = 0x77_0000n
  await one.call(taken, 'mintMany(uint160,uint160,uint256)', first, 101n, 50n)
  for (const token of [rebased, fee]) await untilTrue(one, token, alice)
  const victim = fromBigint(first + nth, 20)
  await untilTrue(one, taken, victim)
  assert.equal((await detailsOf(one, rebased)).balancesDiffer, undefined)

  await one.call(rebased, 'rebase(uint256)', 200n)
  const { blockNumber, reason } = await untilInexact(one, rebased)
  assert.ok(Number(blockNumber) > 0)
  assert.match(reason, /^0x\w{40} has \d+ by balanceOf and \d+ by logs$/)
  await untilTrue(one, rebased, alice)
  await untilTrue(one, rebased, one.chain.sender)
  await one.call(fee, 'transferWithFee(address,uint256)', bob, 50n)
  await untilInexact(one, fee)
  await untilTrue(one, fee, bob)
  await one.call(taken, 'take(address)', victim)
  await untilInexact(one, taken)
  await untilTrue(one, taken, victim)
  await untilTrue(one, taken, fromBigint(first + ((nth + 1n) % 101n), 20))
  const then = Number(blockNumber) - 1
  const past = await served(one, rebased, alice, `&blockNumber=${then}`)
  assert.deepEqual(
    [past.balance, past.said],
    [await one.chain.balanceOf(rebased, alice, then), `compared at block ${then}`],
  )

  // Only the balance of its holder shows it: one request finds it, and then every answer says so.
  const [quiet, caller] = [await one.deploy('Token', 'Quiet'), await one.deploy('Caller')]
  await one.call(quiet, 'mint(address,uint256)', bob, 8n)
  await untilTrue(one, quiet, bob)
  const take = { bytes: callOf('take(address)', bob) }
  await one.call(caller, 'pass(address,bytes)', quiet, take)
  await atHead(one)
  await until('the truth', async () => (await served(one, quiet, bob)).balance === 0n)
  assert.match((await untilInexact(one, quiet)).reason, / has 0 by balanceOf and 8 by logs$/)

  const slipped = await one.deploy('Token', 'Slipped')
  await one.call(slipped, 'mint(address,uint256)', alice, 1n)
  const slip = { bytes: callOf('slip(address,uint256)', bob, 4n) }
  await one.call(caller, 'pass(address,bytes)', slipped, slip)
  await atHead(one)
  const only = `&compared=true&contractAddresses=${to0x(slipped)}`
  assert.equal((await served(one, slipped, bob, only)).balance, 4n)
  assert.match((await untilInexact(one, slipped)).reason, / has 4 by balanceOf and 0 by logs$/)

  await one.call(rebased, 'rebase(uint256)', 100n)
  await until('it agrees again', async () => {
    return (await detailsOf(one, rebased)).balancesDiffer === undefined
  })
  await untilTrue(one, rebased, alice)

  const [chain] = (await one.firn.get('/status'))['chains'] as Json[]
  assert.ok(chain.balancesComparedAt > 0)
  const { code, stdout } = await runFirn('verify', '--chain', 'fuji-live', '--config', one.config)
  assert.equal(code, 0, stdout)
  assert.match(stdout, /differences: 0/)
  assert.match(stdout, /^balances +[1-9]\d*$/m)
})

void test('tokens: a contract that was destroyed and made again begins anew', async (t) => {
  const one = await live(t)
  const maker = await one.deploy('Maker')
  const token = codeOf('Token')
  const words = callOf('x(string)', 'Made').subarray(4)
  const code = fromHex(toHex(token) + toHex(words))
  const make = async (): Promise<Uint8Array> => {
    const receipt: Json = await one.call(maker, 'make(bytes)', { bytes: code })
    return fromHex(`0x${receipt.logs.at(-1).data.slice(-40)}`)
  }
  const made = await make()
  await one.call(made, 'mint(address,uint256)', alice, 100n)
  await untilTrue(one, made, alice)
  await one.call(made, 'destroy()')
  await untilTrue(one, made, alice)
  assert.deepEqual(await make(), made)
  await one.call(made, 'mint(address,uint256)', alice, 7n)
  await untilTrue(one, made, alice)
  assert.equal((await served(one, made, alice)).balance, 7n)
})

void test('tokens: another name is shown soon, whatever made it', async (t) => {
  const one = await live(t)
  const caller = await one.deploy('Caller')
  const token = await one.deploy('Token', 'First')
  await one.call(token, 'mint(address,uint256)', alice, 1n)
  await untilNamed(one, token, 'First')
  await one.call(token, 'rename(string)', 'Second')
  await untilNamed(one, token, 'Second')
  await one.call(caller, 'pass(address,bytes)', token, { bytes: callOf('give(string)', 'Third') })
  await untilNamed(one, token, 'Third')
  await one.call(caller, 'pass(address,bytes)', token, { bytes: callOf('paint(string)', 'Fourth') })
  await untilNamed(one, token, 'Fourth')
  const details = await detailsOf(one, token)
  assert.ok(Math.abs(details.metadataLastUpdatedTimestamp - Date.now() / 1_000) < 60)

  const beacon = await one.deploy('Beacon', await one.deploy('FirstCode'))
  const proxy = await one.deploy('Proxy', beacon)
  await one.call(proxy, 'mint(address,uint256)', alice, 5n)
  await untilNamed(one, proxy, 'First')
  // Its beacon is known once it was looked at.
  await untilTrue(one, proxy, alice)
  await one.call(beacon, 'upgradeTo(address)', await one.deploy('NextCode'))
  await untilNamed(one, proxy, 'Next')
})

void test('tokens: which word of a transfer is what, the contract says', async (t) => {
  const one = await live(t)
  const carol = fromHex('3c44cdddb6a900fa2b585dd299e03d12fa4293bc')
  const text = (address: Uint8Array): string => to0x(address).toLowerCase()
  const forms = [
    'NothingIndexed',
    'SenderIndexed',
    'ReceiverIndexed',
    'AmountIndexed',
    'ReceiverInData',
    'SenderInData',
    'AllIndexed',
  ]
  for (const name of forms) {
    const token = await one.deploy(name)
    const { sender } = one.chain
    await one.call(token, 'mint(address,uint256)', sender, 50n)
    await one.call(token, 'transfer(address,uint256)', carol, 20n)
    await untilTrue(one, token, carol)
    assert.equal((await served(one, token, carol)).balance, 20n, name)
    assert.equal((await served(one, token, sender)).balance, 30n, name)
    const path = `/v1/chains/${chainId}/addresses/${text(carol)}/transactions:listErc20`
    const { transactions }: Json = await one.firn.get(path)
    const [{ from, to, value }] = transactions
    assert.deepEqual(
      [from.address.toLowerCase(), to.address.toLowerCase(), value],
      [text(sender), text(carol), '20'],
      name,
    )
  }
  for (const mute of [0n, 1n]) {
    const later = await one.deploy('BegunLater', mute)
    await one.call(later, 'mint(address,uint256)', carol, 50n)
    await atHead(one)
    await one.call(later, 'begin()')
    await one.call(later, 'mint(address,uint256)', carol, 5n)
    await until(`of later decimals, ${mute}`, async () => {
      return (await served(one, later, carol)).balance === 55n
    })
    assert.deepEqual((await detailsOf(one, later)).ercType, 'ERC-20')
  }
  const [plots, mixed] = [await one.deploy('Plots'), await one.deploy('Mixed')]
  await one.call(plots, 'mint(address,uint256)', carol, 777n)
  await one.call(mixed, 'mint(address,uint256)', carol, 50n)
  await one.call(mixed, 'item(address,uint256)', carol, 9n)
  await atHead(one)
  const items: Json = await one.firn.get(
    `/v1/chains/${chainId}/addresses/${text(carol)}/balances:listErc721`,
  )
  assert.deepEqual(
    items.erc721TokenBalances
      .map((each: Json) => `${each.address.toLowerCase()} ${each.tokenId}`)
      .sort(),
    [`${text(plots)} 777`, `${text(mixed)} 9`].sort(),
  )
  assert.equal((await served(one, plots, carol)).balance, 0n)
  const { code, stdout } = await runFirn('verify', '--chain', 'fuji-live', '--config', one.config)
  assert.equal(code, 0, stdout)
})

void test('tokens: a doubt about the form of transfers outlives a restart and a thousand blocks', async (t) => {
  const one = await live(t)
  const later = await one.deploy('BegunLater', 1n)
  await one.call(later, 'mint(address,uint256)', alice, 50n)
  await one.chain.ask('anvil_mine', '0x400')
  await atHead(one)
  await until('the status has the doubt', async () => {
    const { stages } = ((await one.firn.get('/status')) as Json).chains[0]
    const { reason } = stages.find(({ stage }: Json) => stage === 'tokens')
    return /from block 2 on/.test(reason ?? '')
  })
  await one.firn.end('SIGKILL')
  const again = { ...one, firn: await startFirn(t, ['--config', one.config]) }
  await one.call(later, 'begin()')
  await one.call(later, 'mint(address,uint256)', alice, 5n)
  await until('the rows of before are made anew', async () => {
    return (await served(again, later, alice)).balance === 55n
  })
  await until('no doubt is left', async () => {
    const { stages } = ((await again.firn.get('/status')) as Json).chains[0]
    return stages.find(({ stage }: Json) => stage === 'tokens').reason === undefined
  })
  const path = `/v1/chains/${chainId}/addresses/${to0x(alice)}/transactions:listErc20`
  const { transactions }: Json = await again.firn.get(path)
  assert.deepEqual(
    transactions.map(({ value }: Json) => value),
    ['5', '50'],
  )
})

void test('tokens: the zero address is a holder where the contract counts its balance', async (t) => {
  const one = await live(t)
  const token = await one.deploy('Keeping')
  const { sender } = one.chain
  await one.call(token, 'mint(address,uint256)', sender, 100n)
  await one.call(token, 'transfer(address,uint256)', new Uint8Array(20), 40n)
  await untilTrue(one, token, sender)
  const path = `/v2/chains/${chainId}/contracts/${to0x(token)}/balances`
  const pages = [`${path}?pageSize=10`, `${path}?pageSize=1`]
  for (const first of pages) {
    const addresses = await readAll(one.firn.get, first, 'addresses')
    const held = addresses.map(({ address, sortKey }) => `${address.toLowerCase()} ${sortKey}`)
    assert.deepEqual(held, [`${to0x(sender)} 60`, `0x${'0'.repeat(40)} 40`], first)
  }
})

void test('tokens: a token whose calls fail other than by revert delays no other', async (t) => {
  const one = await live(t)
  const before = await one.deploy('Token', 'Honest')
  await one.call(before, 'mint(address,uint256)', alice, 77n)
  for (const name of ['EndlessName', 'InvalidFallback', 'InvalidUri']) {
    const bad = await one.deploy(name)
    await one.call(bad, 'mint(address,uint256)', alice, 1n)
    await one.call(bad, 'mint(address,uint256)', alice, 2n)
    const honest = await one.deploy('Token', `After ${name}`)
    await one.call(honest, 'mint(address,uint256)', alice, 78n)
    await untilNamed(one, honest, `After ${name}`)
    if (name !== 'InvalidUri') continue
    await until('the good item is read', async () => {
      const path = `/v1/chains/${chainId}/nfts/collections/${to0x(bad)}/tokens/2`
      return ((await one.firn.get(path)) as Json).metadata.name === 'good'
    })
  }
  await untilNamed(one, before, 'Honest')
  const silent = await one.deploy('InvalidFallback')
  const hash = await one.chain.ask('eth_sendTransaction', {
    from: to0x(one.chain.sender),
    to: to0x(silent),
    data: '0x12345678',
    gas: '0x30000',
  })
  await atHead(one)
  const failed: Json = await one.firn.get(`/v1/chains/${chainId}/transactions/${String(hash)}`)
  assert.match(failed.nativeTransaction.revertReason.message, /invalid ?(fe)?opcode/i)
  const bare = await one.deploy('Bare')
  await one.call(bare, 'mint(address,uint256)', alice, 7n)
  await untilNamed(one, bare, 'Bare')
  const { decimals, decimalsUnknown } = await detailsOf(one, bare)
  assert.deepEqual([decimals, decimalsUnknown], [null, 'decimals() fails: reverted'])
})

void test('tokens: forms of events, wrapped coins and long batches', async (t) => {
  const one = await live(
    t,
    ([wrapped]) => `, wrappedTokens: ['${to0x(wrapped ?? new Uint8Array())}']`,
    async (chain) => {
      const wrapped = await chain.deploy(codeOf('Wrapped'))
      await chain.send(wrapped, callOf('deposit()'), 9n)
      return [wrapped]
    },
  )
  for (const name of ['NothingIndexed', 'SenderIndexed', 'AllIndexed']) {
    const token = await one.deploy(name)
    await one.call(token, 'mint(address,uint256)', alice, 5n)
    await atHead(one)
    const path = `/v1/chains/${chainId}/addresses/${to0x(alice)}/transactions:listErc20`
    const { transactions } = (await one.firn.get(path)) as Json
    assert.equal(transactions[0].value, '5', name)
    assert.equal(transactions[0].erc20Token.address.toLowerCase(), to0x(token))
    await untilTrue(one, token, alice)
    assert.equal((await served(one, token, alice)).balance, 5n)
  }
  const [wrapped] = one.made
  assert.ok(wrapped)
  await until('wrapped coins', async () => {
    const { balance } = await served(one, wrapped, one.chain.sender)
    return balance === 9n
  })
  const both = await one.deploy('Both')
  const most = 12_000n
  await one.call(both, 'batch(address,uint256)', alice, most)
  await one.call(both, 'single(address,uint256)', alice, 3n)
  await atHead(one)
  const { tokens } = (await one.firn.get(
    `/v1/chains/${chainId}/nfts/collections/${to0x(both)}/tokens?pageSize=5`,
  )) as Json
  assert.deepEqual(
    tokens.map((token: Json) => `${token.ercType} ${token.tokenId}`),
    ['ERC-1155 0', 'ERC-1155 1', 'ERC-1155 2', 'ERC-721 3', 'ERC-1155 3'],
  )
  const held = `/v1/chains/${chainId}/addresses/${to0x(alice)}/balances:listErc1155?pageSize=500`
  const balances = await readAll(one.firn.get, held, 'erc1155TokenBalances')
  assert.equal(balances.length, Number(most))
  const { code, stdout } = await runFirn('verify', '--chain', 'fuji-live', '--config', one.config)
  assert.equal(code, 0, stdout)
})
