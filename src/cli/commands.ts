/**
 * The commands as `--help` lists them. Each is a file in `commands/`, loaded when it is used, so that
 * `firn --help` answers at once.
 */

import type { Flags } from './flags.ts'

type Option = readonly [flag: string, about: string, usual?: string]

/** A command as its help has it. */
export type CommandRow = {
  /** Words that lead to it, and its argument: `keys create <name>`. */
  readonly words: string
  readonly about: string
  readonly aboutArgument?: string
  readonly required?: readonly Option[]
  readonly options: readonly Option[]
  /** Lines that can be typed as they stand. */
  readonly examples: readonly string[]
  readonly run: (flags: Flags, argument: string) => Promise<void>
}

const configFile = ['--config <file>', 'configuration file'] as const
const storeFolder = ['--data-dir <folder>', 'folder of the stores'] as const
const keyFolder = ['--data-dir <folder>', 'folder of the keys (default ./firn-data)'] as const
const apiUrl = ['--url <url>', 'address of the data API (default: as configured)'] as const
const nodeUrl = [
  '--node-url <url>',
  'address of its node listener (default: as configured)',
] as const
const sample = [
  '--sample <count>',
  'most addresses, stakers and heights of sampled checks',
  '64',
] as const
const which = ['--snapshot <id>', 'as `list` prints it (default: the newest)'] as const
const keyLimits = [
  ['--tier <name>', 'limit of the key: a tier of the setting api.tiers'],
  ['--per-minute <units>', 'limit of the key in compute units'],
  ['--per-day <units>', 'the same for a day (default: 1440 minutes)'],
] as const

const chainWords = [
  ['--chain-name <name>', 'of one EVM chain: its name, which no endpoint gives'],
  ['--coin <symbol>', 'of one EVM chain: the symbol of its coin'],
  [
    '--contracts <folder>',
    'of one EVM chain: compiled contracts of your project, `out` of Foundry or `artifacts` of Hardhat',
  ],
] as const

/** First words that several commands share. */
export const groups: Readonly<Record<string, string>> = {
  keys: 'API keys',
  config: 'configuration',
  contracts: 'verified contracts',
  alias: 'names of chains and endpoints',
  log: 'logging of a running Firn',
  snapshot: 'copies of all stores in a folder or bucket',
  cache: 'history of a bucket on this disk',
  logs: 'kept logs of a chain',
}

