/** Settings of one item of `networks`, and of one of `chains`: a row each. */

import { flag, integer, list, type Setting, text, type Values, word } from './setting.ts'

/** Settings of one entry of `networks`. */
export const networkSettings = {
  nodeUrl: text(
    '',
    'Base URL of an AvalancheGo node, with the P, X, C, info, index and proposervm APIs under /ext.',
    { isAddress: true },
  ),
  primary: flag(
    false,
    'Index the P-Chain, the X-Chain and the atomic transactions of the C-Chain.',
  ),
  source: word(
    'node',
    ['node', 'peers'],
    'Where blocks come from: the node at `nodeUrl`, or peers of the network, without a node; see the guide.',
  ),
  peers: list(
    'Peers to connect to besides those that the node names, `NodeID-…@ip:port`. With `source: peers` they say which blocks are accepted until the validators are known; empty: the bootstrap nodes of mainnet and Fuji.',
  ),
  networkId: integer(
    0,
    [0, 4_294_967_295],
    'Network id of a private network that is read from peers; 0: that of mainnet or Fuji.',
  ),
  upgradeFile: text(
    '',
    'Upgrade times of a private network that is read from peers: the `--upgrade-file` of its nodes.',
  ),
  cAtomic: word(
    'auto',
    ['auto', 'on', 'off'],
    'Index the atomic transactions of the C-Chain. `auto`: yes from a node, no from peers, because peers send whole blocks.',
  ),
  genesis: text('auto', '`auto` (by network id) or a genesis file.', { isPath: true }),
  stakingKeyDir: text(
    '',
    "Folder of the key and certificate of Firn's peer; empty: `staking` in the data folder. Made when missing.",
  ),
  recording: text('', 'A file of recorded answers instead of a node.', { isPath: true }),
} as const satisfies Record<string, Setting>

/** Settings of one entry of `chains`. */
export const chainSettings = {
  network: word('fuji', ['mainnet', 'fuji'], 'Network the chain belongs to.'),
  rpcUrls: list('RPC endpoints, all of this chain.', [], { isAddress: true }),
  name: text('', 'Name shown.'),
  symbol: text('', 'Symbol of the native token.'),
  decimals: integer(18, [0, 255], 'Decimals of the native token.'),
  description: text('', 'One sentence for the list of chains.'),
  logoUri: text('', 'URL of the logo, or the picture itself as `data:`.'),
  explorerUrl: text('', 'URL of an explorer of the chain.', { isAddress: true }),
  publicRpcUrl: text('', 'RPC address shown to callers; empty: none is shown.', {
    isAddress: true,
  }),
  publicRpc: word(
    'off',
    ['off', 'read', 'send'],
    'Whether anybody may call the node through `/v1/chains/{chainId}/rpc` of the data API, by HTTP or a WebSocket: methods that only read, or also `eth_sendRawTransaction`. Without `publicRpcUrl` and `publicWsUrl` this address is shown to callers.',
  ),
  publicRpcGas: integer(
    30_000_000,
    [21_000, 10_000_000_000],
    'Most gas that one call through `publicRpc` may use.',
  ),
  publicRpcLogBytes: integer(
    64 * 1_048_576,
    [1_048_576, 400 * 1_048_576],
    'Longest answer to `eth_getLogs` from stored logs through `publicRpc`, of all calls of a batch together, bytes; a longer one is refused with the range of blocks that fits.',
  ),
  publicWsUrl: text(
    '',
    'WebSocket RPC address (`wss://…`) shown to callers; empty: none is shown, but that of `publicRpc`.',
  ),
  blockchainId: text('', 'Blockchain id, hex or cb58; empty: read from the warp precompile.'),
  subnetId: text('', 'Subnet id, cb58.'),
  vmId: text('', 'VM id, cb58.'),
  traces: word(
    'auto',
    ['auto', 'on', 'off'],
    'Read internal transactions with debug_traceBlockByNumber.',
  ),
  startHeight: integer(0, [0, 8_589_934_592], 'First height indexed.'),
  begin: word(
    'once',
    ['once', 'anew'],
    '`anew` declares a chain of development: where its node was restarted with another genesis, or reverted to a lower block, what is stored of blocks that are gone is removed, and the new ones are indexed. `once`: such a node is refused. `start --rpc` declares the chain of an anvil or a Hardhat node so.',
  ),
  contracts: text(
    '',
    "Folder of a project's compiled contracts, Foundry's `out` or Hardhat's `artifacts`, whose code, sources and ABIs are shown where it is deployed, without verification. `broadcast` and `ignition/deployments` beside it are read, too; see the guide for limits.",
    { isPath: true },
  ),
  logs: word(
    'off',
    ['off', 'on'],
    'Keep all logs in a store of their own, for lists by address or topic.',
  ),
  icmContracts: list('Teleporter messengers besides the well-known one.'),
  nameRegistry: text(
    '',
    'Registry of names on the chain, as that of the Ethereum Name Service: 0x and 40 hex digits; empty: none.',
  ),
  wrappedTokens: list('Wrapped coins: their Deposit and Withdrawal logs count as mints and burns.'),
  recording: text('', 'A file of recorded answers instead of endpoints.', { isPath: true }),
  store: text(
    '',
    "Name of the chain's store, such as `fuji-c-chain`; empty: the store that already has this chain, else network and name.",
  ),
} as const satisfies Record<string, Setting>

/** One entry of `networks`, checked. */
export type NetworkConfig = Values<typeof networkSettings>

/** One entry of `chains`, checked. */
export type ChainConfig = Values<typeof chainSettings>
