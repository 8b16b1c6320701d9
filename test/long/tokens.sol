// SPDX-License-Identifier: BSD-3-Clause
pragma solidity ^0.8.20;

/// Tokens that do what their logs do not tell. Every one answers balanceOf truly.

abstract contract Books {
  mapping(address => uint256) internal shares;
  uint256 internal percent = 100;
  uint8 public constant decimals = 6;

  function balanceOf(address who) public view returns (uint256) {
    return shares[who] * percent / 100;
  }

  function emitTransfer(address from, address to, uint256 amount) internal virtual;

  function mint(address to, uint256 amount) external {
    shares[to] += amount;
    emitTransfer(address(0), to, amount);
  }

  function transfer(address to, uint256 amount) external returns (bool) {
    shares[msg.sender] -= amount;
    shares[to] += amount;
    emitTransfer(msg.sender, to, amount);
    return true;
  }
}

contract Token is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  event OwnershipTransferred(address indexed before, address indexed owner);
  event Painted(uint256 colour);
  string public name;
  string public symbol;

  constructor(string memory first) { name = first; symbol = first; }

  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }

  function mintMany(uint160 first, uint160 count, uint256 amount) external {
    for (uint160 at; at < count; at++) {
      shares[address(first + at)] += amount;
      emit Transfer(address(0), address(first + at), amount);
    }
  }

  /// The rest happens without a transfer in the logs.
  function rename(string calldata next) external { name = next; symbol = next; }
  function paint(string calldata next) external { name = next; symbol = next; emit Painted(1); }
  function give(string calldata next) external { name = next; emit OwnershipTransferred(msg.sender, address(1)); }
  function rebase(uint256 next) external { percent = next; }
  function take(address from) external { shares[from] = 0; }
  function slip(address to, uint256 amount) external { shares[to] += amount; }
  function transferWithFee(address to, uint256 amount) external {
    shares[msg.sender] -= amount;
    shares[to] += amount - amount / 10;
    emit Transfer(msg.sender, to, amount);
  }
  function destroy() external { selfdestruct(payable(msg.sender)); }
}

/// Calls that reach a token from inside another transaction.
contract Caller {
  function pass(address to, bytes calldata data) external {
    (bool ok, ) = to.call(data);
    require(ok);
  }
}

contract Maker {
  event Made(address at);
  function make(bytes memory code) external {
    address at;
    assembly { at := create2(0, add(code, 32), mload(code), 7) }
    require(at != address(0));
    emit Made(at);
  }
}

