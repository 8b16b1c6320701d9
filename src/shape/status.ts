import { Type, type Static, Optional } from './type.ts'

const state = Type.Enum(
  ['syncing', 'live', 'stopped', 'off'],
  'syncing: behind the head; live: at it; stopped, off: see reason',
)

const progress = {
  state,
  reason: Optional.String('why it stopped or is off, or what it waits for'),
  indexedHeight: Type.Integer('last height whose rows are stored; -1 before the first'),
  headHeight: Type.Integer('newest height the source has; -1 when not known yet'),
  headAt: Optional.Integer('Unix seconds when the source last gave its head', {
    examples: [1795372747],
  }),
  blocksPerSecond: Type.Number('heights a second of late', { examples: [120] }),
  etaSeconds: Optional.Number('seconds until the head at this speed', { examples: [30] }),
  votedBy: Optional.String(
    'whose votes say which height is the newest, where blocks come from peers',
    { examples: ['24 bootstrap nodes'] },
  ),
  standsBy: Optional.Boolean('true while another process of the deployment indexes it'),
  provenHeight: Optional.Integer(
    'last height up to which hashes prove every block that this process read; -1 before the first',
  ),
  unverified: Optional.String('why blocks are taken that hashes do not prove', {
    examples: ['unknown header field'],
  }),
}

export const StageStatus = Type.Component('StageStatus', 'How far a stage of a chain is', {
  stage: Type.String('name of the stage'),
  ...progress,
  completeFrom: Optional.Integer(
    'first height from which rows are complete, where earlier ones cannot be had',
    { examples: [0] },
  ),
})

/** Progress of one stage of a chain. */
export type StageStatus = Static<typeof StageStatus>

export const OverallStatus = Type.Object(
  {
    share: Type.Number('0 to 1 of the work of all stages; 1 only when all are done', {
      minimum: 0,
      maximum: 1,
    }),
    stage: Optional.String('stage with the longest way to go'),
    etaSeconds: Optional.Number('seconds until the slowest stage is done; absent when unknown', {
      examples: [30],
    }),
  },
  {
    $id: 'OverallStatus',
    additionalProperties: false,
    description: 'progress over all stages, which only grows until the chain was live',
  },
)
/** Progress of a chain over all of its stages. */
export type OverallStatus = Static<typeof OverallStatus>

export const CopiedHeights = Type.Object(
  {
    from: Type.Integer('first copied height', { examples: [0] }),
    height: Type.Integer('last copied height', { examples: [75] }),
    share: Type.Number(
      '0 to 1 of these blocks that were compared and are as the own node gives them',
      { minimum: 0, maximum: 1 },
    ),
    without: Optional.String('rows of these blocks that could not be compared, and why', {
      examples: ['traces: the node offers none'],
    }),
  },
  {
    $id: 'CopiedHeights',
    additionalProperties: false,
    description: 'heights that came from a snapshot, until all of them were recomputed',
  },
)
/** Heights of a chain that came from a snapshot. */
export type CopiedHeights = Static<typeof CopiedHeights>

export const ChainStatus = Type.Component('ChainStatus', 'How far a chain is', {
  chain: Type.String('key of the chain, also its name in logs and gauges'),
  kind: Type.Enum(['evm', 'primary'], 'kind of what is indexed'),
  network: Type.Enum(['mainnet', 'fuji'], 'network of the chain'),
  name: Type.String('name shown'),
  evmChainId: Optional.Integer('EVM chain id'),
  blockchainId: Optional.String('blockchain id, cb58'),
  ...progress,
  overall: Type.Optional(OverallStatus),
  copied: Type.Optional(CopiedHeights),
  balancesComparedAt: Optional.Integer(
    'Unix seconds since which some balances of every token were compared with the node; absent while a token never was, or there is none',
    { examples: [1795372747] },
  ),
  stages: Type.Array(StageStatus),
})

/** Progress of a chain; its own numbers are those of the stage that answers are bound to. */
export type ChainStatus = Static<typeof ChainStatus>

export const Status = Type.Component('Status', 'How far this process is', {
  version: Type.String('version of this Firn', { examples: ['1.0.0'] }),
  role: Type.Enum(['all', 'index', 'serve'], 'work of this process'),
  nodeId: Optional.String('our id on the peer-to-peer network'),
  recording: Optional.Object(
    {
      time: Type.Integer('Unix seconds to which it is played'),
      endTime: Type.Integer('Unix seconds of its last block'),
    },
    'present where recordings alone are served: their time is that of answers',
  ),
  chains: Type.Array(ChainStatus),
  messages: Type.Optional(StageStatus),
})

/** Progress of a running process. */
export type Status = Static<typeof Status>
