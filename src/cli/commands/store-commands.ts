/** Commands about stores as a whole. */

import type { Command } from 'commander'

import type { Flags } from '../flags.ts'

/** Adds `verify` to the command line. */
export function addStoreCommands(program: Command): void {
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
        return (await import('./verify-recording.ts')).verifyRecording(flags)
      if (flags['chain'] !== undefined)
        return (await import('./verify-chain.ts')).verifyEvmChain(flags)
      if (flags['peers'] === true) return (await import('./verify-peers.ts')).verifyPeers(flags)
      if (flags['store'] !== true) return (await import('./verify.ts')).verify(flags)
      return flags['repair'] === true
        ? (await import('./repair-stores.ts')).repairStores(flags)
        : (await import('./verify-stores.ts')).verifyStores(flags)
    })
}
