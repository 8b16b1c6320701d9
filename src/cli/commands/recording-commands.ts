/** Commands that read nodes and write what they answer into files. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

/** Adds `record` to the command line. */
export function addRecord(program: Command): void {
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
    .action(async (flags: Flags) => (await import('./record.ts')).record(flags))
}

/** Adds `record-primary` to the command line. */
export function addRecordPrimary(program: Command): void {
  program
    .command('record-primary')
    .description('write an indexed local primary network and its node’s answers into one file')
    .requiredOption('--node <url>', 'base address of the node')
    .requiredOption('--out <file>', 'the recording')
    .option('--sample <count>', 'most addresses, stakers and heights of sampled checks', '64')
    .option('--config <file>', 'configuration file')
    .option('--data-dir <folder>', 'folder of the stores')
    .action(async (flags: Flags) => (await import('./record-primary.ts')).recordPrimary(flags))
}
