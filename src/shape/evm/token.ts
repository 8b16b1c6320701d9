/** Tokens, what they are worth, and who has them. */

import { Type, type Static } from '../type.ts'
import { address, decimal, hash, amount } from './scalars.ts'

/** Currencies in which prices are given. Source: document B, endpoint 5. */
export const currencies = [
  'usd',
  'eur',
  'aud',
  'cad',
  'chf',
  'clp',
  'cny',
  'czk',
  'dkk',
  'gbp',
  'hkd',
  'huf',
  'jpy',
  'nzd',
] as const

/** A code of {@link currencies}. */
export type CurrencyCode = (typeof currencies)[number]

/** A price or a value. Absent everywhere when the deployment has no source of prices. */
export const Money = Type.Object(
  {
    currencyCode: Type.Enum([...currencies], { description: 'Currency' }),
    value: Type.String({ description: 'Amount, base 10', pattern: '^[0-9]+(\\.[0-9]+)?$' }),
  },
  { $id: 'Money', additionalProperties: false },
)
/** Decoded {@link Money}. */
export type Money = Static<typeof Money>

/** True for a token that looks like spam. */
export const isSpam = Type.Optional(
  Type.Literal(true, { description: 'The token looks like spam' }),
)

/** Fields of an ERC-20 token that every view of it has. */
export const erc20Fields = {
  address: address('Token contract'),
  name: Type.String({ description: 'Name; empty where the contract gives none' }),
  symbol: Type.String({ description: 'Symbol; empty where the contract gives none' }),
  decimals: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Decimals; null where they are not known',
  }),
  decimalsUnknown: Type.Optional(Type.String({ description: 'Why the decimals are not known' })),
  logoUri: Type.Optional(Type.String({ description: 'Logo' })),
  ercType: Type.Literal('ERC-20'),
  price: Type.Optional(Money),
  isSpam,
}

/** Opinion about a token: of the operator's list, `null` where it has none. */
export const TokenReputation = Type.Union(
  [Type.Literal('Malicious'), Type.Literal('Benign'), Type.Null()],
  { description: "The operator's opinion; null where there is none" },
)
/** Decoded {@link TokenReputation}. */
export type TokenReputation = Static<typeof TokenReputation>

/** An ERC-20 token. */
export const Erc20Token = Type.Object(erc20Fields, {
  $id: 'Erc20Token',
  additionalProperties: false,
})
/** Decoded {@link Erc20Token}. */
export type Erc20Token = Static<typeof Erc20Token>

/** An ERC-20 token with its reputation, as version 2 shows it. */
export const Erc20TokenWithReputation = Type.Object(
  { ...erc20Fields, tokenReputation: TokenReputation },
  { $id: 'Erc20TokenWithReputation', additionalProperties: false },
)
/** Decoded {@link Erc20TokenWithReputation}. */
export type Erc20TokenWithReputation = Static<typeof Erc20TokenWithReputation>

/** `from` and `to` of transfers and transactions. */
export const RichAddress = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Name of the token contract' })),
    symbol: Type.Optional(Type.String({ description: 'Symbol of the token contract' })),
    decimals: Type.Optional(Type.Integer({ description: 'Decimals of an ERC-20 contract' })),
    logoUri: Type.Optional(Type.String({ description: 'Logo of the token contract' })),
    isSpam,
    label: Type.Optional(Type.String({ description: 'What the operator calls the address' })),
    address: address('Address; the zero address where a contract was created'),
  },
  { $id: 'RichAddress', additionalProperties: false },
)
/** Decoded {@link RichAddress}. */
export type RichAddress = Static<typeof RichAddress>

/** Fields of the block a record lies in. */
export const blockFields = {
  blockNumber: decimal('Height of the block'),
  blockTimestamp: Type.Integer({ description: 'Unix seconds' }),
  blockTimestampMilliseconds: Type.Optional(
    Type.Integer({ description: 'Unix milliseconds; only where the header has them' }),
  ),
  blockHash: hash('Hash of the block'),
}

/** Fields of the block and transaction a record lies in. */
export const placementFields = { ...blockFields, txHash: hash('Hash of the transaction') }

const coin = {
  name: Type.String({ description: 'Name of the coin' }),
  symbol: Type.String({ description: 'Symbol of the coin' }),
  decimals: Type.Integer({ description: 'Decimals of the coin', minimum: 0 }),
  logoUri: Type.Optional(Type.String({ description: 'Logo' })),
}

/** The coin in which a chain's fees are paid. */
export const NetworkToken = Type.Object(
  { ...coin, description: Type.Optional(Type.String()) },
  { $id: 'NetworkToken', additionalProperties: false },
)
/** Decoded {@link NetworkToken}. */
export type NetworkToken = Static<typeof NetworkToken>

/** The coin and what it costs. `historicalPrice` only of transactions older than a day. */
export const NetworkTokenDetails = Type.Object(
  {
    networkToken: NetworkToken,
    currentPrice: Type.Optional(Money),
    historicalPrice: Type.Optional(Money),
  },
  { $id: 'NetworkTokenDetails', additionalProperties: false },
)
/** Decoded {@link NetworkTokenDetails}. */
export type NetworkTokenDetails = Static<typeof NetworkTokenDetails>

/** Native balance of an address, as the node reports it. */
export const NativeTokenBalance = Type.Object(
  {
    ...coin,
    chainId: decimal('EVM chain id'),
    price: Type.Optional(Money),
    balance: decimal('Wei'),
    balanceValue: Type.Optional(Money),
  },
  { $id: 'NativeTokenBalance', additionalProperties: false },
)
/** Decoded {@link NativeTokenBalance}. */
export type NativeTokenBalance = Static<typeof NativeTokenBalance>

/** Balance of an address in one token. */
export const Erc20TokenBalance = Type.Object(
  {
    ...erc20Fields,
    chainId: decimal('EVM chain id'),
    balance: amount('Smallest unit of the token', 'decimals'),
    balanceValue: Type.Optional(Money),
    tokenReputation: TokenReputation,
  },
  { $id: 'Erc20TokenBalance', additionalProperties: false },
)

/** Decoded {@link Erc20TokenBalance}. */
export type Erc20TokenBalance = Static<typeof Erc20TokenBalance>
