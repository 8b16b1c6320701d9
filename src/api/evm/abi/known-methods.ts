/**
 * Methods met most often, by the interfaces that define them.
 *
 * Sources: the ERC texts (20, 165, 173, 721, 1155, 1271, 2612, 2771, 2981, 3156, 4337, 4626, 4906,
 * 5267, 7802), WAVAX, OpenZeppelin Contracts, Uniswap v2 and v3, Trader Joe, Multicall3, Safe,
 * ICM Teleporter and Token Transfer, validator managers, the precompiles of subnet-evm and coreth.
 */

import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import type { MaybePromise } from '../../../store/engine/database.ts'

const text = `
transfer(address,uint256) transferFrom(address,address,uint256) approve(address,uint256)
balanceOf(address) allowance(address,address) totalSupply() name() symbol() decimals()
increaseAllowance(address,uint256) decreaseAllowance(address,uint256)
permit(address,address,uint256,uint256,uint8,bytes32,bytes32) nonces(address) DOMAIN_SEPARATOR()
transferAndCall(address,uint256) transferAndCall(address,uint256,bytes)
approveAndCall(address,uint256) approveAndCall(address,uint256,bytes)
transferFromAndCall(address,address,uint256) transferFromAndCall(address,address,uint256,bytes)
transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)
mint() mint(uint256) mint(address) mint(address,uint256) mint(address,uint256,bytes)
mint(address,uint256,uint256) mint(address,uint256,uint256,bytes)
mintBatch(address,uint256[],uint256[]) mintBatch(address,uint256[],uint256[],bytes)
mintTo(address,uint256) mintTo(address) publicMint(uint256) safeMint(address) safeMint(address,uint256)
safeMint(address,string) safeMint(address,uint256,string) mintNFT(address,string) batchMint(address,uint256)
burn(uint256) burn(address,uint256) burnFrom(address,uint256) burn(address,uint256,uint256)
burnBatch(address,uint256[],uint256[]) multiTransfer(address[],uint256[]) airdrop(address[],uint256)
airdrop(address[],uint256[]) airdrop(address,address[],uint256[]) batchTransfer(address[],uint256[])
batchTransfer(address,address[],uint256[]) multisend(address,address[],uint256[])
disperseEther(address[],uint256[]) disperseToken(address,address[],uint256[])
safeTransferFrom(address,address,uint256) safeTransferFrom(address,address,uint256,bytes)
safeTransferFrom(address,address,uint256,uint256,bytes)
safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)
setApprovalForAll(address,bool) isApprovedForAll(address,address) getApproved(uint256)
ownerOf(uint256) tokenURI(uint256) uri(uint256) balanceOf(address,uint256)
balanceOfBatch(address[],uint256[]) setBaseURI(string) setURI(string) setTokenURI(uint256,string)
royaltyInfo(uint256,uint256) supportsInterface(bytes4) tokenByIndex(uint256)
tokenOfOwnerByIndex(address,uint256)
deposit() deposit(uint256) deposit(uint256,address) deposit(address,uint256) deposit(uint256,uint256)
depositFor(address,uint256) depositTo(address) deposit(address) withdraw() withdraw(uint256)
withdraw(address) withdraw(address,uint256) withdraw(uint256,uint256) withdraw(uint256,address,address)
withdrawTo(address,uint256) withdrawAll() redeem(uint256) redeem(uint256,address,address)
redeem(uint256,address,address,uint256) emergencyWithdraw(uint256) emergencyWithdraw() harvest(uint256)
harvest() harvestFarmRewards(uint256[]) stake(uint256) stake() stake(address,uint256) unstake(uint256)
unstake(address,uint256) exit() claim() claim(uint256) claim(address) claim(uint256,address,uint256,bytes32[])
claim(uint256,uint256,address,bytes32[]) claimRewards() claimReward() claimReward(uint256) claimRewards(address)
claimAll() getReward() getReward(address) compound() reinvest() requestUnlock(uint256) submit() submit(address)
owner() transferOwnership(address) renounceOwnership() acceptOwnership() initialize() initialize(address)
initialize(address,address) grantRole(bytes32,address) revokeRole(bytes32,address)
renounceRole(bytes32,address) hasRole(bytes32,address) pause() unpause() paused() upgradeTo(address)
upgradeToAndCall(address,bytes) changeAdmin(address) upgrade(address,address)
upgradeAndCall(address,address,bytes) execute(address,uint256,bytes) execute(bytes32,bytes)
execute(bytes,bytes[]) execute(bytes,bytes[],uint256) execute((address,uint256,bytes)[])
executeBatch(address[],uint256[],bytes[]) executeBatch(address[],bytes[]) multicall(bytes[])
multicall(uint256,bytes[]) multicall(bytes32,bytes[]) aggregate((address,bytes)[])
tryAggregate(bool,(address,bytes)[]) aggregate3((address,bool,bytes)[])
aggregate3Value((address,bool,uint256,bytes)[]) blockAndAggregate((address,bytes)[])
tryBlockAndAggregate(bool,(address,bytes)[]) getEthBalance(address)
execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)
execTransactionFromModule(address,uint256,bytes,uint8) approveHash(bytes32)
setup(address[],uint256,address,bytes,address,address,uint256,address)
createProxyWithNonce(address,bytes,uint256) addOwnerWithThreshold(address,uint256)
removeOwner(address,address,uint256) swapOwner(address,address,address) changeThreshold(uint256)
enableModule(address) setGuard(address) multiSend(bytes)
handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)
handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)
depositTo(address,uint256) addStake(uint32) createAccount(address,uint256)
swapExactTokensForTokens(uint256,uint256,address[],address,uint256)
swapTokensForExactTokens(uint256,uint256,address[],address,uint256)
swapExactETHForTokens(uint256,address[],address,uint256)
swapETHForExactTokens(uint256,address[],address,uint256)
swapExactTokensForETH(uint256,uint256,address[],address,uint256)
swapTokensForExactETH(uint256,uint256,address[],address,uint256)
swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)
swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)
swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)
swapExactAVAXForTokens(uint256,address[],address,uint256)
swapAVAXForExactTokens(uint256,address[],address,uint256)
swapExactTokensForAVAX(uint256,uint256,address[],address,uint256)
swapTokensForExactAVAX(uint256,uint256,address[],address,uint256)
swapExactTokensForAVAXSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)
swapExactAVAXForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)
swapExactTokensForTokens(uint256,uint256,(uint256[],uint8[],address[]),address,uint256)
swapExactNATIVEForTokens(uint256,(uint256[],uint8[],address[]),address,uint256)
swapExactTokensForNATIVE(uint256,uint256,(uint256[],uint8[],address[]),address,uint256)
addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)
addLiquidityETH(address,uint256,uint256,uint256,address,uint256)
addLiquidityAVAX(address,uint256,uint256,uint256,address,uint256)
removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)
removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)
removeLiquidityAVAX(address,uint256,uint256,uint256,address,uint256)
removeLiquidityETHWithPermit(address,uint256,uint256,uint256,address,uint256,bool,uint8,bytes32,bytes32)
createPair(address,address) swap(uint256,uint256,address,bytes) sync() skim(address) getReserves()
exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))
exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))
exactInput((bytes,address,uint256,uint256,uint256)) exactInput((bytes,address,uint256,uint256))
exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))
exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))
exactOutput((bytes,address,uint256,uint256,uint256)) exactOutput((bytes,address,uint256,uint256))
mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))
increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))
decreaseLiquidity((uint256,uint128,uint256,uint256,uint256)) collect((uint256,address,uint128,uint128))
unwrapWETH9(uint256,address) refundETH() sweepToken(address,uint256,address)
selfPermit(address,uint256,uint256,uint8,bytes32,bytes32)
createAndInitializePoolIfNecessary(address,address,uint24,uint160)
swap(address,bool,int256,uint160,bytes) flash(address,uint256,uint256,bytes)
permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)
approve(address,address,uint160,uint48) transferFrom(address,address,uint160,address)
supply(address,uint256,address,uint16) supply(address,uint256) borrow(uint256)
borrow(address,uint256,uint256,uint16,address) repay(address,uint256,uint256,address)
repayBorrow(uint256) repayBorrow() liquidateBorrow(address,uint256,address) withdraw(address,uint256,address)
liquidationCall(address,address,address,uint256,bool) flashLoan(address,address,uint256,bytes)
depositETH(address,address,uint16) withdrawETH(address,uint256,address) enterMarkets(address[])
swap(address,(address,address,address,address,uint256,uint256,uint256),bytes,bytes)
swap(address,(address,address,address,address,uint256,uint256,uint256),bytes)
swapNoSplit((uint256,uint256,address[],address[]),address,uint256)
swapNoSplitFromAVAX((uint256,uint256,address[],address[]),address,uint256)
swapNoSplitToAVAX((uint256,uint256,address[],address[]),address,uint256)
sendFrom(address,uint16,bytes,uint256,(address,address,bytes))
lzReceive(uint16,bytes,uint64,bytes) send((uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)
depositForBurn(uint256,uint32,bytes32,address) receiveMessage(bytes,bytes) unwrap(uint256,uint32)
unwrap(uint256) wrap(uint256) wrap(address,uint256)
sendCrossChainMessage((bytes32,address,(address,uint256),uint256,address[],bytes))
retrySendCrossChainMessage((uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes))
addFeeAmount(bytes32,address,uint256) receiveCrossChainMessage(uint32,address)
retryMessageExecution(bytes32,(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes))
sendSpecifiedReceipts(bytes32,bytes32[],(address,uint256),address[]) redeemRelayerRewards(address)
receiveTeleporterMessage(bytes32,address,bytes) initializeBlockchainID()
send((bytes32,address,address,address,uint256,uint256,uint256,address),uint256)
send((bytes32,address,address,address,uint256,uint256,uint256,address))
sendAndCall((bytes32,address,address,bytes,uint256,uint256,address,address,address,uint256,uint256),uint256)
sendAndCall((bytes32,address,address,bytes,uint256,uint256,address,address,address,uint256,uint256))
registerWithHome((address,uint256)) addCollateral(bytes32,address,uint256) addCollateral(bytes32,address)
addProtocolVersion(uint32) updateMinTeleporterVersion(uint256)
sendWarpMessage(bytes) getVerifiedWarpMessage(uint32) getVerifiedWarpBlockHash(uint32) getBlockchainID()
setAdmin(address) setManager(address) setEnabled(address) setNone(address) readAllowList(address)
mintNativeCoin(address,uint256) setFeeConfig(uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256)
getFeeConfig() getFeeConfigLastChangedAt() allowFeeRecipients() areFeeRecipientsAllowed()
currentRewardAddress() disableRewards() setRewardAddress(address)
initializeValidatorSet((bytes32,bytes32,address,(bytes,bytes,uint64)[]),uint32)
initializeValidatorRegistration((bytes,bytes,(uint32,address[]),(uint32,address[]),uint64),uint64)
initiateValidatorRegistration(bytes,bytes,(uint32,address[]),(uint32,address[]),uint64)
initiateValidatorRegistration(bytes,bytes,(uint32,address[]),(uint32,address[]),uint16,uint64,address)
completeValidatorRegistration(uint32) initiateValidatorRemoval(bytes32) completeValidatorRemoval(uint32)
initiateValidatorRemoval(bytes32,bool,uint32) forceInitiateValidatorRemoval(bytes32,bool,uint32)
initiateValidatorWeightUpdate(bytes32,uint64) completeValidatorWeightUpdate(uint32)
resendRegisterValidatorMessage(bytes32) resendValidatorRemovalMessage(bytes32)
initiateDelegatorRegistration(bytes32,address) completeDelegatorRegistration(bytes32,uint32)
initiateDelegatorRemoval(bytes32,bool,uint32) completeDelegatorRemoval(bytes32,uint32)
submitUptimeProof(bytes32,uint32) claimDelegationFees(bytes32)
propose(address[],uint256[],bytes[],string) castVote(uint256,uint8)
castVoteWithReason(uint256,uint8,string) queue(address[],uint256[],bytes[],bytes32)
execute(address[],uint256[],bytes[],bytes32) cancel(uint256) delegate(address)
delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)
schedule(address,uint256,bytes,bytes32,bytes32,uint256)
execute(address,uint256,bytes,bytes32,bytes32) atomicMatch_(address[14],uint256[18],uint8[8],bytes,bytes,bytes,bytes,bytes,bytes,uint8[2],bytes32[5])
fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))
incrementCounter() isValidSignature(bytes32,bytes) isValidSignature(bytes,bytes) set(uint256) get()
store(uint256) retrieve() increment() setNumber(uint256) number() setGreeting(string) vote(uint256)
deploy(bytes32,bytes) deploy(bytes) deploy(uint256,bytes32,bytes) create(bytes) create2(bytes32,bytes)
create3(bytes32,bytes) deployCreate(bytes) deployCreate2(bytes32,bytes) deployCreate3(bytes32,bytes)
safeCreate2(bytes32,bytes) run(uint256) pay(address) pay(address,uint256) send(address,uint256)
sweep() sweep(address) sweep(address[]) rescueTokens(address,uint256) setOwner(address) setFee(uint256)
crossChainMint(address,uint256) crosschainMint(address,uint256) crosschainBurn(address,uint256)
rebase(uint256,int256) rebase(int256) rebase(uint256) fail() fail(uint256)
`

