/**
 * The command line. Each command is a file in `commands/`, loaded when it is used, so that
 * `firn --help` answers at once.
 */

import { Command, CommanderError } from 'commander'

import { faultOf } from '../core/fault.ts'
import { version } from '../service/version.ts'
import { addNodeCommands } from './commands/node-commands.ts'
import { addExamples } from './examples.ts'
import { exitCodes } from './exit-codes.ts'
import { checkAddresses, type Flags } from './flags.ts'

/**
 * Runs one command to its end. Its exit code is left in `process.exitCode`; what it prints goes to
 * the streams of the process.
 */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const program = createProgram()
  try {
    refuseUnknownCommand(program, words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
  }
}

/** Commands in the order in which `firn --help` lists them. */
function createProgram(): Command {
  const program = new Command('firn')
    .description('An open, self-hosted Avalanche data service.')
    .version(version)
    .showHelpAfterError('(firn --help lists the commands)')
    .exitOverride()
  addStart(program)
  program
    .command('init')
    .description('ask three questions and write firn.yaml')
    .option('--out <file>', 'file to write', 'firn.yaml')
    .action(async (flags: Flags) => (await import('./commands/init.ts')).init(flags))
  addStatus(program)
  addKeyCommands(program)
  program
    .command('config')
    .description('configuration')
    .command('show')
    .description('print every setting and where its value comes from')
    .option('--changed', 'only those that differ from their defaults')
    .option('--config <file>', 'configuration file')
    .action(async (flags: Flags) => (await import('./commands/config-show.ts')).showConfig(flags))
  addStoreCommands(program)
  addRecord(program)
  addExport(program)
  program
    .command('doctor')
    .description('check the machine, the stores and every node, and say what to do')
    .option('--node <url>', 'a node, as of firn start')
    .option('--rpc <url>', 'the RPC address of one EVM chain, as of firn start')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of stores, keys and logs')
    .option('--port <port>', 'port of the data API')
    .option('--node-port <port>', 'port of the node listener')
    .action(async (flags: Flags) => (await import('./commands/doctor.ts')).doctor(flags))
  addRecordPrimary(program)
  addContractCommands(program)
  addNodeCommands(program)
  addSnapshotCommands(program)
  addExamples(program)
  return program.hook('preAction', (_program, command) => checkAddresses(command.opts()))
}

function addStart(program: Command): void {
  program
    .command('start', { isDefault: true })
    .description('index chains and serve the API; where nothing is named, the bundled demo network')
    .option('--node <url>', 'a node: its primary network and every EVM chain that it serves')
    .option('--rpc <url>', 'the RPC address of one EVM chain')
    .option('--network <name>', 'mainnet or fuji: its P-Chain from its peers, without a node')
    .option('--config <file>', 'configuration, for instance firn.yaml')
    .option('--print-config', 'print what this start would use, and end')
    .option(
      '--data-dir <folder>',
      'folder of stores, keys and logs (default ./firn-data; of the demo ./firn-demo)',
    )
    .option('--port <port>', 'port of the data API (default 8080)')
    .option('--node-port <port>', 'port of the node listener (default 8081)')
    .option('--api-admin-enabled [on]', 'serve the administration RPC on the node listener')
    .option('--role <role>', 'all, index or serve (default all)')
    .action(async (flags: Flags) => (await import('./commands/start.ts')).start(flags))
}

function addStatus(program: Command): void {
  program
    .command('status')
    .description('show how far a running Firn has indexed')
    .option('--url <url>', 'address of its data API (default: as configured)')
    .option('--config <file>', 'configuration file')
    .option('--json', 'print the answer as it is')
    .action(async (flags: Flags) => (await import('./commands/status.ts')).status(flags))
}

function addExport(program: Command): void {
  program
    .command('export')
    .description('write a whole list of a running Firn as CSV, JSON lines or Parquet')
    .argument('<path>', 'its path and parameters, for instance /v1/chains/43114/blocks')
    .option('--page-token <token>', 'go on from here: what an export that failed has printed')
    .option('--format <format>', 'csv, ndjson or parquet', 'csv')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--url <url>', 'address of the data API (default: as configured)')
    .option('--config <file>', 'configuration file')
    .option('--key <key>', 'API key, where one is needed')
    .action(async (path: string, flags: Flags) =>
      (await import('./commands/export.ts')).exportList(path, flags),
    )
}

