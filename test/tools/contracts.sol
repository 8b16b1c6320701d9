// SPDX-License-Identifier: MIT
// Contracts of every kind that verification tells apart; `record-contracts.ts` makes a chain of them.
pragma solidity 0.8.30;

error TooFar(uint256 asked, uint256 most);

library Doubling {
    function twice(uint256 value) external pure returns (uint256) {
        return 2 * value;
    }
}

contract Counter {
    uint256 public immutable most;
    uint256 public number;
    string public name;

    event Counted(address indexed by, uint256 number);

    constructor(string memory name_, uint256 most_) {
        name = name_;
        most = most_;
    }

    function add(uint256 amount) external returns (uint256) {
        if (number + amount > most) revert TooFar(number + amount, most);
        number += amount;
        emit Counted(msg.sender, number);
        return number;
    }

    function fail(uint256 how) external pure {
        require(how != 1, "told to fail");
        assert(how != 2);
        if (how == 3) revert();
    }
}

contract Doubler {
    function twice(uint256 value) external pure returns (uint256) {
        return Doubling.twice(value);
    }
}

contract Maker {
    event Made(Counter counter);

    function make(uint256 most) external {
        emit Made(new Counter("made", most));
    }

    function clone(address target) external returns (address made) {
        bytes20 to = bytes20(target);
        assembly {
            let code := mload(0x40)
            mstore(code, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(code, 0x14), to)
            mstore(add(code, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(0, code, 0x37)
        }
    }
}

abstract contract Delegating {
    function _target() internal view virtual returns (address);

    fallback() external payable {
        address target = _target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Proxy is Delegating {
    constructor(address target) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, target)
        }
    }

    function _target() internal view override returns (address target) {
        assembly {
            target := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
        }
    }
}

contract Beacon {
    address public implementation;

    constructor(address implementation_) {
        implementation = implementation_;
    }
}

contract BeaconProxy is Delegating {
    constructor(Beacon beacon) {
        assembly {
            sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon)
        }
    }

    function _target() internal view override returns (address) {
        Beacon beacon;
        assembly {
            beacon := sload(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50)
        }
        return beacon.implementation();
    }
}

contract Diamond is Delegating {
    address[] facets;

    constructor(address[] memory facets_) {
        facets = facets_;
    }

    function facetAddresses() external view returns (address[] memory) {
        return facets;
    }

    function _target() internal view override returns (address) {
        return facets[0];
    }
}
