/**
 * Records a season of a market on a local EVM with chosen block times:
 *
 *     node scripts/demo/season.ts [<Unix second of its end>] [<file to write>]
 *
 * Needs npm's registry for anvil and the Solidity compiler, and some minutes. Ninety days: a daily
 * rhythm with calm weekends, the launch of a token, a quiet week, an attack of spam, and a migration to a
 * new contract. The course is fixed: chance is drawn from a seed.
 */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { concatBytes, fromHex, to0x } from '../../src/core/bytes.ts'
import { entry, run } from '../../test/support/processes/firn-process.ts'
import { type Argument, argumentsOf, callOf } from './abi.ts'
import { compiledContracts } from './compile.ts'
import type { Codes } from './stage.ts'

const anvil = '@foundry-rs/anvil@1.7.1'
const port = 22_590
const url = `http://127.0.0.1:${port}`
const chainNumber = 51_003
const days = 90
const daySeconds = 86_400
const coin = 10n ** 18n
const gwei = 10n ** 9n

/** Days of the season, from its first on. */
const launchDay = 14
const quiet = { from: 38, until: 45 }
const attack = { from: 60, until: 62 }
const migrationDay = 74

/** The same chance each time: xorshift. */
let seed = 0x2f6e2b1
function chance(): number {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) / 2 ** 32
}

