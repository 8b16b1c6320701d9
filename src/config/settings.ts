/**
 * Every setting of the product, in one table.
 *
 * From it come the flags, the `FIRN_*` environment names, the check of `firn.yaml`, `firn config
 * show` and the page `docs/reference/settings.md`. Precedence: flag, environment, file, default.
 */

import type { RecordedTime } from '../core/recorded-time.ts'
import type { ChainConfig, NetworkConfig } from './chain-settings.ts'
import { any, flag, integer, list, type Setting, text, type Values, word } from './setting.ts'

/** Settings of the process, by their path in `firn.yaml`. */
export const settings = {
  dataDir: text('./firn-data', 'Folder of the embedded stores, keys and logs.', {
    flag: '--data-dir <folder>',
  }),
  store: text('embedded', '`embedded`, or a PostgreSQL URL: `postgres://user@host:5432/db`.', {
    secret: true,
  }),
  stores: any(
    {},
    "Chains whose stores lie on other PostgreSQL servers than `store`: `{ 'mainnet-*': 'postgres://…' }`, by names of stores in which `*` is any part; the first that fits counts.",
    { secret: true },
  ),
  'postgres.connections': integer(
    10,
    [8, 1_000],
    'Connections of this process to a PostgreSQL server at most, for all of its stores there together.',
  ),
  'postgres.waitSeconds': integer(
    60,
    [0, 86_400],
    'How long a start waits for a PostgreSQL server that cannot be reached; one that breaks off later is always waited for.',
  ),
  'postgres.replicas': list(
    'PostgreSQL URLs of read replicas of `store`: requests are answered from them in turn, and from `store` when none is up to date.',
    [],
    { secret: true },
  ),
  role: word('all', ['all', 'index', 'serve'], 'Work of this process: index, serve, or both.', {
    flag: '--role <role>',
  }),

  'api.host': text('127.0.0.1', 'Address the data API listens on.'),
  'api.port': integer(8080, [0, 65_535], 'Port of the data API; 0 takes a free one.', {
    flag: '--port <port>',
  }),
  'api.workers': integer(
    1,
    [1, 64],
    'Threads that answer the data API behind its port, the main thread among them. More than one needs Linux; each takes about 100 MiB and pays only where a core is free for it.',
  ),
  'api.allowedHosts': list(
    'Host names the data API answers to besides `localhost` and addresses, such as that of a reverse proxy. On loopback all others are refused; elsewhere only once names are given.',
  ),
  'api.cors': list(
    'Web pages that may read answers: `any`, `loopback`, `none`, or origins like `https://app.example`; `auto` is `loopback` where the API listens on loopback, else `any`.',
    ['auto'],
  ),
  'api.dialect': word(
    'auto',
    ['auto', 'documented', 'sdk', 'sdk-0.3.14'],
    'Form of answers: that of the documents, of the official clients, or of the clients from version 0.3.14 on. `auto` decides by User-Agent.',
  ),
  'api.unknownParameters': word(
    'refuse',
    ['refuse', 'ignore'],
    'Query parameters that an operation does not have: a request with one is refused with the nearest name, or they count for nothing, as the original service has it.',
  ),
  'api.keysRequired': flag(false, 'Refuse requests without an API key.'),
  'api.rateLimit': any(
    'off',
    '`off`, or `{ perMinute, perDay }` in compute units for each address or key.',
  ),
  'api.tiers': any(
    {},
    'Limits of keys by the name of their tier: `{ pro: { perMinute, perDay } }`; see `firn keys create --tier`.',
  ),
  'api.keptCalls': integer(
    1_000,
    [0, 100_000],
    'Newest answers kept for each API key, with address and User-Agent of the caller, for `/v1/apiLogs`; 0 keeps none.',
  ),
  'api.trustProxy': list(
    'Reverse proxies whose `X-Forwarded-For` is believed: addresses, networks like `10.0.0.0/8`, or `loopback`.',
  ),
  'api.maxConnections': integer(4_096, [1, 1_000_000], 'Open connections; more are refused.'),
  'api.maxConnectionsPerAddress': integer(
    1_024,
    [1, 1_000_000],
    'Open connections of one address; more are answered 503.',
  ),
  'api.maxUnderWay': integer(
    32,
    [1, 10_000],
    'Answers of lists made at the same time, and as many of single items.',
  ),
  'api.maxUnderWayPerAddress': integer(24, [1, 10_000], 'Of these, those for one address.'),
  'api.maxWaiting': integer(
    512,
    [8, 100_000],
    'Requests that may wait for their turn, of lists and of single items each.',
  ),
  'api.maxWaitingPerAddress': integer(256, [1, 100_000], 'Of these, those of one address.'),
  'api.maxQueuedMs': integer(
    125,
    [10, 60_000],
    'Work taken in before requests are refused with 503, milliseconds.',
  ),
  'api.maxUnsentBytes': integer(
    134_217_728,
    [1_048_576, 17_179_869_184],
    'Bytes of answers callers have not taken yet; beyond it the slowest reader is disconnected.',
  ),
  'api.newestBlocksReaders': integer(
    256,
    [0, 100_000],
    'Open streams of new blocks (`/v1/blocks/events`), 16 of one address; 0: none.',
  ),
  'api.sendTimeoutMs': integer(
    60_000,
    [100, 3_600_000],
    'Longest time a caller may need to take an answer, milliseconds.',
  ),
  'api.requestTimeoutMs': integer(
    15_000,
    [100, 600_000],
    'Longest time to receive a request, milliseconds.',
  ),
  'api.handlerTimeoutMs': integer(
    10_000,
    [100, 600_000],
    'Longest time to answer, milliseconds; signature aggregation has its own.',
  ),
  'api.maxAddresses': integer(64, [1, 1_024], 'Addresses in one query parameter.'),
  'api.maxBodyAddresses': integer(1_024, [1, 4_096], 'Addresses in the body of the UTXO list.'),
  'events.keepDays': integer(
    7,
    [1, 3_650],
    'Days that what webhooks report is kept; what is older is computed from history when it is requested again.',
  ),
  'events.privateHosts': list(
    'Hosts that webhooks may lead to although their addresses are not public: names, addresses, or `any`.',
  ),
  'events.webhooksPerKey': integer(100, [1, 100_000], 'Webhooks of one API key.'),
  'events.addressesPerWebhook': integer(1_000, [1, 10_000], 'Addresses of one webhook.'),
  'events.listenersPerKey': integer(
    16,
    [1, 10_000],
    'Open event streams of one API key; 256 times as many in all.',
  ),
  'events.retrySeconds': list(
    'Pauses after failed attempts to deliver a message, seconds; after the attempt that follows the last it is a dead letter.',
    ['10', '60', '300', '600', '1800', '7200', '21600', '43200', '86400'],
  ),
  'events.signature': word(
    'hex',
    ['hex', 'text'],
    'Key of signatures: the bytes that the hex digits of the secret stand for, as documented, or the secret as text, as `validateWebhook` of the clients has it.',
  ),
  'api.transactionPageUtxos': integer(
    4_000,
    [100, 1_000_000],
    'A page of transactions ends early once its transactions carry this many UTXOs.',
  ),
  'api.explorer': flag(true, 'Serve the explorer and its reference of the API at `/`.'),
  'explorer.title': text(
    '',
    'Name of the explorer: in its header, its titles and in previews of links; empty: Firn.',
  ),
  'explorer.description': text('', 'One sentence for the footer and for previews of links.'),
  'explorer.home': text(
    '',
    'Text at the head of the first page; an empty line begins a paragraph.',
  ),
  'explorer.logo': text('', 'Picture in the header: a file, SVG or PNG; empty: that of Firn.'),
  'explorer.colour': text(
    '',
    'Colour of links and buttons in the light theme, `#0b6c9e`; empty: that of Firn.',
  ),
  'explorer.darkColour': text('', 'The same in the dark theme, `#7cc9f2`.'),
  'explorer.links': list('Links in the menu and the footer, `Bridge https://bridge.example` each.'),
  'explorer.labels': text(
    '',
    'File of `address,label` or `chainId,address,label` lines: what addresses are called in the explorer and in answers (`label`).',
  ),
  'api.segments': flag(
    false,
    'Offer the segments of frozen history at `/v1/segments`, to other Firns; see the guide.',
  ),
  'node.host': text(
    '127.0.0.1',
    'Address the node listener (health, metrics, administration) listens on.',
  ),
  'node.port': integer(8081, [0, 65_535], 'Port of the node listener; 0 takes a free one.', {
    flag: '--node-port <port>',
  }),
  'node.apiAdminEnabled': flag(false, 'Serve the administration RPC at /ext/admin.', {
    flag: '--api-admin-enabled [on]',
  }),
  'node.adminAllowRemote': flag(
    false,
    'Allow the administration RPC on an address that is not loopback.',
  ),
  'node.adminCompat': word(
    'document',
    ['document', 'avalanchego'],
    'Replies of setLoggerLevel, getChainAliases and loadVMs: as documented, or as AvalancheGo does.',
  ),
  'node.allowedHosts': any(
    ['localhost'],
    'Host names the node listener answers to; addresses always pass.',
  ),
  'node.rpcMethods': list(
    'Methods that `/ext/bc/<chain>` hands on to the node: `read` for those that only read, names, patterns (`eth_send*`), `*` for all.',
    ['read'],
  ),
  'node.maxLagSeconds': integer(
    120,
    [1, 86_400],
    'Longest time that a chain which was live may be behind its head, or a store without a process that indexes it, before readiness fails, seconds.',
  ),
  'node.readyWhenLive': flag(false, 'Not ready before every chain was live once.'),
  'node.persistAliases': flag(true, 'Keep aliases over a restart.'),
  'node.pluginDir': text('', 'Folder of VM plugins; empty: `plugins` in the data folder.'),
  'node.profileDir': text('', 'Folder of profiles; empty: `profiles` in the data folder.'),

  'log.level': word(
    'INFO',
    ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'],
    'Least level that goes to the log files.',
  ),
  'log.displayLevel': word(
    'INFO',
    ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'],
    'Least level that goes to the terminal.',
  ),
  'log.format': word(
    'auto',
    ['auto', 'plain', 'json'],
    'Form of the lines a start prints: for people, or one JSON object a line; `auto` is `plain`.',
  ),

  'index.freeze': word(
    'auto',
    ['auto', 'true', 'false'],
    'Move the history of EVM chains into segments, files in the folder `segments` of `dataDir`; see the guide. Beside PostgreSQL it needs `index.folder`. `auto` does it with embedded stores and where `index.folder` is set.',
  ),

  'index.freezeRows': integer(
    400_000,
    [10_000, 100_000_000],
    'Transactions, transfers and internal transactions that gather in tables before the oldest become a segment, also at the end of a backfill.',
  ),

  'index.folder': text(
    '',
    'Folder of segments; empty: `segments` of `dataDir` with embedded stores, none beside PostgreSQL. Hosts of one database that index share it, on a disk that all of them have.',
  ),

  'index.leaseSeconds': integer(
    3,
    [3, 60],
    'Time for which the lease of a process that indexes stands still before another one takes its chains over; every process of a deployment says the same. More where processes are kept from their cores for seconds.',
  ),

  'index.checkCopied': integer(
    1,
    [0, 100],
    'Of a history that came from a snapshot, segments of each hundred that are made again from the own node, one at least; 100: all of them, which proves all of it; 0: none. See the guide.',
  ),

  'segments.from': list(
    'Firns that offer their segments (`api.segments`): a process with `role: serve` takes from them, when a question needs it, what is not in its own folder. `http://10.0.0.2:8080`.',
    [],
    { isAddress: true },
  ),
  'segments.key': text('', 'API key for these Firns, where they need one.', { secret: true }),
  'segments.maxBytes': integer(
    107_374_182_400,
    [1_048_576, 2 ** 50],
    'Bytes of fetched segments that are kept, in `segments-fetched` of `dataDir`; those opened longest ago are removed.',
  ),

  'source.timeoutMs': integer(
    30_000,
    [100, 600_000],
    'Longest time for one call to a node, milliseconds.',
  ),
  'source.traceTimeoutMs': integer(
    120_000,
    [100, 3_600_000],
    'Longest time for the trace of one block, milliseconds.',
  ),
  'source.maxInFlight': integer(
    64,
    [1, 1_024],
    'Requests under way to one endpoint, half of them traces at most; the windows grow from 16 and 8 and shrink on trouble.',
  ),
  'source.maxReplyBytes': integer(
    33_554_432,
    [1_048_576, 1_073_741_824],
    'Longest reply taken from a node, bytes.',
  ),
  'source.bufferBytes': integer(
    33_554_432,
    [1_048_576, 4_294_967_296],
    'Blocks fetched ahead of the writer, bytes.',
  ),
  'source.checkEvery': integer(
    1,
    [1, 1_000_000],
    'Far behind the head one EVM block in so many is hashed and compared with its header; 1: every one. A larger number is for those who trust their node.',
  ),

  'recordings.heldBlocks': integer(
    0,
    [0, 120],
    'Where recordings alone are served: blocks at their end that a first start holds back and releases one a second. The bundled demo: 120.',
  ),

  'evm.selectorsFile': text(
    '',
    'File of method signatures, one a line, added to the bundled ones.',
  ),

  abis: text(
    '',
    'Folder of ABIs to decode logs and inputs with: `ADDRESS.json` for one contract, other JSON files for all; metadata files as Sourcify keeps them count for the contracts whose folder they lie in.',
  ),

  'contracts.compilers': text(
    '',
    'Where Solidity compilers are, so that contracts can be verified: a folder of `soljson-v0.8.30+commit.73712a01.js` and the like, or an address that offers them with a `list.json` of their hashes. Empty: none are verified.',
  ),

  'contracts.compilerMemory': integer(
    384,
    [256, 8_192],
    'Memory of the process that compiles, MiB; one compiles at a time. The largest contracts in use need 700.',
  ),
  'contracts.compilerSeconds': integer(
    60,
    [1, 600],
    'Time of a processor that compiling may take, seconds.',
  ),

  prices: any(
    'none',
    '`none`, `file:PATH`, or `{ http: URL, shape: defillama | coingecko, chains, fiat }`.',
  ),
  tokenLists: list('Token list files or URLs (Uniswap schema) for names and logos.'),
  tokenReputation: text('', 'File of `chainId,address,Malicious|Benign` lines.'),
  'tokens.maxAge': integer(30, [0, 86_400], 'Seconds a compared balance counts; 0 compares none.'),
  nftMetadata: any('off', '`off`, or `{ gateways: [IPFS gateways], arweave: gateway }`.'),

  'l1.watch': list('Subnet ids of L1s whose validators’ balances are exported as gauges.'),

  'warp.enabled': flag(true, 'Aggregate signatures; peers are dialled once a request needs them.'),
  'warp.timeoutMs': integer(
    55_000,
    [1_000, 60_000],
    'Longest time to gather signatures, milliseconds.',
  ),
  'warp.maxLookback': integer(
    100_000,
    [0, 1_000_000_000],
    'P-Chain blocks a request may go back with `pChainHeight`; 0: to the first.',
  ),
} as const satisfies Record<string, Setting>

/** The whole configuration, checked and frozen. Settings are named by their path. */
export type Config = Values<typeof settings> & {
  readonly networks: Readonly<Partial<Record<'mainnet' | 'fuji', NetworkConfig>>>
  readonly chains: readonly ChainConfig[]
  /** `chains: auto`: those that the nodes of `networks` serve, found at the start. */
  readonly autoChains: boolean
  /** Time that ends with the recordings, where nothing else is served. */
  readonly recordedTime: RecordedTime | undefined
}
