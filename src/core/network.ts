/** The two networks a deployment can have, and the constants of the public ones. */

/** As the API names them. `fuji` is the test network, be it Fuji, a local or a private one. */
export type Network = 'mainnet' | 'fuji'

/** Names that callers may write; `testnet` is `fuji`. */
export const networkNames = ['mainnet', 'fuji', 'testnet'] as const

/** The network a caller's word means. */
export function networkOf(name: (typeof networkNames)[number]): Network {
  return name === 'mainnet' ? 'mainnet' : 'fuji'
}

/**
 * Human-readable part of addresses by network id. Source: avalanchego
 * utils/constants/network_ids.go.
 */
export function hrpOf(networkId: number): string {
  return hrps[networkId] ?? 'custom'
}

const hrps: Readonly<Record<number, string>> = {
  1: 'avax',
  2: 'cascade',
  3: 'denali',
  4: 'everest',
  5: 'fuji',
  10: 'testing',
  12345: 'local',
}

/**
 * Ids of the public networks' chains and asset, cb58. Source: avalanchego genesis/genesis_test.go.
 */
export const publicNetworks = {
  mainnet: {
    networkId: 1,
    pChainId: '11111111111111111111111111111111LpoYY',
    xChainId: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
    cChainId: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    avaxAssetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
    evmChainId: 43114,
  },
  fuji: {
    networkId: 5,
    pChainId: '11111111111111111111111111111111LpoYY',
    xChainId: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
    cChainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    avaxAssetId: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
    evmChainId: 43113,
  },
} as const
