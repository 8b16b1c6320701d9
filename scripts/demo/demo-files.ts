/** The small files of the demo: its configuration, its prices, and whom not to trust. */

import { toCb58 } from '../../src/core/cb58.ts'
import type { Cast, Chain } from './stage.ts'

const descriptions: Readonly<Record<string, string>> = {
  Summit: 'An L1 with a market for tokens, pictures, and a bridge to its neighbours.',
  Harbor: 'An L1 that receives tokens of Summit, and sends them back.',
  'C-Chain': 'The C-Chain of the recorded primary network.',
}

/**
 * Settings of the demo, which `firn start` serves without a configuration; its files lie in `folder`,
 * which ends with a slash or is empty. JSON, so that a start needs no reader of YAML.
 */
export function demoConfig(chains: readonly Chain[], cast: Cast, folder = ''): string {
  const noted = cast.all()
  const settings = {
    networks: {
      fuji: {
        recording: `${folder}primary.firnrec`,
        genesis: `${folder}genesis.json.gz`,
        primary: true,
      },
    },
    chains: [
      ...chains.map((chain) => ({
        name: chain.name,
        symbol: chain.symbol,
        description: descriptions[chain.name] ?? '',
        recording: `${folder}${chain.name.toLowerCase()}.firnrec`,
        blockchainId: toCb58(chain.blockchainId),
        // What was noted for none of the L1s is of the primary network.
        subnetId: noted[`${chain.name}.subnet`] ?? toCb58(new Uint8Array(32)),
        icmContracts: [noted['messenger']],
        wrappedTokens: [noted[`${chain.name}.wrapped`]],
      })),
      meridian(folder),
    ],
    prices: `file:${folder}prices.csv`,
    tokenReputation: `${folder}reputation.csv`,
  }
  return `${JSON.stringify(settings, undefined, 2)}\n`
}

/** The chain of `season.ts`, which has a past. */
function meridian(folder: string) {
  return {
    name: 'Meridian',
    symbol: 'MER',
    description: 'Ninety days of a made-up market, on a local EVM (anvil).',
    recording: `${folder}meridian.firnrec`,
    traces: 'off',
  }
}

const coins: Readonly<Record<string, readonly [coin: string, token: string]>> = {
  Summit: ['4.20', '0.168'],
  Harbor: ['1.75', '0.07'],
  'C-Chain': ['31.50', '1.26'],
}

/** A price of every coin and token, for now and for the days of the recording. */
export function demoPrices(chains: readonly Chain[], cast: Cast): string {
  const noted = cast.all()
  const dayMs = 86_400_000
  const [today = '', yesterday = ''] = [0, 1].map((ago) =>
    new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10),
  )
  const lines = ['chainId,token,date,currency,price']
  for (const { name, chainNumber } of chains) {
    const [coin = '1', token = '1'] = coins[name] ?? []
    for (const [of, price] of [
      ['native', coin],
      [noted[`${name}.wrapped`], coin],
      [noted[`${name}.token`], token],
      [noted[`${name}.stable`], '1.00'],
    ])
      for (const [date, factor] of [
        [yesterday, price === '1.00' ? 1 : 0.96],
        [today, 1],
        ['', 1],
      ] as const)
        lines.push(
          `${chainNumber},${of},${date},usd,${factor === 1 ? price : (Number(price) * factor).toFixed(4)}`,
        )
  }
  for (const date of [today, ''])
    lines.push(`fiat,usd,${date},eur,0.92`, `fiat,usd,${date},gbp,0.79`)
  return `${lines.join('\n')}\n`
}

/** The token that deceives is marked, and the dollar it imitates. */
export function demoReputations(chains: readonly Chain[], cast: Cast): string {
  const noted = cast.all()
  const lines = chains.flatMap(({ name, chainNumber }) => [
    `${chainNumber},${noted[`${name}.deceiver`]},Malicious`,
    `${chainNumber},${noted[`${name}.stable`]},Benign`,
  ])
  return `${lines.join('\n')}\n`
}
