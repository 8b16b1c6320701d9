/**
 * Runs for long what tests run for minutes: the real network of `test/network`, with rounds of life
 * for half an hour more, or as many minutes as `FIRN_NETWORK_MINUTES` says.
 */

import { spawnSync } from 'node:child_process'

const minutes = process.env['FIRN_NETWORK_MINUTES'] ?? '30'
const { status } = spawnSync(process.execPath, ['--test', 'test/network/*.network.ts'], {
  stdio: 'inherit',
  env: { ...process.env, FIRN_NETWORK_MINUTES: minutes },
})
process.exitCode = status ?? 1
