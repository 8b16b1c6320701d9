/** Examples below the help of every command. */

import type { Command } from 'commander'

import { ownValue } from '../core/json.ts'

/** Lines by the words that lead to a command; each can be typed as it stands. */
const examples: Readonly<Record<string, readonly string[]>> = {
  start: [
    'firn start                                   # the bundled demo network',
    'firn start --node http://127.0.0.1:9650      # your node: all that it serves',
    'firn start --rpc http://127.0.0.1:8545       # one EVM chain',
    'firn start --config firn.yaml',
    'firn start --config firn.yaml --role serve --port 8090',
  ],
  init: ['firn init'],
  status: ['firn status', 'firn status --url http://10.0.0.5:8080 --json'],
  'keys create': ['firn keys create shop', 'firn keys create shop --per-minute 6000'],
  'keys list': ['firn keys list --config firn.yaml'],
  'keys limit': ['firn keys limit 1a2b3c4d --tier small'],
  'keys rotate': ['firn keys rotate --page-tokens'],
  'keys revoke': ['firn keys revoke 1a2b3c4d'],
  'config show': ['firn config show --changed --config firn.yaml'],
  verify: [
    'firn verify --node http://127.0.0.1:9650 --config firn.yaml',
    'firn verify --chain fuji-c-chain --config firn.yaml',
    'firn verify --store --repair --config firn.yaml',
    'firn verify --recording',
  ],
  'snapshot create': ['firn snapshot create /backup/firn --config firn.yaml'],
  'snapshot list': ['firn snapshot list /backup/firn'],
  'snapshot verify': ['firn snapshot verify /backup/firn'],
  'snapshot restore': [
    'firn snapshot restore /backup/firn --data-dir ./firn-data --trust',
    'firn snapshot restore /backup/firn --config new.yaml --trust',
  ],
  record: [
    'firn record --rpc http://127.0.0.1:9650/ext/bc/C/rpc --out chain.firnrec --name "My chain"',
  ],
  export: [
    'firn export /v1/chains/43113/blocks --format parquet --out blocks.parquet',
    "firn export '/v1/networks/mainnet/rewards?addresses=avax1…&currency=eur' --out rewards.csv",
  ],
  doctor: ['firn doctor --config firn.yaml'],
  'record-primary': ['firn record-primary --node http://127.0.0.1:9650 --out primary.firnrec'],
  'alias add': [
    'firn alias add mychain --chain 2euXiQ9vAnzGbJhbv1AShETASYweS2p1ME7AnN71dhL3d8PQh3',
  ],
  'alias rm': ['firn alias rm mychain'],
  'alias list': ['firn alias list'],
  'contracts export': ['firn contracts export --config firn.yaml > contracts.jsonl'],
  'contracts import': ['firn contracts import contracts.jsonl --config firn.yaml'],
  'log level': ['firn log level', 'firn log level api --display DEBUG'],
  profile: ['firn profile cpu --seconds 30'],
}

/** Adds them to `program` and all commands below it. */
export function addExamples(program: Command): void {
  for (const { path, command } of leaves(program, [])) {
    const lines = ownValue(examples, path) ?? []
    const title = lines.length === 1 ? 'Example:' : 'Examples:'
    if (lines.length > 0)
      command.addHelpText('after', `\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

/** Commands that do something, with the words that lead to them. */
export function leaves(
  command: Command,
  words: readonly string[],
): { readonly path: string; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ path: words.join(' '), command }]
  return command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()]))
}
