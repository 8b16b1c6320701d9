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
    isPath: true,
  }),
  store: text('embedded', '`embedded`, or a PostgreSQL URL: `postgres://user@host:5432/db`.', {
    secret: true,
  }),
  stores: any(
    {},
    "Chains stored on other PostgreSQL servers than `store`: `{ 'mainnet-*': 'postgres://…' }`, by name of store; `*` matches any part, and the first match counts.",
    { secret: true },
  ),
  'postgres.connections': integer(
    10,
    [8, 1_000],
    'Most connections of this process to one PostgreSQL server, for all of its stores there together.',
  ),
  'postgres.waitSeconds': integer(
    60,
    [0, 86_400],
    'How long a start waits for a PostgreSQL server that cannot be reached, seconds. A running Firn waits for its server without limit.',
  ),
  'postgres.replicas': list(
    'PostgreSQL URLs of read replicas of `store`. Requests are answered from them in turn, and from `store` when none is up to date.',
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
    'Threads that answer the data API on its port, the main thread included. More than one needs Linux; each takes about 100 MiB and helps only where a core is free for it.',
  ),
  'api.allowedHosts': list(
    'Host names the data API answers to besides `localhost` and IP addresses, such as that of a reverse proxy. On loopback all other names are refused; elsewhere only once names are given.',
  ),
  'api.cors': list(
    'Web pages that may read answers: `any`, `loopback`, `none`, or origins like `https://app.example`; `auto` is `loopback` where the API listens on loopback, else `any`.',
    ['auto'],
  ),
  'api.dialect': word(
    'auto',
    ['auto', 'documented', 'sdk', 'sdk-0.3.14'],
    'Form of answers: as documented, for the official clients, or for the clients from version 0.3.14 on. `auto` decides by User-Agent.',
  ),
  'api.unknownParameters': word(
    'refuse',
    ['refuse', 'ignore'],
    'What to do with query parameters that an operation does not have: refuse the request and name the nearest parameter, or ignore them, as the hosted service does.',
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
    'Newest answers kept for each API key, with the address and User-Agent of the caller, for `/v1/apiLogs`; 0 keeps none.',
  ),
  'api.trustProxy': list(
    'Reverse proxies whose `X-Forwarded-For` is believed: addresses, networks like `10.0.0.0/8`, or `loopback`.',
  ),
  'api.maxConnections': integer(4_096, [1, 1_000_000], 'Open connections; more are refused.'),
  'api.maxConnectionsPerAddress': integer(
    1_024,
    [1, 1_000_000],
    'Open connections from one address; more are answered 503.',
  ),
  'api.maxUnderWay': integer(
    32,
    [1, 10_000],
    'Lists answered at the same time; single items have the same limit of their own.',
  ),
  'api.maxUnderWayPerAddress': integer(24, [1, 10_000], 'The same limit for one address.'),
  'api.maxWaiting': integer(
    512,
    [8, 100_000],
    'Requests for lists that may wait for their turn; single items have the same limit of their own.',
  ),
  'api.maxWaitingPerAddress': integer(256, [1, 100_000], 'The same limit for one address.'),
  'api.maxQueuedMs': integer(
    125,
    [10, 60_000],
    'Work that may wait before requests are refused with 503, milliseconds.',
  ),
  'api.maxUnsentBytes': integer(
    134_217_728,
    [1_048_576, 17_179_869_184],
    'Bytes of answers that callers have not read yet; beyond it the slowest reader is disconnected.',
  ),
  'api.newestBlocksReaders': integer(
    256,
    [0, 100_000],
    'Open streams of new blocks (`/v1/blocks/events`), at most 16 from one address; 0: none.',
  ),
  'api.sendTimeoutMs': integer(
    60_000,
    [100, 3_600_000],
    'Longest time a caller may take to read an answer, milliseconds.',
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
    'Days for which webhook events are kept; older ones are computed from history when they are requested again.',
  ),
  'events.privateHosts': list(
    'Hosts with addresses that are not public to which webhooks may be sent: names, addresses, or `any`.',
  ),
  'events.webhooksPerKey': integer(100, [1, 100_000], 'Webhooks of one API key.'),
  'events.addressesPerWebhook': integer(1_000, [1, 10_000], 'Addresses of one webhook.'),
  'events.listenersPerKey': integer(
    16,
    [1, 10_000],
    'Open event streams of one API key; in all, 256 times as many.',
  ),
  'events.retrySeconds': list(
    'Pauses after failed attempts to deliver a message, seconds. When the attempt after the last pause fails too, the message becomes a dead letter.',
    ['10', '60', '300', '600', '1800', '7200', '21600', '43200', '86400'],
  ),
  'events.signature': word(
    'hex',
    ['hex', 'text'],
    'Key of webhook signatures: the bytes of the secret, decoded from hex as documented, or the secret as text, as `validateWebhook` of the clients expects.',
  ),
  'api.transactionPageUtxos': integer(
    4_000,
    [100, 1_000_000],
    'A page of transactions ends early once its transactions carry this many UTXOs.',
  ),
  'api.explorer': flag(true, 'Serve the explorer and its API reference at `/`.'),
  'explorer.title': text(
    '',
    'Name of the explorer, in its header, titles and link previews; empty: Firn.',
  ),
  'explorer.description': text('', 'One sentence for the footer and link previews.'),
  'explorer.home': text('', 'Text at the top of the first page; an empty line begins a paragraph.'),
  'explorer.logo': text('', "Logo in the header: an SVG or PNG file; empty: Firn's.", {
    isPath: true,
  }),
  'explorer.darkLogo': text('', 'The same for the dark theme; empty: the same picture.', {
    isPath: true,
  }),
  'explorer.preview': text(
    '',
    "Picture of link previews: a PNG file; empty: the logo where that is a PNG, else Firn's.",
    { isPath: true },
  ),
  'explorer.colour': text(
    '',
    "Colour of links and buttons in the light theme, `#0b6c9e`; empty: Firn's.",
  ),
  'explorer.darkColour': text('', 'The same in the dark theme, `#7cc9f2`.'),
  'explorer.links': list(
    'Links in the menu and the footer, each as `Bridge https://bridge.example`.',
  ),
  'explorer.pages': text(
    '',
    'Folder of Markdown files, at most 100: `about.md` is served at `/pages/about` and named in the menu by its title.',
    { isPath: true },
  ),
  'explorer.docs': flag(
    true,
    'Serve the documentation at `/docs` and the console of the API at `/api`, and name them in the explorer.',
  ),
  'explorer.labels': text(
    '',
    'File of `address,label` or `chainId,address,label` lines: names of addresses in the explorer and in answers (`label`).',
    { isPath: true },
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
    'Replies of setLoggerLevel, getChainAliases and loadVMs: as documented, or as AvalancheGo sends them.',
  ),
  'node.allowedHosts': any(
    ['localhost'],
    'Host names the node listener answers to; IP addresses always pass.',
  ),
  'node.rpcMethods': list(
    'Methods that `/ext/bc/<chain>` passes to the node: `read` for all that only read, names, patterns (`eth_send*`), or `*` for all.',
    ['read'],
  ),
  'node.maxLagSeconds': integer(
    120,
    [1, 86_400],
    'Readiness fails when a chain that was live is behind its head for longer, or when no process indexes a store for longer, seconds.',
  ),
  'node.readyWhenLive': flag(false, 'Readiness fails until every chain was live once.'),
  'node.persistAliases': flag(true, 'Keep aliases after a restart.'),
  'node.pluginDir': text('', 'Folder of VM plugins; empty: `plugins` in the data folder.', {
    isPath: true,
  }),
  'node.profileDir': text('', 'Folder of profiles; empty: `profiles` in the data folder.', {
    isPath: true,
  }),

  'log.level': word(
    'INFO',
    ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'],
    'Lowest level that goes to the log files.',
  ),
  'log.displayLevel': word(
    'INFO',
    ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'],
    'Lowest level that goes to the terminal.',
  ),
  'log.format': word(
    'auto',
    ['auto', 'plain', 'json'],
    'Form of the lines that `start` prints: for people, or one JSON object per line; `auto` is `plain`.',
  ),

  'index.freeze': word(
    'auto',
    ['auto', 'true', 'false'],
    'Move the history of EVM chains into segments, files in the folder `segments` of `dataDir`; see the guide. With PostgreSQL this needs `index.store`. `auto`: yes with embedded stores, and with PostgreSQL where `index.store` is set.',
  ),

  'index.freezeRows': integer(
    400_000,
    [100, 100_000_000],
    'Transactions, transfers and internal transactions of a chain, and kept logs, that are kept in tables before the oldest become a segment; this also holds at the end of a backfill.',
  ),

  'index.store': text(
    '',
    'Where segments are kept: a bucket of object storage, `s3://bucket/prefix?endpoint=https://host:port&region=name`, whose keys come from the environment, or a folder. Empty: the folder `segments` of `dataDir` with embedded stores, none with PostgreSQL. Every host of a database names the same one; a folder is on a disk that all of them mount.',
    { formerly: 'index.folder', isPath: true },
  ),

  'index.cacheBytes': integer(
    107_374_182_400,
    [1_048_576, 2 ** 50],
    'Bytes of a bucket to keep in `history-cache` of `dataDir`; files not read for longest are removed first.',
  ),

  'index.fileBytes': integer(
    134_217_728,
    [1_048_576, 268_435_456],
    'Most bytes of a segment in a bucket that merging makes, and of a file of its directory. A request fetches whole files; smaller ones come sooner, and there are more of them.',
  ),

  'index.leaseSeconds': integer(
    3,
    [3, 60],
    'Seconds without a sign of life from an indexing process before another one takes its chains over; set the same value for every process of a deployment. Raise it where processes get no CPU time for seconds.',
  ),

  'index.checkCopied': integer(
    1,
    [0, 100],
    'Percentage of a restored history that is rebuilt from your own node and compared, at least one segment; 100: all of it, which proves it; 0: none. See the guide.',
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
    'Concurrent requests to one endpoint, at most half of them traces. Firn begins with 16 and 8, and sends fewer when the endpoint has trouble.',
  ),
  'source.maxReplyBytes': integer(
    33_554_432,
    [1_048_576, 1_073_741_824],
    'Longest reply accepted from a node, bytes.',
  ),
  'source.bufferBytes': integer(
    33_554_432,
    [1_048_576, 4_294_967_296],
    'Blocks fetched ahead of the writer, bytes.',
  ),
  'source.checkEvery': integer(
    1,
    [1, 1_000_000],
    'Far behind the head, one EVM block in this many is hashed and compared with its header; 1: every block. Raise it only if you trust your node.',
  ),

  'recordings.heldBlocks': integer(
    0,
    [0, 120],
    'Only where nothing but recordings is served: newest blocks that the first start holds back and then releases, one per second. The bundled demo: 120.',
  ),

  'evm.selectorsFile': text(
    '',
    'File of method signatures, one per line, added to the bundled ones.',
    { isPath: true },
  ),

  abis: text(
    '',
    'Folder of ABIs to decode logs and inputs with: `ADDRESS.json` for one contract, other JSON files for all. A metadata file of Sourcify counts for the contract that its folder is named after.',
    { isPath: true },
  ),

  'contracts.compilers': text(
    '',
    'Compilers for verifying contracts: a folder of files like `soljson-v0.8.30+commit.73712a01.js` and of Python environments like `vyper-0.4.3`, or a URL that offers those of Solidity with a `list.json` of their hashes. Empty: contracts cannot be verified.',
    { isPath: true },
  ),

  'contracts.sourcify': text(
    '',
    'URL of a Sourcify server, `https://sourcify.dev/server`: sources that it has of a contract whose page is read here are fetched and proved like those of callers. It learns which contracts are looked at. Empty: nobody is asked.',
    { isAddress: true },
  ),
  'contracts.compilerMemory': integer(
    384,
    [256, 8_192],
    'Memory of the compiler process, MiB; one runs at a time. The largest contracts in use need 700.',
  ),
  'contracts.compilerSeconds': integer(
    60,
    [1, 600],
    'Processor time that compiling a contract may take, seconds.',
  ),

  prices: any(
    'none',
    '`none`, `file:PATH`, or `{ http: URL, shape: defillama | coingecko, chains, fiat }`.',
    { isPath: true },
  ),
  tokenLists: list('Token lists for names and logos: files or URLs (Uniswap schema).', [], {
    isPath: true,
  }),
  tokenReputation: text('', 'File of `chainId,address,Malicious|Benign` lines.', { isPath: true }),
  'tokens.maxAge': integer(
    30,
    [0, 86_400],
    'Seconds for which a balance that was compared with the node is used; 0 compares none.',
  ),
  nftMetadata: any('off', '`off`, or `{ gateways: [IPFS gateways], arweave: gateway }`.'),

  'l1.watch': list('Subnet ids of L1s; the balances of their validators are exported as gauges.'),

  'warp.enabled': flag(
    true,
    'Aggregate Warp signatures. Firn connects to peers once a request needs them.',
  ),
  'warp.timeoutMs': integer(
    55_000,
    [1_000, 60_000],
    'Longest time to collect signatures, milliseconds.',
  ),
  'warp.maxLookback': integer(
    100_000,
    [0, 1_000_000_000],
    'How many P-Chain blocks a request may go back with `pChainHeight`; 0: to the first.',
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
