// SPDX-License-Identifier: BSD-3-Clause
pragma solidity ^0.8.20;

// Contracts of the demo network. They are small on purpose and fit for nothing else: whoever may do
// what is not checked.

/// An ERC-20 token whose whole supply is the maker's.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) {
        (name, symbol, decimals) = (name_, symbol_, decimals_);
        _mint(msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _mint(address to, uint256 value) internal {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal {
        balanceOf[from] -= value;
        totalSupply -= value;
        emit Transfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal virtual {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// The chain's own coin as a token. Minting and burning tell Deposit and Withdrawal, and no Transfer.
contract WrappedCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_) {
        (name, symbol) = (name_, symbol_);
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        balanceOf[msg.sender] -= value;
        emit Withdrawal(msg.sender, value);
        (bool sent, ) = msg.sender.call{value: value}("");
        require(sent, "the caller takes no coin");
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Buys and sells one token for the chain's coin at a fixed price.
contract Exchange {
    event Traded(address indexed who, bool bought, uint256 tokens, uint256 coins);

    Token public immutable token;
    uint256 public immutable tokensPerCoin;

    constructor(Token token_, uint256 tokensPerCoin_) payable {
        (token, tokensPerCoin) = (token_, tokensPerCoin_);
    }

    function buy() external payable {
        uint256 tokens = msg.value * tokensPerCoin;
        token.transfer(msg.sender, tokens);
        emit Traded(msg.sender, true, tokens, msg.value);
    }

    function sell(uint256 tokens) external {
        uint256 coins = tokens / tokensPerCoin;
        require(address(this).balance >= coins, "too little coin in the exchange");
        token.transferFrom(msg.sender, address(this), tokens);
        (bool sent, ) = msg.sender.call{value: coins}("");
        require(sent, "the caller takes no coin");
        emit Traded(msg.sender, false, tokens, coins);
    }
}

/// Makes tokens, at addresses that are known before.
contract TokenMaker {
    event Made(address token);

    function make(bytes32 salt, string calldata name, string calldata symbol) external {
        Token made = new Token{salt: salt}(name, symbol, 18, 1_000_000 ether);
        made.transfer(msg.sender, 1_000_000 ether);
        emit Made(address(made));
    }
}

/// Says that strangers received a token that nobody holds, under the name of another token.
contract Deceiver {
    event Transfer(address indexed from, address indexed to, uint256 value);

    // The last letter of the symbol is the Cyrillic one, with a zero-width space before it.
    string public constant name = unicode"USD Coin \u2014 claim at usd-coin.example";
    string public constant symbol = unicode"USD\u200b\u0421";
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 1;

    function balanceOf(address) external pure returns (uint256) {
        return 1_000_000e6;
    }

    function give(address from, address[] calldata to) external {
        for (uint256 at = 0; at < to.length; at++) emit Transfer(from, to[at], 1_000_000e6);
    }
}

library Text {
    function digitsOf(uint256 value) internal pure returns (string memory) {
        if (value == 0) return "0";
        uint256 count;
        for (uint256 rest = value; rest != 0; rest /= 10) count++;
        bytes memory digits = new bytes(count);
        for (; value != 0; value /= 10) digits[--count] = bytes1(uint8(48 + (value % 10)));
        return string(digits);
    }

    /// A picture of mountains: colours and heights come from a seed. Without `#` and `%`, which
    /// mean something in a URI.
    function picture(uint256 seed) internal pure returns (string memory) {
        string memory left = digitsOf(20 + ((seed >> 16) % 60));
        string memory right = digitsOf(30 + ((seed >> 32) % 50));
        return string.concat(
            "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>",
            "<rect width='100' height='100' fill='", colour(seed, 190), "'/>",
            "<circle cx='72' cy='26' r='11' fill='rgb(255,214,102)'/>",
            "<path d='M0 100L30 ", left, "L60 100z' fill='", colour(seed, 100), "'/>",
            "<path d='M35 100L70 ", right, "L100 100z' fill='", colour(seed, 50), "'/></svg>"
        );
    }

    function colour(uint256 seed, uint256 least) private pure returns (string memory) {
        return string.concat(
            "rgb(", digitsOf(least + (seed % 60)), ",", digitsOf(least + ((seed >> 6) % 60)), ",",
            digitsOf(least + ((seed >> 12) % 60)), ")"
        );
    }
}

/// An ERC-721 collection: every item tells its name and picture itself.
contract Pictures {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    string public name;
    string public symbol;
    uint256 public count;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_) {
        (name, symbol) = (name_, symbol_);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function mint(address to) external {
        count++;
        ownerOf[count] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, count);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == from, "not the owner");
        ownerOf[tokenId] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, tokenId);
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        require(ownerOf[tokenId] != address(0), "no such picture");
        uint256 seed = uint256(keccak256(abi.encode(tokenId)));
        return string.concat(
            'data:application/json;utf8,{"name":"', name, " ", Text.digitsOf(tokenId),
            '","description":"A mountain drawn by its contract.","attributes":[{"trait_type":"Height","value":"',
            Text.digitsOf(1_000 + (seed % 3_800)), ' m"}],"image":"', Text.picture(seed), '"}'
        );
    }
}

/// An ERC-1155 collection of badges.
contract Badges {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
    event URI(string value, uint256 indexed id);

    string public constant name = "Trail Badges";
    string public constant symbol = "BADGE";
    mapping(uint256 => mapping(address => uint256)) public balances;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return balances[id][owner];
    }

    function mint(address to, uint256 id, uint256 value) external {
        balances[id][to] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
        emit URI(uri(id), id);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata) external {
        balances[id][from] -= value;
        balances[id][to] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function safeBatchTransferFrom(
        address from, address to, uint256[] calldata ids, uint256[] calldata values, bytes calldata
    ) external {
        for (uint256 at = 0; at < ids.length; at++) {
            balances[ids[at]][from] -= values[at];
            balances[ids[at]][to] += values[at];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
    }

    function uri(uint256 id) public pure returns (string memory) {
        return string.concat(
            'data:application/json;utf8,{"name":"Badge ', Text.digitsOf(id),
            '","description":"For a trail that was walked.","image":"',
            Text.picture(uint256(keccak256(abi.encode("badge", id)))), '"}'
        );
    }
}

/// The precompile of Warp messages.
interface Warp {
    struct Message {
        bytes32 sourceChainID;
        address originSenderAddress;
        bytes payload;
    }

    function getBlockchainID() external view returns (bytes32);
    function sendWarpMessage(bytes calldata payload) external returns (bytes32);
    function getVerifiedWarpMessage(uint32 index) external view returns (Message memory, bool);
}

/// What receives messages of a messenger.
interface Receiver {
    function receiveTeleporterMessage(bytes32 source, address sender, bytes calldata message) external;
}

/// A messenger between chains that speaks the events of ICM's messenger and checks as much as a demo
/// needs: a signature of the source's validators, and that no message is delivered twice.
contract Messenger {
    struct Receipt {
        uint256 receivedMessageNonce;
        address relayerRewardAddress;
    }
    struct Envelope {
        uint256 messageNonce;
        address originSenderAddress;
        bytes32 destinationBlockchainID;
        address destinationAddress;
        uint256 requiredGasLimit;
        address[] allowedRelayerAddresses;
        Receipt[] receipts;
        bytes message;
    }
    struct Fee {
        address feeTokenAddress;
        uint256 amount;
    }

    event BlockchainIDInitialized(bytes32 indexed blockchainID);
    event SendCrossChainMessage(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, Envelope message, Fee feeInfo);
    event AddFeeAmount(bytes32 indexed messageID, Fee updatedFeeInfo);
    event ReceiveCrossChainMessage(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, address indexed deliverer, address rewardRedeemer, Envelope message);
    event MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID);
    event MessageExecutionFailed(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, Envelope message);
    event ReceiptReceived(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, address indexed relayerRewardAddress, Fee feeInfo);
    event RelayerRewardsRedeemed(address indexed redeemer, address indexed asset, uint256 amount);

    Warp constant warp = Warp(0x0200000000000000000000000000000000000005);
    bytes32 public immutable blockchainID;
    uint256 public nonce;
    mapping(bytes32 => bool) public delivered;
    mapping(bytes32 => Fee) public fees;
    mapping(bytes32 => bytes32) public failed;
    mapping(address => mapping(address => uint256)) public rewards;
    mapping(bytes32 => Receipt[]) private owed;

    constructor() {
        blockchainID = warp.getBlockchainID();
        emit BlockchainIDInitialized(blockchainID);
    }

    function idOf(bytes32 source, bytes32 destination, uint256 number) public view returns (bytes32) {
        return keccak256(abi.encode(address(this), source, destination, number));
    }

    function send(bytes32 destination, address to, Fee calldata fee, bytes calldata message) external returns (bytes32 id) {
        id = idOf(blockchainID, destination, ++nonce);
        if (fee.amount > 0) Token(fee.feeTokenAddress).transferFrom(tx.origin, address(this), fee.amount);
        fees[id] = fee;
        Envelope memory envelope = Envelope(
            nonce, msg.sender, destination, to, 300_000, new address[](0), owed[destination], message
        );
        delete owed[destination];
        emit SendCrossChainMessage(id, destination, envelope, fee);
        warp.sendWarpMessage(abi.encode(envelope));
    }

    function addFee(bytes32 id, uint256 amount) external {
        Fee storage fee = fees[id];
        Token(fee.feeTokenAddress).transferFrom(msg.sender, address(this), amount);
        fee.amount += amount;
        emit AddFeeAmount(id, fee);
    }

    function receiveMessage(address redeemer) external {
        (Warp.Message memory got, bool valid) = warp.getVerifiedWarpMessage(0);
        require(valid && got.originSenderAddress == address(this), "no message of a messenger");
        Envelope memory envelope = abi.decode(got.payload, (Envelope));
        require(envelope.destinationBlockchainID == blockchainID, "for another chain");
        bytes32 id = idOf(got.sourceChainID, blockchainID, envelope.messageNonce);
        require(!delivered[id], "delivered before");
        delivered[id] = true;
        owed[got.sourceChainID].push(Receipt(envelope.messageNonce, redeemer));
        for (uint256 at = 0; at < envelope.receipts.length; at++) settle(got.sourceChainID, envelope.receipts[at]);
        emit ReceiveCrossChainMessage(id, got.sourceChainID, msg.sender, redeemer, envelope);
        if (execute(got.sourceChainID, envelope)) emit MessageExecuted(id, got.sourceChainID);
        else {
            failed[id] = keccak256(abi.encode(envelope));
            emit MessageExecutionFailed(id, got.sourceChainID, envelope);
        }
    }

    function retry(bytes32 source, Envelope calldata envelope) external {
        bytes32 id = idOf(source, blockchainID, envelope.messageNonce);
        require(failed[id] == keccak256(abi.encode(envelope)), "not a message that failed");
        delete failed[id];
        require(execute(source, envelope), "failed again");
        emit MessageExecuted(id, source);
    }

    function redeem(address asset) external {
        uint256 amount = rewards[msg.sender][asset];
        rewards[msg.sender][asset] = 0;
        Token(asset).transfer(msg.sender, amount);
        emit RelayerRewardsRedeemed(msg.sender, asset, amount);
    }

    function settle(bytes32 other, Receipt memory receipt) private {
        bytes32 id = idOf(blockchainID, other, receipt.receivedMessageNonce);
        Fee memory fee = fees[id];
        delete fees[id];
        rewards[receipt.relayerRewardAddress][fee.feeTokenAddress] += fee.amount;
        emit ReceiptReceived(id, other, receipt.relayerRewardAddress, fee);
    }

    function execute(bytes32 source, Envelope memory envelope) private returns (bool done) {
        if (envelope.destinationAddress.code.length == 0) return false;
        (done, ) = envelope.destinationAddress.call{gas: envelope.requiredGasLimit}(
            abi.encodeCall(Receiver.receiveTeleporterMessage, (source, envelope.originSenderAddress, envelope.message))
        );
    }
}

/// One end of a bridge: keeps a token here that is held by its other end as `BridgedToken`.
contract Bridge is Receiver {
    Messenger public immutable messenger;
    Token public immutable token;

    constructor(Messenger messenger_, Token token_) {
        (messenger, token) = (messenger_, token_);
    }

    function cross(bytes32 destination, address other, address to, uint256 value, Messenger.Fee calldata fee) external {
        token.transferFrom(msg.sender, address(this), value);
        messenger.send(destination, other, fee, abi.encode(to, value));
    }

    function receiveTeleporterMessage(bytes32, address, bytes calldata message) external {
        (address to, uint256 value) = abi.decode(message, (address, uint256));
        token.transfer(to, value);
    }
}

/// The other end: a token that is minted for what is kept there, and burned on the way back.
contract BridgedToken is Token, Receiver {
    Messenger public immutable messenger;
    bool public open = true;

    constructor(Messenger messenger_, string memory name_, string memory symbol_) Token(name_, symbol_, 18, 0) {
        messenger = messenger_;
    }

    function setOpen(bool open_) external {
        open = open_;
    }

    function crossBack(bytes32 destination, address other, address to, uint256 value) external {
        _burn(msg.sender, value);
        messenger.send(destination, other, Messenger.Fee(address(0), 0), abi.encode(to, value));
    }

    function receiveTeleporterMessage(bytes32, address, bytes calldata message) external {
        require(open, "closed");
        (address to, uint256 value) = abi.decode(message, (address, uint256));
        _mint(to, value);
    }
}

/// A proxy whose code can be changed (ERC-1967).
contract Proxy {
    event Upgraded(address indexed implementation);

    bytes32 constant place = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        upgrade(implementation);
    }

    function upgrade(address implementation) public {
        assembly {
            sstore(place, implementation)
        }
        emit Upgraded(implementation);
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(place), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
