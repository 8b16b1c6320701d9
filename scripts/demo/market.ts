/** Life on the chains of the demo: tokens and trades, pictures and badges, and a deceiver. */

import { concatBytes, equalBytes, to0x } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { keyNamed } from '../../test/network/keys.ts'
import { call, type Cast, type Chain, type Codes, deploy, keyOf, roles } from './stage.ts'

const coin = 10n ** 18n

/** The contracts of a chain where tokens are traded. */
export type Market = {
  readonly wrapped: Uint8Array
  readonly stable: Uint8Array
  readonly token: Uint8Array
  readonly exchange: Uint8Array
  readonly pictures: Uint8Array
  readonly badges: Uint8Array
  readonly deceiver: Uint8Array
}

/** Gives everybody coins and makes the contracts. */
export async function openMarket(
  codes: Codes,
  chain: Chain,
  names: { readonly token: string; readonly symbol: string; readonly pictures: string },
): Promise<Market> {
  const { builder, deceiver } = chain.of
  const erc20 = (
    name: string,
    symbol: string,
    decimals: bigint,
    supply: bigint,
  ): Promise<Uint8Array> =>
    deploy(codes, builder, { name: 'Token', with: [name, symbol, decimals, supply] })
  const wrapped = await deploy(codes, builder, {
    name: 'WrappedCoin',
    with: [`Wrapped ${chain.symbol}`, `W${chain.symbol}`],
  })
  const stable = await erc20('Demo Dollar', 'DUSD', 6n, 50_000_000n * 10n ** 6n)
  const token = await erc20(names.token, names.symbol, 18n, 1_000_000n * coin)
  const exchange = await deploy(codes, builder, {
    name: 'Exchange',
    with: [token, 25n],
    value: 50n * coin,
  })
  await call(builder, token, 'transfer(address,uint256)', exchange, 200_000n * coin)
  const pictures = await deploy(codes, builder, {
    name: 'Pictures',
    with: [names.pictures, names.pictures.slice(0, 4).toUpperCase()],
  })
  const badges = await deploy(codes, builder, { name: 'Badges' })
  const bad = await deploy(codes, deceiver, { name: 'Deceiver' })
  return { wrapped, stable, token, exchange, pictures, badges, deceiver: bad }
}

/** A token made by a contract at an address that was known before, a proxy, and a failure. */
export async function makeByContract(
  codes: Codes,
  chain: Chain,
  { cast, token }: { readonly cast: Cast; readonly token: Uint8Array },
): Promise<void> {
  const { builder } = chain.of
  const maker = await deploy(codes, builder, { name: 'TokenMaker' })
  const salt = keccak256(new TextEncoder().encode('firn'))
  const signature = 'make(bytes32,string,string)'
  const made = await call(builder, maker, signature, salt, 'Made by a Contract', 'MADE')
  cast.note('tx internal', String(made['transactionHash']))
  const transfer = 'transfer(address,uint256)'
  const paid = await call(builder, token, transfer, keyOf('traveller').evm, 25n * coin)
  cast.note('tx transfer', String(paid['transactionHash']))
  const proxy = await deploy(codes, builder, { name: 'Proxy', with: [maker] })
  await call(builder, proxy, 'upgrade(address)', maker)
  cast.note(`${chain.name}.maker`, maker)
  const failed = await builder.send({ to: maker, data: new Uint8Array(4) }, true)
  cast.note('tx failed', String(failed['transactionHash']))
}

/** Everybody has some dollars and tokens; the exchange may take tokens. */
export async function handOut(chain: Chain, market: Market): Promise<void> {
  const { builder } = chain.of
  for (const role of roles) {
    if (role === 'builder') continue
    const to = keyOf(role).evm
    await call(builder, market.stable, 'transfer(address,uint256)', to, 10_000n * 10n ** 6n)
  }
  await call(builder, market.token, 'transfer(address,uint256)', keyOf('trader').evm, 5_000n * coin)
  const all = (1n << 256n) - 1n
  await call(chain.of.trader, market.token, 'approve(address,uint256)', market.exchange, all)
}

