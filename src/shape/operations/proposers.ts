/** Slots in which nodes were due to propose blocks. */

import { pageShape } from '../page-shape.ts'
import {
  ChainNodePath,
  pageQuery,
  PageToken,
  pageSize,
  PrimaryChainInfo,
  timeQuery,
} from '../primary/parameters.ts'
import {
  NetworkSlotCounts,
  ProposerSlot,
  SlotCounts,
  SlotDay,
  slotOutcomes,
} from '../primary/proposer-slot.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

/** Slots in which nodes were due to propose blocks. */
export const Proposers = contracts('Primary Network Blocks', {
  listProposerSlots: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/slots',
    summary: 'Slots in which a node was due to propose a block, newest first',
    pathParameters: ChainNodePath,
    query: {
      outcome: Optional.Enum(slotOutcomes, 'Only slots of this outcome'),
      ...timeQuery,
      ...pageQuery,
    },
    response: pageShape({ slots: Type.Array(ProposerSlot), chainInfo: PrimaryChainInfo }),
  },
  listProposerDays: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/slots:listDays',
    summary: 'Slots of a node by day, newest first, beside those of the whole network',
    pathParameters: ChainNodePath,
    query: { ...timeQuery, pageToken: PageToken, pageSize: pageSize(100, 2_160) },
    response: pageShape({
      days: Type.Array(SlotDay),
      total: SlotCounts,
      networkTotal: NetworkSlotCounts,
      chainInfo: PrimaryChainInfo,
    }),
  },
} as const satisfies Declarations)
