/**
 * The command line. Each command is a file in `commands/`, loaded when it is used, so that
 * `firn --help` answers at once.
 */

import { Command, CommanderError } from 'commander'

import { faultOf } from '../core/fault.ts'
import { version } from '../service/version.ts'
import { addNodeCommands } from './commands/node-commands.ts'
import { addSnapshotCommands } from './commands/snapshot-commands.ts'
import { addExamples } from './examples.ts'
import { exitCodes } from './exit-codes.ts'
import { checkAddresses, type Flags } from './flags.ts'

const program = new Command('firn')
  .description('An open, self-hosted Avalanche data service.')
  .version(version)
  .showHelpAfterError('(firn --help lists the commands)')
  .exitOverride()

program
  .command('start', { isDefault: true })
  .description('index chains and serve the API; without --config, the bundled demo network')
  .option('--config <file>', 'configuration, for instance firn.yaml')
  .option('--data-dir <folder>', 'folder of stores, keys and logs (default ./firn-data)')
  .option('--port <port>', 'port of the data API (default 8080)')
  .option('--node-port <port>', 'port of the node listener (default 8081)')
  .option('--api-admin-enabled [on]', 'serve the administration RPC on the node listener')
  .option('--role <role>', 'all, index or serve (default all)')
  .action(async (flags: Flags) => (await import('./commands/start.ts')).start(flags))

program
  .command('status')
  .description('what a running Firn has indexed')
  .option('--url <url>', 'address of its data API (default: as configured)')
  .option('--config <file>', 'configuration file')
  .option('--json', 'print the answer as it is')
  .action(async (flags: Flags) => (await import('./commands/status.ts')).status(flags))

const keys = program.command('keys').description('API keys')
const configFile = ['--config <file>', 'configuration file'] as const
const keyFolder = ['--data-dir <folder>', 'folder of the keys (default ./firn-data)'] as const
const tierOption = ['--tier <name>', 'limit of the key: a tier of the setting api.tiers'] as const
const perMinuteOption = ['--per-minute <units>', 'limit of the key in compute units'] as const
const perDayOption = ['--per-day <units>', 'the same for a day (default: 1440 minutes)'] as const
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

program
  .command('config')
  .description('configuration')
  .command('show')
  .description('print every setting and where its value comes from')
  .option('--config <file>', 'configuration file')
  .action(async (flags: Flags) => (await import('./commands/config-show.ts')).showConfig(flags))

program
  .command('rebuild')
  .description('compute derived tables again from the stores, without a node')
  .option('--metrics', 'the time series of every EVM chain')
  .option(
    '--primary <network>',
    'all rows of a primary network (mainnet or fuji), beside the old store',
  )
  .option('--checksums', 'the sums that firn verify --store compares with')
  .option('--config <file>', 'configuration file')
  .option('--data-dir <folder>', 'folder of the stores')
  .action(async (flags: Flags) => {
    if (flags['checksums'] === true)
      return (await import('./commands/rebuild-checksums.ts')).rebuildChecksums(flags)
    return flags['primary'] === undefined
      ? (await import('./commands/rebuild.ts')).rebuildMetrics(flags)
      : (await import('./commands/rebuild-primary.ts')).rebuildPrimaryNetwork(flags)
  })

program
  .command('verify')
  .description('compare what is indexed with what a node says, or stores with their own sums')
  .option('--chain <store>', 'an EVM chain, by the name of its store: fuji-c-chain')
  .option('--store', 'read every store and compare it with the sums that were written with it')
  .option('--repair', 'with --store: mend what is damaged, from the node; Firn must not run')
  .option(
    '--copies <place>',
    'with --repair: a folder with copies of segments, or the address of a Firn that offers them',
  )
  .option('--recording', 'compare everything with what nodes answered when it was recorded')
  .option('--json', 'with --store: print one JSON object')
  .option('--node <url>', 'base address of the node (default: that of the configuration)')
  .option('--network <name>', 'mainnet or fuji', 'fuji')
  .option('--sample <count>', 'most addresses, stakers and heights of sampled checks', '64')
  .option('--config <file>', 'configuration file')
  .option('--data-dir <folder>', 'folder of the stores')
  .action(async (flags: Flags) => {
    if (flags['recording'] === true)
      return (await import('./commands/verify-recording.ts')).verifyRecording(flags)
    if (flags['chain'] !== undefined)
      return (await import('./commands/verify-chain.ts')).verifyEvmChain(flags)
    if (flags['store'] !== true) return (await import('./commands/verify.ts')).verify(flags)
    return flags['repair'] === true
      ? (await import('./commands/repair-stores.ts')).repairStores(flags)
      : (await import('./commands/verify-stores.ts')).verifyStores(flags)
  })

program
  .command('migrate')
  .description(
    'copy all stores to PostgreSQL, or from there into the data folder, and compare them',
  )
  .requiredOption(
    '--to <place>',
    'postgres://user@host:5432/db, embedded, or a configuration file that says where',
  )
  .option('--abandon', 'remove the copies of a migration that was not finished')
  .option('--config <file>', 'configuration file, with the stores to copy')
  .option('--data-dir <folder>', 'folder of the stores')
  .action(async (flags: Flags) => (await import('./commands/migrate.ts')).migrate(flags))

program
  .command('read')
  .description('read blocks of the configured EVM chains for other Firns, which index them')
  .option('--config <file>', 'configuration file')
  .action(async (flags: Flags) => (await import('./commands/read.ts')).read(flags))

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

program
  .command('export')
  .description('write lists of a running Firn as CSV, JSON lines or Parquet')
  .argument(
    '<what>',
    'blocks, transactions, transfers, logs, internals, primary-transactions or rewards',
  )
  .option('--chain <chain>', 'EVM chain id, or P, X or C')
  .option('--network <network>', 'mainnet or fuji, of the primary network', 'fuji')
  .option('--address <address>', 'of this address; of the primary network several by comma')
  .option('--token <address>', 'transfers of this token contract')
  .option('--from <date>', 'from this date or Unix second on')
  .option('--until <date>', 'before this date or Unix second')
  .option('--year <year>', 'this calendar year, in UTC')
  .option('--currency <code>', 'rewards: currency of prices (default: usd)')
  .option('--format <format>', 'csv, jsonl or parquet', 'csv')
  .option('--out <file>', 'file to write (default: standard output)')
  .option('--url <url>', 'address of the data API (default: as configured)')
  .option('--config <file>', 'configuration file')
  .option('--key <key>', 'API key, where one is needed')
  .action(async (what: string, flags: Flags) =>
    (await import('./commands/export.ts')).exportRows(what, flags),
  )

program
  .command('doctor')
  .description('check the machine, the stores and every node, and tell what to do')
  .option('--config <file>', 'configuration file')
  .option('--data-dir <folder>', 'folder of stores, keys and logs')
  .option('--port <port>', 'port of the data API')
  .option('--node-port <port>', 'port of the node listener')
  .action(async (flags: Flags) => (await import('./commands/doctor.ts')).doctor(flags))

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

program
  .command('completion <bash|zsh|fish>')
  .description('print a script with which a shell completes commands and flags')
  .action(async (shell: string) =>
    (await import('./commands/completion.ts')).completion(shell, program),
  )

addNodeCommands(program)
addSnapshotCommands(program)
addExamples(program)
program.hook('preAction', (_program, command) => checkAddresses(command.opts()))

try {
  refuseUnknownCommand(process.argv[2])
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Without this the name of no command would be an argument too many of `start`. */
function refuseUnknownCommand(word: string | undefined): void {
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
