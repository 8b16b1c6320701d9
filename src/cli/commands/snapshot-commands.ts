/** Commands about snapshots. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

const which = ['--snapshot <id>', 'as `list` prints it (default: the newest)'] as const

/** Adds `snapshot` to the command line. */
export function addSnapshotCommands(program: Command): void {
  const snapshot = program.command('snapshot').description('copies of all stores in a folder')
  snapshot
    .command('create <folder>')
    .description('copy what is new in the stores, while Firn runs or not')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (folder: string, flags: Flags) =>
      (await import('./snapshot.ts')).createSnapshot(folder, flags),
    )
  snapshot
    .command('list <folder>')
    .description('list the snapshots of a folder')
    .option('--json', 'print one JSON object')
    .action(async (folder: string, flags: Flags) =>
      (await import('./snapshot.ts')).listSnapshots(folder, flags),
    )
  snapshot
    .command('verify <folder>')
    .description('read every file of a snapshot and compare it with its hash')
    .option(...which)
    .action(async (folder: string, flags: Flags) =>
      (await import('./snapshot.ts')).verifySnapshot(folder, flags),
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
      (await import('./snapshot.ts')).restore(from, flags),
    )
}
