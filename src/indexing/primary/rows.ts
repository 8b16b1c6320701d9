/**
 * What indexing the primary network writes: the rows of one batch of blocks of one chain.
 *
 * This file is the contract between the replay (`replay-p.ts`, `replay-x.ts`, `replay-c.ts`) and
 * the store. The store writes a {@link RowBatch} and its `checkpoint` in one transaction and adds
 * nothing of its own. Within a batch every list is in the order things happened; a row that
 * changes twice in a batch appears once, with its last values.
 *
 * - Ids, addresses and keys are bytes (32, 20, 48); times are Unix seconds; heights are numbers.
 * - Amounts, weights and locktimes are bigint and may reach 2^64 - 1 (X-Chain assets, subnet
 *   weights, nonsense locktimes). AVAX amounts are nAVAX and stay below 2^60.
 * - `undefined` means absent. A field that is always there is never `undefined`.
 * - Blocks of the P-Chain's proposals enter a batch only together with their option.
 * - X-Chain transactions from before the chain became linear have heights below 0, in the order of
 *   the node's index; their time is that of the newest output they spend, a lower bound.
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

/** `pending` waits for its start; `removed` left by a removal before its end. */
export type StakerStatus = 'pending' | 'active' | 'completed' | 'removed'

/** Continuous staking (types 40 to 42). Shares are millionths, `nextPeriod` seconds, 0 = stop. */
export type AutoRenewal = {
  readonly authority: Owner
  readonly autoCompoundRewardShares: number
  readonly nextPeriod: number
  /** Rewards restaked so far, part of `weight`; they have no UTXO until the stake ends. */
  readonly accruedRewards: bigint
  readonly accruedDelegateeRewards: bigint
}

/** One validating or delegating period. Key: `txId`, the staking transaction. Written anew whenever it changes. */
export type StakerRow = {
  readonly txId: Uint8Array
  readonly typeId: number
  readonly role: 'validator' | 'delegator'
  readonly permissioned: boolean
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly weight: bigint
  /** Since Durango the block's time of acceptance, before what the transaction says. */
  readonly startTime: number
  readonly endTime: number
  /** Exact once active; before activation what today's supply would give. */
  readonly potentialReward: bigint
  /** Validators that take delegations; millionths. */
  readonly delegationShares: number | undefined
  readonly validationOwner: Owner | undefined
  readonly delegationOwner: Owner | undefined
  readonly publicKey: Uint8Array | undefined
  readonly proofOfPossession: Uint8Array | undefined
  /** Index of the first stake output, and how many there are: their UTXOs return at the end. */
  readonly firstStakeIndex: number
  readonly stakeCount: number
  readonly stakeAssetId: Uint8Array | undefined
  /** Delegators: the validating period they joined. */
  readonly validatorTxId: Uint8Array | undefined
  readonly status: StakerStatus
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
  /** Height from which the validator set shows it (a proposal's changes: its option's height). */
  readonly activatedHeight: number | undefined
  readonly endedHeight: number | undefined
  readonly endedTime: number | undefined
  /** Reward transaction (20, 42), or the removal (23). */
  readonly endTxId: Uint8Array | undefined
  /** Whether the reward was paid; absent before the end. */
  readonly rewarded: boolean | undefined
  /** Validators: fees earned from delegators and not paid out yet. */
  readonly delegateeReward: bigint
  /** Validators: delegators now (after the end: none), and over the whole period. */
  readonly delegatorCount: number
  readonly delegatedWeight: bigint
  readonly totalDelegatorCount: number
  readonly totalDelegatedWeight: bigint
  readonly autoRenewal: AutoRenewal | undefined
}

/** One reward paid. Key: `utxo`, the number of its UTXO. */
export type RewardRow = {
  readonly utxo: number
  readonly outputIndex: number
  readonly kind: RewardKind
  readonly amount: bigint
  readonly assetId: Uint8Array
  readonly addresses: readonly Uint8Array[]
  readonly stakingTxId: Uint8Array
  readonly rewardTxId: Uint8Array
  readonly nodeId: Uint8Array
  readonly subnetId: Uint8Array
  readonly amountStaked: bigint
  readonly startTime: number
  readonly endTime: number
  readonly height: number
  readonly position: number
  readonly time: number
}

/** How a subnet became an L1. */
export type Conversion = {
  readonly txId: Uint8Array
  readonly height: number
  readonly conversionId: Uint8Array
  readonly managerChainId: Uint8Array
  readonly managerAddress: Uint8Array
}