/** Without this the name of no command would be an argument too many of `start`. */
function refuseUnknownCommand(program: Command, word: string | undefined): void {
  if (word === undefined || word === '' || word.startsWith('-') || word === 'help') return
  if (!program.commands.some((command) => command.name() === word))
    program.error(`error: unknown command: ${word}`, { exitCode: exitCodes.usage })
}

/** Prints a failure as one sentence; only what we did not expect shows a stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const fault = faultOf(error)
  if (fault === undefined) {
    console.error(error)
    return exitCodes.broken
  }
  console.error(`firn: ${fault.message}`)
  switch (fault.code) {
    case 'bad-parameter':
      return exitCodes.usage
    case 'bad-config':
      return exitCodes.config
    case 'lease-lost':
      return exitCodes.taken
    case 'store-version':
      return exitCodes.store
    default:
      return exitCodes.failed
  }
}

/** Adds `contracts` to the command line. */
function addContractCommands(program: Command): void {
  const contracts = program.command('contracts').description('verified contracts')
  contracts
    .command('export')
    .description('print verified contracts with their sources, one line of JSON each')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (flags: Flags) =>
      (await import('./commands/contracts.ts')).exportContracts(flags),
    )
  contracts
    .command('import <file>')
    .description('take verified contracts from a file that export printed; they are believed')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (file: string, flags: Flags) =>
      (await import('./commands/contracts.ts')).importContracts(file, flags),
    )
}

const configFile = ['--config <file>', 'configuration file'] as const
const keyFolder = ['--data-dir <folder>', 'folder of the keys (default ./firn-data)'] as const
const tierOption = ['--tier <name>', 'limit of the key: a tier of the setting api.tiers'] as const
const perMinuteOption = ['--per-minute <units>', 'limit of the key in compute units'] as const
const perDayOption = ['--per-day <units>', 'the same for a day (default: 1440 minutes)'] as const

/** Adds `keys` to the command line. */
function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys')
  keys
    .command('create <name>')
    .description('make a key and print it once')
    .option(...tierOption)
    .option(...perMinuteOption)
    .option(...perDayOption)
    .option(...configFile)
    .option(...keyFolder)
    .action(async (name: string, flags: Flags) =>
      (await import('./commands/keys.ts')).createKey(name, flags),
    )
  keys
    .command('list')
    .description('list the keys')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (flags: Flags) => (await import('./commands/keys.ts')).listKeys(flags))
  keys
    .command('limit <id>')
    .description('give a key another limit; without a flag, the general one')
    .option(...tierOption)
    .option(...perMinuteOption)
    .option(...perDayOption)
    .option(...configFile)
    .option(...keyFolder)
    .action(async (id: string, flags: Flags) =>
      (await import('./commands/keys.ts')).limitKey(id, flags),
    )
  keys
    .command('rotate')
    .description('make a new key that seals page tokens; those given out stay valid 24 hours')
    .requiredOption('--page-tokens', 'the key of page tokens (API keys are revoked one by one)')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (flags: Flags) => (await import('./commands/keys.ts')).rotateKeys(flags))
  keys
    .command('revoke <id>')
    .description('make a key invalid at once')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (id: string, flags: Flags) =>
      (await import('./commands/keys.ts')).revokeKey(id, flags),
    )
}

/** Adds `record` to the command line. */
function addRecord(program: Command): void {
  program
    .command('record')
    .description('write an EVM chain and its state into one file that Firn replays')
    .requiredOption('--rpc <url>', 'RPC address of a node of the chain')
    .requiredOption('--out <file>', 'the recording')
    .option('--from <height>', 'first height', '0')
    .option('--until <height>', 'first height that is not recorded (default: after the newest)')
    .option('--traces', 'fail when the node gives no traces (default: take them if it does)')
    .option('--no-traces', 'record no traces')
    .option('--name <name>', 'name of the chain', 'Recorded chain')
    .option('--symbol <symbol>', 'symbol of its native token', 'COIN')
    .action(async (flags: Flags) => (await import('./commands/record.ts')).record(flags))
}