/** Signatures with types. */
const knownMethods: readonly string[] = text.trim().split(/\s+/)

// Signatures of methods by selector.
//
// Selectors are 32 bits, so that two signatures may share one: the bundled list wins over an
// operator's, that over verified contracts', and an earlier entry over a later one.

/** Signature with types of a selector (first four bytes of the input as an integer). */
export type MethodName = (selector: number) => string | undefined

/** Names for some selectors. Calls no node. */
export type MethodNames = (selectors: readonly number[]) => MaybePromise<MethodName>

// A dump of every public signature has about a million lines.
const maxSignatures = 2_000_000

/**
 * Names from the bundled list, from further `signatures`, for instance `transfer(address,uint256)`, and of
 * selectors that are in neither what `verified` finds.
 */
export function createMethodNames(
  signatures: Iterable<string> = [],
  verified?: (selectors: readonly number[]) => Promise<ReadonlyMap<number, string>>,
): MethodNames {
  const names = new Map<number, string>()
  for (const signature of knownMethods) add(names, signature)
  for (const signature of signatures) {
    if (names.size >= maxSignatures)
      throw new Fault('bad-config', `too many method signatures: more than ${maxSignatures}`)
    add(names, signature)
  }
  const known: MethodName = (selector) => names.get(selector)
  return (selectors) => {
    if (verified === undefined || selectors.every((selector) => names.has(selector))) return known
    const others = new Set(selectors.filter((selector) => !names.has(selector)))
    return verified([...others]).then(
      (found) => (selector) => names.get(selector) ?? found.get(selector),
    )
  }
}

/** Selector of a signature: first four bytes of its keccak-256, as an integer. */
export function selectorOf(signature: string): number {
  const sum = keccak256(new TextEncoder().encode(signature))
  return new DataView(sum.buffer, sum.byteOffset).getUint32(0)
}

// Names are mined for selectors of zeros, which cost less gas: a method with one is not the one in a list.
const leastListed = 0x100

function add(names: Map<number, string>, signature: string): void {
  const selector = selectorOf(signature)
  if (!names.has(selector) && selector >= leastListed) names.set(selector, signature)
}