/** One subnet. Key: `subnetId`. Written anew whenever it changes. */
export type SubnetRow = {
  readonly subnetId: Uint8Array
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
  /** The newest. */
  readonly owner: Owner
  readonly transformation: Transformation | undefined
  readonly conversion: Conversion | undefined
}

/** Rules of an elastic subnet. Rates and shares are millionths, durations seconds. */
export type Transformation = {
  readonly txId: Uint8Array
  readonly assetId: Uint8Array
  readonly maximumSupply: bigint
  readonly minConsumptionRate: bigint
  readonly maxConsumptionRate: bigint
  readonly maxValidatorStake: bigint
  readonly maxValidatorWeightFactor: number
  readonly uptimeRequirement: number
}

/** A subnet's owner from this place on. Key: (subnetId, height, position). */
export type SubnetOwnerRow = {
  readonly subnetId: Uint8Array
  readonly height: number
  readonly position: number
  readonly time: number
  readonly txId: Uint8Array
  readonly owner: Owner
}

/** One blockchain. Key: `blockchainId`. Those of genesis have height 0. */
export type BlockchainRow = {
  readonly blockchainId: Uint8Array
  readonly subnetId: Uint8Array
  readonly name: string
  readonly vmId: Uint8Array
  readonly fxIds: readonly Uint8Array[]
  readonly genesis: Uint8Array
  /** From an EVM genesis (`config.chainId`), when there is one. */
  readonly evmChainId: number | undefined
  readonly createdHeight: number
  readonly createdPosition: number
  readonly createdTime: number
}

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

/** Owner of an L1 validator's balance, or who may disable it. */
export type L1Owner = {
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

/** One L1 validation. Key: `validationId`. Written anew whenever it changes. */
export type L1ValidatorRow = {
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  /** 20 bytes. */
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
  readonly remainingBalanceOwner: L1Owner
  readonly deactivationOwner: L1Owner
  readonly startTime: number
  /** 0 = removed. */
  readonly weight: bigint
  readonly minNonce: bigint
  /** 0 = inactive. Balance = this minus the accrued fees (`BlockRow.l1AccruedFees`). */
  readonly endAccumulatedFee: bigint
  readonly createdTxId: Uint8Array
  readonly createdHeight: number
  readonly createdPosition: number
  /** When it was removed (weight 0). */
  readonly removedHeight: number | undefined
  readonly removedTime: number | undefined
}

/**
 * What happened to an L1 validation, one row per event. Key: (validationId, height, position).
 * `txId` is absent, and `position` -1, when its balance ran out.
 */
export type L1ChangeRow = {
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
  readonly height: number
  readonly position: number
  /** Height from which the validator set shows it (a proposal's changes: its option's height). */
  readonly setHeight: number
  readonly time: number
  readonly txId: Uint8Array | undefined
  readonly weight: bigint
  readonly remainingBalance: bigint
  /** nAVAX added, or negative when refunded. */
  readonly balanceChange: bigint
  readonly active: boolean
}

/** Supply of a subnet's staking asset; the primary network is the all-zero id. Key: `subnetId`. */
export type SupplyRow = { readonly subnetId: Uint8Array; readonly supply: bigint }

/** Where a chain stands after a batch. One per chain. */
export type Checkpoint = {
  readonly chain: ChainName
  readonly height: number
  readonly blockId: Uint8Array
  /** Chain time; on the P-Chain what every rule looks at. */
  readonly time: number
  /** P only, else 0: continuous fee of L1 validators. */
  readonly l1AccruedFees: bigint
  readonly l1FeeExcess: bigint
  /** Number of the next UTXO it makes. */
  readonly nextUtxo: number
}

/** All rows of blocks `from` to `until` (exclusive) of one chain. */
export type RowBatch = {
  readonly chain: ChainName
  readonly from: number
  readonly until: number
  readonly blocks: readonly BlockRow[]
  readonly transactions: readonly TransactionRow[]
  readonly utxos: readonly UtxoRow[]
  readonly consumptions: readonly ConsumptionRow[]
  readonly stakeReturns: readonly StakeReturnRow[]
  readonly earlyImports: readonly EarlyImportRow[]
  readonly importCompletions: readonly ImportCompletionRow[]
  readonly stakers: readonly StakerRow[]
  readonly rewards: readonly RewardRow[]
  readonly subnets: readonly SubnetRow[]
  readonly subnetOwners: readonly SubnetOwnerRow[]
  readonly blockchains: readonly BlockchainRow[]
  readonly assets: readonly AssetRow[]
  readonly l1Validators: readonly L1ValidatorRow[]
  readonly l1Changes: readonly L1ChangeRow[]
  readonly supplies: readonly SupplyRow[]
  readonly checkpoint: Checkpoint
}
