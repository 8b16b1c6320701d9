/** Settings of one item of `networks`, and of one of `chains`: a row each. */

import { flag, integer, list, type Setting, text, type Values, word } from './setting.ts'

/** Settings of one entry of `networks`. */
export const networkSettings = {
  nodeUrl: text(
    '',
    'Base URL of an AvalancheGo node: P, X, C, info, index and proposervm under /ext.',
    { isAddress: true },
  ),
  primary: flag(false, 'Index P, X and C atomic of this network.'),
  source: word(
    'node',
    ['node', 'peers'],
    'Where blocks come from: `nodeUrl`, or `peers` of the network, without a node; see the guide.',
  ),
  peers: list(
    'Peers to connect to besides those that the node names, `NodeID-…@ip:port`. With `source: peers` those who say what is accepted until validators are known; empty: the bootstrap nodes of mainnet and Fuji.',
  ),
  networkId: integer(
    0,
    [0, 4_294_967_295],
    'Id of a private network that is read from peers; 0: that of mainnet or Fuji.',
  ),
  upgradeFile: text(
    '',
    'Upgrade times of a private network that is read from peers: the file that its nodes have as `--upgrade-file`.',
  ),
  cAtomic: word(
    'auto',
    ['auto', 'on', 'off'],
    'Whether atomic transactions of the C-Chain are indexed. `auto`: from a node yes, from peers no, as these give whole blocks.',
  ),
  genesis: text('auto', '`auto` (by network id) or a genesis file.'),
  stakingKeyDir: text(
    '',
    'Folder of our peer identity; empty: `staking` in the data folder. Made when missing.',
  ),
  recording: text('', 'A file of recorded answers instead of a node.'),
} as const satisfies Record<string, Setting>

/** Settings of one entry of `chains`. */
export const chainSettings = {
  network: word('fuji', ['mainnet', 'fuji'], 'To which network the chain belongs.'),
  rpcUrls: list('Endpoints of the chain, all of the same chain.', [], { isAddress: true }),
  name: text('', 'Name shown.'),
  symbol: text('', 'Symbol of the native token.'),
  decimals: integer(18, [0, 255], 'Decimals of the native token.'),
  description: text('', 'One sentence shown by the chains list.'),
  logoUri: text('', 'Logo of the chain.'),
  explorerUrl: text('', 'Where people look at the chain.', { isAddress: true }),
  publicRpcUrl: text('', 'RPC address shown to callers; empty: none is shown.', {
    isAddress: true,
  }),
  publicRpc: word(
    'off',
    ['off', 'read', 'send'],
    'Whether anybody may call the node at `/v1/chains/{chainId}/rpc` of the data API: methods that only read, or these and `eth_sendRawTransaction`. Without `publicRpcUrl`, its address is the one that is shown.',
  ),
  publicRpcGas: integer(
    30_000_000,
    [21_000, 10_000_000_000],
    'Gas that a call of `publicRpc` may use at most.',
  ),
  publicWsUrl: text(
    '',
    'RPC address for WebSockets (`wss://…`) shown to callers; empty: none is shown.',
  ),
  blockchainId: text('', 'Blockchain id, hex or cb58; empty: read from the warp precompile.'),
  subnetId: text('', 'Subnet id, cb58.'),
  vmId: text('', 'VM id, cb58.'),
  traces: word(
    'auto',
    ['auto', 'on', 'off'],
    'Whether to read internal transactions by debug_traceBlockByNumber.',
  ),
  startHeight: integer(0, [0, 8_589_934_592], 'First height indexed.'),
  logs: word(
    'off',
    ['off', 'on'],
    'Whether to keep all logs, for lists by address or topic, in a store of their own.',
  ),
  icmContracts: list('Teleporter messengers besides the known one.'),
  wrappedTokens: list('Tokens whose Deposit and Withdrawal logs are mints and burns.'),
  recording: text('', 'A file of recorded answers instead of endpoints.'),
  store: text(
    '',
    "Name of the chain's store, `fuji-c-chain`; empty: that of the store which has this chain already, else network and name.",
  ),
} as const satisfies Record<string, Setting>

/** One entry of `networks`, checked. */
export type NetworkConfig = Values<typeof networkSettings>

/** One entry of `chains`, checked. */
export type ChainConfig = Values<typeof chainSettings>