function below(count: number): number {
  return Math.floor(chance() * count)
}

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const reply = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
    result?: unknown
    error?: unknown
  }
  if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`)
  return reply.result
}

/** The accounts of the node, which signs for them; the first makes the contracts. */
let people: readonly string[] = []
let baseFee = 25n * gwei

type Call = { readonly to?: Uint8Array; readonly data?: Uint8Array; readonly value?: bigint }

async function send(who: number, { to, data, value = 0n }: Call, gas = 160_000): Promise<string> {
  const tip = gwei * BigInt(1 + below(3))
  const hash = await ask('eth_sendTransaction', {
    from: people[who],
    ...(to === undefined ? {} : { to: to0x(to) }),
    ...(data === undefined ? {} : { data: to0x(data) }),
    value: `0x${value.toString(16)}`,
    gas: `0x${gas.toString(16)}`,
    maxPriorityFeePerGas: `0x${tip.toString(16)}`,
    maxFeePerGas: `0x${(baseFee * 3n + tip).toString(16)}`,
  })
  return String(hash)
}

async function mine(time: number, load: number): Promise<void> {
  // What blocks of this load would settle at.
  baseFee = (25n * gwei * BigInt(Math.round((0.4 + load) * 100))) / 100n
  await ask('anvil_setNextBlockBaseFeePerGas', `0x${baseFee.toString(16)}`)
  await ask('evm_mine', `0x${time.toString(16)}`)
}

async function make(codes: Codes, time: number, name: string, ...given: Argument[]) {
  const data = concatBytes(codes.get(name) ?? new Uint8Array(), argumentsOf(given))
  const value = name === 'Exchange' ? 50n * coin : 0n
  const hash = await send(0, { data, value }, 4_000_000)
  await mine(time, 0.2)
  const receipt = (await ask('eth_getTransactionReceipt', hash)) as { contractAddress: string }
  return fromHex(receipt.contractAddress)
}

type Contracts = Readonly<
  Record<'dollar' | 'token' | 'next' | 'exchange' | 'pictures' | 'spam', Uint8Array>
>

function who(index: number): Uint8Array {
  return fromHex(people[index] ?? '')
}

const transfer = 'transfer(address,uint256)'

/** Somebody who is there by now does what people do. */
async function live(at: Contracts, day: number): Promise<void> {
  const here = Math.min(people.length - 2, 12 + Math.floor(day * (day < launchDay ? 1 : 2)))
  const [a, b] = [1 + below(here), 1 + below(here)]
  const token = day > migrationDay ? at.next : at.token
  const kind = chance()
  const amount = BigInt(1 + below(40))
  if (kind < 0.34)
    await send(0, { to: at.dollar, data: callOf(transfer, who(b), amount * 5_000_000n) })
  else if (kind < 0.6 && day >= launchDay)
    await send(0, { to: token, data: callOf(transfer, who(a), amount * coin) })
  else if (kind < 0.76 && day >= launchDay && day <= migrationDay)
    await send(a, { to: at.exchange, data: callOf('buy()'), value: (amount * coin) / 100n })
  else if (kind < 0.84) await send(a, { to: at.pictures, data: callOf('mint(address)', who(a)) })
  else await send(a, { to: who(b), value: (amount * coin) / 50n }, 21_000)
}

/** Old tokens go back, new ones come. */
async function migrate(at: Contracts, holder: number): Promise<void> {
  await send(0, { to: at.next, data: callOf(transfer, who(holder), 100n * coin) })
  await send(0, { to: at.token, data: callOf(transfer, who(people.length - 1), 10n * coin) })
}

async function spam(at: Contracts): Promise<void> {
  const victims = Array.from({ length: 12 }, () => who(1 + below(people.length - 2)))
  const data = callOf('give(address,address[])', who(0), victims)
  for (let count = 0; count < 2; count++)
    await send(people.length - 1, { to: at.spam, data }, 700_000)
}

/** Share of a day's life in each hour, by what people sleep. */
function rhythm(hour: number): number {
  return 1 + 0.85 * Math.sin(((hour - 8) / 24) * 2 * Math.PI)
}

function blocksOf(day: number, weekday: number): number {
  if (day >= quiet.from && day < quiet.until) return 6
  if (day >= attack.from && day < attack.until) return 150
  if (day === launchDay) return 120
  if (day === migrationDay) return 110
  const grown = 18 + Math.floor((day / days) * 18)
  return weekday === 0 || weekday === 6 ? Math.floor(grown * 0.6) : grown
}

async function season(end: number): Promise<void> {
  const start = end - days * daySeconds
  const codes = await compiledContracts()
  const million = 1_000_000n
  const at: Contracts = {
    dollar: await make(
      codes,
      start + 60,
      'Token',
      'Demo Dollar',
      'DUSD',
      6n,
      50n * million * million,
    ),
    token: await make(codes, start + 120, 'Token', 'Noon', 'NOON', 18n, million * coin),
    next: await make(codes, start + 180, 'Token', 'Noon v2', 'NOON', 18n, million * coin),
    pictures: await make(codes, start + 240, 'Pictures', 'Meridian Skies', 'SKY'),
    spam: await make(codes, start + 300, 'Deceiver'),
    exchange: new Uint8Array(20),
  }
  const exchange = await make(codes, start + 360, 'Exchange', at.token, 25n)
  await send(0, { to: at.token, data: callOf(transfer, exchange, 200_000n * coin) })
  const all: Contracts = { ...at, exchange }
  let last = start + 420
  await mine(last, 0.2)
  for (let day = 0; day < days; day++) {
    const dayStart = start + day * daySeconds
    const weekday = new Date(dayStart * 1_000).getUTCDay()
    const hours = Array.from({ length: 24 }, (_, hour) =>
      rhythm((new Date((dayStart + hour * 3_600) * 1_000).getUTCHours() + 24) % 24),
    )
    const whole = hours.reduce((sum, one) => sum + one, 0)
    const times = Array.from({ length: blocksOf(day, weekday) }, () => {
      let left = chance() * whole
      const hour = hours.findIndex((one) => (left -= one) < 0)
      return dayStart + Math.max(0, hour) * 3_600 + below(3_600)
    })
    // The newest minutes are alive.
    if (day === days - 1) for (let back = 170; back >= 0; back -= 10) times.push(end - back)
    for (const time of times.toSorted((a, b) => a - b)) {
      if (time <= last) continue
      const isAttacked = day >= attack.from && day < attack.until
      if (isAttacked && chance() < 0.7) await spam(all)
      if (day === migrationDay) await migrate(all, 1 + below(people.length - 2))
      await live(all, day)
      if (chance() < 0.35) await live(all, day)
      await mine(time, isAttacked ? 2.5 : rhythm(new Date(time * 1_000).getUTCHours()) / 2)
      last = time
    }
  }
}

const end = Number(process.argv[2] ?? Math.floor(Date.now() / 1_000))
const out =
  process.argv[3] ?? fileURLToPath(new URL('../../demo/meridian.firnrec', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'firn-season-'))
try {
  await promisify(execFile)('npm', ['install', '--no-save', '--prefix', folder, anvil])
  const began = end - days * daySeconds
  const node = spawn(
    join(folder, 'node_modules/.bin/anvil'),
    `--port ${port} --chain-id ${chainNumber} --accounts 200 --balance 100000 --no-mining --timestamp ${began} --silent`.split(
      ' ',
    ),
    { stdio: 'inherit' },
  )
  try {
    for (let tries = 0; tries < 100; tries++) {
      people = (await ask('eth_accounts').catch(() => [])) as string[]
      if (people.length > 0) break
      await pause(100)
    }
    await season(end)
    const words = ['record', '--rpc', url, '--out', out, '--name', 'Meridian', '--symbol', 'MER']
    // In traces anvil adds up the gas of the transactions of a block.
    words.push('--no-traces')
    const { code, stderr } = await run(process.execPath, [entry, ...words])
    if (code !== 0) throw new Error(stderr)
  } finally {
    node.kill()
    await once(node, 'exit')
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
