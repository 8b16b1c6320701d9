/**
 * Type ids of wire formats, by upstream's names.
 *
 * Source: avalanchego vms/platformvm/txs/codec.go, vms/platformvm/block/codec.go,
 * vms/avm/block/parser.go, vms/avm/fxs, and coreth plugin/evm/atomic/codec.go.
 */

/** Transactions of the P-Chain since Helicon, which older official clients do not know. */
export const heliconTypes = {
  AddAutoRenewedValidatorTx: 40,
  SetAutoRenewedValidatorConfigTx: 41,
  RewardAutoRenewedValidatorTx: 42,
} as const

/** Transactions of the P-Chain. */
export const pTypes = {
  AddValidatorTx: 12,
  AddSubnetValidatorTx: 13,
  AddDelegatorTx: 14,
  CreateChainTx: 15,
  CreateSubnetTx: 16,
  ImportTx: 17,
  ExportTx: 18,
  AdvanceTimeTx: 19,
  RewardValidatorTx: 20,
  RemoveSubnetValidatorTx: 23,
  TransformSubnetTx: 24,
  AddPermissionlessValidatorTx: 25,
  AddPermissionlessDelegatorTx: 26,
  TransferSubnetOwnershipTx: 33,
  BaseTx: 34,
  ConvertSubnetToL1Tx: 35,
  RegisterL1ValidatorTx: 36,
  SetL1ValidatorWeightTx: 37,
  IncreaseL1ValidatorBalanceTx: 38,
  DisableL1ValidatorTx: 39,
  ...heliconTypes,
} as const

/** Type id of a P-Chain transaction. */
export type PTypeId = (typeof pTypes)[keyof typeof pTypes]

/** Blocks of the P-Chain. */
export const pBlockTypes = {
  ApricotProposalBlock: 0,
  ApricotAbortBlock: 1,
  ApricotCommitBlock: 2,
  ApricotStandardBlock: 3,
  ApricotAtomicBlock: 4,
  BanffProposalBlock: 29,
  BanffAbortBlock: 30,
  BanffCommitBlock: 31,
  BanffStandardBlock: 32,
} as const

/** Blocks of the P-Chain that propose what their option decides: Apricot's and Banff's. */
export const proposalTypes = [
  pBlockTypes.ApricotProposalBlock,
  pBlockTypes.BanffProposalBlock,
] as const

/** Transactions of the X-Chain. */
export const xTypes = {
  BaseTx: 0,
  CreateAssetTx: 1,
  OperationTx: 2,
  ImportTx: 3,
  ExportTx: 4,
} as const

/** Atomic transactions of the C-Chain. */
export const cTypes = { ImportTx: 0, ExportTx: 1 } as const

/** Names of transactions of the three chains. */
export type TransactionName = keyof typeof pTypes | keyof typeof xTypes | keyof typeof cTypes

/** Every {@link TransactionName} once. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of these lists
export const transactionNames = [
  ...new Set([pTypes, xTypes, cTypes].flatMap((types) => Object.keys(types))),
] as readonly TransactionName[]

/** Outputs of all chains: of secp256k1, of NFTs, of properties; and locked for staking. */
export const outputTypes = {
  secpMint: 6,
  secpTransfer: 7,
  nftMint: 10,
  nftTransfer: 11,
  propertyMint: 15,
  propertyOwned: 16,
  stakeableLocked: 22,
} as const

/** Inputs of all chains. */
export const inputTypes = { secpTransfer: 5, stakeableLocked: 21 } as const

/** Operations of an X-Chain {@link xTypes} `OperationTx`. */
export const operationTypes = {
  secpMint: 8,
  nftMint: 12,
  nftTransfer: 13,
  propertyMint: 17,
  propertyBurn: 18,
} as const

/** Signers of validators: none, or a BLS key with its proof of possession. */
export const signerTypes = { empty: 27, proofOfPossession: 28 } as const

/** Names by type id. */
export function namesOf<Id extends number>(
  ids: Readonly<Record<string, Id>>,
): Readonly<Record<Id, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every id of the list is a key
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name])) as Record<
    Id,
    string
  >
}
