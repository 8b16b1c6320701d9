/** Commands that talk to the administration RPC of a running Firn, for the command line. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

const nodeUrl = [
  '--node-url <url>',
  'address of its node listener (default: as configured)',
] as const
const config = ['--config <file>', 'configuration file'] as const

/** Adds `alias`, `log level` and `profile` to `program`. */
export function addNodeCommands(program: Command): void {
  const alias = program.command('alias').description('names of chains and endpoints')
  alias
    .command('add <alias>')
    .description('name a chain or an endpoint')
    .option('--chain <chain>', 'blockchain id, or a name it has already')
    .option('--endpoint <endpoint>', 'the part behind /ext/ of an address of the node listener')
    .option(...nodeUrl)
    .option(...config)
    .action(async (name: string, flags: Flags) =>
      (await import('./node-requests.ts')).addAlias(name, flags),
    )
  alias
    .command('rm <alias>')
    .description('take a name away')
    .option(...nodeUrl)
    .option(...config)
    .action(async (name: string, flags: Flags) =>
      (await import('./node-requests.ts')).removeAlias(name, flags),
    )
  alias
    .command('list')
    .description('list the names given')
    .option(...nodeUrl)
    .option(...config)
    .action(async (flags: Flags) => (await import('./node-requests.ts')).listAliases(flags))

  program
    .command('log')
    .description('logging of a running Firn')
    .command('level [logger]')
    .description('print or set levels: VERBO DEBUG TRACE INFO WARN ERROR FATAL OFF')
    .option('--level <level>', 'least level of the log file')
    .option('--display <level>', 'least level of the terminal')
    .option(...nodeUrl)
    .option(...config)
    .action(async (logger: string | undefined, flags: Flags) =>
      (await import('./node-requests.ts')).logLevel(logger, flags),
    )

  program
    .command('profile <cpu|heap|lock>')
    .description('profile a running Firn, for go tool pprof')
    .option('--seconds <seconds>', 'how long to profile the CPU', '10')
    .option(...nodeUrl)
    .option(...config)
    .action(async (kind: string, flags: Flags) =>
      (await import('./node-requests.ts')).profile(kind, flags),
    )
}