/** Commands in the order in which `firn --help` lists them; the first is meant where none is named. */
export const commands: readonly CommandRow[] = [
  {
    words: 'start',
    about: 'index chains and serve the API; where nothing is named, the bundled demo network',
    options: [
      ['--node <url>', 'a node: its primary network and every EVM chain that it serves'],
      ['--rpc <url>', 'the RPC address of one EVM chain'],
      ...chainWords,
      ['--network <name>', 'mainnet or fuji: its P-Chain from its peers, without a node'],
      ['--config <file>', 'configuration, for instance firn.yaml'],
      ['--print-config', 'print what this start would use, and end'],
      [
        '--data-dir <folder>',
        'folder of stores, keys and logs (default ./firn-data; of the demo ./firn-demo)',
      ],
      ['--port <port>', 'port of the data API (default 8080)'],
      ['--node-port <port>', 'port of the node listener (default 8081)'],
      ['--api-admin-enabled [on]', 'serve the administration RPC on the node listener'],
      ['--role <role>', 'all, index or serve (default all)'],
    ],
    examples: [
      'firn start                                   # the bundled demo network',
      'firn start --node http://127.0.0.1:9650      # your node: all that it serves',
      'firn start --rpc http://127.0.0.1:8545 --chain-name Glacier --coin GLC   # one EVM chain',
      'firn start --config firn.yaml',
      'firn start --config firn.yaml --role serve --port 8090',
    ],
    run: async (flags) => (await import('./commands/start.ts')).start(flags),
  },
  {
    words: 'init',
    about: 'ask three questions and write firn.yaml',
    options: [['--out <file>', 'file to write', 'firn.yaml'], ...chainWords],
    examples: ['firn init', 'firn init --chain-name Glacier --coin GLC'],
    run: async (flags) => (await import('./commands/init.ts')).init(flags),
  },
  {
    words: 'status',
    about: 'show how far a running Firn has indexed',
    options: [apiUrl, configFile, ['--json', 'print the answer as it is']],
    examples: ['firn status', 'firn status --url http://10.0.0.5:8080 --json'],
    run: async (flags) => (await import('./commands/status.ts')).status(flags),
  },
  {
    words: 'mcp',
    about: 'serve tools for language models on standard input, over a running Firn',
    options: [apiUrl, configFile, ['--key <key>', 'API key of the running Firn']],
    examples: ['firn mcp', 'firn mcp --url https://firn.example.com'],
    run: async (flags) => (await import('./commands/mcp.ts')).mcp(flags),
  },
  {
    words: 'keys create <name>',
    about: 'make a key and print it once',
    options: [...keyLimits, configFile, keyFolder],
    examples: ['firn keys create shop', 'firn keys create shop --per-minute 6000'],
    run: async (flags, name) => (await import('./commands/keys.ts')).createKey(name, flags),
  },
  {
    words: 'keys list',
    about: 'list the keys',
    options: [configFile, keyFolder],
    examples: ['firn keys list --config firn.yaml'],
    run: async (flags) => (await import('./commands/keys.ts')).listKeys(flags),
  },
  {
    words: 'keys limit <id>',
    about: 'give a key another limit; without a flag, the general one',
    options: [...keyLimits, configFile, keyFolder],
    examples: ['firn keys limit 1a2b3c4d --tier small'],
    run: async (flags, id) => (await import('./commands/keys.ts')).limitKey(id, flags),
  },
  {
    words: 'keys rotate',
    about: 'make a new key that seals page tokens; those given out stay valid 24 hours',
    required: [['--page-tokens', 'the key of page tokens (API keys are revoked one by one)']],
    options: [configFile, keyFolder],
    examples: ['firn keys rotate --page-tokens'],
    run: async (flags) => (await import('./commands/keys.ts')).rotateKeys(flags),
  },
  {
    words: 'keys revoke <id>',
    about: 'make a key invalid at once',
    options: [configFile, keyFolder],
    examples: ['firn keys revoke 1a2b3c4d'],
    run: async (flags, id) => (await import('./commands/keys.ts')).revokeKey(id, flags),
  },
  {
    words: 'config show',
    about: 'print every setting and where its value comes from',
    options: [['--changed', 'only those that differ from their defaults'], configFile],
    examples: ['firn config show --changed --config firn.yaml'],
    run: async (flags) => (await import('./commands/config-show.ts')).showConfig(flags),
  },
  {
    words: 'verify',
    about: 'compare what is indexed with what a node says, or stores with their own sums',
    options: [
      ['--chain <store>', 'an EVM chain, by the name of its store: fuji-c-chain'],
      ['--store', 'read every store and compare it with the sums that were written with it'],
      ['--repair', 'with --store: mend what is damaged; Firn must not run'],
      ['--copies <folder>', 'with --repair: a folder with copies of segments'],
      ['--json', 'with --store: print one JSON object'],
      ['--node <url>', 'base address of the node (default: that of the configuration)'],
      ['--peers', 'ask the peers of the network whether they accepted the newest blocks'],
      ['--network <name>', 'mainnet or fuji', 'fuji'],
      sample,
      configFile,
      storeFolder,
    ],
    examples: [
      'firn verify --node http://127.0.0.1:9650 --config firn.yaml',
      'firn verify --chain fuji-c-chain --config firn.yaml',
      'firn verify --store --repair --config firn.yaml',
    ],
    run: async (flags) => {
      if (flags['chain'] !== undefined)
        return (await import('./commands/verify-chain.ts')).verifyEvmChain(flags)
      if (flags['peers'] === true)
        return (await import('./commands/verify-peers.ts')).verifyPeers(flags)
      if (flags['store'] !== true) return (await import('./commands/verify.ts')).verify(flags)
      return flags['repair'] === true
        ? (await import('./commands/repair-stores.ts')).repairStores(flags)
        : (await import('./commands/verify-stores.ts')).verifyStores(flags)
    },
  },
  {
    words: 'export <path>',
    about: 'write a whole list of a running Firn as CSV, JSON lines or Parquet',
    aboutArgument: 'its path and parameters, for instance /v1/chains/43114/blocks',
    options: [
      ['--page-token <token>', 'go on from here: what an export that failed has printed'],
      ['--format <format>', 'csv, ndjson or parquet', 'csv'],
      ['--out <file>', 'file to write (default: standard output)'],
      apiUrl,
      configFile,
      ['--key <key>', 'API key, where one is needed'],
    ],
    examples: [
      'firn export /v1/chains/43113/blocks --format parquet --out blocks.parquet',
      "firn export '/v1/networks/mainnet/rewards?addresses=avax1…&currency=eur' --out rewards.csv",
    ],
    run: async (flags, path) => (await import('./commands/export.ts')).exportList(path, flags),
  },
  {
    words: 'cache warm <chain>',
    about: 'fetch the newest history of a chain from the bucket, before it is asked for',
    aboutArgument: 'name of its store, as `firn doctor` prints it',
    options: [configFile, storeFolder],
    examples: ['firn cache warm mainnet-c-chain --config firn.yaml'],
    run: async (flags, chain) => (await import('./commands/cache.ts')).warmCache(chain, flags),
  },
  {
    words: 'logs delete <chain>',
    about: 'delete the kept logs of a chain, with their files, once they are turned off',
    aboutArgument: 'name of its store, as `firn doctor` prints it',
    options: [configFile, storeFolder],
    examples: ['firn logs delete mainnet-c-chain --config firn.yaml'],
    run: async (flags, chain) =>
      (await import('./commands/delete-logs.ts')).deleteLogs(chain, flags),
  },
  {
    words: 'upgrade',
    about: 'say what the next start would change in stores of an older version',
    required: [['--check', 'change nothing: a start does it']],
    options: [configFile, storeFolder],
    examples: ['firn upgrade --check', 'firn upgrade --check --config firn.yaml'],
    run: async (flags) => (await import('./commands/upgrade.ts')).checkUpgrade(flags),
  },
  {
    words: 'doctor',
    about: 'check the machine, the stores and every node, and say what to do',
    options: [
      ['--node <url>', 'a node, as of firn start'],
      ['--rpc <url>', 'the RPC address of one EVM chain, as of firn start'],
      configFile,
      ['--data-dir <folder>', 'folder of stores, keys and logs'],
      ['--port <port>', 'port of the data API'],
      ['--node-port <port>', 'port of the node listener'],
    ],
    examples: ['firn doctor --config firn.yaml'],
    run: async (flags) => (await import('./commands/doctor.ts')).doctor(flags),
  },
  {
    words: 'contracts export',
    about: 'print verified contracts with their sources, one line of JSON each',
    options: [configFile, storeFolder],
    examples: ['firn contracts export --config firn.yaml > contracts.jsonl'],
    run: async (flags) => (await import('./commands/contracts.ts')).exportContracts(flags),
  },
  {
    words: 'contracts import <file>',
    about:
      'take verified contracts from a file that export printed, or have those of a folder proved',
    aboutArgument:
      'a file of export, which is believed; or a folder of another explorer, whose sources a running Firn proves',
    options: [
      configFile,
      storeFolder,
      apiUrl,
      ['--key <key>', 'API key, where a folder needs one'],
    ],
    examples: [
      'firn contracts import contracts.jsonl --config firn.yaml',
      'firn contracts import ./repository --url http://127.0.0.1:8080',
    ],
    run: async (flags, path) =>
      (await import('./commands/contracts.ts')).importContracts(path, flags),
  },
  {
    words: 'alias add <alias>',
    about: 'name a chain or an endpoint',
    options: [
      ['--chain <chain>', 'blockchain id, or a name it has already'],
      ['--endpoint <endpoint>', 'the part behind /ext/ of an address of the node listener'],
      nodeUrl,
      configFile,
    ],
    examples: ['firn alias add mychain --chain 2euXiQ9vAnzGbJhbv1AShETASYweS2p1ME7AnN71dhL3d8PQh3'],
    run: async (flags, name) => (await import('./commands/node-requests.ts')).addAlias(name, flags),
  },
  {
    words: 'alias rm <alias>',
    about: 'take a name away',
    options: [nodeUrl, configFile],
    examples: ['firn alias rm mychain'],
    run: async (flags, name) =>
      (await import('./commands/node-requests.ts')).removeAlias(name, flags),
  },
  {
    words: 'alias list',
    about: 'list the names given',
    options: [nodeUrl, configFile],
    examples: ['firn alias list'],
    run: async (flags) => (await import('./commands/node-requests.ts')).listAliases(flags),
  },
  {
    words: 'log level [logger]',
    about: 'print or set levels: VERBO DEBUG TRACE INFO WARN ERROR FATAL OFF',
    options: [
      ['--level <level>', 'least level of the log file'],
      ['--display <level>', 'least level of the terminal'],
      nodeUrl,
      configFile,
    ],
    examples: ['firn log level', 'firn log level api --display DEBUG'],
    run: async (flags, logger?: string) =>
      (await import('./commands/node-requests.ts')).logLevel(logger, flags),
  },
  {
    words: 'profile <cpu|heap|lock>',
    about: 'profile a running Firn, for go tool pprof',
    options: [['--seconds <seconds>', 'how long to profile the CPU', '10'], nodeUrl, configFile],
    examples: ['firn profile cpu --seconds 30'],
    run: async (flags, kind) => (await import('./commands/node-requests.ts')).profile(kind, flags),
  },
  {
    words: 'snapshot create <folder>',
    about: 'copy what is new in the stores into a folder or bucket, while Firn runs or not',
    options: [configFile, storeFolder],
    examples: ['firn snapshot create /backup/firn --config firn.yaml'],
    run: async (flags, place) =>
      (await import('./commands/snapshot.ts')).createSnapshot(place, flags),
  },
  {
    words: 'snapshot list <folder>',
    about: 'list the snapshots of a folder or bucket',
    options: [['--json', 'print one JSON object']],
    examples: ['firn snapshot list /backup/firn'],
    run: async (flags, place) =>
      (await import('./commands/snapshot.ts')).listSnapshots(place, flags),
  },
  {
    words: 'snapshot verify <folder>',
    about: 'read every file of a snapshot and compare it with its hash',
    options: [which],
    examples: ['firn snapshot verify /backup/firn'],
    run: async (flags, place) =>
      (await import('./commands/snapshot.ts')).verifySnapshot(place, flags),
  },
  {
    words: 'snapshot restore <from>',
    about: 'make an empty data folder, or stores in PostgreSQL, of a snapshot',
    options: [
      which,
      ['--trust', 'take an own backup as it is, without comparing its history with a node'],
      ['--config <file>', 'configuration file, which says where stores lie'],
      ['--data-dir <folder>', 'the folder to make'],
    ],
    examples: [
      'firn snapshot restore /backup/firn --data-dir ./firn-data --trust',
      'firn snapshot restore /backup/firn --config new.yaml --trust',
    ],
    run: async (flags, from) => (await import('./commands/snapshot.ts')).restore(from, flags),
  },
]
