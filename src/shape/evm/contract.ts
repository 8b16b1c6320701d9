/** Contracts: what they say of themselves, and their sources. */

import { Type, type Static } from '../type.ts'
import { Decoded } from './log.ts'
import { address, hash, decimal, hex } from './scalars.ts'
import { isSpam, Money } from './token.ts'

/** Where a contract came from. */
const DeploymentDetails = Type.Object(
  {
    txHash: hash('Transaction that created it'),
    deployerAddress: address('Sender of that transaction'),
    deployerContractAddress: Type.Optional(address('Contract that created it, if one did')),
  },
  { $id: 'DeploymentDetails', additionalProperties: false },
)

/** A contract, seen through its token logs and its creation. */
export const ContractMetadata = Type.Object(
  {
    address: address('Contract'),
    ercType: Type.Enum(['ERC-20', 'ERC-721', 'ERC-1155', 'UNKNOWN'], {
      description: 'Standard by the evidence of its logs',
    }),
    name: Type.Optional(Type.String()),
    symbol: Type.Optional(Type.String()),
    price: Type.Optional(Money),
    decimals: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'Always there for ERC-20; null where they are not known',
      }),
    ),
    decimalsUnknown: Type.Optional(Type.String({ description: 'Why the decimals are not known' })),
    metadataLastUpdatedTimestamp: Type.Optional(
      Type.Integer({
        description: 'Unix seconds at which the contract last gave name and decimals',
      }),
    ),
    balancesDiffer: Type.Optional(
      Type.Object(
        {
          blockNumber: Type.String({ description: 'Block at which a balance differed' }),
          reason: Type.String({ description: 'Whose balance, and how' }),
        },
        {
          description:
            'Of an ERC-20 token whose logs do not give its balances: they are read from the node',
        },
      ),
    ),
    logoAsset: Type.Optional(Type.Object({ imageUri: Type.Optional(Type.String()) })),
    deploymentDetails: Type.Optional(DeploymentDetails),
    isSpam,
    label: Type.Optional(Type.String({ description: 'What the operator calls the contract' })),
    tokenReputation: Type.Optional(
      Type.Enum(['Malicious', 'Benign'], { description: "The operator's opinion" }),
    ),
  },
  { $id: 'ContractMetadata', additionalProperties: false },
)

/** Decoded {@link ContractMetadata}. */
export type ContractMetadata = Static<typeof ContractMetadata>

/** How far code is that of the sources. */
export const matchWord = Type.Enum(['full', 'partial'], {
  description:
    'full: the very code, with the hash of the sources in it; partial: the same but for comments, names of files or a missing hash',
})

/** Proved sources. */
export const ContractSource = Type.Object(
  {
    name: Type.String({ description: 'of the contract' }),
    path: Type.String({ description: 'of the source that has it' }),
    match: matchWord,
    creationMatch: Type.Optional(matchWord),
    language: Type.String(),
    compilerVersion: Type.String({ description: '0.8.30+commit.73712a01' }),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      description: 'of the compiler, standard JSON',
    }),
    sources: Type.Array(Type.Object({ path: Type.String(), content: Type.String() })),
    abi: Type.Array(Type.Unknown(), { description: 'as the compiler gives it' }),
    constructorArguments: Type.Optional(hex('ABI-encoded')),
    decodedConstructor: Type.Optional(Decoded),
    verifiedAt: Type.Integer({ description: 'Unix seconds' }),
    sameCodeAs: Type.Optional(
      Type.Object(
        { chainId: decimal('EVM chain id'), address: address('Contract that was verified') },
        { description: 'The contract itself is not verified: this one is, and has the same code' },
      ),
    ),
  },
  { $id: 'ContractSource', additionalProperties: false },
)
/** Decoded {@link ContractSource}. */
export type ContractSource = Static<typeof ContractSource>

/** A contract, its sources, and what it hands calls on to. */
export const ContractCode = Type.Object(
  {
    address: address('Contract'),
    source: Type.Optional(ContractSource),
    compilers: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Of a contract without sources: versions it can be verified with here, newest first',
      }),
    ),
    standardAbi: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          'Of a token whose ABI is not known: methods and events of its standard, as a compiler gives them',
      }),
    ),
    proxy: Type.Optional(
      Type.Object(
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
            Type.Object({ address: address('Contract'), source: Type.Optional(ContractSource) }),
          ),
        },
        { description: 'Absent also where no node gives it' },
      ),
    ),
  },
  { $id: 'ContractCode', additionalProperties: false },
)
/** Decoded {@link ContractCode}. */
export type ContractCode = Static<typeof ContractCode>
