// Contracts of every kind that verification tells apart, in words that compilers from 0.4.26 on know.
library Sums {
    function sum(uint a, uint b) public pure returns (uint) { return a + b; }
}
library Shelf {
    struct Thing { uint size; }
    function put(Thing storage thing, uint size) public { thing.size = size; }
}
contract Plain {
    mapping(address => uint) public held;
    function hold() public payable { held[msg.sender] += msg.value; }
}
contract Grandchild { uint public value = 7; }
contract Child {
    Grandchild public inner;
    constructor() public { inner = new Grandchild(); }
    function twice(uint a) public pure returns (uint) { return 2 * a; }
}
contract Factory {
    Child[] public made;
    function make() public { made.push(new Child()); }
    function other() public returns (Grandchild) { return new Grandchild(); }
}
contract Counter {
    uint public count;
    constructor(uint first) public { count = first; }
    function add(uint by) public { count = Sums.sum(count, by); }
    function addTwice(uint by) public { count = Sums.sum(Sums.sum(count, by), by); }
}
contract Marked {
    uint constant mark = 0x64697066735822122000000000007f3a9c51e2b84d6078c1fa35b9e46d0271;
    function owner() public pure returns (uint) { return mark; }
}
// From 0.6.5 on:
contract Fixed {
    address public immutable owner;
    uint public immutable most;
    constructor(uint most_) public { owner = msg.sender; most = most_; }
    function low(uint a) public view returns (bool) { return a < most && msg.sender == owner; }
}
