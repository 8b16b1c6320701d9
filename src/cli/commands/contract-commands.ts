/** Commands about verified contracts. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

/** Adds `contracts` to the command line. */
export function addContractCommands(program: Command): void {
  const contracts = program.command('contracts').description('verified contracts')
  contracts
    .command('export')
    .description('print verified contracts with their sources, one line of JSON each')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (flags: Flags) => (await import('./contracts.ts')).exportContracts(flags))
  contracts
    .command('import <file>')
    .description('take verified contracts from a file that export printed; they are believed')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (file: string, flags: Flags) =>
      (await import('./contracts.ts')).importContracts(file, flags),
    )
}
