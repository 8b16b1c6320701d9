/**
 * Rows of what blocks hold: blocks, transactions, UTXOs, assets. The conventions are those of
 * `rows.ts`.
 */

/** The three chains. Assets move between them through shared memory. */
export type ChainName = 'P' | 'X' | 'C'

/** Who may spend or decide. `locktime` 0 = at once. */
export type Owner = {
  readonly locktime: bigint
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

/** An amount of one asset, in its smallest unit. */
export type AssetAmount = { readonly assetId: Uint8Array; readonly amount: bigint }

/** Outer (proposervm) block, known only from a node's Index API. */
export type Proposer = {
  readonly outerId: Uint8Array
  readonly outerParentId: Uint8Array
  /** Absent for options and unsigned blocks, as are the other two. */
  readonly nodeId: Uint8Array | undefined
  readonly pChainHeight: number | undefined
  readonly timestamp: number | undefined
}

/** One accepted block. Key: (chain, height). C-Chain blocks are listed when they were given. */
export type BlockRow = {
  readonly chain: ChainName
  readonly height: number
  /** Inner block id; on the C-Chain the EVM block hash. */
  readonly blockId: Uint8Array
  readonly parentId: Uint8Array
  /** Wire type id; names: `pBlockNames`, X 20 and C 0 are "Standard". */
  readonly typeId: number
  /** Chain time after the block; since Banff the block's own time. */
  readonly time: number
  readonly sizeBytes: number
  readonly transactionCount: number
  readonly proposer: Proposer | undefined
  /** P only: supply of AVAX, accrued L1 validator fees, and active L1 validators after it. */
  readonly currentSupply: bigint | undefined
  readonly l1AccruedFees: bigint | undefined
  readonly activeL1Validators: number | undefined
}

/** Assets entering or leaving an EVM account in a C-Chain atomic transaction. */
export type EvmSide = {
  readonly address: Uint8Array
  readonly amount: bigint
  readonly assetId: Uint8Array
  /** 65-byte signatures that authorised an export's input; none for an import's output. */
  readonly signatures: readonly Uint8Array[]
}

/**
 * One transaction. Key: (chain, height, position). `txId` is not unique: an advance of time can be
 * proposed again, and a C-Chain bonus block repeats one; look up the lowest height.
 */
export type TransactionRow = {
  readonly chain: ChainName
  readonly height: number
  /** Place in the block; a proposal is last. */
  readonly position: number
  readonly txId: Uint8Array
  /** Wire type id; names: `pTransactionNames`, `xTransactionNames`, `cTransactionNames`. */
  readonly typeId: number
  /** False only for a P-Chain proposal whose option was Abort. */
  readonly committed: boolean
  readonly time: number
  readonly memo: Uint8Array
  readonly sizeBytes: number
  /** Owners of everything consumed and emitted, staking owners included; unique. */
  readonly addresses: readonly Uint8Array[]
  /** EVM accounts of a C-Chain transaction; unique. A separate address space. */
  readonly evmAddresses: readonly Uint8Array[]
  /** UTXOs it made, by number: this many from this one on. */
  readonly firstUtxo: number
  readonly utxoCount: number
  /** Numbers of the UTXOs it spent, in the order of its inputs; early imports are left out. */
  readonly spent: readonly number[]
  /** Sum of inputs, by asset; imported ones included. X and C call it unlocked. */
  readonly consumed: readonly AssetAmount[]
  /** Sum of everything emitted, by asset, stake and exports included. */
  readonly value: readonly AssetAmount[]
  /** Inputs minus outputs, by asset; fee and L1 balance included. Zero amounts are left out. */
  readonly burned: readonly AssetAmount[]
  /** Sum of stake outputs, by asset. */
  readonly staked: readonly AssetAmount[]
  /** nAVAX moved into L1 validator balances (types 35, 36, 38); 0 otherwise. */
  readonly l1BalanceBurned: bigint
  /** The other chain of an import or export, as its blockchain id. */
  readonly sourceChain: Uint8Array | undefined
  readonly destinationChain: Uint8Array | undefined
  /** Validator or delegator transactions, and the reward transactions about them. */
  readonly nodeId: Uint8Array | undefined
  readonly subnetId: Uint8Array | undefined
  readonly startTime: number | undefined
  readonly endTime: number | undefined
  /** Millionths. */
  readonly delegationShares: number | undefined
  /** The staking transaction a reward (20, 42) or a configuration (41) is about. */
  readonly stakingTxId: Uint8Array | undefined
  /** Validation owner and delegation owner of a staking transaction, in this order, unique. */
  readonly rewardAddresses: readonly Uint8Array[]
  /** New owner of a subnet (16, 33). */
  readonly subnetOwner: Owner | undefined
  readonly publicKey: Uint8Array | undefined
  readonly proofOfPossession: Uint8Array | undefined
  /** Manager of an L1 (35). */
  readonly managerChainId: Uint8Array | undefined
  readonly managerAddress: Uint8Array | undefined
  /** C-Chain: accounts debited by an export, credited by an import. */
  readonly evmInputs: readonly EvmSide[]
  readonly evmOutputs: readonly EvmSide[]
}

/** The transaction that spent a UTXO, and where. */
export type Consumption = {
  readonly chain: ChainName
  readonly height: number
  readonly position: number
  readonly time: number
  readonly txId: Uint8Array
}

/** When a staked UTXO came back: the block of the reward transaction, its option's time. */
export type StakeReturn = {
  readonly height: number
  readonly time: number
  readonly rewardTxId: Uint8Array
}

/** What a reward UTXO pays for. */
export type RewardKind = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE'

/**
 * One UTXO. Key: `txId` and `outputIndex`, and `number`, which counts what its chain made. Its
 * bytes are rebuilt by `encodeUtxoRow` (`utxo-bytes.ts`).
 *
 * - `outputType`: wire type id of the output inside any stakeable lock: 7 amount, 6 and 10 and 15
 *   rights to mint, 11 NFT, 16 property
 * - `createdOn`, `consumableOn` differ for exports: consumed by an import on the other chain
 * - `staked`: lies locked in `stakingTxId` = `txId` until `returned`
 */
export type UtxoRow = {
  readonly number: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly outputType: number
  /** 0 when the output has no amount. */
  readonly amount: bigint
  readonly owner: Owner
  /** Unix seconds until which the output may only be staked; 0 = none. */
  readonly stakeableLocktime: bigint
  readonly groupId: number | undefined
  readonly payload: Uint8Array | undefined
  readonly createdOn: ChainName
  readonly consumableOn: ChainName
  readonly createdHeight: number
  /** Position of the creating transaction; reward UTXOs: of the reward transaction. */
  readonly createdPosition: number
  readonly createdTime: number
  /** True for outputs that entered the chain as stake. */
  readonly staked: boolean
  /** Of the stake, or of the staker a reward is for. */
  readonly stakeStart: number | undefined
  readonly stakeEnd: number | undefined
  readonly rewardKind: RewardKind | undefined
  /** The reward transaction that made this one. */
  readonly rewardTxId: Uint8Array | undefined
  /** Set when it happened within the same batch. */
  readonly returned: StakeReturn | undefined
  readonly consumed: Consumption | undefined
}

/** What replay must know of a UTXO of an earlier batch. */
export type KnownUtxo = Readonly<
  Pick<
    UtxoRow,
    | 'number'
    | 'txId'
    | 'outputIndex'
    | 'assetId'
    | 'outputType'
    | 'amount'
    | 'owner'
    | 'stakeableLocktime'
    | 'createdOn'
    | 'consumableOn'
    | 'createdTime'
    | 'staked'
    | 'returned'
    | 'consumed'
  >
>

/** A UTXO of an earlier batch was spent. */
export type ConsumptionRow = { readonly utxo: KnownUtxo; readonly consumed: Consumption }

/** A staked UTXO of an earlier batch came back. */
export type StakeReturnRow = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly returned: StakeReturn
}

/**
 * An import whose export is not indexed yet. Key: `txId` and `outputIndex`. Kept until the export
 * arrives; that batch then holds the {@link UtxoRow} with `consumed` set and an
 * {@link ImportCompletionRow}.
 */
export type EarlyImportRow = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly amount: bigint
  readonly sourceChain: ChainName
  readonly consumed: Consumption
}

/**
 * The export of an {@link EarlyImportRow} arrived. Its owners are to be added to the addresses of
 * the transaction that spent it.
 */
export type ImportCompletionRow = { readonly utxo: UtxoRow; readonly consumed: Consumption }

/** One asset of the X-Chain. Key: `assetId`. */
export type AssetRow = {
  readonly assetId: Uint8Array
  readonly name: string
  readonly symbol: string
  readonly denomination: number
  /** By its first initial state. */
  readonly kind: 'secp256k1' | 'nft' | 'property'
  /** Whether more can be minted. */
  readonly variableCap: boolean
  readonly createdHeight: number
  readonly createdTime: number
}