/** One round: everybody does something, at the same time. */
export async function liveOneRound(chain: Chain, market: Market, round: number): Promise<void> {
  const { trader, collector, traveller, deceiver, faucet } = chain.of
  const at = BigInt(round)
  const trade = async (): Promise<void> => {
    if (round % 3 === 2) await call(trader, market.exchange, 'sell(uint256)', (3n + at) * coin)
    else
      await trader.send({
        to: market.exchange,
        data: selector('buy()'),
        value: (coin * (at + 3n)) / 40n,
      })
    if (round % 4 === 1)
      await trader.send({ to: market.wrapped, data: selector('deposit()'), value: coin / 2n })
    if (round % 8 === 6) await call(trader, market.wrapped, 'withdraw(uint256)', coin / 4n)
    await call(
      trader,
      market.stable,
      'transfer(address,uint256)',
      visitor(round),
      (120n + at) * 10n ** 6n,
    )
  }
  const collect = async (): Promise<void> => {
    if (round % 2 === 0)
      await call(collector, market.pictures, 'mint(address)', keyOf('collector').evm)
    else {
      const to = keyOf('traveller').evm
      const signature = 'transferFrom(address,address,uint256)'
      await call(collector, market.pictures, signature, keyOf('collector').evm, to, (at + 1n) / 2n)
    }
    await collectBadges(chain, market, round)
  }
  const travel = async (): Promise<void> => {
    await traveller.send({ to: visitor(round + 3), value: coin / 50n + at })
    await call(
      traveller,
      market.stable,
      'transfer(address,uint256)',
      keyOf('trader').evm,
      (5n + at) * 10n ** 6n,
    )
  }
  const deceive = async (): Promise<void> => {
    if (round % 5 !== 3) return
    const victims = [...roles.map((role) => keyOf(role).evm), visitor(round), visitor(round + 1)]
    await call(deceiver, market.deceiver, 'give(address,address[])', keyOf('builder').evm, victims)
  }
  const pay = (): Promise<unknown> =>
    faucet.send({ to: keyOf(roles[round % roles.length] ?? 'trader').evm, value: coin / 10n })
  await Promise.all([trade(), collect(), travel(), deceive(), pay()])
}

async function collectBadges(chain: Chain, { badges }: Market, round: number): Promise<void> {
  const { collector } = chain.of
  const me = keyOf('collector').evm
  if (round % 3 === 0)
    await call(collector, badges, 'mint(address,uint256,uint256)', me, BigInt(1 + (round % 4)), 10n)
  else if (round % 3 === 1) {
    const id = BigInt(1 + ((round - 1) % 4))
    const to = keyOf('traveller').evm
    const signature = 'safeTransferFrom(address,address,uint256,uint256,bytes)'
    await call(collector, badges, signature, me, to, id, 2n, { bytes: new Uint8Array() })
  } else if (round > 10) {
    const signature = 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)'
    const nothing = { bytes: new Uint8Array() }
    await call(collector, badges, signature, me, keyOf('trader').evm, [1n, 2n], [1n, 1n], nothing)
  }
}

/** One of a dozen people who pass by. */
function visitor(number: number): Uint8Array {
  return keyNamed(`demo visitor ${number % 12}`).evm
}

function selector(signature: string): Uint8Array {
  return keccak256(new TextEncoder().encode(signature)).slice(0, 4)
}

/** Notes the contracts of a chain. */
export function noteMarket(cast: Cast, chain: Chain, market: Market): void {
  for (const [name, address] of Object.entries(market)) cast.note(`${chain.name}.${name}`, address)
}

/** Checks that a contract lies where it was to lie. */
export function sameAddress(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (!equalBytes(a, b)) throw new Error(`two addresses: ${to0x(concatBytes(a, b))}`)
  return a
}
