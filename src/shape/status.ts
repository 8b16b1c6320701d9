import { Type, type Static } from './type.ts'

const state = Type.Enum(['syncing', 'live', 'stopped', 'off'], {
  description: 'syncing: behind the head; live: at it; stopped, off: see reason',
})

const progress = {
  state,
  reason: Type.Optional(
    Type.String({ description: 'why it stopped or is off, or what it waits for' }),
  ),
  indexedHeight: Type.Integer({
    description: 'last height whose rows are stored; -1 before the first',
  }),
  headHeight: Type.Integer({ description: 'newest height the source has; -1 when not known yet' }),
  headAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds when the source last gave its head' }),
  ),
  blocksPerSecond: Type.Number({ description: 'heights a second of late' }),
  etaSeconds: Type.Optional(Type.Number({ description: 'seconds until the head at this speed' })),
  votedBy: Type.Optional(
    Type.String({
      description: 'whose votes say which height is the newest, where blocks come from peers',
    }),
  ),
  standsBy: Type.Optional(
    Type.Boolean({ description: 'true while another process of the deployment indexes it' }),
  ),
  provenHeight: Type.Optional(
    Type.Integer({
      description:
        'last height up to which hashes prove every block that this process read; -1 before the first',
    }),
  ),
  unverified: Type.Optional(
    Type.String({ description: 'why blocks are taken that hashes do not prove' }),
  ),
}

export const StageStatus = Type.Object(
  {
    stage: Type.String({ description: 'name of the stage' }),
    ...progress,
    completeFrom: Type.Optional(
      Type.Integer({
        description: 'first height from which rows are complete, where earlier ones cannot be had',
      }),
    ),
  },
  { $id: 'StageStatus', additionalProperties: false },
)

/** Progress of one stage of a chain. */
export type StageStatus = Static<typeof StageStatus>

export const OverallStatus = Type.Object(
  {
    share: Type.Number({
      description: '0 to 1 of the work of all stages; 1 only when all are done',
      minimum: 0,
      maximum: 1,
    }),
    stage: Type.Optional(Type.String({ description: 'stage with the longest way to go' })),
    etaSeconds: Type.Optional(
      Type.Number({ description: 'seconds until the slowest stage is done; absent when unknown' }),
    ),
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
    from: Type.Integer({ description: 'first copied height' }),
    height: Type.Integer({ description: 'last copied height' }),
    share: Type.Number({
      description: '0 to 1 of these blocks that were compared and are as the own node gives them',
      minimum: 0,
      maximum: 1,
    }),
    without: Type.Optional(
      Type.String({ description: 'rows of these blocks that could not be compared, and why' }),
    ),
  },
  {
    $id: 'CopiedHeights',
    additionalProperties: false,
    description: 'heights that came from a snapshot, until all of them were recomputed',
  },
)
/** Heights of a chain that came from a snapshot. */
export type CopiedHeights = Static<typeof CopiedHeights>

export const ChainStatus = Type.Object(
  {
    chain: Type.String({ description: 'key of the chain, also its name in logs and gauges' }),
    kind: Type.Enum(['evm', 'primary'], { description: 'kind of what is indexed' }),
    network: Type.Enum(['mainnet', 'fuji'], { description: 'network of the chain' }),
    name: Type.String({ description: 'name shown' }),
    evmChainId: Type.Optional(Type.Integer({ description: 'EVM chain id' })),
    blockchainId: Type.Optional(Type.String({ description: 'blockchain id, cb58' })),
    ...progress,
    overall: Type.Optional(OverallStatus),
    copied: Type.Optional(CopiedHeights),
    balancesComparedAt: Type.Optional(
      Type.Integer({
        description:
          'Unix seconds since which some balances of every token were compared with the node; absent while a token never was, or there is none',
      }),
    ),
    stages: Type.Array(StageStatus),
  },
  { $id: 'ChainStatus', additionalProperties: false },
)

/** Progress of a chain; its own numbers are those of the stage that answers are bound to. */
export type ChainStatus = Static<typeof ChainStatus>

export const Status = Type.Object(
  {
    version: Type.String({ description: 'version of this Firn' }),
    role: Type.Enum(['all', 'index', 'serve'], { description: 'work of this process' }),
    nodeId: Type.Optional(Type.String({ description: 'our id on the peer-to-peer network' })),
    recording: Type.Optional(
      Type.Object(
        {
          time: Type.Integer({ description: 'Unix seconds to which it is played' }),
          endTime: Type.Integer({ description: 'Unix seconds of its last block' }),
        },
        { description: 'present where recordings alone are served: their time is that of answers' },
      ),
    ),
    chains: Type.Array(ChainStatus),
    messages: Type.Optional(StageStatus),
  },
  { $id: 'Status', additionalProperties: false },
)

/** Progress of a running process. */
export type Status = Static<typeof Status>
