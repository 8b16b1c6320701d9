/** The demo network: what `firn start` serves when no configuration is named. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { readConfig } from '../config/read-config.ts'
import type { Config } from '../config/settings.ts'

const demo = {
  networks: { fuji: { recording: 'demo/primary-local.firnrec', primary: true } },
  chains: [
    {
      name: 'Demo Chain',
      symbol: 'DEMO',
      description:
        'Recorded answers of a generated chain with tokens, NFTs and interchain messages.',
      recording: 'demo/chain-51001.firnrec',
      wrappedTokens: ['0x610178da211fef7d417bc0e6fed39f05609ad788'],
    },
    {
      name: 'Demo L1',
      symbol: 'DML1',
      description: 'Its peer, which exchanges interchain messages with it.',
      recording: 'demo/chain-51002.firnrec',
    },
  ],
}

/** `config` with the bundled recordings as its networks and chains. */
export function withDemoNetwork(config: Config): Config {
  const { networks, chains } = readConfig({
    flags: {},
    environment: {},
    file: { value: demo },
  }).config
  const located = { ...networks.fuji, recording: bundled(networks.fuji?.recording ?? '') }
  const hasPrimary = networks.fuji !== undefined && existsSync(located.recording)
  return {
    ...config,
    networks: hasPrimary ? { fuji: { ...networks.fuji, recording: located.recording } } : {},
    chains: chains.map((chain) => ({ ...chain, recording: bundled(chain.recording) })),
  }
}

/** A file of the package, wherever the process was started. */
function bundled(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