contract NothingIndexed is Books {
  event Transfer(address from, address to, uint256 amount);
  string public name = "Nothing"; string public symbol = "N0";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract SenderIndexed is Books {
  event Transfer(address indexed from, address to, uint256 amount);
  string public name = "Sender"; string public symbol = "N1";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract AllIndexed is Books {
  event Transfer(address indexed from, address indexed to, uint256 indexed amount);
  string public name = "All"; string public symbol = "N3";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract ReceiverIndexed is Books {
  event Transfer(address from, address indexed to, uint256 amount);
  string public name = "Receiver"; string public symbol = "N1";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract AmountIndexed is Books {
  event Transfer(address from, address to, uint256 indexed amount);
  string public name = "Amount"; string public symbol = "N1";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract ReceiverInData is Books {
  event Transfer(address indexed from, address to, uint256 indexed amount);
  string public name = "Data"; string public symbol = "N2";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract SenderInData is Books {
  event Transfer(address from, address indexed to, uint256 indexed amount);
  string public name = "Data"; string public symbol = "N2";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

/// Its decimals answer, and at first its balances, too, once `begin` was called.
contract BegunLater {
  string public name = "Begun"; string public symbol = "BGN";
  bool internal begun; bool internal immutable silent;
  mapping(address => uint256) internal held;
  event Transfer(address from, address to, uint256 amount);
  constructor(uint256 mute) { silent = mute == 1; }
  function decimals() external view returns (uint8) { require(begun); return 18; }
  function balanceOf(address who) external view returns (uint256) { require(begun || !silent); return held[who]; }
  function begin() external { begun = true; }
  function mint(address to, uint256 amount) external { held[to] += amount; emit Transfer(address(0), to, amount); }
}

/// An ERC-20 token does not have to have decimals.
contract Bare {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  string public constant name = "Bare";
  mapping(address => uint256) public balanceOf;
  function mint(address to, uint256 amount) external { balanceOf[to] += amount; emit Transfer(address(0), to, amount); }
}

/// Its supply stays what it was when coins are sent to nobody, as that of wrapped coins does.
contract Keeping is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  string public name = "Keeping"; string public symbol = "KEEP";
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

/// Plots as they were before ERC-165 was final: items, and decimals of 0.
contract Plots {
  string public name = "Plots"; string public symbol = "PLT"; uint8 public constant decimals = 0;
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  mapping(uint256 => address) public ownerOf;
  mapping(address => uint256) public balanceOf;
  function mint(address to, uint256 id) external { ownerOf[id] = to; balanceOf[to]++; emit Transfer(address(0), to, id); }
}

/// Amounts with three topics and items with four, of one contract.
contract Mixed is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  string public name = "Mixed"; string public symbol = "MIX";
  mapping(uint256 => address) public ownerOf;
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
  function item(address to, uint256 id) external { ownerOf[id] = to; Items.log(to, id); }
}

library Items {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  function log(address to, uint256 id) internal { emit Transfer(address(0), to, id); }
}

/// Contracts whose methods fail otherwise than by revert. Every one of them is legal.
contract EndlessName is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function name() external view returns (string memory) { assembly { for {} 1 {} { pop(keccak256(0, 32)) } } return ""; }
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract InvalidFallback {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  mapping(uint256 => address) public ownerOf;
  function mint(address to, uint256 id) external { ownerOf[id] = to; emit Transfer(address(0), to, id); }
  fallback() external { assembly { invalid() } }
}

contract InvalidUri {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  mapping(uint256 => address) public ownerOf;
  function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x01ffc9a7 || id == 0x80ac58cd; }
  function mint(address to, uint256 id) external { ownerOf[id] = to; emit Transfer(address(0), to, id); }
  function tokenURI(uint256 id) external pure returns (string memory) {
    if (id == 1) assembly { invalid() }
    return 'data:application/json,{"name":"good"}';
  }
}

contract FirstCode is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function name() external pure returns (string memory) { return "First"; }
  function symbol() external pure returns (string memory) { return "FST"; }
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}



contract NextCode is Books {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function name() external pure returns (string memory) { return "Next"; }
  function symbol() external pure returns (string memory) { return "NXT"; }
  function emitTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
}

contract Beacon {
  event Upgraded(address indexed implementation);
  address public implementation;
  constructor(address first) { implementation = first; }
  function upgradeTo(address next) external { implementation = next; emit Upgraded(next); }
}

contract Proxy {
  event BeaconUpgraded(address indexed beacon);
  constructor(address beacon) {
    assembly { sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon) }
    emit BeaconUpgraded(beacon);
  }
  fallback() external payable {
    address beacon;
    assembly { beacon := sload(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50) }
    address code = Beacon(beacon).implementation();
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}

/// Coins are wrapped and never moved.
contract Wrapped {
  event Deposit(address indexed who, uint256 amount);
  string public name = "Wrapped"; string public symbol = "WRP"; uint8 public constant decimals = 18;
  mapping(address => uint256) public balanceOf;
  function deposit() external payable { balanceOf[msg.sender] += msg.value; emit Deposit(msg.sender, msg.value); }
}

/// ERC-1155 batches of any length, and an ERC-721 token of the same contract.
contract Both {
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
  function batch(address to, uint256 count) external {
    uint256[] memory ids = new uint256[](count);
    uint256[] memory values = new uint256[](count);
    for (uint256 at; at < count; at++) { ids[at] = at; values[at] = 1; }
    emit TransferBatch(msg.sender, address(0), to, ids, values);
  }
  function single(address to, uint256 id) external { emit Transfer(address(0), to, id); }
}
