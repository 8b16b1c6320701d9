/** Contracts: what they say of themselves, and their sources. */

import { mostCounted, mostExact } from '../../core/token-counts.ts'
import { type Schema, Type, type Static, Optional } from '../type.ts'
import { Decoded } from './log.ts'
import { address, hash, decimal, hex } from './scalars.ts'
import { isSpam, label, Money } from './token.ts'

function tokenCount(what: string, most: number): Schema<number> {
  return Type.Integer({
    minimum: 0,
    description: `${what}; exact below ${mostExact}, else as of the last look, ${most} for so many or more`,
  })
}

/** Where a contract came from. */
const DeploymentDetails = Type.Component('DeploymentDetails', 'Where the contract came from', {
  txHash: hash('Transaction that created it'),
  deployerAddress: address('Sender of that transaction'),
  deployerLabel: label,
  deployerContractAddress: Type.Optional(address('Contract that created it, if one did')),
  deployerContractLabel: label,
})

/** A contract, seen through its token logs and its creation. */
export const ContractMetadata = Type.Component(
  'ContractMetadata',
  'A contract, seen through its logs and its creation',
  {
    address: address('Contract'),
    ercType: Type.Enum(
      ['ERC-20', 'ERC-721', 'ERC-1155', 'UNKNOWN'],
      'Standard by the evidence of its logs',
    ),
    name: Optional.String(),
    symbol: Optional.String(),
    price: Type.Optional(Money),
    priceYesterday: Type.Optional(Money),
    decimals: Optional.Union(
      [Type.Integer({ minimum: 0 }), Type.Null()],
      'Always there for ERC-20; null where they are not known',
    ),
    decimalsUnknown: Optional.String('Why the decimals are not known', {
      examples: ['decimals() fails: reverted'],
    }),
    transferCount: Type.Optional(tokenCount('Of a token: its transfers', mostCounted.transfers)),
    holderCount: Type.Optional(
      tokenCount('Of a token: addresses that ever had some', mostCounted.holders),
    ),
    metadataLastUpdatedTimestamp: Optional.Integer(
      'Unix seconds at which the contract last gave name and decimals',
      { examples: [1795372747] },
    ),
    balancesDiffer: Optional.Object(
      {
        blockNumber: Type.String('Block at which a balance differed'),
        reason: Type.String('Whose balance, and how'),
      },
      'Of an ERC-20 token whose logs do not give its balances: they are read from the node',
    ),
    logoAsset: Optional.Object({ imageUri: Optional.String('Picture') }, 'Logo'),
    deploymentDetails: Type.Optional(DeploymentDetails),
    isSpam,
    label,
    tokenReputation: Optional.Enum(['Malicious', 'Benign'], "The operator's opinion"),
  },
)

/** Decoded {@link ContractMetadata}. */
export type ContractMetadata = Static<typeof ContractMetadata>

/** How far code is that of the sources. */
export const matchWord = Type.Enum(
  ['full', 'partial'],
  'full: the very code, with the hash of the sources in it; partial: the same but for comments, names of files or a missing hash',
)

const sources = {
  name: Type.String('of the contract'),
  path: Type.String('of the source that has it'),
  language: Type.String('Language of the sources'),
  compilerVersion: Type.String('0.8.30+commit.73712a01'),
  settings: Type.Record(Type.String(), Type.Unknown(), 'of the compiler, standard JSON'),
  sources: Type.Array(
    Type.Object({
      path: Type.String('Path of the file'),
      content: Type.String('Text of the file'),
    }),
  ),
  abi: Type.Array(Type.Unknown(), 'as the compiler gives it'),
}

/** Sources of the project that a chain is developed with. */
export const ProjectSource = Type.Component(
  'ProjectSource',
  "Sources of the operator's project, whose contract has this code. Nothing is proved, so the contract is not verified",
  sources,
)
/** Decoded {@link ProjectSource}. */
export type ProjectSource = Static<typeof ProjectSource>

/** Proved sources. */
export const ContractSource = Type.Component('ContractSource', 'Sources that were proved', {
  ...sources,
  match: matchWord,
  creationMatch: Type.Optional(matchWord),
  constructorArguments: Type.Optional(hex('ABI-encoded')),
  decodedConstructor: Type.Optional(Decoded),
  verifiedAt: Type.Integer('Unix seconds'),
  sameCodeAs: Optional.Object(
    { chainId: decimal('EVM chain id'), address: address('Contract that was verified') },
    'The contract itself is not verified: this one is, and has the same code',
  ),
})
/** Decoded {@link ContractSource}. */
export type ContractSource = Static<typeof ContractSource>

/** A contract, its sources, and what it hands calls on to. */
export const ContractCode = Type.Component(
  'ContractCode',
  'A contract, its sources, and what it hands calls on to',
  {
    address: address('Contract'),
    label,
    source: Type.Optional(ContractSource),
    project: Type.Optional(ProjectSource),
    compilers: Optional.Array(
      Type.String(),
      'Of a contract without sources: versions it can be verified with here, newest first',
      { examples: [['0.8.30+commit.73712a01']] },
    ),
    verificationsAhead: Optional.Integer({
      minimum: 0,
      description:
        'While sources of it are being verified: how many contracts are before it; 0: it is compiled now',
      examples: [2],
    }),
    standardAbi: Optional.Array(
      Type.Unknown(),
      'Of a token whose ABI is not known: methods and events of its standard, as a compiler gives them',
      { examples: [[{ type: 'event', name: 'ApprovalForAll', inputs: [] }]] },
    ),
    proxy: Optional.Object(
      {
        kind: Type.Enum([
          'erc1967',
          'beacon',
          'erc1822',
          'minimal',
          'diamond',
          'delegation',
          'safe',
          'zeppelinos',
        ]),
        implementations: Type.Array(
          Type.Object({
            address: address('Contract'),
            label,
            source: Type.Optional(ContractSource),
            project: Type.Optional(ProjectSource),
          }),
          'Contracts that calls go to; several of a diamond',
        ),
      },
      'Absent also where no node gives it',
    ),
  },
)
/** Decoded {@link ContractCode}. */
export type ContractCode = Static<typeof ContractCode>
