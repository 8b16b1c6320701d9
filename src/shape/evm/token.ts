/** Tokens, what they are worth, and who has them. */

import { Type, type Static, Optional } from '../type.ts'
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
export const Money = Type.Component(
  'Money',
  'A price or a value; absent where the deployment has no source of prices',
  {
    currencyCode: Type.Enum(currencies, 'Currency'),
    value: Type.String('Amount, base 10', { pattern: '^[0-9]+(\\.[0-9]+)?$' }),
  },
)
/** Decoded {@link Money}. */
export type Money = Static<typeof Money>

/** True for a token that looks like spam. */
export const isSpam = Type.Optional(Type.Literal(true, 'The token looks like spam'))

/** Fields of an ERC-20 token that every view of it has. */
export const erc20Fields = {
  address: address('Token contract'),
  name: Type.String('Name; empty where the contract gives none'),
  symbol: Type.String('Symbol; empty where the contract gives none'),
  decimals: Type.Union(
    [Type.Integer({ minimum: 0 }), Type.Null()],
    'Decimals; null where they are not known',
  ),
  decimalsUnknown: Optional.String('Why the decimals are not known', {
    examples: ['decimals() fails: reverted'],
  }),
  logoUri: Optional.String('Logo'),
  ercType: Type.Literal('ERC-20', 'Standard of the token'),
  price: Type.Optional(Money),
  isSpam,
}

/** Opinion about a token: of the operator's list, `null` where it has none. */
export const TokenReputation = Type.Union(
  [Type.Literal('Malicious'), Type.Literal('Benign'), Type.Null()],
  "The operator's opinion; null where there is none",
)
/** Decoded {@link TokenReputation}. */
export type TokenReputation = Static<typeof TokenReputation>

/** An ERC-20 token. */
export const Erc20Token = Type.Component('Erc20Token', 'An ERC-20 token', erc20Fields)
/** Decoded {@link Erc20Token}. */
export type Erc20Token = Static<typeof Erc20Token>

/** An ERC-20 token with its reputation, as version 2 shows it. */
export const Erc20TokenWithReputation = Type.Component(
  'Erc20TokenWithReputation',
  'An ERC-20 token with its reputation',
  { ...erc20Fields, tokenReputation: TokenReputation },
)
/** Decoded {@link Erc20TokenWithReputation}. */
export type Erc20TokenWithReputation = Static<typeof Erc20TokenWithReputation>

/** Name of an address that stands beside it: one rule for all, `api/evm/rich-addresses.ts`. */
export const label = Optional.String(
  'What the address is called: as the operator says, else by the symbol of its token, else as its verified contract is named',
  { examples: ['Treasury'] },
)

/** `from` and `to` of transfers and transactions. */
export const RichAddress = Type.Component('RichAddress', 'An address with what is known of it', {
  name: Optional.String('Name that the token gives itself, else that of the verified contract'),
  symbol: Optional.String('Symbol of the token contract'),
  decimals: Optional.Integer('Decimals of an ERC-20 contract'),
  logoUri: Optional.String('Logo of the token contract'),
  isSpam,
  label,
  address: address('Address; the zero address where a contract was created'),
})
/** Decoded {@link RichAddress}. */
export type RichAddress = Static<typeof RichAddress>

/** Fields of the block a record lies in. */
export const blockFields = {
  blockNumber: decimal('Height of the block'),
  blockTimestamp: Type.Integer('Unix seconds'),
  blockTimestampMilliseconds: Optional.Integer('Unix milliseconds; only where the header has them'),
  blockHash: hash('Hash of the block'),
}

/** Fields of the block and transaction a record lies in. */
export const placementFields = { ...blockFields, txHash: hash('Hash of the transaction') }

const coin = {
  name: Type.String('Name of the coin'),
  symbol: Type.String('Symbol of the coin'),
  decimals: Type.Integer('Decimals of the coin', { minimum: 0 }),
  logoUri: Optional.String('Logo'),
}

/** The coin in which a chain's fees are paid. */
export const NetworkToken = Type.Component(
  'NetworkToken',
  'The coin in which fees of the chain are paid',
  { ...coin, description: Optional.String() },
)
/** Decoded {@link NetworkToken}. */
export type NetworkToken = Static<typeof NetworkToken>

/** The coin and what it costs. `historicalPrice` only of transactions older than a day. */
export const NetworkTokenDetails = Type.Component(
  'NetworkTokenDetails',
  'The coin and what it costs',
  {
    networkToken: NetworkToken,
    currentPrice: Type.Optional(Money),
    historicalPrice: Type.Optional(Money),
  },
)
/** Decoded {@link NetworkTokenDetails}. */
export type NetworkTokenDetails = Static<typeof NetworkTokenDetails>

/** Native balance of an address, as the node reports it. */
export const NativeTokenBalance = Type.Component(
  'NativeTokenBalance',
  'Balance of the coin of the chain',
  {
    ...coin,
    chainId: decimal('EVM chain id'),
    price: Type.Optional(Money),
    balance: decimal('Wei'),
    balanceValue: Type.Optional(Money),
  },
)
/** Decoded {@link NativeTokenBalance}. */
export type NativeTokenBalance = Static<typeof NativeTokenBalance>

/** Balance of an address in one token. */
export const Erc20TokenBalance = Type.Component(
  'Erc20TokenBalance',
  'Balance of an address in one token',
  {
    ...erc20Fields,
    chainId: decimal('EVM chain id'),
    balance: amount('Smallest unit of the token', 'decimals'),
    balanceValue: Type.Optional(Money),
    tokenReputation: TokenReputation,
  },
)

/** Decoded {@link Erc20TokenBalance}. */
export type Erc20TokenBalance = Static<typeof Erc20TokenBalance>
