// The EVM plug-in as upstream makes it, without its demand for 32,768 open files, which some machines
// of tests allow nobody. Source: graft/subnet-evm/plugin/runner.
package main

import (
	"context"
	"log"

	"github.com/ava-labs/avalanchego/graft/subnet-evm/plugin/evm"
	"github.com/ava-labs/avalanchego/vms/rpcchainvm"
)

func main() {
	evm.RegisterAllLibEVMExtras()
	if err := rpcchainvm.Serve(context.Background(), &evm.VM{}); err != nil {
		log.Fatal(err)
	}
}
