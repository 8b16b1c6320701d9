/** Pages with which the crawl begins besides the overview, must find, and photographs. */

import { readFileSync } from 'node:fs'

/** Kinds of pages that links of the demo network lead to; a colon stands for an id. */
export const kindsOfPages: readonly string[] = [
  'api',
  'api/:',
  'chain/:',
  'chain/:/active',
  'chain/:/address/:',
  'chain/:/address/:/code',
  'chain/:/address/:/events',
  'chain/:/address/:/holders',
  'chain/:/address/:/items',
  'chain/:/address/:/native',
  'chain/:/address/:/read',
  'chain/:/address/:/token-transfers',
  'chain/:/address/:/transfers',
  'chain/:/address/:/write',
  'chain/:/address/:/internal',
  'chain/:/address/:/deployments',
  'chain/:/address/:/messages',
  'chain/:/address/:/nfts',
  'chain/:/block/:',
  'chain/:/collections',
  'chain/:/contracts',
  'chain/:/gas',
  'chain/:/nft/:/:',
  'chain/:/tokens',
  'chain/:/transactions',
  'chain/:/tx/:',
  'l1s/:',
  'message/:',
  'messages',
  'metrics',
  'metrics/:/:',
  'metrics/:/:/:',
  'primary/:',
  'primary/:/address/:',
  'primary/:/block/c-chain/:',
  'primary/:/block/p-chain/:',
  'primary/:/block/x-chain/:',
  'primary/:/blocks/c-chain',
  'primary/:/blocks/p-chain',
  'primary/:/blocks/x-chain',
  'primary/:/l1',
  'primary/:/node/:',
  'primary/:/subnet/:',
  'primary/:/subnets',
  'primary/:/transactions/c-chain',
  'primary/:/transactions/p-chain',
  'primary/:/transactions/x-chain',
  'primary/:/tx/c-chain/:',
  'primary/:/tx/p-chain/:',
  'primary/:/tx/x-chain/:',
  'primary/:/validation/:',
  'staking/:',
]

/** Ids of the demo by their roles. */
export const cast = JSON.parse(
  readFileSync(new URL('../../demo/cast.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>

/** Places that a crawl need not find by itself: nowhere, contracts, a chart that is studied. */
export const seeds: readonly string[] = [
  '/nowhere',
  `/chain/51001/address/${cast['Summit.token'] ?? ''}`,
  `/chain/51001/address/${cast['Summit.pictures'] ?? ''}/transfers`,
  '/metrics/51001/day/txCount?with=51002&days=365&log=on',
]

/** Pictures of README and guides: a file of `docs/images`, and the place it shows. */
export const pictures: readonly (readonly [name: string, place: string])[] = [
  ['explorer', '/'],
  ['l1', `/primary/fuji/subnet/${cast['Summit.subnet'] ?? ''}`],
  ['flow', `/primary/fuji/tx/p-chain/${cast['renewingTx'] ?? ''}`],
  ['transaction', `/chain/51001/tx/${cast['tx message'] ?? ''}`],
  ['address', `/chain/51001/address/${cast['traveller'] ?? ''}`],
  ['token', `/chain/51001/address/${cast['Summit.stable'] ?? ''}`],
  ['contract', `/chain/51001/address/${cast['Summit.exchange'] ?? ''}/code`],
  ['message', `/message/${cast['deliveredMessage'] ?? ''}`],
  ['staking', '/staking/fuji'],
  ['metrics', '/metrics/51003/day/txCount'],
]