/** Adds `record-primary` to the command line. */
function addRecordPrimary(program: Command): void {
  program
    .command('record-primary')
    .description('write an indexed local primary network and its node’s answers into one file')
    .requiredOption('--node <url>', 'base address of the node')
    .requiredOption('--out <file>', 'the recording')
    .option('--sample <count>', 'most addresses, stakers and heights of sampled checks', '64')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (flags: Flags) =>
      (await import('./commands/record-primary.ts')).recordPrimary(flags),
    )
}

const which = ['--snapshot <id>', 'as `list` prints it (default: the newest)'] as const

/** Adds `snapshot` to the command line. */
function addSnapshotCommands(program: Command): void {
  const snapshot = program.command('snapshot').description('copies of all stores in a folder')
  snapshot
    .command('create <folder>')
    .description('copy what is new in the stores, while Firn runs or not')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (folder: string, flags: Flags) =>
      (await import('./commands/snapshot.ts')).createSnapshot(folder, flags),
    )
  snapshot
    .command('list <folder>')
    .description('list the snapshots of a folder')
    .option('--json', 'print one JSON object')
    .action(async (folder: string, flags: Flags) =>
      (await import('./commands/snapshot.ts')).listSnapshots(folder, flags),
    )
  snapshot
    .command('verify <folder>')
    .description('read every file of a snapshot and compare it with its hash')
    .option(...which)
    .action(async (folder: string, flags: Flags) =>
      (await import('./commands/snapshot.ts')).verifySnapshot(folder, flags),
    )
  snapshot
    .command('restore <from>')
    .description(
      'make an empty data folder, or stores in PostgreSQL, of a snapshot: of a folder, or of http://another-firn:8080',
    )
    .option(...which)
    .option('--trust', 'take an own backup as it is, without comparing its history with a node')
    .option('--config <file>', 'configuration file, which says where stores lie')
    .option('--data-dir <folder>', 'the folder to make')
    .action(async (from: string, flags: Flags) =>
      (await import('./commands/snapshot.ts')).restore(from, flags),
    )
}

/** Adds `verify` to the command line. */
function addStoreCommands(program: Command): void {
  program
    .command('verify')
    .description('compare what is indexed with what a node says, or stores with their own sums')
    .option('--chain <store>', 'an EVM chain, by the name of its store: fuji-c-chain')
    .option('--store', 'read every store and compare it with the sums that were written with it')
    .option('--repair', 'with --store: mend what is damaged; Firn must not run')
    .option(
      '--copies <place>',
      'with --repair: a folder with copies of segments, or the address of a Firn that offers them',
    )
    .option('--recording', 'compare everything with what nodes answered when it was recorded')
    .option('--json', 'with --store: print one JSON object')
    .option('--node <url>', 'base address of the node (default: that of the configuration)')
    .option('--peers', 'ask the peers of the network whether they accepted the newest blocks')
    .option('--network <name>', 'mainnet or fuji', 'fuji')
    .option('--sample <count>', 'most addresses, stakers and heights of sampled checks', '64')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (flags: Flags) => {
      if (flags['recording'] === true)
        return (await import('./commands/verify-recording.ts')).verifyRecording(flags)
      if (flags['chain'] !== undefined)
        return (await import('./commands/verify-chain.ts')).verifyEvmChain(flags)
      if (flags['peers'] === true)
        return (await import('./commands/verify-peers.ts')).verifyPeers(flags)
      if (flags['store'] !== true) return (await import('./commands/verify.ts')).verify(flags)
      return flags['repair'] === true
        ? (await import('./commands/repair-stores.ts')).repairStores(flags)
        : (await import('./commands/verify-stores.ts')).verifyStores(flags)
    })
}
