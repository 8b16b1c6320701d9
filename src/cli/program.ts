/**
 * The command line. Each command is a file in `commands/`, loaded when it is used, so that
 * `firn --help` answers at once.
 */

import { Command, CommanderError } from 'commander'

import { faultOf } from '../core/fault.ts'
import { version } from '../service/version.ts'
import { addContractCommands } from './commands/contract-commands.ts'
import { addKeyCommands } from './commands/key-commands.ts'
import { addNodeCommands } from './commands/node-commands.ts'
import { addRecord, addRecordPrimary } from './commands/recording-commands.ts'
import { addSnapshotCommands } from './commands/snapshot-commands.ts'
import { addStoreCommands } from './commands/store-commands.ts'
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
    .description('check the machine, the stores and every node, and tell what to do')
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
