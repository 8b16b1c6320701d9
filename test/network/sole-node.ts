/** A network of one node, which needs no other to agree with. */

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/** Starts a node of a network of its own, whose chains are there a moment later ({@link isBootstrapped}). */
export function startSoleNode(tree: string, folder: string, httpPort: number): ChildProcess {
  const alone =
    '--network-id=local --sybil-protection-enabled=false --snow-sample-size=1 --snow-quorum-size=1 ' +
    '--network-health-min-conn-peers=0 --staking-ephemeral-cert-enabled=true ' +
    '--staking-ephemeral-signer-enabled=true --bootstrap-ips= --bootstrap-ids= --staking-port=0 ' +
    '--public-ip=127.0.0.1 --log-display-level=off --fd-limit=4096 --system-tracker-disk-required-available-space=1000000 ' +
    '--system-tracker-disk-warning-threshold-available-space=2000000'
  const flags = [
    ...alone.split(' '),
    `--http-port=${httpPort}`,
    `--data-dir=${folder}`,
    `--plugin-dir=${join(tree, 'plugins')}`,
  ]
  return spawn(join(tree, 'avalanchego'), flags, { detached: true, stdio: 'ignore' })
}

/** Returns whether the C-Chain of the node at `url` answers. */
export async function isBootstrapped(url: string): Promise<boolean> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'info.isBootstrapped',
    params: { chain: 'C' },
  })
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${url}/ext/info`, { method: 'POST', headers, body }).catch(
    () => undefined,
  )
  return reply?.ok === true && (await reply.text()).includes('"isBootstrapped":true')
}
