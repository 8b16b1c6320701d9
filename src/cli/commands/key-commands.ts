/** Commands about API keys and the key of page tokens. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

const configFile = ['--config <file>', 'configuration file'] as const
const keyFolder = ['--data-dir <folder>', 'folder of the keys (default ./firn-data)'] as const
const tierOption = ['--tier <name>', 'limit of the key: a tier of the setting api.tiers'] as const
const perMinuteOption = ['--per-minute <units>', 'limit of the key in compute units'] as const
const perDayOption = ['--per-day <units>', 'the same for a day (default: 1440 minutes)'] as const

/** Adds `keys` to the command line. */
export function addKeyCommands(program: Command): void {
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
      (await import('./keys.ts')).createKey(name, flags),
    )
  keys
    .command('list')
    .description('list the keys')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (flags: Flags) => (await import('./keys.ts')).listKeys(flags))
  keys
    .command('limit <id>')
    .description('give a key another limit; without a flag, the general one')
    .option(...tierOption)
    .option(...perMinuteOption)
    .option(...perDayOption)
    .option(...configFile)
    .option(...keyFolder)
    .action(async (id: string, flags: Flags) => (await import('./keys.ts')).limitKey(id, flags))
  keys
    .command('rotate')
    .description('make a new key that seals page tokens; those given out stay valid 24 hours')
    .requiredOption('--page-tokens', 'the key of page tokens (API keys are revoked one by one)')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (flags: Flags) => (await import('./keys.ts')).rotateKeys(flags))
  keys
    .command('revoke <id>')
    .description('make a key invalid at once')
    .option(...configFile)
    .option(...keyFolder)
    .action(async (id: string, flags: Flags) => (await import('./keys.ts')).revokeKey(id, flags))
}
